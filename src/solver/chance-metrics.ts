/** How good an order of rows and their probabilities are: AUC, log loss, Brier score. */
import { logPortable } from '../base/random.ts';

/** A probability of 0 for what has happened costs -log of this instead of infinity. */
const LEAST = 1e-15;

/**
 * Area under the ROC curve of two classes, y above 0 for the positive one: the rank sum of its rows (Mann and Whitney), equal decisions sharing their mean rank.
 * Undefined where a class is absent.
 */
export function aucOf(y: ArrayLike<number>, decisions: ArrayLike<number>): number | undefined {
  const order = byDecision(decisions);
  let positives = 0;
  let rankSum = 0;
  for (let from = 0; from < order.length; ) {
    let to = from;
    let hits = 0;
    for (; to < order.length && decisions[order[to]] === decisions[order[from]]; to++)
      if (y[order[to]] > 0) hits++;
    // Ranks from + 1 to `to`.
    rankSum += (hits * (from + 1 + to)) / 2;
    positives += hits;
    from = to;
  }
  const negatives = order.length - positives;
  if (positives === 0 || negatives === 0) return undefined;
  return (rankSum - (positives * (positives + 1)) / 2) / (positives * negatives);
}

/** Numbers of the rows, the smallest decision first. */
export function byDecision(decisions: ArrayLike<number>): Uint32Array {
  const order = Uint32Array.from({ length: decisions.length }, (_, i) => i);
  return order.sort((i, j) => decisions[i] - decisions[j]);
}

/** `probabilities` row by row, one for each head: that of the positive class, or of every class, of which y is then the number. */
export function logLossOf(y: ArrayLike<number>, probabilities: ArrayLike<number>, heads: number): number {
  let sum = 0;
  for (let i = 0; i < y.length; i++) {
    const happened =
      heads > 1 ? probabilities[i * heads + y[i]] : y[i] > 0 ? probabilities[i] : 1 - probabilities[i];
    sum -= logPortable(Math.max(LEAST, happened));
  }
  return sum / y.length;
}

/** As `logLossOf`. */
export function brierOf(y: ArrayLike<number>, probabilities: ArrayLike<number>, heads: number): number {
  let sum = 0;
  for (let i = 0; i < y.length; i++) {
    for (let head = 0; head < heads; head++) {
      const happened = heads > 1 ? y[i] === head : y[i] > 0;
      sum += (probabilities[i * heads + head] - (happened ? 1 : 0)) ** 2;
    }
  }
  return sum / y.length;
}
