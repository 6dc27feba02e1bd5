/**
 * The quantile (pinball) loss max(tau (y - a), (tau - 1)(y - a)) of quantile regression (Koenker and Bassett 1978): its best constant is the
 * tau-quantile of the targets, so that a share tau of them is below the prediction. With r = a - y:
 *
 *   s = y beta + min over r of  C max(-tau r, (1 - tau) r) + beta r:  minus infinity unless -(1 - tau) C <= beta <= tau C, else at r = 0:  s = y beta
 *
 * Step: s is linear, so the row's problem is a parabola in an interval, whose ends are unequal: its vertex, clipped.
 */
import { vertex } from '../../math/steps.ts';
import { MEDIAN } from '../../settings/losses.ts';
import type { Loss, LossShape } from './loss.ts';

export const quantile: Loss = {
  task: 'regression',
  classes: false,
  // Targets are of any size, and so is the loss at 0.
  dualRange: { least: Number.NEGATIVE_INFINITY, most: Number.POSITIVE_INFINITY },
  curvature: 0,
  form: 'clip',
  box: (_, cap, shape) => ends(cap, shape),
  value: (y, a, shape) => pinball(y, a, shape.quantile),
  conjugate: (y, beta) => y * beta,
  step({ y, cap, shape, beta, margin, h }) {
    const { low, high } = ends(cap, shape);
    return Math.min(high, Math.max(low, vertex(beta, y - margin, h)));
  },
  subgradient(y, a, cap, shape) {
    const { low, high } = ends(cap, shape);
    return y > a ? high : y < a ? low : 0;
  },
};

/** The loss of one prediction a. */
export function pinball(y: number, a: number, tau = MEDIAN): number {
  return y > a ? tau * (y - a) : (1 - tau) * (a - y);
}

function ends(cap: number, { quantile: tau = MEDIAN }: LossShape) {
  return { low: -(1 - tau) * cap, high: tau * cap };
}
