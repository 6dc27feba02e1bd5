import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readCsv } from '../../src/data/csv.ts';
import type { Table, TableColumns } from '../../src/data/table.ts';
import { bytesOf, COLUMNS, refused } from './helpers.ts';

function read(text: string, columns: Partial<TableColumns> = {}): Table {
  return readCsv(bytesOf(text), 'a.csv', { ...COLUMNS, ...columns });
}

describe('readCsv', () => {
  test('gives participants in natural order, targets as written and features as numbers', () => {
    const table = read('task,y,x1,x2\n10,+1,0.5,-2\n9,-1,1e3,.25\nbob,+1,3.,+4\n');
    expect(table.participants).toEqual(['9', '10', 'bob']);
    expect([...table.participantOf]).toEqual([1, 0, 2]);
    expect(table.targets).toEqual(['+1', '-1', '+1']);
    expect(table.features).toEqual(['x1', 'x2']);
    expect([...table.x]).toEqual([0.5, -2, 1000, 0.25, 3, 4]);
    expect([...table.lines!]).toEqual([2, 3, 4]);
  });

  test('takes the participant and target columns wherever they stand', () => {
    const table = read('x1,y,x2,task,note\n1,a,2,p,text\n', { drop: ['note'] });
    expect(table.features).toEqual(['x1', 'x2']);
    expect([...table.x]).toEqual([1, 2]);
  });

  test.each([
    ['LF', '\n'],
    ['CRLF', '\r\n'],
    ['CR', '\r'],
  ])('accepts %s line ends, with and without the last one, and a byte order mark', (_, end) => {
    for (const last of ['', end, end + end + end]) {
      const table = read(`\ufeff${['task,y,x1', 'a,1,2', 'b,0,3'].join(end)}${last}`);
      expect(table.participants).toEqual(['a', 'b']);
      expect([...table.x]).toEqual([2, 3]);
      expect([...table.lines!]).toEqual([2, 3]);
    }
  });

  test('skips blank lines and still counts them', () => {
    const table = read('\ntask,y,x1\n\na,1,2\n  \t\n\nb,0,3\n\n');
    expect([...table.lines!]).toEqual([4, 7]);
  });

  test('reads quoted fields with commas, doubled quotes and line breaks, and counts their lines', () => {
    const table = read('"task","y","x,1"\n"a,""b""\nc",1,"2.5" \nd, 0 , 3 \n');
    expect(table.features).toEqual(['x,1']);
    expect(table.participants).toEqual(['a,"b"\nc', 'd']);
    expect([...table.x]).toEqual([2.5, 3]);
    expect([...table.lines!]).toEqual([2, 4]);
    expect(table.targets).toEqual(['1', '0']);
  });

  test('needs neither participant nor target when predicting', () => {
    const table = read('x1\n5\n6\n', { need: 'neither', drop: ['not there'] });
    expect(table.participants).toEqual(['']);
    expect([...table.participantOf]).toEqual([0, 0]);
    expect(table.targets).toBeUndefined();
    expect(read('task,x1,y\nb,5,\n', { need: 'neither' }).targets).toEqual(['']);
  });

  test('needs no participant where all rows are of one, but a target', async () => {
    const table = read('y,x1\n1,5\n2,6\n', { need: 'label' });
    expect([table.participants, table.targets]).toEqual([[''], ['1', '2']]);
    expect(read('task,y,x1\n,1,5\n', { need: 'label' }).participants).toEqual(['']);
    await refused(() => read('task,x1\na,5\n', { need: 'label' }), 'MISSING_LABEL_COLUMN', '"y"');
    await refused(() => read('y,x1\n1,5\n,6\n', { need: 'label' }), 'MISSING_TARGET', 'line 3');
    await refused(() => read('y,x1\n1,5\n', { need: 'label', drop: ['z'] }), 'UNKNOWN_DROP_COLUMN', '"z"');
  });

  test('reads every finite double as Number does, however it is written', () => {
    const written = fc
      .tuple(fc.double({ noNaN: true, min: -3e38, max: 3e38 }), fc.constantFrom('js', 'exp', 'fixed', 'long'))
      .map(([v, how]) => {
        if (how === 'exp') return v.toExponential(8).replace('e-', 'e-00');
        if (how === 'fixed') return v.toFixed(6);
        return how === 'long' ? v.toPrecision(40) : String(v);
      });
    fc.assert(
      fc.property(fc.array(written, { minLength: 1, maxLength: 20 }), (texts) => {
        const header = texts.map((_, j) => `x${j}`).join(',');
        const table = read(`task,y,${header}\na,1,${texts.join(',')}`);
        for (const [j, text] of texts.entries()) expect(table.x[j]).toBe(Number(text));
      }),
      { numRuns: 300 },
    );
  });

  test('grows where later lines are much shorter than the first', () => {
    const rows = Array.from({ length: 5000 }, (_, i) => `p,1,${i}`);
    const table = read(`task,y,x1\n${'q'.repeat(3000)},1,0.${'0'.repeat(3000)}1\n${rows.join('\n')}`);
    expect(table.n).toBe(5001);
    expect(table.x[5000]).toBe(4999);
    expect(table.x.length).toBe(5001);
  });
});

