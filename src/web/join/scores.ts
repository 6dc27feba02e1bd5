/** How well models do, in words. */
import { decimal, percent, UNKNOWN } from '../shared/format.ts';
import type { MetricName } from './compare.ts';

export const METRIC_NAMES: Readonly<Record<MetricName, string>> = {
  balancedAccuracy: 'balanced accuracy',
  rmse: 'error (RMSE)',
};

export function scoreText(metric: MetricName, value: number | null | undefined): string {
  return metric === 'rmse' ? decimal(value) : percent(value);
}

export function testNote(metric: MetricName, testRows: number): string {
  if (testRows === 0) return 'No rows to test on';
  const name = METRIC_NAMES[metric];
  return `${name.charAt(0).toUpperCase()}${name.slice(1)}, ${testRows} test rows`;
}

export type Score = number | null | undefined;

export function gainText(metric: MetricName, own: Score, alone: Score): string {
  if (own === null || own === undefined || alone === null || alone === undefined) return UNKNOWN;
  if (metric === 'rmse') return signed(own - alone, (size) => decimal(size));
  return signed(100 * (own - alone), (size) => `${size.toFixed(1)}`);
}

function signed(value: number, text: (size: number) => string): string {
  const size = text(Math.abs(value));
  if (Number(size) === 0) return '0';
  return `${value > 0 ? '+' : '−'}${size}`;
}

export function gainNote(metric: MetricName, own: Score, alone: Score): string {
  if (own === null || own === undefined || alone === null || alone === undefined)
    return 'Against training alone';
  return metric === 'rmse'
    ? 'Change of the error; below 0 is better'
    : 'Percentage points, against training alone';
}
