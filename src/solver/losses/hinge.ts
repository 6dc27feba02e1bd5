/**
 * The hinge loss max(0, 1 - y a) of the support vector machine, y = -1 or +1. With alpha = y beta and m = y a:
 *
 *   s = min over m of  C max(0, 1 - m) + alpha m:  minus infinity unless 0 <= alpha <= C, else at m = 1:  s = alpha
 *
 * Step: s is linear, so the row's problem is a parabola in an interval: its vertex, clipped.
 */
import { vertex } from '../../math/steps.ts';
import type { Loss } from './loss.ts';

export const hinge: Loss = {
  task: 'classification',
  classes: true,
  dualRange: { least: 0, most: 1 },
  curvature: 0,
  form: 'clip',
  box: classBox,
  value(y, a) {
    const short = 1 - y * a;
    return short > 0 ? short : 0;
  },
  conjugate: (y, beta) => y * beta,
  step({ y, cap, beta, margin, h }) {
    const { low, high } = classBox(y, cap);
    return Math.min(high, Math.max(low, vertex(beta, y - margin, h)));
  },
  subgradient: (y, a, cap) => (y * a < 1 ? y * cap : 0),
};

function classBox(y: number, cap: number) {
  return y > 0 ? { low: 0, high: cap } : { low: -cap, high: 0 };
}
