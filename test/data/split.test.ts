import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { foldsOf, splitRows } from '../../src/data/split.ts';
import { refused } from './helpers.ts';

/** Participants p0, p1, ... with so many rows each, rows interleaved. */
function grouped(sizes: readonly number[]) {
  const participantOf: number[] = [];
  for (let r = 0; r < Math.max(...sizes); r++) {
    for (const [k, size] of sizes.entries()) if (r < size) participantOf.push(k);
  }
  return { participants: sizes.map((_, k) => `p${k}`), participantOf: Uint32Array.from(participantOf) };
}

const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 12 });
const seed = fc.integer({ min: 0, max: 1000 });

describe('splitRows', () => {
  test('fewer training rows are some of the same rows, and the test rows stay', () => {
    const table = grouped([40, 9, 3]);
    const options = { testFraction: 0.3, seed: 5 };
    const whole = splitRows(table, options);
    let before = new Set<number>();
    for (const trainRows of [1, 2, 5, 8, 100]) {
      const { train, test } = splitRows(table, { ...options, trainRows });
      expect(test).toEqual(whole.test);
      for (const k of [0, 1, 2]) {
        const own = [...train].filter((i) => table.participantOf[i] === k).length;
        const all = [...whole.train].filter((i) => table.participantOf[i] === k).length;
        expect(own).toBe(Math.min(all, trainRows));
      }
      expect([...before].every((i) => train.includes(i))).toBe(true);
      before = new Set(train);
    }
    const named = splitRows(table, { ...options, trainRows: { [table.participants[1]]: 2 } });
    expect(named.train.length).toBe(whole.train.length - 4);
  });

  test('takes the rounded share of every participant, and leaves everyone a training row', () => {
    fc.assert(
      fc.property(
        sizes,
        seed,
        fc.double({ min: 0, max: 0.999, noNaN: true }),
        (sizes, seed, testFraction) => {
          const table = grouped(sizes);
          const { train, test } = splitRows(table, { testFraction, seed });
          const all = [...train, ...test].sort((a, b) => a - b);
          expect(all).toEqual(Array.from(table.participantOf, (_, i) => i));
          expect([...train]).toEqual([...train].sort((a, b) => a - b));
          for (const [k, size] of sizes.entries()) {
            const tested = [...test].filter((i) => table.participantOf[i] === k).length;
            expect(tested).toBe(Math.min(Math.round(testFraction * size), size - 1));
          }
        },
      ),
    );
  });

  test('splits a participant in the same way whoever else is there, and in whatever order', () => {
    fc.assert(
      fc.property(sizes, seed, (sizes, seed) => {
        const table = grouped(sizes);
        const alone = { participants: ['p0'], participantOf: new Uint32Array(sizes[0]) };
        const options = { testFraction: 0.3, seed };
        const own = Array.from(table.participantOf, (k, i) => (k === 0 ? i : -1)).filter((i) => i >= 0);
        const together = [...splitRows(table, options).test].filter((i) => table.participantOf[i] === 0);
        expect(together.map((i) => own.indexOf(i))).toEqual([...splitRows(alone, options).test]);
        const reversed = {
          participants: [...table.participants].reverse(),
          participantOf: table.participantOf.map((k) => sizes.length - 1 - k),
        };
        expect(splitRows(reversed, options)).toEqual(splitRows(table, options));
      }),
    );
  });

  test('depends on the seed and on nothing else', () => {
    const table = grouped([100, 100]);
    const split = (seed: number) => splitRows(table, { testFraction: 0.5, seed });
    expect(split(1)).toEqual(split(1));
    expect(split(1)).not.toEqual(split(2));
  });

  test('trains on everything at 0', () => {
    expect(splitRows(grouped([3, 4]), { testFraction: 0, seed: 1 }).test).toHaveLength(0);
  });

  test.each([-0.1, 1, 2, Number.NaN])('refuses a test fraction of %d', async (testFraction) => {
    await refused(
      () => splitRows(grouped([3]), { testFraction, seed: 1 }),
      'TEST_FRACTION',
      String(testFraction),
    );
  });
});

describe('foldsOf', () => {
  test('tests every row once, but for participants with a single row, who only train', () => {
    fc.assert(
      fc.property(sizes, seed, fc.integer({ min: 2, max: 7 }), (sizes, seed, count) => {
        const table = grouped(sizes);
        const folds = foldsOf(table, { folds: count, seed });
        expect(folds).toHaveLength(count);
        const tested = new Uint32Array(table.participantOf.length);
        for (const { train, test } of folds) {
          expect(train.length + test.length).toBe(tested.length);
          for (const i of test) tested[i]++;
          const trains = new Set(Array.from(train, (i) => table.participantOf[i]));
          expect(trains.size).toBe(sizes.length);
        }
        for (const [i, times] of tested.entries())
          expect(times).toBe(sizes[table.participantOf[i]] > 1 ? 1 : 0);
      }),
    );
  });

  test('gives a participant folds of nearly equal size', () => {
    for (const { test } of foldsOf(grouped([23]), { seed: 3 })) expect([4, 5]).toContain(test.length);
  });

  test('spreads participants with few rows over all folds', () => {
    const folds = foldsOf(grouped(Array.from({ length: 100 }, () => 2)), { seed: 1 });
    for (const { test } of folds) expect(test.length).toBeGreaterThan(20);
  });

  test('stays inside the rows it is given', () => {
    const table = grouped([30, 30]);
    const { train: rows } = splitRows(table, { testFraction: 0.5, seed: 1 });
    for (const { train, test } of foldsOf(table, { seed: 1, rows })) {
      expect([...train, ...test].sort((a, b) => a - b)).toEqual([...rows]);
    }
  });

  test('refuses fewer than two folds', async () => {
    await refused(() => foldsOf(grouped([3]), { folds: 1, seed: 1 }), 'FOLDS', 'got 1');
  });
});
