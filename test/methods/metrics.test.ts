import { expect, test } from 'vitest';
import { classResults, confusionOf } from '../../src/solver/confusion.ts';
import { meanMetrics, measure } from '../../src/solver/metrics.ts';
import { quantileMetrics } from '../../src/solver/model-metrics.ts';

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
  expect(metrics.mae).toBeCloseTo(1 / 3, 12);
  expect(measure('regression', [5, 5], [5, 6])).toEqual({ rmse: Math.sqrt(1 / 2), mae: 1 / 2 });
});

test('no rows, no metrics; means are over those who have one', () => {
  expect(measure('classification', [], [])).toEqual({});
  expect(meanMetrics([{ errorRate: 0.2 }, {}, { errorRate: 0.4 }]).errorRate).toBeCloseTo(0.3, 12);
  expect(meanMetrics([{}, {}])).toEqual({});
});

test('macro F1 is the mean of the F1 of the classes that occur', () => {
  // Positive: precision 3/4, recall 3/4. Negative: precision 1/2, recall 1/2.
  const metrics = measure('classification', [1, 1, 1, 1, -1, -1], [2, 1, 0.1, -1, -3, 3]);
  expect(metrics.macroF1).toBeCloseTo((3 / 4 + 1 / 2) / 2, 12);
  expect(measure('classification', [1, 1], [1, 1]).macroF1).toBe(1);
  // Three classes, one of which nobody has and nobody is taken for.
  const decisions = [3, 1, 0, 3, 1, 0, 0, 1, 0];
  expect(measure('classification', [0, 1, 1], decisions, 3).macroF1).toBeCloseTo((2 / 3 + 2 / 3) / 2, 12);
});

test('of a quantile: its loss, and the share of targets that are not above it', () => {
  expect(quantileMetrics(0.9, [1, 2, 3, 4], [2, 2, 2, 2])).toEqual({
    pinball: expect.closeTo((0.1 * 1 + 0 + 0.9 * 1 + 0.9 * 2) / 4, 12),
    coverage: 0.5,
  });
  expect(quantileMetrics(undefined, [1], [2])).toEqual({});
});

test('a confusion matrix counts rows by class and prediction; what has no rows has no rates', () => {
  const classes = { labels: ['a', 'b', 'c'] };
  const tested = [
    {
      id: '1',
      y: Float64Array.of(0, 1),
      decisions: Float64Array.of(2, 1, 0, 2, 1, 0),
      probabilities: undefined,
    },
    { id: '2', y: Float64Array.of(1), decisions: Float64Array.of(0, 5, 1), probabilities: undefined },
  ];
  const confusion = confusionOf(classes, tested);
  expect(confusion).toEqual({
    labels: ['a', 'b', 'c'],
    counts: [
      [1, 0, 0],
      [1, 1, 0],
      [0, 0, 0],
    ],
  });
  expect(classResults(confusion)).toEqual([
    { label: 'a', rows: 1, predicted: 2, precision: 0.5, recall: 1, f1: 2 / 3 },
    { label: 'b', rows: 2, predicted: 1, precision: 1, recall: 0.5, f1: 2 / 3 },
    { label: 'c', rows: 0, predicted: 0 },
  ]);
  const two = { positive: 'yes', negative: undefined };
  const signs = { id: '1', y: Float64Array.of(1, -1, -1), decisions: Float64Array.of(1, 1, -1) };
  expect(confusionOf(two, [{ ...signs, probabilities: undefined }])).toEqual({
    labels: ['not yes', 'yes'],
    counts: [
      [1, 1],
      [0, 1],
    ],
  });
});
