/** What follows from a few repeats: means, and how far to trust them. Student's t throughout, since repeats are few. */
import { solvePositive } from '../math/normal-equations.ts';

/** 97.5% quantile of Student's t by degrees of freedom, from 1 on; beyond the list the normal one is close. */
const T975 = [
  12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.16, 2.145, 2.131,
  2.12, 2.11, 2.101, 2.093, 2.086, 2.08, 2.074, 2.069, 2.064, 2.06, 2.056, 2.052, 2.048, 2.045, 2.042,
] as const;
const NORMAL = 1.96;

/** A mean with its 95% interval. With one value the interval is that value: nothing is known of its spread. */
export interface Estimate {
  readonly mean: number;
  readonly low: number;
  readonly high: number;
  readonly deviation: number;
  readonly count: number;
}

export function estimate(values: readonly number[]): Estimate {
  const count = values.length;
  if (count === 0)
    return { mean: Number.NaN, low: Number.NaN, high: Number.NaN, deviation: Number.NaN, count };
  const mean = values.reduce((sum, value) => sum + value, 0) / count;
  if (count === 1) return { mean, low: mean, high: mean, deviation: 0, count };
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (count - 1);
  const deviation = Math.sqrt(variance);
  const half = ((T975[count - 2] ?? NORMAL) * deviation) / Math.sqrt(count);
  return { mean, low: mean - half, high: mean + half, deviation, count };
}

/** How a is to b, from pairs that share a seed. */
export interface Comparison extends Estimate {
  readonly says: 'greater' | 'smaller' | 'no clear difference';
}

/** Paired differences a - b. One pair alone never shows a clear difference. */
export function compare(a: readonly number[], b: readonly number[]): Comparison {
  const found = estimate(a.map((value, i) => value - b[i]));
  const clear = found.count >= 2;
  if (clear && found.low > 0) return { ...found, says: 'greater' };
  return { ...found, says: clear && found.high < 0 ? 'smaller' : 'no clear difference' };
}

/** Whether two intervals share no point. */
export function apart(a: Estimate, b: Estimate): boolean {
  return a.low > b.high || b.low > a.high;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/**
 * Coefficients of the linear combination of columns that is closest to y, each row counted by its relative error: what is
 * small must fit as well as what is large. Normal equations, for a handful of columns.
 */
export function relativeFit(columns: readonly (readonly number[])[], y: readonly number[]): number[] {
  const scaled = columns.map((column) => column.map((value, r) => value / y[r]));
  const sum = (of: (r: number) => number) => y.reduce((total, _, r) => total + of(r), 0);
  const a = scaled.map((p) => scaled.map((q) => sum((r) => p[r] * q[r])));
  const b = scaled.map((p) => sum((r) => p[r]));
  return solvePositive(a, b) ?? columns.map(() => Number.NaN);
}

/** Least squares y = a x + b on logarithms: the exponent a of a power law, and the share of variance explained. */
export function powerLaw(points: readonly { readonly x: number; readonly y: number }[]) {
  const xs = points.map(({ x }) => Math.log(x));
  const ys = points.map(({ y }) => Math.log(y));
  const [mx, my] = [estimate(xs).mean, estimate(ys).mean];
  let [sxx, sxy, syy] = [0, 0, 0];
  for (const [i, x] of xs.entries()) {
    sxx += (x - mx) ** 2;
    sxy += (x - mx) * (ys[i] - my);
    syy += (ys[i] - my) ** 2;
  }
  return { exponent: sxy / sxx, r2: (sxy * sxy) / (sxx * syy) };
}
