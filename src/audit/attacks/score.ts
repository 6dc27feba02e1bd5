/** What the attacks got right, against the truth that they have not seen, and what a guess would have got right. */
import { stream } from '../../base/random.ts';
import { dot, norm } from '../../solver/vector.ts';
import { distance } from './single-rows.ts';

export function scoreVector(estimate: Float64Array, truth: Float64Array) {
  const sizes = norm(estimate) * norm(truth);
  return {
    cosine: sizes > 0 ? dot(estimate, truth) / sizes : 0,
    relativeError: distance(estimate, truth) / norm(truth),
  };
}

/** Relative error below which a row counts as recovered. */
const RECOVERED = 0.01;

/**
 * For each true row, the error of the recovered row matched to it, relative to its length; 1 where there is none. Nearest pairs
 * first, each row in one pair. Give rows without the bias: a constant is no achievement.
 */
export function scoreRows(recovered: readonly Float64Array[], truth: readonly Float64Array[]) {
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
  const close = errors.filter((error) => error < RECOVERED).length;
  return { errors, recovered: close, median: medianOf(errors) };
}

/** Guesses of somebody who knows only rows of other people: some of them, at random. */
export function guessRows(population: readonly Float64Array[], count: number, seed: number): Float64Array[] {
  const random = stream(seed, 'guess');
  return Array.from({ length: count }, () => population[random.below(population.length)]);
}

/** With the mean absolute error of the estimates, and that of guessing everybody to be like the population. */
export function scoreShares(estimates: ArrayLike<number>, truth: ArrayLike<number>) {
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

/** How well a score separates two groups: the curve of hits against false alarms, and the area under it. */
export interface Roc {
  /** From (0, 0) to (1, 1), by falling threshold. */
  readonly points: readonly { readonly falseAlarms: number; readonly hits: number }[];
  /** Probability that one of the group scores above one of the others; ties count half. 0.5: chance. */
  readonly auc: number;
  /** Hits before the first false alarm. */
  readonly surely: number;
  /** 95%, by Hanley and McNeil (1982). */
  readonly interval: readonly [number, number];
}

/** `inside`: scores of the group, higher meaning more likely; `outside`: of the others. */
export function rocOf(inside: ArrayLike<number>, outside: ArrayLike<number>): Roc {
  const all = [
    ...Array.from(inside, (score) => ({ score, hit: 1 })),
    ...Array.from(outside, (score) => ({ score, hit: 0 })),
  ].sort((a, b) => b.score - a.score);
  const points = [{ falseAlarms: 0, hits: 0 }];
  let [hits, falseAlarms, auc] = [0, 0, 0];
  for (let at = 0; at < all.length; ) {
    const before = points[points.length - 1];
    const { score } = all[at];
    for (; at < all.length && all[at].score === score; at++) {
      if (all[at].hit) hits++;
      else falseAlarms++;
    }
    const point = { falseAlarms: falseAlarms / outside.length, hits: hits / inside.length };
    auc += ((point.falseAlarms - before.falseAlarms) * (point.hits + before.hits)) / 2;
    points.push(point);
  }
  const surely = points.findLast((point) => point.falseAlarms === 0)!.hits;
  return { points, auc, surely, interval: intervalOf(auc, inside.length, outside.length) };
}

function intervalOf(auc: number, inside: number, outside: number): [number, number] {
  const q1 = auc / (2 - auc);
  const q2 = (2 * auc * auc) / (1 + auc);
  const spread = auc * (1 - auc) + (inside - 1) * (q1 - auc * auc) + (outside - 1) * (q2 - auc * auc);
  const half = 1.96 * Math.sqrt(Math.max(0, spread) / (inside * outside));
  return [Math.max(0, auc - half), Math.min(1, auc + half)];
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function medianOf(values: Float64Array): number {
  const sorted = values.toSorted();
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}
