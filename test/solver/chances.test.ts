/** AUC, log loss, Brier score, ROC and reliability, each against its definition. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { aucOf, brierOf, logLossOf } from '../../src/solver/chance-metrics.ts';
import { reliability, rocPoints } from '../../src/solver/curves.ts';

/** Few values, so that there are ties. */
const rows = fc.array(fc.record({ y: fc.constantFrom(-1, 1), score: fc.integer({ min: -5, max: 5 }) }), {
  maxLength: 40,
});

test('AUC is the share of pairs in the right order, ties counting half; absent without both classes', () => {
  fc.assert(
    fc.property(rows, (all) => {
      const [up, down] = [1, -1].map((sign) => all.filter(({ y }) => y === sign));
      const pairs = up.flatMap((a) =>
        down.map((b) => (a.score > b.score ? 1 : a.score === b.score ? 0.5 : 0)),
      );
      const found = aucOf(
        all.map(({ y }) => y),
        all.map(({ score }) => score),
      );
      if (pairs.length === 0) expect(found).toBeUndefined();
      else expect(found).toBeCloseTo(pairs.reduce((sum: number, one) => sum + one, 0) / pairs.length, 12);
    }),
  );
});

test('the ROC curve rises from one corner to the other, and the area under it is the AUC', () => {
  fc.assert(
    fc.property(rows, (all) => {
      const [y, scores] = [all.map((one) => one.y), all.map(({ score }) => score)];
      const points = rocPoints(y, scores);
      const auc = aucOf(y, scores);
      if (auc === undefined) {
        expect(points).toEqual([]);
        return;
      }
      expect(points[0]).toEqual({ falsePositives: 0, truePositives: 0 });
      expect(points.at(-1)).toEqual({ falsePositives: 1, truePositives: 1 });
      let area = 0;
      for (let i = 1; i < points.length; i++) {
        const [from, to] = [points[i - 1], points[i]];
        expect(to.falsePositives).toBeGreaterThanOrEqual(from.falsePositives);
        expect(to.truePositives).toBeGreaterThanOrEqual(from.truePositives);
        area += ((to.falsePositives - from.falsePositives) * (to.truePositives + from.truePositives)) / 2;
      }
      expect(area).toBeCloseTo(auc, 12);
    }),
  );
});

test('log loss and Brier score of known probabilities, of two classes and of three', () => {
  expect(logLossOf([1, -1], [0.8, 0.3], 1)).toBeCloseTo(-(Math.log(0.8) + Math.log(0.7)) / 2, 12);
  expect(brierOf([1, -1], [0.8, 0.3], 1)).toBeCloseTo((0.2 ** 2 + 0.3 ** 2) / 2, 12);
  const three = [0.7, 0.2, 0.1, 0.1, 0.1, 0.8];
  expect(logLossOf([0, 1], three, 3)).toBeCloseTo(-(Math.log(0.7) + Math.log(0.1)) / 2, 12);
  expect(brierOf([0, 1], three, 3)).toBeCloseTo((0.09 + 0.04 + 0.01 + 0.01 + 0.81 + 0.64) / 2, 12);
});

test('certainty that was wrong costs much, but not without end', () => {
  expect(logLossOf([1], [0], 1)).toBeCloseTo(15 * Math.LN10, 9);
});

test('reliability counts every prediction once, in bins that rise and hold enough of them', () => {
  const prediction = fc.record({
    p: fc.double({ min: 0, max: 1, noNaN: true }),
    happened: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(prediction, { minLength: 1, maxLength: 300 }), (all) => {
      const bins = reliability(
        all.map(({ happened }) => happened),
        all.map(({ p }) => p),
      );
      expect(bins.reduce((sum, { rows }) => sum + rows, 0)).toBe(all.length);
      const came = all.filter(({ happened }) => happened).length;
      expect(bins.reduce((sum, { rows, observed }) => sum + rows * observed, 0)).toBeCloseTo(came, 9);
      for (const [b, { rows, predicted, observed, low, high }] of bins.entries()) {
        if (bins.length > 1) expect(rows).toBeGreaterThanOrEqual(30);
        if (b > 0) expect(predicted).toBeGreaterThan(bins[b - 1].predicted);
        expect(low).toBeLessThanOrEqual(observed + 1e-12);
        expect(high).toBeGreaterThanOrEqual(observed - 1e-12);
      }
    }),
  );
});
