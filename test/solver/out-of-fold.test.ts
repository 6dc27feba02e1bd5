/** Decisions of rows by personal parts that have not seen them. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { stream } from '../../src/base/random.ts';
import { Arena } from '../../src/math/arena.ts';
import { type FoldedRows, outOfFold } from '../../src/solver/out-of-fold.ts';

const SETTINGS = { objective: 'classification', c1: 5, c2: 0.5, epsilon: 0 } as const;

function rowsOf(n: number, heads: number, seed: number): FoldedRows & { readonly y: Float64Array } {
  const random = stream(seed, 'rows');
  const d = 3;
  const x = Float64Array.from({ length: n * d }, () => random.normal());
  const number = Array.from({ length: n }, () => random.below(Math.max(2, heads)));
  const y = Float64Array.from({ length: heads * n }, (_, at) => {
    const [head, i] = [Math.floor(at / n), at % n];
    return (heads === 1 ? number[i] === 1 : number[i] === head) ? 1 : -1;
  });
  const scaling = { shift: new Float64Array(d), factor: new Float64Array(d).fill(1) };
  const index = Uint32Array.from({ length: n }, (_, i) => i);
  return { id: 'a', n, d: d + 1, table: { x, index, scaling, map: undefined }, y };
}

const shape = fc.record({
  n: fc.integer({ min: 5, max: 40 }),
  heads: fc.constantFrom(1, 3),
  seed: fc.nat(1e6),
  c1: fc.constantFrom(0.1, 5),
});

test('a fold is decided without any of its rows: what changes in one of them reaches the other folds alone', () => {
  fc.assert(
    fc.property(shape, fc.nat(), ({ n, heads, seed, c1 }, pick) => {
      const rows = rowsOf(n, heads, seed);
      const settings = { ...SETTINGS, c1 };
      const w = Float64Array.from({ length: heads * rows.d }, (_, j) => 0.1 * (j % 3));
      const before = outOfFold(new Arena(), settings, rows, w, seed);
      expect(before.every(Number.isFinite)).toBe(true);
      const i = pick % n;
      const x = rows.table.x.slice();
      for (let j = 0; j < 3; j++) x[i * 3 + j] += 2;
      const after = outOfFold(new Arena(), settings, { ...rows, table: { ...rows.table, x } }, w, seed);
      const unchanged = Array.from({ length: n }, (_, r) => r).filter(
        (r) => r !== i && Object.is(before[r], after[r]),
      );
      // One fold of five has not seen row i.
      expect(unchanged.length).toBeGreaterThanOrEqual(Math.floor(n / 5) - 1);
      expect(unchanged.length).toBeLessThanOrEqual(Math.ceil(n / 5) - 1);
    }),
    { numRuns: 40 },
  );
});

test('a w that decides alone is what remains where C2 forbids personal parts', () => {
  const rows = rowsOf(20, 1, 3);
  const w = Float64Array.of(1, -2, 0.5, 0.25);
  const found = outOfFold(new Arena(), { ...SETTINGS, c2: 1e12 }, rows, w, 1);
  for (const [i, value] of found.entries()) {
    const [a, b, c] = rows.table.x.subarray(3 * i, 3 * i + 3).map(Math.fround);
    expect(value).toBeCloseTo(a - 2 * b + 0.5 * c + 0.25, 5);
  }
});

test('the same seed gives the same bits', () => {
  const rows = rowsOf(25, 3, 8);
  const w = new Float64Array(12);
  expect(outOfFold(new Arena(), SETTINGS, rows, w, 4)).toEqual(outOfFold(new Arena(), SETTINGS, rows, w, 4));
});
