/** How good predictions are, per participant and as means over participants. */
import type { Objective } from '../settings/losses.ts';
import { winnerOf } from './model.ts';

/** A metric that does not apply (no test rows, the other objective, a constant target) is absent. */
export interface Metrics {
  errorRate?: number;
  balancedAccuracy?: number;
  /** Mean of the F1 of the classes that occur, in the rows or in the predictions. */
  macroF1?: number;
  /** Two classes: the share of pairs, one row of each class, that decisions put in the right order; ties count half. */
  auc?: number;
  /** Where there are probabilities: mean of -log of the probability of the row's class. */
  logLoss?: number;
  /** Where there are probabilities: mean squared distance from the truth, of many classes summed over them. */
  brier?: number;
  r2?: number;
  rmse?: number;
  /** Mean absolute error. */
  mae?: number;
  /** Of a quantile: mean loss. */
  pinball?: number;
  /** Of a quantile: share of targets that are not above the prediction. */
  coverage?: number;
}

const METRICS = [
  ...['errorRate', 'balancedAccuracy', 'macroF1', 'auc', 'logLoss', 'brier'],
  ...['r2', 'rmse', 'mae', 'pinball', 'coverage'],
] as (keyof Metrics)[];

/**
 * `decisions` are (w + v_k).x, of each head, row by row. One head goes by their sign, 0 counting as -1; of many the largest wins, and y is the
 * number of the class.
 */
export function measure(
  objective: Objective,
  y: ArrayLike<number>,
  decisions: ArrayLike<number>,
  heads = 1,
): Metrics {
  if (y.length === 0) return {};
  if (objective === 'regression') return measureValues(y, decisions);
  return measureClasses(...classesOf(y, decisions, heads));
}

/** How many classes there are, and the number of each row's class: as it is, and as it is predicted. */
export function classesOf(
  y: ArrayLike<number>,
  decisions: ArrayLike<number>,
  heads: number,
): [classes: number, expected: Uint32Array, given: Uint32Array] {
  const classes = heads === 1 ? 2 : heads;
  const expected = Uint32Array.from(y, (value) => (heads === 1 ? Number(value > 0) : value));
  const given = Uint32Array.from(expected, (_, i) =>
    heads === 1 ? Number(decisions[i] > 0) : winnerOf(decisions, heads, i * heads),
  );
  return [classes, expected, given];
}

/** A class that is absent has no rate of its own. */
function measureClasses(classes: number, expected: Uint32Array, given: Uint32Array): Metrics {
  const rows = new Uint32Array(classes);
  const predicted = new Uint32Array(classes);
  const hits = new Uint32Array(classes);
  for (let i = 0; i < expected.length; i++) {
    rows[expected[i]]++;
    predicted[given[i]]++;
    if (given[i] === expected[i]) hits[expected[i]]++;
  }
  const wrong = expected.length - hits.reduce((sum, count) => sum + count, 0);
  const rates = Array.from(hits, (count, c) => count / rows[c]).filter((_, c) => rows[c] > 0);
  const f1 = Array.from(hits, (count, c) => (2 * count) / (rows[c] + predicted[c]));
  const occurring = f1.filter((_, c) => rows[c] + predicted[c] > 0);
  return { errorRate: wrong / expected.length, balancedAccuracy: mean(rates), macroF1: mean(occurring) };
}

function measureValues(y: ArrayLike<number>, decisions: ArrayLike<number>): Metrics {
  const centre = mean(y);
  let residual = 0;
  let spread = 0;
  let distance = 0;
  for (let i = 0; i < y.length; i++) {
    distance += Math.abs(y[i] - decisions[i]);
    residual += (y[i] - decisions[i]) ** 2;
    spread += (y[i] - centre) ** 2;
  }
  const metrics: Metrics = { rmse: Math.sqrt(residual / y.length), mae: distance / y.length };
  if (spread > 0) metrics.r2 = 1 - residual / spread;
  return metrics;
}

/** Means over those participants that have the metric. */
export function meanMetrics(all: readonly Metrics[]): Metrics {
  const means: Metrics = {};
  for (const name of METRICS) {
    const values = all.map((metrics) => metrics[name]).filter((value) => value !== undefined);
    if (values.length > 0) means[name] = mean(values);
  }
  return means;
}

export function mean(values: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += values[i];
  return sum / values.length;
}
