import fc from 'fast-check';
import { expect, test } from 'vitest';
import { stream } from '../../src/base/random.ts';
import { MochaAggregator } from '../../src/solver/aggregate-mocha.ts';
import {
  couplingOf,
  modelsFrom,
  renewed,
  unrelated,
  withNewcomer,
  withoutTask,
} from '../../src/solver/relations.ts';

function vectors(m: number, d: number, seed: number): Float64Array[] {
  const random = stream(seed, 'vectors');
  return Array.from({ length: m }, () => Float64Array.from({ length: d }, () => random.normal()));
}

const sizes = { m: fc.integer({ min: 1, max: 7 }), d: fc.integer({ min: 1, max: 6 }), seed: fc.nat() };

test('renewed relations are the root of W^T W, with trace 1', () => {
  fc.assert(
    fc.property(fc.record(sizes), ({ m, d, seed }) => {
      const models = vectors(m, d, seed);
      const { matrix } = renewed(unrelated(m), models);
      let trace = 0;
      for (let t = 0; t < m; t++) trace += matrix[t * m + t];
      expect(trace).toBeCloseTo(1, 5);
      // M^2 is W^T W but for one factor: that of the first entry.
      const squared = (t: number, s: number) => {
        let sum = 0;
        for (let r = 0; r < m; r++) sum += matrix[t * m + r] * matrix[r * m + s];
        return sum;
      };
      const product = (t: number, s: number) => models[t].reduce((sum, x, j) => sum + x * models[s][j], 0);
      const factor = product(0, 0) / squared(0, 0);
      const size = Math.max(...models.map((_, t) => product(t, t)));
      for (let t = 0; t < m; t++)
        for (let s = 0; s < m; s++)
          expect(Math.abs(factor * squared(t, s) - product(t, s))).toBeLessThan(1e-4 * size * (1 + factor));
    }),
  );
});

test('M times sigma over its diagonal bounds M: all may move at once', () => {
  fc.assert(
    fc.property(fc.record(sizes), ({ m, d, seed }) => {
      const { matrix } = renewed(unrelated(m), vectors(m, d, seed));
      const sigma = couplingOf(matrix, m);
      const [x] = vectors(1, m, seed + 1);
      let all = 0;
      let apart = 0;
      for (let t = 0; t < m; t++) {
        apart += matrix[t * m + t] * x[t] ** 2;
        for (let s = 0; s < m; s++) all += matrix[t * m + s] * x[t] * x[s];
      }
      expect(all).toBeLessThanOrEqual(sigma * apart * (1 + 1e-12));
    }),
  );
});

test('a newcomer changes nobody, and is gone without a trace', () => {
  const m = 4;
  const parts = vectors(m + 1, 3, 5).map((u, t) => ({ u, rows: 10 + t }));
  const { matrix } = renewed(unrelated(m), vectors(m, 3, 6));
  const wider = withNewcomer(matrix, m);
  expect(modelsFrom(wider, parts, 0.1).slice(0, m)).toEqual(modelsFrom(matrix, parts.slice(0, m), 0.1));
  expect(withoutTask(wider, m + 1, m)).toEqual(matrix);
});

test('whoever joins before anybody has contributed finds I/m', () => {
  const aggregator = new MochaAggregator({ d: 2, lambda: 0.5, gap: 1e-3 });
  for (const member of [0, 1, 2, 3]) aggregator.join(member, { rows: 8 });
  expect(aggregator.memory.relations!.matrix).toEqual(unrelated(4));
  expect(aggregator.sigma).toBe(1);
  // sigma' M_tt / (lambda n_t)
  expect(aggregator.orderFor(2)).toEqual({ w: new Float64Array(2), sigma: 0.25 / (0.5 * 8) });
});

test('after somebody has come or gone, a small gap is not the end before the next renewal', () => {
  const aggregator = new MochaAggregator({ d: 1, lambda: 1, gap: 1e-3 });
  const still = () => aggregator.aggregate([], 0);
  aggregator.join(0, { rows: 1 });
  expect(aggregator.settled).toBe(false);
  still();
  expect(aggregator.settled).toBe(true);
  aggregator.join(1, { rows: 0 });
  expect(aggregator.settled).toBe(false);
  still();
  aggregator.forget(0);
  expect(aggregator.settled).toBe(false);
  expect(aggregator.orderFor(1).sigma).toBe(0.5);
});