describe('readCsv refuses', () => {
  const head = 'task,y,x1,x2\na,1,1,2\n';
  const bad: [string, string, string, string[]][] = [
    [
      'text in a feature',
      `${head}a,1,3,abc\n`,
      'NOT_A_NUMBER',
      ['a.csv line 3, column "x2"', 'expected a number, got "abc"'],
    ],
    ['hexadecimal', `${head}a,1,0x10,1\n`, 'NOT_A_NUMBER', ['"x1"', '0x10']],
    ['a number with a unit', `${head}a,1,3kg,1\n`, 'NOT_A_NUMBER', ['3kg']],
    ['an empty value', `${head}a,1,,2\n`, 'MISSING_VALUE', ['line 3', '"x1"', 'missing']],
    ['NA', `${head}a,1,NA,2\n`, 'MISSING_VALUE', ['"NA"']],
    ['NaN', `${head}a,1,2,nan\n`, 'MISSING_VALUE', ['"x2"', '"nan"']],
    ['null', `${head}a,1,null,2\n`, 'MISSING_VALUE', ['"null"']],
    ['a question mark', `${head}a,1,?,2\n`, 'MISSING_VALUE', ['"?"']],
    ['infinity', `${head}a,1,-Inf,2\n`, 'NOT_FINITE', ['finite', '"-Inf"']],
    ['a number beyond single precision', `${head}a,1,3.1e38,2\n`, 'NUMBER_TOO_LARGE', ['3e38', '3.1e38']],
    ['a number beyond double precision', `${head}a,1,-1e999,2\n`, 'NUMBER_TOO_LARGE', ['-1e999']],
    ['too few fields', `${head}a,1,3\n`, 'CSV_FIELD_COUNT', ['line 3', 'expected 4 fields, got 3']],
    ['a line cut short', `${head}a,1,`, 'CSV_FIELD_COUNT', ['expected 4 fields, got 3']],
    ['too many fields', `${head}a,1,3,4,5,6\n`, 'CSV_FIELD_COUNT', ['expected 4 fields, got 6']],
    ['an empty participant', `${head} ,1,3,4\n`, 'MISSING_PARTICIPANT', ['line 3', '"task"']],
    ['an empty target', `${head}a,"",3,4\n`, 'MISSING_TARGET', ['line 3', '"y"']],
    ['a target that is not known', `${head}a,NA,3,4\n`, 'MISSING_TARGET', ['"NA"']],
    [
      'a missing participant column',
      'Tasks,y,x1\n1,2,3\n',
      'MISSING_TASK_COLUMN',
      ['"task"', 'Tasks, y, x1', 'did you mean --task "Tasks"'],
    ],
    [
      'a missing target column',
      'task,label,x1\n1,2,3\n',
      'MISSING_LABEL_COLUMN',
      ['line 1', '"y"', 'task, label, x1'],
    ],
    ['a duplicate column', 'task,y,x1,x1\n1,2,3,4\n', 'DUPLICATE_COLUMN', ['"x1"', 'columns 3 and 4']],
    ['a column without a name', ',task,y,x1\n0,1,2,3\n', 'UNNAMED_COLUMN', ['column 1']],
    ['no feature left', 'task,y\n1,2\n', 'NO_FEATURES', ['task, y']],
    ['a header without rows', 'task,y,x1\n\n', 'NO_ROWS', ['a.csv']],
    ['an empty file', '', 'EMPTY_FILE', ['a.csv', 'empty']],
    ['a file of blank lines', '\n \n', 'EMPTY_FILE', ['blank lines']],
    ['binary data', 'task,y\0,x1\n', 'BINARY_FILE', ['zero byte at offset 6']],
    [
      'an unterminated quote',
      `${head}"a,1,3,4\nb,1,2,3\n`,
      'CSV_UNTERMINATED_QUOTE',
      ['line 3', 'closing quote'],
    ],
    ['text behind a quote', `${head}"a"b,1,3,4\n`, 'CSV_TEXT_BEHIND_QUOTE', ['line 3', '"b"']],
    ['one column only', 'task y x1\n1 2 3\n', 'MISSING_TASK_COLUMN', ['task y x1', '--separator']],
    ['a row as header', '7,1,0.5,2\n7,-1,1.5,3\n', 'MISSING_TASK_COLUMN', ['--no-header', 'c1 to c4']],
    ['a row as header, with equal values', '7,1,1,2\n', 'DUPLICATE_COLUMN', ['--no-header', 'c1 to c4']],
    ['a decimal comma', 'task;y;x1\na;1;2,5\n', 'NOT_A_NUMBER', ['line 2', '"x1"', '--decimal comma']],
    ['a text column', 'task,y,home town\na,1,Rome\n', 'NOT_A_NUMBER', ['line 2', '--drop "home town"']],
  ];

  test.each(bad)('%s', async (_, text, code, words) => {
    const { missing, categorical } = { missing: 'refuse', categorical: 'refuse' } as const;
    await refused(() => read(text, code === 'MISSING_VALUE' ? { missing } : { categorical }), code, ...words);
  });

  test('an unknown column to drop, with the near name', async () => {
    const drop = { drop: ['activty'] };
    await refused(
      () => read('task,y,x1,activity\n', drop),
      'UNKNOWN_DROP_COLUMN',
      'did you mean --drop "activity"',
    );
  });

  test('dropping what it needs, and one column for both meanings', async () => {
    await refused(() => read('task,y,x1\n', { drop: ['y'] }), 'DROPPED_COLUMN_NEEDED', 'target');
    await refused(() => read('task,y,x1\n', { label: 'task' }), 'TASK_IS_LABEL', '"task"');
  });

  test('text that is not UTF-8, and names UTF-16', async () => {
    const latin = Uint8Array.from([...bytesOf('task,y,x1\nJ'), 0xe9, ...bytesOf(',1,2\n')]);
    await refused(() => readCsv(latin, 'a.csv', COLUMNS), 'NOT_UTF8', 'a.csv line 2');
    const utf16 = Uint8Array.from([0xff, 0xfe, 0x61, 0x00]);
    await refused(() => readCsv(utf16, 'a.csv', COLUMNS), 'BINARY_FILE', 'UTF-16');
  });

  test('names at most eight of many columns', async () => {
    const names = Array.from({ length: 600 }, (_, j) => `f${j}`);
    const message = await refused(() => read(`${names.join(',')}\n`), 'MISSING_TASK_COLUMN', 'and 592 more');
    expect(message.length).toBeLessThan(200);
  });
});

test('whatever the bytes, readCsv gives a table or refuses with a sentence', async () => {
  const piece = fc.constantFrom(
    'task',
    'y',
    'x1',
    ',',
    ',',
    '\n',
    '\r',
    '"',
    '1',
    '-2.5e3',
    'é',
    ' ',
    '\t',
    'NA',
    '.',
  );
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 40 }), async (pieces) => {
      const text = `task,y,x1\n${pieces.join('')}`;
      try {
        const table = read(text);
        expect(table.x.length).toBe(table.n);
        expect(table.targets!.length).toBe(table.n);
        expect(table.participantOf.length).toBe(table.n);
      } catch (error) {
        expect(error).toMatchObject({ name: 'KindredError', kind: 'input' });
      }
    }),
    { numRuns: 500 },
  );
});
