/**
 * A(alpha) of the sampled Gaussian at orders that are no integers, by the trapezoidal rule.
 *
 * Mironov, Talwar, Zhang 2019 (section 3.3) and the libraries that follow them use two alternating series in erfc, cut
 * where terms get small. They lose digits where A is close to 1 (small q): for q = 0.01, sigma = 2.5, 50 rounds at order
 * 1.5, Google's dp_accounting expects 6.706e-4 where 30-digit arithmetic gives 6.5007e-4. Here
 *
 *   A - 1 = E[(1 + x)^alpha - 1 - alpha x],   x = q (exp(s / sigma - 1 / (2 sigma^2)) - 1),   s ~ N(0, 1),
 *
 * because E[x] = 0. The integrand is nowhere negative, so nothing cancels; and it is analytic in the strip
 * |Im s| < pi sigma, where the trapezoidal rule converges geometrically (Trefethen and Weideman 2014): with the step
 * below its error is under exp(-34).
 */

/** Below this noise the strip is narrow and the range long; epsilon is then in the hundreds and a bound will do. */
export const LEAST_SIGMA = 0.1;

/** What is left out at either end is under exp(-REACH^2 / 2) of the whole. */
const REACH = 10;

/** log(A(order) - 1), for 0 < q < 1 and sigma >= LEAST_SIGMA. */
export function logAminus1ByQuadrature(q: number, sigma: number, order: number): number {
  const step = 0.5 * Math.min(1, sigma);
  // The integrand is a Gaussian tilted by exp(k s / sigma) with k between 0 and the order: its mass is in between.
  const points = Math.ceil((order / sigma + 2 * REACH) / step) + 1;
  const logs = new Float64Array(points);
  for (let i = 0; i < points; i++) {
    const s = -REACH + i * step;
    logs[i] = -0.5 * s * s + logExcess(q, order, s / sigma - 1 / (2 * sigma * sigma));
  }
  return logSumExp(logs) + Math.log(step / Math.sqrt(2 * Math.PI));
}

/** log((1 + x)^alpha - 1 - alpha x) for x = q (e^t - 1): three forms, each where it keeps its digits. */
function logExcess(q: number, alpha: number, t: number): number {
  // log(1 + x), which does not overflow where e^t does.
  const l = t > 1 ? t + Math.log(q + (1 - q) * Math.exp(-t)) : Math.log1p(q * Math.expm1(t));
  if (alpha * l > 1) {
    return alpha * l + Math.log1p((alpha - 1) * Math.exp(-alpha * l) - alpha * Math.exp((1 - alpha) * l));
  }
  const x = q * Math.expm1(t);
  if (Math.abs(alpha * x) > 0.1) return Math.log(Math.expm1(alpha * l) - alpha * x);
  return Math.log(binomialTail(alpha, x));
}

/** sum_{k>=2} C(alpha, k) x^k, for small |alpha x|. */
function binomialTail(alpha: number, x: number): number {
  let term = (alpha * (alpha - 1) * x * x) / 2;
  let sum = term;
  for (let k = 2; k < 60 && Math.abs(term) > 1e-18 * sum; k++) {
    term *= ((alpha - k) * x) / (k + 1);
    sum += term;
  }
  return sum;
}

/** log(sum exp(l)). */
export function logSumExp(logs: Float64Array): number {
  let top = Number.NEGATIVE_INFINITY;
  for (const value of logs) if (value > top) top = value;
  if (!Number.isFinite(top)) return top;
  let sum = 0;
  for (const value of logs) sum += Math.exp(value - top);
  return top + Math.log(sum);
}

/** log(exp(y) - 1), y > 0. */
export function logExpm1(y: number): number {
  return y > 36 ? y : Math.log(Math.expm1(y));
}

/** log(1 + exp(l)). */
export function log1pExp(l: number): number {
  return l > 36 ? l : Math.log1p(Math.exp(l));
}
