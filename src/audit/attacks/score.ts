/** What the attacks got right, against the truth that they have not seen, and what a guess would have got right. */
import { stream } from '../../base/random.ts';
import { dot, norm } from '../../solver/vector.ts';
import { distance } from './single-rows.ts';

export interface VectorScore {
  readonly cosine: number;
  /** |estimate - truth| / |truth| */
  readonly relativeError: number;
}

export function scoreVector(estimate: Float64Array, truth: Float64Array): VectorScore {
  const sizes = norm(estimate) * norm(truth);
  return {
    cosine: sizes > 0 ? dot(estimate, truth) / sizes : 0,
    relativeError: distance(estimate, truth) / norm(truth),
  };
}

export interface RowScore {
  /** For each true row, the error of the recovered row matched to it, relative to its length; 1 where there is none. */
  readonly errors: Float64Array;
  /** True rows matched to better than `RECOVERED`. */
  readonly recovered: number;
  readonly median: number;
}

/** Relative error below which a row counts as recovered. */
export const RECOVERED = 0.01;

/** Nearest pairs first, each row in one pair. Give rows without the bias: a constant is no achievement. */
export function scoreRows(recovered: readonly Float64Array[], truth: readonly Float64Array[]): RowScore {
  const pairs = truth.flatMap((x, i) =>
    recovered.map((guess, g) => ({ i, g, error: distance(guess, x) / norm(x) })),
  );
  pairs.sort((a, b) => a.error - b.error);
  const errors = new Float64Array(truth.length).fill(1);
  const matched = new Set<number>();
  const used = new Set<number>();
  for (const { i, g, error } of pairs) {
    if (matched.has(i) || used.has(g)) continue;
    matched.add(i);
    used.add(g);
    errors[i] = error;
  }
  return {
    errors,
    recovered: errors.filter((error) => error < RECOVERED).length,
    median: medianOf(errors),
  };
}

/** Guesses of somebody who knows only rows of other people: their mean, or some of them at random. */
export function guessRows(
  population: readonly Float64Array[],
  count: number,
  guess: { readonly kind: 'mean' } | { readonly kind: 'random'; readonly seed: number },
): Float64Array[] {
  if (guess.kind === 'mean') {
    const mean = new Float64Array(population[0].length);
    for (const row of population) for (let j = 0; j < mean.length; j++) mean[j] += row[j] / population.length;
    return Array.from({ length: count }, () => mean);
  }
  const random = stream(guess.seed, 'guess');
  return Array.from({ length: count }, () => population[random.below(population.length)]);
}

export interface ShareScore {
  readonly correlation: number;
  /** Mean absolute error of the estimates, and of guessing everybody to be like the population. */
  readonly error: number;
  readonly errorOfMean: number;
}

export function scoreShares(estimates: ArrayLike<number>, truth: ArrayLike<number>): ShareScore {
  const [e, t] = [Array.from(estimates), Array.from(truth)];
  const [meanE, meanT] = [meanOf(e), meanOf(t)];
  const sum = (of: (i: number) => number) => t.reduce((total, _, i) => total + of(i), 0);
  const spread = Math.sqrt(sum((i) => (e[i] - meanE) ** 2) * sum((i) => (t[i] - meanT) ** 2));
  return {
    correlation: spread > 0 ? sum((i) => (e[i] - meanE) * (t[i] - meanT)) / spread : 0,
    error: meanOf(t.map((value, i) => Math.abs(e[i] - value))),
    errorOfMean: meanOf(t.map((value) => Math.abs(meanT - value))),
  };
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function medianOf(values: Float64Array): number {
  const sorted = values.toSorted();
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}
