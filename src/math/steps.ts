/**
 * The coordinate steps in f64, shared by the plain kernels and the losses. A row's one-dimensional problem, all others standing still:
 *
 *   max over b of  s(b) - m (b - beta) - h/2 (b - beta)^2          m its margin at beta, h = (sigma + 1/C2) |x|^2
 */
import { expNegative } from './exp.ts';

/** Of a linear s, before clipping: the vertex of a parabola. */
export function vertex(beta: number, g: number, h: number): number {
  return beta + g / h;
}

/** sign(t) max(0, |t| - e) */
export function towardsZero(t: number, e: number): number {
  return t > e ? t - e : t < -e ? t + e : 0;
}

/** The monotone iteration takes about log(h c) rounds at the worst, 2 near the solution. */
const MOST_ITERATIONS = 100;
/** Convergence is quadratic: the error left is below the square of the last move. */
const SMALL = 1e-8;

/**
 * Of an entropy, s = -c (p log p + (1 - p) log(1 - p)) with p = alpha / c: Newton's method, safeguarded (after Yu, Huang and Lin 2011, who iterate
 * on alpha). Here it is on t, the margin after the step, since s' = log((1 - p) / p) makes both ends of the box infinitely steep in alpha
 * and harmless in t. At the maximum
 *
 *   t = m + h (alpha(t) - alpha),   alpha(t) = c / (1 + e^t)          f(t) = t - m - h (alpha(t) - alpha) = 0
 *
 * f' lies between 1 and 1 + h c / 4, so there is one root; f is concave for t > 0 and convex for t < 0, and its sign at 0 says where the root is.
 * Below 0 everything is mirrored (c - alpha for alpha, -m for m). A tangent of a concave function is above it, so from wherever it starts the
 * iteration is left of the root after one step and climbs from there; below 0 it goes on from 0. It starts at m: near the solution t = m.
 * No logarithm is taken, and e^-t is at most 1.
 */
export function entropyStep(alpha: number, m: number, h: number, c: number): number {
  const right = m + h * (0.5 * c - alpha) >= 0;
  const b = right ? m : -m;
  const from = right ? alpha : c - alpha;
  let t = b > 0 ? b : 0;
  let e = expNegative(-t);
  for (let k = 0; k < MOST_ITERATIONS; k++) {
    const p = e / (1 + e);
    const f = t - b - h * (c * p - from);
    let next = t - f / (1 + (h * c * p) / (1 + e));
    if (!(next > 0)) next = 0;
    const moved = Math.abs(next - t);
    t = next;
    e = expNegative(-t);
    if (moved <= SMALL * (1 + t)) break;
  }
  const part = c * (e / (1 + e));
  return right ? part : c - part;
}
