import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { tableFrom, type Value } from '../../src/data/arrays.ts';
import { summarise } from '../../src/data/column-summary.ts';
import { readCsv } from '../../src/data/csv.ts';
import { encode, featureNames } from '../../src/data/encoding.ts';
import { encodeLearnt } from '../../src/data/learn-encoding.ts';
import { writeCsv } from '../../src/data/write-csv.ts';
import { encodedMoments } from '../../src/math/encoded-moments.ts';
import { featureMoments } from '../../src/math/scaling.ts';
import { bytesOf, COLUMNS, refused } from './helpers.ts';

const LEVELS = ['red', 'green', 'blue, "light"', 'other', 'missing', 'éé', '7'];

/** Rows of two participants: numbers with gaps, a text column with gaps, numbers without. */
const messy = fc
  .array(
    fc.tuple(
      fc.option(fc.double({ min: -1e6, max: 1e6, noNaN: true }), { freq: 3 }),
      fc.option(fc.constantFrom(...LEVELS), { freq: 4 }),
      fc.integer({ min: -5, max: 5 }),
    ),
    { minLength: 3, maxLength: 60 },
  )
  .filter((rows) => {
    const texts = rows.filter(([, level]) => level !== null && level !== '7').length;
    return 2 * texts > rows.filter(([, level]) => level !== null).length;
  });

function tableOf(rows: readonly (readonly Value[])[]) {
  const [a, b] = [rows.filter((_, i) => i % 2 === 0), rows.filter((_, i) => i % 2 === 1)];
  const everybody = [a, b].filter((own) => own.length > 0);
  return tableFrom(
    everybody.map((own, k) => ({ id: `p${k}`, x: own.flat(), y: own.map((_, i) => i % 2) })),
    { features: ['age', 'color', 'count'], source: 'rows' },
  );
}

/** The same in the plainest way, value by value. */
function naive(rows: readonly (readonly Value[])[], trained: readonly (readonly Value[])[], rare: number) {
  const ages = trained.flatMap(([age]) => (age === null ? [] : [age as number]));
  const hasGaps = ages.length < trained.length;
  const mean = ages.reduce((sum, age) => sum + age, 0) / Math.max(1, ages.length);
  const count = (level: Value) => trained.filter((row) => row[1] === level).length;
  const seen = [...new Set(trained.map((row) => row[1]))].filter((level) => level !== null) as string[];
  const kept = seen.filter((level) => count(level) >= rare);
  // A level that is called other or missing shares the feature of those that are.
  const slots = new Set(kept);
  if (kept.length < seen.length) slots.add('other');
  if (trained.some((row) => row[1] === null)) slots.add('missing');
  return rows.map(([age, level, size]) => {
    const named: Record<string, number> = { age: age === null ? mean : (age as number) };
    if (hasGaps) named['age=missing'] = age === null ? 1 : 0;
    for (const slot of slots) named[`color=${slot}`] = 0;
    const own = level === null ? 'missing' : slots.has(level as string) ? level : 'other';
    if (slots.has(own as string)) named[`color=${own}`] = 1;
    return { ...named, count: size as number };
  });
}

