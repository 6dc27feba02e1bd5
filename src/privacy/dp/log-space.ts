/** Sums of numbers too large or too small for a double, by their logarithms. */

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
