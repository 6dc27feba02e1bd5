/**
 * The epsilon-insensitive loss max(0, |a - y| - eps) of support vector regression. With r = a - y:
 *
 *   s = y beta + min over r of  C max(0, |r| - eps) + beta r:  minus infinity unless |beta| <= C, else at |r| = eps:  s = y beta - eps |beta|
 *
 * Step: two parabolas that meet at beta = 0: the vertex, drawn towards 0 by eps / h, clipped (Ho and Lin 2012).
 */
import { towardsZero, vertex } from '../../math/steps.ts';
import type { Loss } from './loss.ts';

export const epsilonInsensitive: Loss = {
  task: 'regression',
  classes: false,
  // Targets are of any size, and so is the loss at 0.
  dualRange: { least: Number.NEGATIVE_INFINITY, most: Number.POSITIVE_INFINITY },
  curvature: 0,
  form: 'tube',
  box: (_, cap) => ({ low: -cap, high: cap }),
  value(y, a, { epsilon }) {
    const beyond = Math.abs(a - y) - epsilon;
    return beyond > 0 ? beyond : 0;
  },
  conjugate: (y, beta, _, { epsilon }) => y * beta - epsilon * Math.abs(beta),
  step({ y, cap, shape: { epsilon }, beta, margin, h }) {
    const t = towardsZero(vertex(beta, y - margin, h), epsilon / h);
    return Math.min(cap, Math.max(-cap, t));
  },
  subgradient: (y, a, cap, { epsilon }) => (Math.abs(y - a) > epsilon ? cap * Math.sign(y - a) : 0),
};