describe('encode', () => {
  test('equals the plainest implementation, value by value, for any table, split and threshold', () => {
    fc.assert(
      fc.property(messy, fc.integer({ min: 1, max: 6 }), (rows, rare) => {
        const table = tableOf(rows);
        const inOrder = [...rows.filter((_, i) => i % 2 === 0), ...rows.filter((_, i) => i % 2 === 1)];
        const train = Uint32Array.from(inOrder.keys()).filter((i) => i % 3 !== 2);
        const trained = Array.from(train, (i) => inOrder[i]);
        const { table: encoded } = encodeLearnt(table, train, { rare });
        const expected = naive(inOrder, trained, rare);
        for (const [i, row] of expected.entries()) {
          for (const [j, name] of encoded.features.entries()) {
            expect(encoded.x[i * encoded.features.length + j], `${name} of row ${i}`).toBeCloseTo(
              (row as Record<string, number>)[name],
              6,
            );
          }
          expect(encoded.features.length).toBe(Object.keys(row).length);
        }
      }),
      { numRuns: 300 },
    );
  });

  test('moments of features follow from what is known of the columns', () => {
    fc.assert(
      fc.property(messy, (rows) => {
        const table = tableOf(rows);
        const all = Uint32Array.from({ length: table.n }, (_, i) => i);
        const { encoding, table: encoded } = encodeLearnt(table, all, { rare: 2 });
        fc.pre(encoding !== undefined);
        const summary = summarise(table, table.features.length, all);
        const found = encodedMoments(encoding!.columns, summary, table.n);
        const expected = featureMoments(encoded.x, encoded.features.length, all);
        for (let j = 0; j < expected.mean.length; j++) {
          const size = 1 + Math.abs(expected.mean[j]);
          expect(Math.abs(found.mean[j] - expected.mean[j])).toBeLessThan(1e-9 * size);
          expect(Math.abs(found.m2[j] - expected.m2[j])).toBeLessThan(1e-6 * (1 + expected.m2[j]));
        }
      }),
      { numRuns: 200 },
    );
  });

  test('a table of numbers without gaps is the very table', () => {
    const table = tableFrom([{ id: 'a', x: [1, 2, 3, 4], y: [1, 2] }]);
    expect(encodeLearnt(table, Uint32Array.of(0, 1), { rare: 5 })).toEqual({
      table,
      encoding: undefined,
      notes: [],
    });
    expect(encodeLearnt(table, Uint32Array.of(0), { rare: 5 }).table).toBe(table);
  });

  test('an unseen level is other, or zeros where there is none; a gap in a column without is the mean', () => {
    const colors = ['red', 'red', 'blue', 'blue'];
    const table = tableFrom([{ id: 'a', x: colors.flatMap((c, i) => [c, i]), y: [1, 2, 1, 2] }], {
      features: ['color', 'i'],
    });
    const all = Uint32Array.of(0, 1, 2, 3);
    const strange = tableFrom([{ id: 'a', x: ['mauve', null], y: [1] }], { features: ['color', 'i'] });
    const zeros = encodeLearnt(table, all, { rare: 1 }).encoding!;
    expect([...encode(strange, zeros).x]).toEqual([0, 0, 1.5]);
    const pooled = encodeLearnt(table, all, { rare: 3 }).encoding!;
    expect(featureNames(pooled)).toEqual(['color=other', 'i']);
    expect([...encode(strange, pooled).x]).toEqual([1, 1.5]);
  });

  test('text where training had numbers is refused by its place', async () => {
    const learnt = tableFrom([{ id: 'a', x: ['b', 1, 'c', 2], y: [1, 2] }], { features: ['t', 'age'] });
    const { encoding } = encodeLearnt(learnt, Uint32Array.of(0, 1), { rare: 1 });
    const later = readCsv(bytesOf('task,y,t,age\na,1,b,\na,1,b,old\n'), 'later.csv', COLUMNS);
    await refused(() => encode(later, encoding!), 'NOT_A_NUMBER', 'later.csv line 3', '"age"', '"old"');
  });
});

describe('CSV with text and gaps', () => {
  test('is the same table after it was written and read again', () => {
    fc.assert(
      fc.property(messy, (rows) => {
        const table = tableOf(rows);
        const text = [...writeCsv(table)].join('');
        const again = readCsv(bytesOf(text), 'rows', COLUMNS);
        expect([...again.x]).toEqual([...table.x]);
        expect(again.levels).toEqual(table.levels);
      }),
      { numRuns: 100 },
    );
  });

  test('reads gaps beside decimal commas, levels with separators, quotes, BOM and CRLF', () => {
    const lines = ['task;y;age;color', 'a;1;1,5;"red; ""dark"""', 'a;2;;blue', 'b;1;2,5;NA', 'b;1;?;blue'];
    const table = readCsv(bytesOf(`\ufeff${lines.join('\r\n')}\r\n`), 'a.csv', {
      ...COLUMNS,
      decimal: 'comma',
    });
    expect(table.levels).toEqual([undefined, ['blue', 'red; "dark"']]);
    expect([...table.x]).toEqual([1.5, 1, Number.NaN, 0, 2.5, Number.NaN, Number.NaN, 0]);
  });

  test('takes text among numbers for a mistake unless there is more text, or the column is listed', async () => {
    const lines = ['task,y,code', ...['250', '401', 'V27', '250', '012'].map((code) => `a,1,${code}`)];
    const bytes = bytesOf(lines.join('\n'));
    await refused(() => readCsv(bytes, 'a.csv', COLUMNS), 'NOT_A_NUMBER', 'line 4', '--categorical code');
    const listed = readCsv(bytes, 'a.csv', { ...COLUMNS, categorical: ['code'] });
    expect(listed.levels).toEqual([['12', '250', '401', 'V27']]);
    expect([...listed.x]).toEqual([1, 2, 3, 1, 0]);
  });

  test('reads weights beside features, and ignores them when predicting', () => {
    const bytes = bytesOf('task,y,w,x1\na,1,2,5\na,2,0,6\n');
    const table = readCsv(bytes, 'a.csv', { ...COLUMNS, weight: 'w' });
    expect([table.features, [...table.weights!]]).toEqual([['x1'], [2, 0]]);
    const later = readCsv(bytes, 'a.csv', { ...COLUMNS, weight: 'w', need: 'neither' });
    expect([later.features, later.weights]).toEqual([['x1'], undefined]);
  });
});
