/** Platt scaling and the portable functions behind it. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { stream } from '../../src/base/random.ts';
import { sigmoid, softplus } from '../../src/math/sigmoid.ts';
import { ownSigmoids, sharedSigmoids } from '../../src/solver/calibration.ts';
import { fixedSigmoids } from '../../src/solver/fixed-sigmoids.ts';
import { fitSigmoid, type Sigmoid } from '../../src/solver/platt.ts';

const real = fc.double({ min: -800, max: 800, noNaN: true });

test('the sigmoid and its logarithm are those of Math to 1e-14, also where one of them is all but gone', () => {
  fc.assert(
    fc.property(real, (t) => {
      const expected = 1 / (1 + Math.exp(-t));
      expect(Math.abs(sigmoid(t) - expected)).toBeLessThanOrEqual(1e-14 * expected + 1e-300);
      expect(sigmoid(t) + sigmoid(-t)).toBeCloseTo(1, 14);
      const log = Math.max(0, t) + Math.log1p(Math.exp(-Math.abs(t)));
      expect(Math.abs(softplus(t) - log)).toBeLessThanOrEqual(1e-13 * log + 1e-300);
    }),
  );
});

const row = fc.record({ f: fc.double({ min: -4, max: 4, noNaN: true }), y: fc.constantFrom(-1, 1) });
const rows = fc.array(row, { maxLength: 60 });
const centre = fc.record({
  a: fc.constantFrom(0.5, 2, 6),
  b: fc.double({ min: -1, max: 1, noNaN: true }),
});

function split(all: readonly { readonly f: number; readonly y: number }[]) {
  return { decisions: all.map(({ f }) => f), y: all.map(({ y }) => y) };
}

/** The objective, as the file says it. */
function objective(
  all: readonly { readonly f: number; readonly y: number }[],
  from: Sigmoid,
  { a, b }: Sigmoid,
) {
  const loss = all.reduce((sum, { f, y }) => sum + Math.log1p(Math.exp(-y * (a * f + b))), 0);
  return loss + 2 * ((a / from.a - 1) ** 2 + (b - from.b) ** 2);
}

describe('a sigmoid', () => {
  test('is the minimum of its objective: no step in any direction is better', () => {
    fc.assert(
      fc.property(rows, centre, (all, from) => {
        const found = fitSigmoid({ ...split(all), centre: from });
        fc.pre(found !== from || all.length === 0);
        const least = objective(all, from, found);
        for (const [da, db] of [
          [1e-3, 0],
          [-1e-3, 0],
          [0, 1e-3],
          [0, -1e-3],
          [1e-3, -1e-3],
        ])
          expect(objective(all, from, { a: found.a + da, b: found.b + db })).toBeGreaterThanOrEqual(
            least - 1e-9,
          );
      }),
    );
  });

  test('rises with the decision, whatever the rows, and without rows is that of everybody', () => {
    fc.assert(
      fc.property(rows, centre, (all, from) => {
        expect(fitSigmoid({ ...split(all), centre: from }).a).toBeGreaterThan(0);
      }),
    );
    expect(fitSigmoid({ decisions: [], y: [], centre: { a: 3, b: 0.5 } })).toEqual({ a: 3, b: 0.5 });
  });

  test('of many rows is the one that they were drawn from', () => {
    const random = stream(3, 'platt');
    const truth = { a: 3, b: -0.7 };
    const all = Array.from({ length: 20_000 }, () => {
      const f = random.normal();
      return { f, y: random.uniform() < sigmoid(truth.a * f + truth.b) ? 1 : -1 };
    });
    const { a, b } = fitSigmoid({ ...split(all), centre: { a: 2, b: 0 } });
    expect(Math.abs(a - truth.a)).toBeLessThan(0.15);
    expect(Math.abs(b - truth.b)).toBeLessThan(0.1);
  });

  test('of rows that are told apart without an error is finite', () => {
    const all = Array.from({ length: 400 }, (_, i) => ({ f: i < 200 ? -1 : 1, y: i < 200 ? -1 : 1 }));
    const { a } = fitSigmoid({ ...split(all), centre: { a: 2, b: 0 } });
    expect(a).toBeGreaterThan(2);
    expect(a).toBeLessThan(20);
  });
});

test('every head has its own block of decisions, and one participant alone is everybody', () => {
  const held = {
    heads: 2,
    decisions: Float64Array.of(-1, -0.5, 0.5, 1, 1, 0.5, -0.5, -1),
    y: Float64Array.of(-1, -1, 1, 1, 1, 1, -1, 1),
  };
  const [first, second] = sharedSigmoids([held], 2);
  const [centre] = fixedSigmoids(1);
  const block = (from: number) => ({
    decisions: held.decisions.slice(from, from + 4),
    y: held.y.slice(from, from + 4),
  });
  expect(first).toEqual(fitSigmoid({ ...block(0), centre }));
  expect(second).toEqual(fitSigmoid({ ...block(4), centre }));
  expect(ownSigmoids(held, [first, second])).toEqual([
    fitSigmoid({ ...block(0), centre: first }),
    fitSigmoid({ ...block(4), centre: second }),
  ]);
});
