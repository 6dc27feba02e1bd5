/**
 * The logistic loss log(1 + e^(-y a)), y = -1 or +1. With alpha = y beta, m = y a and p = alpha / C:
 *
 *   s = min over m of  C log(1 + e^-m) + alpha m
 *
 * For alpha < 0 or alpha > C there is no minimum. Otherwise the derivative -C / (1 + e^m) + alpha vanishes at m = log((1 - p) / p), where
 * log(1 + e^-m) = -log(1 - p), so that
 *
 *   s = -C log(1 - p) + C p log((1 - p) / p) = -C (p log p + (1 - p) log(1 - p)),      0 < alpha < C
 *
 * the entropy of p, 0 at both ends. The maximum is inside, but numbers are finite: a row with a margin beyond 708 has alpha = 0, and s is taken as 0
 * there. Step: Newton's method (Yu, Huang and Lin 2011; LIBLINEAR -s 7), math/steps.ts. Every row moves in every pass, and none is shrunk.
 */
import { logPortable } from '../../base/random.ts';
import { expNegative } from '../../math/exp.ts';
import { log1p, softplus } from '../../math/sigmoid.ts';
import { entropyStep } from '../../math/steps.ts';
import type { Loss } from './loss.ts';

export const logistic: Loss = {
  task: 'classification',
  classes: true,
  dualRange: { least: 0, most: Math.LN2 },
  curvature: 0.25,
  form: 'entropy',
  box: (y, cap) => (y > 0 ? { low: 0, high: cap } : { low: -cap, high: 0 }),
  value: (y, a) => softplus(-y * a),
  conjugate(y, beta, cap) {
    const alpha = y * beta;
    // The smaller of p and 1 - p has all its digits.
    const p = Math.min(alpha, cap - alpha) / cap;
    return p > 0 ? -cap * (p * logPortable(p) + (1 - p) * log1p(-p)) : 0;
  },
  step: ({ y, cap, beta, margin, h }) => y * entropyStep(y * beta, y * margin, h, cap),
  subgradient(y, a, cap) {
    const m = y * a;
    const e = expNegative(-Math.abs(m));
    return (y * cap * (m >= 0 ? e : 1)) / (1 + e);
  },
};
