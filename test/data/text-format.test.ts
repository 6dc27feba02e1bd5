/** Text files as programs of all countries write them: separators, decimal commas, no header. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readCsv } from '../../src/data/csv.ts';
import { parseTable } from '../../src/data/parse-table.ts';
import type { Table, TableColumns } from '../../src/data/table.ts';
import { bytesOf, COLUMNS, refused } from './helpers.ts';

function read(text: string, columns: Partial<TableColumns> = {}): Table {
  return readCsv(bytesOf(text), 'a.csv', { ...COLUMNS, ...columns });
}

const SEPARATORS = [',', ';', '\t', '|'];

describe('a text file', () => {
  test.each(SEPARATORS)('separated by %j is read as it is', (separator) => {
    const rows = [
      ['task', 'y', 'x1', 'x2'],
      ['b', '1', '0.5', '"-2"'],
      ['a', '-1', '1e3', '.25'],
    ];
    for (const end of ['\n', '\r\n']) {
      const text = `\ufeff${rows.map((row) => row.join(separator)).join(end)}${end}`;
      for (const given of [undefined, 'auto', separator]) {
        const table = read(text, { separator: given });
        expect(table.features).toEqual(['x1', 'x2']);
        expect(table.participants).toEqual(['a', 'b']);
        expect([...table.x]).toEqual([0.5, -2, 1000, 0.25]);
      }
    }
  });

  test('with an empty first field and tabs has that field, and is not cut by it', () => {
    const table = read('x1\ttask\ty\n 1 \ta\t1\n2\tb\t\n', { need: 'neither' });
    expect([...table.x]).toEqual([1, 2]);
    expect(table.targets).toEqual(['1', '']);
  });

  test('names of columns decide against characters that are more frequent', () => {
    const table = read('task,y,a;b;c;d;e\np,1,2\n');
    expect(table.features).toEqual(['a;b;c;d;e']);
    expect(read('task;y;"a,b,c,d,e"\np;1;2\n').features).toEqual(['a,b,c,d,e']);
    expect(read('"task";"y";"a,b"\np;1;2\n').features).toEqual(['a,b']);
  });

  test('with decimal commas has the numbers that they mean, in features and targets', () => {
    const table = read('task;y;x1;x2\na;1,5;-2,25;1,5e2\nb;2;,5;3\n', { decimal: 'comma' });
    expect([...table.x]).toEqual([-2.25, 150, 0.5, 3]);
    expect(table.targets).toEqual(['1.5', '2']);
    const quoted = read('task,y,x1\na,1,"0,5"\n', { decimal: 'comma' });
    expect([...quoted.x]).toEqual([0.5]);
  });

  test('without a header has columns c1, c2, ... and keeps its first row', () => {
    const table = read('7,1,0.5,2\n8,-1,1.5,3\n', { header: false, task: 'c1', label: 'c2' });
    expect(table.features).toEqual(['c3', 'c4']);
    expect([...table.x]).toEqual([0.5, 2, 1.5, 3]);
    expect([...table.lines!]).toEqual([1, 2]);
    const european = read('7;1;0,5;2,5\n', { header: false, task: 'c1', label: 'c2', decimal: 'comma' });
    expect([...european.x]).toEqual([0.5, 2.5]);
  });

  test('without a header names what there is where a column is missing', async () => {
    const columns = { header: false };
    await refused(() => read('7,1,0.5\n', columns), 'MISSING_TASK_COLUMN', 'c1, c2, c3', '--task <column>');
  });

  test('of any values reads the same in every separator and with either decimal sign', () => {
    const cell = fc.double({ min: -1e6, max: 1e6, noNaN: true });
    const rows = fc.array(fc.tuple(cell, cell, cell), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(
        rows,
        fc.constantFrom(...SEPARATORS),
        fc.boolean(),
        fc.boolean(),
        (values, separator, comma, header) => {
          const number = (x: number) => (comma ? String(x).replace('.', ',') : String(x));
          const field = (text: string) => (text.includes(separator) ? `"${text}"` : text);
          const lines = values.map((row, i) => [`p${i}`, '1', ...row.map(number)].map(field).join(separator));
          const names = header ? ['task', 'y', 'x1', 'x2', 'x3'] : ['c1', 'c2', 'c3', 'c4', 'c5'];
          const text = [...(header ? [names.join(separator)] : []), ...lines].join('\n');
          const [task, label] = names;
          const table = read(text, { separator, header, task, label, decimal: comma ? 'comma' : 'point' });
          expect([...table.x]).toEqual(values.flat().map((x) => x + 0));
          expect(table.features).toEqual(names.slice(2));
        },
      ),
    );
  });
});

describe('parseTable', () => {
  test('takes .tsv, and refuses a separator that is none', async () => {
    const table = await parseTable(bytesOf('task\ty\tx1\na\t1\t2\n'), 'a.tsv');
    expect([...table.x]).toEqual([2]);
    for (const separator of ['', ';;', '"', '\n', '\u00e9'])
      await refused(() => parseTable(bytesOf('task\n'), 'a.csv', { separator }), 'BAD_OPTION', '--separator');
  });
});
