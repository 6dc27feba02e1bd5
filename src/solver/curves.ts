/** Curves of tested rows: ROC, and how often what is given a probability happens. */
import { byDecision } from './chance-metrics.ts';

export interface RocPoint {
  /** Share of the negative rows, and of the positive ones, with a score of at least some threshold. */
  readonly falsePositives: number;
  readonly truePositives: number;
}

/** From (0, 0) to (1, 1), one point for each score; empty where a class is absent. */
export function rocPoints(y: ArrayLike<number>, scores: ArrayLike<number>): RocPoint[] {
  const order = byDecision(scores).reverse();
  const positives = order.reduce((sum, i) => sum + (y[i] > 0 ? 1 : 0), 0);
  const negatives = order.length - positives;
  if (positives === 0 || negatives === 0) return [];
  const points = [{ falsePositives: 0, truePositives: 0 }];
  let hits = 0;
  for (const [at, i] of order.entries()) {
    if (y[i] > 0) hits++;
    if (at + 1 < order.length && scores[order[at + 1]] === scores[i]) continue;
    points.push({ falsePositives: (at + 1 - hits) / negatives, truePositives: hits / positives });
  }
  return points;
}

export interface ReliabilityBin {
  readonly rows: number;
  /** Mean probability of its rows, and the share of them for which it happened. */
  readonly predicted: number;
  readonly observed: number;
  /** 95% interval of `observed` (Wilson 1927). */
  readonly low: number;
  readonly high: number;
}

export const BINS = 10;
const Z = 1.96;
/** A share of fewer predictions says little. */
const LEAST = 30;

export function binOf(probability: number): number {
  return Math.min(BINS - 1, Math.floor(probability * BINS));
}

/** In bins of equal width; those with few predictions are merged with the next ones. */
export function reliability(
  happened: ArrayLike<boolean>,
  probabilities: ArrayLike<number>,
): ReliabilityBin[] {
  const sums = Array.from({ length: BINS }, () => ({ rows: 0, predicted: 0, hits: 0 }));
  for (let i = 0; i < happened.length; i++) {
    const bin = sums[binOf(probabilities[i])];
    bin.rows++;
    bin.predicted += probabilities[i];
    if (happened[i]) bin.hits++;
  }
  return merged(sums)
    .filter(({ rows }) => rows > 0)
    .map(({ rows, predicted, hits }) => ({
      rows,
      predicted: predicted / rows,
      observed: hits / rows,
      ...wilson(hits, rows),
    }));
}

interface BinSums {
  readonly rows: number;
  readonly predicted: number;
  readonly hits: number;
}

function merged(sums: readonly BinSums[]): BinSums[] {
  const out: BinSums[] = [];
  for (const bin of sums) {
    const last = out.at(-1);
    if (last && last.rows < LEAST) out[out.length - 1] = sumOf(last, bin);
    else out.push(bin);
  }
  // What is left at the end goes to those before it.
  const rest = out.at(-1)!;
  return out.length > 1 && rest.rows < LEAST ? [...out.slice(0, -2), sumOf(out.at(-2)!, rest)] : out;
}

function sumOf(a: BinSums, b: BinSums): BinSums {
  return { rows: a.rows + b.rows, predicted: a.predicted + b.predicted, hits: a.hits + b.hits };
}

function wilson(hits: number, rows: number): { low: number; high: number } {
  const share = hits / rows;
  const scale = 1 + Z ** 2 / rows;
  const centre = (share + Z ** 2 / (2 * rows)) / scale;
  const half = (Z / scale) * Math.sqrt((share * (1 - share)) / rows + Z ** 2 / (4 * rows ** 2));
  return { low: Math.max(0, centre - half), high: Math.min(1, centre + half) };
}
