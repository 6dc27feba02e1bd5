/** Rows are recognised by content: what is kept stays to train or to test on, and keeps its place among the duals. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { placesIn, rowKeys, splitLikeBefore } from '../../src/client/known-rows.ts';
import { ownData, splitAsTrain } from '../../src/client/own-rows.ts';
import { tableFrom } from '../../src/data/arrays.ts';

type Row = readonly [x: number, y: number];
const tableOf = (rows: readonly Row[]) =>
  tableFrom([
    { id: 'ada', x: Float64Array.from(rows.flatMap(([x]) => [x, x / 3])), y: rows.map(([, y]) => y) },
  ]);

const SPLIT = { testFraction: 0.3, seed: 5 };
/** Few values: some rows are there several times. */
const row = fc.tuple(fc.integer({ min: 0, max: 40 }), fc.constantFrom(-1, 1));
const rows = fc.array(row, { minLength: 2, maxLength: 60 });

function firstStart(given: readonly Row[]) {
  const table = tableOf(given);
  const own = ownData(table, splitAsTrain(table, 'ada', SPLIT.testFraction, SPLIT.seed));
  const keys = rowKeys(table);
  const of = (places: Uint32Array) => Float64Array.from(places, (i) => keys[i]);
  return { own, known: { train: of(own.train), test: of(own.test.rows), ...SPLIT } };
}

const sorted = (keys: Iterable<number>) => [...keys].sort((a, b) => a - b);

describe('the split of rows that are known', () => {
  test('stays the same for the same rows, in whatever order the file has them', () => {
    fc.assert(
      fc.property(rows, fc.array(fc.nat()), (given, order) => {
        const { own, known } = firstStart(given);
        const turned = given.map((one, i) => ({ one, at: order[i] ?? 0 })).sort((a, b) => a.at - b.at);
        const table = tableOf(turned.map(({ one }) => one));
        const again = ownData(table, splitLikeBefore(rowKeys(table), known));
        expect(again.digest).toBe(own.digest);
        expect(again.train.length + again.test.rows.length).toBe(given.length);
      }),
    );
  });

  test('is not touched by rows that come and go: no kept test row trains, and no kept training row tests', () => {
    fc.assert(
      fc.property(rows, rows, fc.array(fc.boolean()), (given, added, kept) => {
        const { known } = firstStart(given);
        const table = tableOf([...given.filter((_, i) => kept[i] ?? true), ...added]);
        const keys = rowKeys(table);
        const { train, test: tested } = splitLikeBefore(keys, known);
        expect(sorted([...train, ...tested])).toEqual([...Array(table.n).keys()]);
        expect(train.length).toBeGreaterThan(0);
        // Every known row is used once where it was, as long as there is one of its content.
        const of = (places: Uint32Array) => Float64Array.from(places, (i) => keys[i]);
        const stays = (before: Float64Array, now: Uint32Array, others: Float64Array) => {
          const ofOthers = new Set(others);
          for (const key of new Set(before)) {
            if (ofOthers.has(key)) continue;
            const wanted = Math.min(
              before.filter((one) => one === key).length,
              keys.filter((one) => one === key).length,
            );
            expect(of(now).filter((one) => one === key).length).toBeGreaterThanOrEqual(wanted);
          }
        };
        stays(known.train, train, known.test);
        if (tested.length > 0)
          stays(known.test, train.length === 1 ? Uint32Array.from(keys.keys()) : tested, known.train);
      }),
    );
  });

  test('draws new rows one by one, near the share that was asked for', () => {
    const { known } = firstStart(Array.from({ length: 100 }, (_, i) => [i, 1]));
    const table = tableOf(Array.from({ length: 2100 }, (_, i) => [i, 1]));
    const { test: tested } = splitLikeBefore(rowKeys(table), known);
    expect(tested.length / 2100).toBeGreaterThan(0.27);
    expect(tested.length / 2100).toBeLessThan(0.33);
  });
});

test('each row finds its place once, and many of the same content are no trouble', () => {
  expect([...placesIn(Float64Array.of(5, 7, 5), Float64Array.of(5, 9, 5, 5, 7))]).toEqual([0, -1, 2, -1, 1]);
  const same = new Float64Array(200_000).fill(3);
  expect(placesIn(same, same)[199_999]).toBe(199_999);
});

test('a key depends on every feature and on the target', () => {
  const keys = rowKeys(
    tableOf([
      [1, 1],
      [1, -1],
      [2, 1],
      [1, 1],
    ]),
  );
  expect(new Set(keys).size).toBe(3);
  expect(keys[0]).toBe(keys[3]);
});
