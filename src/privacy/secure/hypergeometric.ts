/**
 * Tails of the hypergeometric distribution: how many of `marked` out of `population` are in a random draw of `draws`. Exact
 * terms in logarithms, so that probabilities of 2^-60 keep their digits; portable logarithms, because every participant computes
 * thresholds for itself and all must find the same.
 */
import { expPortable, logPortable } from '../../base/random.ts';

/** The smallest c with P[X > c] <= 2^-bits. */
export function tailQuantile(population: number, marked: number, draws: number, bits: number): number {
  const allowed = expPortable(-bits * Math.LN2);
  const all = logChoose(population, draws);
  let tail = 0;
  for (let c = Math.min(draws, marked); c > 0; c--) {
    tail += expPortable(logChoose(marked, c) + logChoose(population - marked, draws - c) - all);
    if (tail > allowed) return c;
  }
  return 0;
}

/** ln of the number of ways to choose k out of n. */
export function logChoose(n: number, k: number): number {
  return k < 0 || k > n ? Number.NEGATIVE_INFINITY : logFactorial(n) - logFactorial(k) - logFactorial(n - k);
}

const factorials: number[] = [0];

/** Remembered up to the largest n asked for. */
function logFactorial(n: number): number {
  for (let i = factorials.length; i <= n; i++) factorials.push(factorials[i - 1] + logPortable(i));
  return factorials[n];
}
