/**
 * The squared hinge loss max(0, 1 - y a)^2, y = -1 or +1 (LIBLINEAR's L2-loss support vector machine). With alpha = y beta and m = y a:
 *
 *   s = min over m of  C max(0, 1 - m)^2 + alpha m
 *
 * For alpha < 0 there is no minimum (m to infinity). Otherwise the derivative -2C (1 - m) + alpha vanishes at 1 - m = alpha / (2C), and there
 *
 *   s = C alpha^2 / (4 C^2) + alpha (1 - alpha / (2C)) = alpha - alpha^2 / (4C),      0 <= alpha < infinity
 *
 * A quadratic s is a ridge: 1/(2C) more on the diagonal of the row's problem, and a gradient of y - x.z - beta / (2C) (Hsieh et al. 2008). The box
 * has one end, 0; rows shrink there alone. s has no lower bound: a row on the wrong side by more than 1 has alpha > 4C and s < 0.
 */
import { vertex } from '../../math/steps.ts';
import type { Loss } from './loss.ts';

export const squaredHinge: Loss = {
  task: 'classification',
  classes: true,
  dualRange: { least: Number.NEGATIVE_INFINITY, most: 1 },
  curvature: 2,
  form: 'ridge',
  box: (y) =>
    y > 0 ? { low: 0, high: Number.POSITIVE_INFINITY } : { low: Number.NEGATIVE_INFINITY, high: 0 },
  value(y, a) {
    const short = 1 - y * a;
    return short > 0 ? short * short : 0;
  },
  conjugate: (y, beta, cap) => y * beta - (beta * beta) / (4 * cap),
  step({ y, cap, beta, margin, h }) {
    const ridge = 0.5 / cap;
    const t = vertex(beta, y - margin - ridge * beta, h + ridge);
    return y > 0 ? Math.max(0, t) : Math.min(0, t);
  },
  subgradient(y, a, cap) {
    const short = 1 - y * a;
    return short > 0 ? 2 * cap * short * y : 0;
  },
};
