import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readCsv } from '../../src/data/csv.ts';
import { writeCsv } from '../../src/data/write-csv.ts';
import { bytesOf, COLUMNS, refused, tableOf } from './helpers.ts';

function roundTrip(table: ReturnType<typeof tableOf>) {
  return readCsv(bytesOf([...writeCsv(table)].join('')), table.source, COLUMNS);
}

const feature = fc.double({ noNaN: true, min: -3e38, max: 3e38 });
const name = fc
  .oneof(
    fc.string({ maxLength: 12, unit: 'grapheme' }),
    fc.constantFrom('a,b', '"', 'x""y', 'two\nlines', 'é', 'a\r\nb'),
  )
  .map((text) => text.replaceAll('\0', '').trim());

test('writing and reading back gives every double to the bit', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(feature, feature), { minLength: 1, maxLength: 20 }), (rows) => {
      const table = tableOf(
        rows.map(() => 'a'),
        rows.map(() => '1'),
        rows,
      );
      const back = roundTrip(table);
      for (const [i, value] of table.x.entries()) expect(Object.is(back.x[i], value)).toBe(true);
    }),
  );
});

test('writing and reading back keeps any participant, target and feature name', () => {
  const filled = name.filter((text) => text !== '');
  const target = filled.filter((text) => !/^([+-]?nan|na|n\/a|#n\/a|null|none|\?)$/i.test(text));
  fc.assert(
    fc.property(
      fc.array(fc.tuple(filled, target), { minLength: 1, maxLength: 8 }),
      filled,
      (rows, feature) => {
        fc.pre(feature !== 'task' && feature !== 'y');
        const ids = rows.map(([id]) => id);
        const targets = rows.map(([, target]) => target);
        const table = {
          ...tableOf(
            ids,
            targets,
            rows.map(() => [1]),
          ),
          features: [feature],
        };
        const back = roundTrip(table);
        expect(back.features).toEqual([feature]);
        expect(back.targets).toEqual(targets);
        expect(Array.from(back.participantOf, (k) => back.participants[k])).toEqual(ids);
      },
    ),
  );
});

test('a large table comes in several chunks', () => {
  const rows = Array.from({ length: 3000 }, (_, i) => Array.from({ length: 40 }, (_, j) => Math.sqrt(i + j)));
  const table = tableOf(
    rows.map(() => 'a'),
    rows.map(() => '1'),
    rows,
  );
  expect([...writeCsv(table)].length).toBeGreaterThan(1);
  expect(roundTrip(table).x).toEqual(table.x);
});

test('a table without targets is written without a target column', () => {
  const table = { ...tableOf(['a'], ['1'], [[1.5]]), targets: undefined };
  expect([...writeCsv(table)].join('')).toBe('task,x1\na,1.5\n');
});

test('refuses a column name that a feature has', async () => {
  const table = { ...tableOf(['a'], ['1'], [[1]]), features: ['y'] };
  await refused(() => [...writeCsv(table)], 'COLUMN_NAME_TAKEN', '"y"');
});
