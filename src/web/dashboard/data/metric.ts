/** Test metrics that participants report. */
import { decimal, percent } from '../../shared/format.ts';
import type { RoundTests } from './history.ts';

export type Metric = RoundTests['metric'];

export function metricName(metric: Metric): string {
  return metric === 'rmse' ? 'RMSE' : 'Balanced accuracy';
}

export function metricText(metric: Metric, value: number | null | undefined): string {
  return metric === 'rmse' ? decimal(value) : percent(value);
}
