import { expect, test } from 'vitest';
import { meanMetrics, measure } from '../../src/solver/metrics.ts';

test('error rate and balanced accuracy of a known table', () => {
  // 3 of 4 positives and 1 of 2 negatives are right.
  const metrics = measure('classification', [1, 1, 1, 1, -1, -1], [2, 1, 0.1, -1, -3, 3]);
  expect(metrics.errorRate).toBeCloseTo(2 / 6, 12);
  expect(metrics.balancedAccuracy).toBeCloseTo((3 / 4 + 1 / 2) / 2, 12);
});

test('a class that is absent is left out of balanced accuracy', () => {
  expect(measure('classification', [1, 1], [1, -1]).balancedAccuracy).toBe(0.5);
  expect(measure('classification', [-1, -1], [-1, -2]).balancedAccuracy).toBe(1);
});

test('a decision of exactly 0 counts as the negative class', () => {
  expect(measure('classification', [1, -1], [0, 0]).errorRate).toBe(0.5);
});

test('r2 and rmse of known values, and no r2 for a constant target', () => {
  const metrics = measure('regression', [1, 2, 3], [1, 2, 4]);
  expect(metrics.rmse).toBeCloseTo(Math.sqrt(1 / 3), 12);
  expect(metrics.r2).toBeCloseTo(1 - 1 / 2, 12);
  expect(measure('regression', [5, 5], [5, 6])).toEqual({ rmse: Math.sqrt(1 / 2) });
});

test('no rows, no metrics; means are over those who have one', () => {
  expect(measure('classification', [], [])).toEqual({});
  expect(meanMetrics([{ errorRate: 0.2 }, {}, { errorRate: 0.4 }]).errorRate).toBeCloseTo(0.3, 12);
  expect(meanMetrics([{}, {}])).toEqual({});
});
