/** How good predictions are, per participant and as means over participants. */
import type { Objective } from '../settings/losses.ts';

/** A metric that does not apply (no test rows, the other objective, a constant target) is absent. */
export interface Metrics {
  errorRate?: number;
  balancedAccuracy?: number;
  r2?: number;
  rmse?: number;
}

const METRICS = ['errorRate', 'balancedAccuracy', 'r2', 'rmse'] as const;

/** `decisions` are (w + v_k).x; classification goes by their sign, 0 counting as -1. */
export function measure(objective: Objective, y: ArrayLike<number>, decisions: ArrayLike<number>): Metrics {
  if (y.length === 0) return {};
  return objective === 'classification' ? measureClasses(y, decisions) : measureValues(y, decisions);
}

function measureClasses(y: ArrayLike<number>, decisions: ArrayLike<number>): Metrics {
  let positives = 0;
  let hitPositives = 0;
  let hitNegatives = 0;
  for (let i = 0; i < y.length; i++) {
    const up = decisions[i] > 0;
    if (y[i] > 0) {
      positives++;
      if (up) hitPositives++;
    } else if (!up) {
      hitNegatives++;
    }
  }
  const negatives = y.length - positives;
  const rates: number[] = [];
  if (positives > 0) rates.push(hitPositives / positives);
  if (negatives > 0) rates.push(hitNegatives / negatives);
  return {
    errorRate: (y.length - hitPositives - hitNegatives) / y.length,
    balancedAccuracy: mean(rates),
  };
}

function measureValues(y: ArrayLike<number>, decisions: ArrayLike<number>): Metrics {
  const centre = mean(y);
  let residual = 0;
  let spread = 0;
  for (let i = 0; i < y.length; i++) {
    residual += (y[i] - decisions[i]) ** 2;
    spread += (y[i] - centre) ** 2;
  }
  const metrics: Metrics = { rmse: Math.sqrt(residual / y.length) };
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

function mean(values: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += values[i];
  return sum / values.length;
}
