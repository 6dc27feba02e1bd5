/** Whatever is wrong with what a user gives: one sentence with a code, exit code 2, nothing on stdout, nothing written. */
import { mkdirSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { tableFromArrays, tableToIPC } from '@uwdata/flechette';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { beforeAll, describe, expect, test } from 'vitest';
import { csvOf, run, Sandbox, smallHar, smallRegression } from './helpers.ts';

interface Case {
  readonly what: string;
  /** "@name" stands for the path of that file in the sandbox. */
  readonly argv: readonly string[];
  readonly code: string;
  readonly words: readonly string[];
  readonly exit?: number;
}

const sandbox = new Sandbox();

/** A header and two classes for two participants, with the last line replaced. */
function csv(lastLine: string, header = 'task,y,x1,x2'): string {
  return `${header}\na,1,1,2\na,-1,2,1\nb,1,3,1\n${lastLine}\n`;
}

const gz = gzipSync(csvOf(smallHar()));
const damaged = Buffer.from(gz);
damaged.fill(0xa5, 100, 200);

function arrow(values: Record<string, unknown[]>): Uint8Array {
  const columns = { task: ['a', 'a', 'b'], y: [1, -1, 1], ...values };
  return tableToIPC(tableFromArrays(columns), { format: 'file' })!;
}

function npy(descr: string, shape: string, bytes: number): Uint8Array {
  const header = `{'descr': ${descr}, 'fortran_order': False, 'shape': ${shape}, }`;
  const start = Buffer.from(`\x93NUMPY\x01\x00${String.fromCharCode(header.length)}\x00${header}`, 'latin1');
  return Buffer.concat([start, Buffer.alloc(bytes)]);
}

function parquet(x1: (number | null)[], options: object = {}): Uint8Array {
  return new Uint8Array(
    parquetWriteBuffer({
      columnData: [
        { name: 'task', data: ['a', 'a', 'b'], type: 'STRING' },
        { name: 'y', data: [1, -1, 1], type: 'INT32' },
        { name: 'x1', data: x1, type: 'DOUBLE', nullable: true },
      ],
      ...options,
    }),
  );
}

/** Two participants and a text column x1. */
function messy(level: (i: number) => string, rows = 40, other = 'x2'): string {
  const lines = Array.from({ length: rows }, (_, i) => `${i % 2},${i % 3 ? 1 : -1},${level(i)},${i}`);
  return `task,y,x1,${other}\n${lines.join('\n')}\n`;
}

const FILES: Readonly<Record<string, string | Uint8Array>> = {
  'good.csv': csv('b,-1,1,3'),
  'empty.csv': '',
  'blank.csv': '\n\n',
  'header.csv': 'task,y,x1\n',
  'text.csv': csv('b,-1,tall,3'),
  'texts.csv': csv('b,-1,2026-01-02,f', 'task,y,visit date,sex'),
  'nan.csv': csv('b,-1,NaN,3'),
  'inf.csv': csv('b,-1,Inf,3'),
  'huge.csv': csv('b,-1,1e300,3'),
  'missing.csv': csv('b,-1,,3'),
  'short.csv': csv('b,-1,1'),
  'long.csv': csv('b,-1,1,3,4'),
  'no-id.csv': csv(',-1,1,3'),
  'no-target.csv': csv('b,,1,3'),
  'one-class.csv': 'task,y,x1\na,1,1\na,1,2\nb,1,3\n',
  'three.csv': csv('b,walking,1,3'),
  'measured.csv': csv(Array.from({ length: 20 }, (_, i) => `b,${i}.5,${i},3`).join('\n')),
  'duplicate.csv': csv('b,-1,1,3', 'task,y,x1,x1'),
  'unnamed.csv': csv('b,-1,1,3', 'task,y,x1,'),
  'semicolon.csv': 'task;y;x1\na;1;2\n',
  'spaces.csv': 'task y x1\na 1 2\n',
  'decimal.csv': 'task;y;x1\na;1;2,5\nb;-1;3,5\n',
  'headless.csv': '7,1,0.5,3\n7,-1,1.5,4\n8,1,2,5\n8,-1,3,5\n',
  'twins.csv': '7,1,1,3\n8,-1,1.5,4\n',
  'town.csv': csv('b,-1,1,3', 'task,y,home town,x2').replace(',3,1', ',Rome,1'),
  'colors.csv': messy((i) => ['red', 'green'][i % 2]),
  'dates.csv': messy((i) => `2026-01-${String(1 + (i % 28)).padStart(2, '0')}`),
  'clock.csv': messy((i) => `${i % 24}:15`),
  'names.csv': messy((i) => `patient ${i}`),
  'levels.csv': messy((i) => `level ${i % 150}`, 900),
  'twice.csv': messy((i) => ['red', 'green'][i % 2], 40, 'x1=red'),
  'weights.csv': csv('b,-1,1,-3', 'task,y,x1,w'),
  'weightless.csv': csv('b,-1,1,0', 'task,y,x1,w').replace('3,1\n', '3,0\n'),
  'bidi.csv': csv('b,-1,\u202eab\u0007,3'),
  'bomb.csv.gz': gzipSync(new Uint8Array(2e6)),
  'many.csv': `${['task', 'y', ...Array.from({ length: 60 }, (_, j) => `f${j}`)].join(',')}\n`,
  'quote.csv': csv('b,-1,"1,3'),
  'binary.csv': new Uint8Array([1, 2, 0, 255, 7, 7]),
  'binary.dat': new Uint8Array([1, 2, 3, 0, 255, 7]),
  'latin1.csv': Buffer.from(csv('J\u00f6,-1,1,3'), 'latin1'),
  'damaged.csv.gz': damaged,
  'cut.csv.gz': gz.subarray(0, gz.length - 50),
  'fake.csv.gz': 'not gzip at all',
  'cut.parquet': parquet([1, 2, 3]).slice(0, 120),
  'null.parquet': parquet([1, null, 3]),
  'fake.parquet': 'PAR',
  'lzo.parquet': parquet([1, 2, 3], { codec: 'LZO', compressors: { LZO: (page: Uint8Array) => page } }),
  'cut.arrow': arrow({ x1: [1, 2, 3] }).slice(0, 300),
  'null.arrow': arrow({ x1: [1, null, 3] }),
  'nested.arrow': arrow({ x1: [1, 2, 3], pair: [[1], [2], [3]] }),
  'fake.arrow': 'ARROW 1',
  'old.feather': 'FEA1 and so on',
  'text.npy': npy("'<U3'", '(1, 2)', 24),
  'cube.npy': npy("'<f8'", '(1, 2, 2)', 32),
  'cut.npy': npy("'<f8'", '(2, 2)', 31),
  'none.npy': npy("'<f8'", '(0, 4)', 0),
  'good.npy': npy("'|u1'", '(4, 3)', 12),
  'fake.npy': 'NUMPY',
  'fake.npz': 'PK\x03\x04',
  'book.xlsx': 'PK\x03\x04',
  'wide.svm': '1 100000:1\n'.repeat(3000),
  'ids3000.txt': 'a\nb\n'.repeat(1500),
  'rows.libsvm': '1 1:1 2:2\n-1 1:2\n1 2:3\n',
  'zero.libsvm': '1 0:1\n-1 1:2\n1 2:3\n',
  'descending.libsvm': '1 2:1 1:2\n-1 1:2\n1 2:3\n',
  'wide.libsvm': '1 900000000:1\n-1 1:2\n1 2:3\n',
  'ids.txt': 'a\nb\na\n',
  'few-ids.txt': 'a\nb\n',
  'target.csv': csv('b,tall,1,3'),
  'columns3.csv': 'task,y,x1,x2,x3\na,1,1,1,1\n',
  'columns1.csv': 'task,y,x1\na,1,1\n',
  'renamed.csv': 'task,y,x1,width\na,1,1,1\n',
  'newcomer.csv': 'task,y,x1,x2\nc,1,1,1\n',
  'no-task.csv': 'y,x1,x2\n1,1,1\n',
  'unlabelled.csv': 'task,x1,x2\na,1,1\n',
  'unknown-class.csv': 'task,y,x1,x2\na,2,1,1\n',
  'broken.model': 'solver_type L2R_LR\nnr_class 2\nlabel 1 -1\nnr_feature 2\nbias 1\nw\n1\n2\n',
  'wide.model': 'solver_type L2R_LR\nnr_class 2\nlabel 1 -1\nnr_feature 3\nbias -1\nw\n1\n2\n3\n',
  'names.coef': 'intercept,u,v\n1,2,3\n',
  'text.coef': 'intercept,x1,x2\n1,2,tall\n',
  'not.json': 'w = 1, 2',
  'other.json': '{"format":"onnx"}',
  'list.json': '[1, 2]',
};

const CASES: readonly Case[] = [
  // Usage.
  { what: 'no command', argv: [], code: 'MISSING_COMMAND', words: ['--help'] },
  { what: 'unknown command', argv: ['trian'], code: 'UNKNOWN_COMMAND', words: ['trian', 'train?'] },
  { what: 'unknown data command', argv: ['data', 'fetsch'], code: 'UNKNOWN_COMMAND', words: ['fetch?'] },
  { what: 'missing argument', argv: ['train'], code: 'MISSING_ARGUMENT', words: ['data'] },
  {
    what: 'two files',
    argv: ['train', '@good.csv', '@good.csv'],
    code: 'TOO_MANY_ARGUMENTS',
    words: ['train'],
  },
  {
    what: 'unknown option',
    argv: ['train', '@good.csv', '--test-fracton', '0.2'],
    code: 'UNKNOWN_OPTION',
    words: ['--test-fracton', '--test-fraction?'],
  },
  {
    what: 'a flag by half of its name',
    argv: ['serve', '--cert', 'cert.pem'],
    code: 'UNKNOWN_OPTION',
    words: ["unknown option '--cert'", 'did you mean --tls-cert?'],
  },
  {
    what: 'option without value',
    argv: ['train', '@good.csv', '--c1'],
    code: 'MISSING_OPTION_VALUE',
    words: ['--c1'],
  },
  {
    what: 'predict without --model',
    argv: ['predict', '@good.csv'],
    code: 'MISSING_OPTION',
    words: ['--model'],
  },

  // Values of options.
  ...(
    [
      ['--c1', '-1', 'a number above 0'],
      ['--c1', 'abc', 'a number above 0'],
      ['--c1', '', 'a number above 0'],
      ['--c1', '1e', 'a number above 0'],
      ['--c1', '0x10', 'a number above 0'],
      ['--c1', 'NaN', 'a number above 0'],
      ['--c1', 'Infinity', 'a number above 0'],
      ['--c1', '1e999', 'a number above 0'],
      ['--c2', '0', 'a number above 0'],
      ['--epsilon', '-0.1', 'at least 0'],
      ['--lambda', '0', 'a number above 0'],
      ['--method', 'svm', 'mtl, local, global, mocha, fedavg'],
      ['--objective', 'ranking', 'classification, regression'],
      ['--aggregation', 'mean', 'answers, safe, sum'],
      ['--scale', 'minmax', 'standard, center, none'],
      ['--class-weight', 'even', 'none, balanced'],
      ['--features', 'poly:3', 'none, rff:<count> or rff:<count>:<gamma>'],
      ['--features', 'rff', 'rff:<count>'],
      ['--features', 'rff:511', 'an even number of features from 2 to 65536'],
      ['--features', 'rff:100000', 'an even number of features from 2 to 65536'],
      ['--features', 'rff:64:0', 'a gamma above 0'],
      ['--features', 'rff:64:wide', 'a gamma above 0'],
      ['--test-fraction', '1', 'below 1'],
      ['--test-fraction', '-0.1', 'at least 0'],
      ['--rounds', '0', 'whole number of at least 1'],
      ['--passes', '2.5', 'whole number of at least 1'],
      ['--gap', '-1', 'at least 0'],
      ['--seed', '1.5', 'whole number'],
      ['--participants', '0', 'at least 1'],
      ['--uci-target', 'walking', 'sitting, activity'],
    ] as const
  ).map(
    ([option, value, expected]): Case => ({
      what: `${option} ${JSON.stringify(value)}`,
      argv: ['train', '@good.csv', option, value],
      code: 'BAD_OPTION',
      words: [`option ${option}: expected`, expected, `got ${value}`.trim()],
    }),
  ),
  ...['train', 'tune'].flatMap((command) =>
    ['0', 'x', '1.5', '2000'].map(
      (value): Case => ({
        what: `${command} --threads ${value}`,
        argv: [command, '@good.csv', '--threads', value],
        code: 'BAD_OPTION',
        words: [`option --threads: expected a whole number from 1 to 1024, got ${value}`],
      }),
    ),
  ),
  {
    what: 'reproduce --threads 0',
    argv: ['reproduce', 'all', '--threads', '0'],
    code: 'BAD_OPTION',
    words: ['option --threads: expected a whole number from 1 to 1024, got 0'],
  },
  {
    what: 'more participants than there are',
    argv: ['train', '@good.csv', '--participants', '3'],
    code: 'TOO_FEW_PARTICIPANTS',
    words: ['good.csv', '--participants', 'got 2'],
  },
  {
    what: 'mocha with regression',
    argv: ['train', '@good.csv', '--method', 'mocha', '--objective', 'regression'],
    code: 'BAD_OPTION',
    words: ['--method', 'mocha', 'classification only'],
  },

  // Files that are not what they should be.
  { what: 'missing file', argv: ['train', '@nowhere.csv'], code: 'FILE_NOT_FOUND', words: ['nowhere.csv'] },
  {
    what: 'path through a file',
    argv: ['train', '@good.csv/x'],
    code: 'FILE_NOT_FOUND',
    words: ['good.csv/x'],
  },
  {
    what: 'folder that is not UCI HAR',
    argv: ['train', '@folder'],
    code: 'UCI_HAR_MISSING_FILE',
    words: ['folder', 'features.txt'],
  },
  { what: 'empty file', argv: ['train', '@empty.csv'], code: 'EMPTY_FILE', words: ['empty.csv'] },
  { what: 'empty stdin', argv: ['train', '-'], code: 'EMPTY_FILE', words: ['stdin'] },
  { what: 'blank lines only', argv: ['train', '@blank.csv'], code: 'EMPTY_FILE', words: ['blank.csv'] },
  { what: 'header only', argv: ['train', '@header.csv'], code: 'NO_ROWS', words: ['header.csv'] },
  { what: 'binary as CSV', argv: ['train', '@binary.csv'], code: 'BINARY_FILE', words: ['binary.csv'] },
  {
    what: 'binary of no kind',
    argv: ['train', '@binary.dat'],
    code: 'UNKNOWN_FORMAT',
    words: ['binary.dat'],
  },
  { what: 'not UTF-8', argv: ['train', '@latin1.csv'], code: 'NOT_UTF8', words: ['latin1.csv', 'line 5'] },
  {
    what: 'corrupt gzip',
    argv: ['train', '@damaged.csv.gz'],
    code: 'GZIP_CORRUPT',
    words: ['damaged.csv.gz'],
  },
  {
    what: 'truncated gzip',
    argv: ['train', '@cut.csv.gz'],
    code: 'GZIP_CORRUPT',
    words: ['cut.csv.gz', 'truncated'],
  },
  { what: 'text named .gz', argv: ['train', '@fake.csv.gz'], code: 'NOT_GZIP', words: ['fake.csv.gz'] },
  {
    what: 'truncated Parquet',
    argv: ['train', '@cut.parquet'],
    code: 'PARQUET_CORRUPT',
    words: ['cut.parquet'],
  },
  {
    what: 'text named .parquet',
    argv: ['train', '@fake.parquet'],
    code: 'NOT_PARQUET',
    words: ['fake.parquet'],
  },
  {
    what: 'Parquet with nulls',
    argv: ['train', '@null.parquet', '--missing', 'refuse'],
    code: 'MISSING_VALUE',
    words: ['null.parquet', 'row 2', '"x1"'],
  },

  // Columns.
  {
    what: 'missing participant column',
    argv: ['train', '@good.csv', '--task', 'person'],
    code: 'MISSING_TASK_COLUMN',
    words: ['good.csv', '"person"', '--task <column>', 'got columns task, y, x1, x2;'],
  },
  {
    what: 'mistyped participant column',
    argv: ['train', '@good.csv', '--task', 'Tasks'],
    code: 'MISSING_TASK_COLUMN',
    words: ['expected a participant column "Tasks"', 'did you mean --task "task"?'],
  },
  {
    what: 'mistyped target column',
    argv: ['train', '@good.csv', '--label', 'yy'],
    code: 'MISSING_LABEL_COLUMN',
    words: ['expected a target column "yy"', '--label'],
  },
  {
    what: 'missing target column of a wide file',
    argv: ['train', '@many.csv', '--label', 'score'],
    code: 'MISSING_LABEL_COLUMN',
    words: ['got columns task, y, f0, f1, f2, f3, f4, f5 and 54 more; name it with --label <column>'],
  },
  ...(['--task-column', '--label'] as const).map(
    (option): Case => ({
      what: `join with a wrong ${option}`,
      argv: [
        ...['join', 'http://127.0.0.1:1', '--data', '@good.csv', '--task', 'a', '--state', '@no-state'],
        ...[option, 'person'],
      ],
      code: option === '--label' ? 'MISSING_LABEL_COLUMN' : 'MISSING_TASK_COLUMN',
      words: ['"person"', `name it with ${option} <column>`],
    }),
  ),
  ...(
    [
      ['to watch standard input', ['--data', '-', '--watch'], 'BAD_OPTION', 'got standard input'],
      ['to watch a folder', ['--data', '@folder', '--watch'], 'BAD_OPTION', 'got a folder'],
      ['to watch once', ['--data', '@good.csv', '--watch', '--once'], 'BAD_OPTION', '--watch or --once'],
      ['to unlearn row 0', ['--data', '@good.csv', '--unlearn', '0'], 'UNKNOWN_ROWS', 'from 1 to'],
      ['to unlearn too much', ['--data', '@good.csv', '--unlearn', '1,999'], 'UNKNOWN_ROWS', 'got 999'],
      ['to unlearn nothing', ['--data', '@good.csv', '--unlearn', '@none.csv'], 'FILE_NOT_FOUND', 'none.csv'],
    ] as const
  ).map(
    ([what, words, code, word]): Case => ({
      what: `join ${what}`,
      argv: ['join', 'http://127.0.0.1:1', '--task', 'a', '--state', '@no-state', ...words],
      code,
      words: [word],
    }),
  ),
  {
    what: 'missing target column',
    argv: ['train', '@good.csv', '--label', 'Y1'],
    code: 'MISSING_LABEL_COLUMN',
    words: ['good.csv', '"Y1"'],
  },
  {
    what: 'one column for both',
    argv: ['train', '@good.csv', '--label', 'task'],
    code: 'TASK_IS_LABEL',
    words: ['"task"'],
  },
  {
    what: 'unknown column to drop',
    argv: ['train', '@good.csv', '--drop', 'x9'],
    code: 'UNKNOWN_DROP_COLUMN',
    words: ['good.csv', '"x9"'],
  },
  {
    what: 'dropped target',
    argv: ['train', '@good.csv', '--drop', 'y'],
    code: 'DROPPED_COLUMN_NEEDED',
    words: ['"y"'],
  },
  {
    what: 'no features left',
    argv: ['train', '@good.csv', '--drop', 'x1,x2'],
    code: 'NO_FEATURES',
    words: ['good.csv'],
  },
  { what: 'duplicate header', argv: ['train', '@duplicate.csv'], code: 'DUPLICATE_COLUMN', words: ['"x1"'] },
  { what: 'unnamed column', argv: ['train', '@unnamed.csv'], code: 'UNNAMED_COLUMN', words: ['column 4'] },
  {
    what: 'spaces between columns',
    argv: ['train', '@spaces.csv'],
    code: 'MISSING_TASK_COLUMN',
    words: ['spaces.csv', '--separator'],
  },
  {
    what: 'the wrong --separator',
    argv: ['train', '@semicolon.csv', '--separator', '|'],
    code: 'MISSING_TASK_COLUMN',
    words: ['semicolon.csv', 'task;y;x1', '--separator'],
  },
  ...[';;', '"'].map(
    (separator): Case => ({
      what: `--separator ${separator}`,
      argv: ['train', '@good.csv', '--separator', separator],
      code: 'BAD_OPTION',
      words: ['option --separator: expected'],
    }),
  ),
  {
    what: 'decimal commas',
    argv: ['train', '@decimal.csv'],
    code: 'NOT_A_NUMBER',
    words: ['decimal.csv line 2', '"x1"', '"2,5"', '--decimal comma'],
  },
  {
    what: 'an unknown --decimal',
    argv: ['train', '@decimal.csv', '--decimal', ','],
    code: 'BAD_OPTION',
    words: ['option --decimal: expected one of point, comma'],
  },
  {
    what: 'no header',
    argv: ['train', '@headless.csv'],
    code: 'MISSING_TASK_COLUMN',
    words: ['headless.csv line 1', '--no-header', 'c1 to c4'],
  },
  {
    what: 'no header, and equal values in the first row',
    argv: ['train', '@twins.csv'],
    code: 'DUPLICATE_COLUMN',
    words: ['twins.csv line 1', '--no-header', 'c1 to c4'],
  },
  {
    what: '--no-header without column names',
    argv: ['train', '@headless.csv', '--no-header'],
    code: 'MISSING_TASK_COLUMN',
    words: ['got columns c1, c2, c3, c4; name it with --task <column>'],
  },
  {
    what: 'gzip that unpacks to more than --max-bytes',
    argv: ['train', '@bomb.csv.gz', '--max-bytes', '1000000'],
    code: 'GZIP_TOO_LARGE',
    words: ['bomb.csv.gz', '1,000,000 bytes', '--max-bytes'],
  },
  {
    what: 'Parquet that unpacks to more than --max-bytes',
    argv: ['train', '@null.parquet', '--max-bytes', '8'],
    code: 'TABLE_TOO_LARGE',
    words: ['null.parquet', '--max-bytes'],
  },

  // Values.
  {
    what: 'text in a feature',
    argv: ['train', '@text.csv'],
    code: 'NOT_A_NUMBER',
    words: ['text.csv line 5', '"x1"', '"tall"', '--drop x1 leaves the column out'],
  },
  {
    what: 'text in two features',
    argv: ['train', '@texts.csv'],
    code: 'NOT_A_NUMBER',
    words: ['texts.csv line 5', '"visit date"', '--drop "visit date,sex" leaves the columns out'],
  },
  {
    what: 'text in a feature whose name has a space',
    argv: ['train', '@town.csv'],
    code: 'NOT_A_NUMBER',
    words: ['town.csv line 4', '"home town"', '"Rome"', '--drop "home town"'],
  },
  {
    what: 'control and bidirectional characters in a value',
    argv: ['train', '@bidi.csv'],
    code: 'NOT_A_NUMBER',
    words: ['bidi.csv line 5', '"x1"', 'ab'],
  },
  {
    what: 'NaN',
    argv: ['train', '@nan.csv', '--missing', 'refuse'],
    code: 'MISSING_VALUE',
    words: ['nan.csv line 5', '"x1"'],
  },
  { what: 'Inf', argv: ['train', '@inf.csv'], code: 'NOT_FINITE', words: ['inf.csv line 5', '"x1"'] },
  { what: 'too large', argv: ['train', '@huge.csv'], code: 'NUMBER_TOO_LARGE', words: ['huge.csv line 5'] },
  {
    what: 'missing value',
    argv: ['train', '@missing.csv', '--missing', 'refuse'],
    code: 'MISSING_VALUE',
    words: ['missing.csv line 5'],
  },
  {
    what: 'Arrow with nulls',
    argv: ['train', '@null.arrow', '--missing', 'refuse'],
    code: 'MISSING_VALUE',
    words: ['null.arrow', 'row 2, column "x1"', 'null'],
  },
  {
    what: 'text where it is refused',
    argv: ['train', '@colors.csv', '--categorical', 'refuse'],
    code: 'NOT_A_NUMBER',
    words: ['colors.csv line 2', '"x1"', '"red"', '--drop x1 leaves the column out'],
  },
  {
    what: 'dates',
    argv: ['train', '@dates.csv'],
    code: 'DATE_COLUMN',
    words: ['dates.csv', '"x1"', '"2026-01-01"', 'into numbers', '--drop x1'],
  },
  {
    what: 'times of the day',
    argv: ['tune', '@clock.csv'],
    code: 'DATE_COLUMN',
    words: ['clock.csv', '"x1"', '--drop x1'],
  },
  {
    what: 'a different text in every row',
    argv: ['train', '@names.csv'],
    code: 'TOO_MANY_LEVELS',
    words: ['names.csv', '"x1"', 'different values', '--drop x1 leaves the column out'],
  },
  {
    what: 'too many levels',
    argv: ['train', '@levels.csv', '--rare', '1'],
    code: 'TOO_MANY_LEVELS',
    words: ['levels.csv', '"x1"', 'at most 100 levels', '--rare', '--drop x1'],
  },
  {
    what: 'a column that is called like a level',
    argv: ['train', '@twice.csv'],
    code: 'DUPLICATE_COLUMN',
    words: ['twice.csv', '"x1=red"', 'rename'],
  },
  {
    what: 'an unknown categorical column',
    argv: ['train', '@colors.csv', '--categorical', 'colour'],
    code: 'UNKNOWN_CATEGORICAL_COLUMN',
    words: ['colors.csv line 1', '"colour"', '--categorical'],
  },
  {
    what: 'an unknown --missing',
    argv: ['train', '@good.csv', '--missing', 'median'],
    code: 'BAD_OPTION',
    words: ['option --missing: expected one of mean, refuse'],
  },
  {
    what: 'a missing weight column',
    argv: ['train', '@good.csv', '--weight', 'x3'],
    code: 'MISSING_WEIGHT_COLUMN',
    words: ['good.csv line 1', '"x3"', '--weight'],
  },
  ...[['--secure'], ['--levels', 'color=red,green'], ['--dp-clip', '1', '--dp-epsilon', '4']].map(
    (other) => ({
      what: `columns union with ${other[0]}`,
      argv: ['serve', '--columns', 'union', ...other],
      code: 'BAD_OPTIONS',
      words: ['columns: expected exact with', 'names and counts of the columns of each participant'],
    }),
  ),
  {
    what: '--levels without a column',
    argv: ['serve', '--levels', 'red,green'],
    code: 'BAD_OPTION',
    words: ['option --levels', 'color=red,green'],
  },
  {
    what: 'the target as weight',
    argv: ['train', '@good.csv', '--weight', 'y'],
    code: 'WEIGHT_COLUMN_TAKEN',
    words: ['"y"', 'target column'],
  },
  {
    what: 'a dropped weight column',
    argv: ['train', '@weights.csv', '--weight', 'w', '--drop', 'w'],
    code: 'DROPPED_COLUMN_NEEDED',
    words: ['"w"', 'weight column'],
  },
  {
    what: 'a negative weight',
    argv: ['train', '@weights.csv', '--weight', 'w'],
    code: 'BAD_WEIGHT',
    words: ['weights.csv line 5', '"w"', '"-3"'],
  },
  {
    what: 'a participant whose weights are all 0',
    argv: ['train', '@weightless.csv', '--weight', 'w'],
    code: 'NO_WEIGHT',
    words: ['weightless.csv', 'participant "b"', '--weight'],
  },
  {
    what: '--weight with LIBSVM text',
    argv: ['train', '@rows.libsvm', '--task-file', '@ids.txt', '--weight', 'x1'],
    code: 'BAD_OPTION',
    words: ['option --weight', 'rows.libsvm'],
  },
  {
    what: 'too few fields',
    argv: ['train', '@short.csv'],
    code: 'CSV_FIELD_COUNT',
    words: ['line 5', 'got 3'],
  },
  {
    what: 'too many fields',
    argv: ['train', '@long.csv'],
    code: 'CSV_FIELD_COUNT',
    words: ['line 5', 'got 5'],
  },
  {
    what: 'unterminated quote',
    argv: ['train', '@quote.csv'],
    code: 'CSV_UNTERMINATED_QUOTE',
    words: ['quote.csv', 'line 5'],
  },
  {
    what: 'empty id',
    argv: ['train', '@no-id.csv'],
    code: 'MISSING_PARTICIPANT',
    words: ['line 5', '"task"'],
  },
  {
    what: 'empty target',
    argv: ['train', '@no-target.csv'],
    code: 'MISSING_TARGET',
    words: ['line 5', '"y"'],
  },

  // Targets.
  {
    what: 'one class',
    argv: ['train', '@one-class.csv'],
    code: 'ONE_CLASS',
    words: ['one-class.csv', '"1"'],
  },
  {
    what: 'three classes where two are needed',
    argv: ['audit', '@three.csv'],
    code: 'POSITIVE_NEEDED',
    words: ['three.csv', 'got 3: "-1", "1", "walking"; choose one against the rest with --positive <class>'],
  },
  {
    what: 'too many classes',
    argv: ['train', '@measured.csv', '--objective', 'classification'],
    code: 'TOO_MANY_CLASSES',
    words: ['measured.csv', 'expected at most 20 classes, got 22', '--objective regression'],
  },
  {
    what: 'unknown --positive',
    argv: ['train', '@good.csv', '--positive', 'sitting'],
    code: 'UNKNOWN_POSITIVE',
    words: ['good.csv', '"sitting"', '--positive', '"-1", "1"'],
  },
  {
    what: 'text as regression target',
    argv: ['train', '@target.csv', '--objective', 'regression'],
    code: 'TARGET_NOT_A_NUMBER',
    words: ['target.csv line 5', '"tall"'],
  },

  // LIBSVM.
  ...[
    ['lzo.parquet', 'PARQUET_CODEC', 'SNAPPY, GZIP, ZSTD', 'got LZO'],
    ['cut.arrow', 'ARROW_CORRUPT', 'complete Arrow file', 'truncated'],
    ['nested.arrow', 'NESTED_COLUMN', '"pair"', '--drop pair'],
    ['fake.arrow', 'NOT_ARROW', 'ARROW1', 'other bytes'],
    ['old.feather', 'UNKNOWN_FORMAT', 'Feather version 1', 'write version 2'],
    ['text.npy', 'NPY_KIND', 'float64', 'got dtype "<U3"'],
    ['cube.npy', 'NPY_SHAPE', 'two dimensions', '(1, 2, 2)'],
    ['cut.npy', 'NPY_CORRUPT', '32 bytes', '31 bytes'],
    ['none.npy', 'NO_ROWS', 'at least one row', 'none'],
    ['good.npy', 'MISSING_TASK_COLUMN', 'got columns c1, c2, c3', '--task <column>'],
    ['fake.npy', 'NOT_NPY', 'a NumPy array', 'other bytes'],
    ['fake.npz', 'NOT_ZIP', 'complete ZIP archive', 'truncated'],
    ['book.xlsx', 'UNKNOWN_FORMAT', 'NumPy or LIBSVM', 'a ZIP archive'],
  ].map(([file, code, ...words]) => ({
    what: `format: ${file}`,
    argv: ['train', `@${file}`],
    code,
    words: [file, ...words],
  })),
  {
    what: 'a sparse file that would be a large table',
    argv: ['train', '@wide.svm', '--task-file', '@ids3000.txt'],
    code: 'TABLE_TOO_LARGE',
    words: [
      '3,000 rows with 100,000 features',
      '2.24 GiB',
      '2.00 GiB are allowed',
      '2,684 rows',
      '--max-bytes',
    ],
  },
  { what: 'no task file', argv: ['train', '@rows.libsvm'], code: 'TASK_FILE_NEEDED', words: ['--task-file'] },
  ...(
    [
      ['rows.libsvm', 'few-ids.txt', 'TASK_COUNT', 'few-ids.txt'],
      ['rows.libsvm', 'none.txt', 'FILE_NOT_FOUND', 'none.txt'],
      ['zero.libsvm', 'ids.txt', 'LIBSVM_PAIR', 'zero.libsvm line 1'],
      ['descending.libsvm', 'ids.txt', 'LIBSVM_ORDER', 'descending.libsvm line 1'],
      ['wide.libsvm', 'ids.txt', 'TABLE_TOO_LARGE', 'GiB'],
      ['good.csv', 'ids.txt', 'BAD_OPTION', '--task-file'],
    ] as const
  ).map(
    ([data, ids, code, word]): Case => ({
      what: `${data} with ${ids}`,
      argv: ['train', `@${data}`, '--task-file', `@${ids}`],
      code,
      words: [word],
    }),
  ),
  {
    what: 'LIBSVM with an unknown feature to drop',
    argv: ['train', '@rows.libsvm', '--task-file', '@ids.txt', '--drop', 'x7'],
    code: 'UNKNOWN_DROP_COLUMN',
    words: ['rows.libsvm', '"x7"'],
  },
  {
    what: '--uci-target for a file',
    argv: ['train', '@good.csv', '--uci-target', 'sitting'],
    code: 'BAD_OPTION',
    words: ['--uci-target', 'good.csv'],
  },

  // Models.
  ...(
    [
      ['nowhere.json', 'FILE_NOT_FOUND', 'nowhere.json'],
      ['folder', 'NO_STATE', 'folder'],
      ['not.json', 'MODEL_NOT_JSON', 'not.json'],
      ['empty.csv', 'MODEL_NOT_JSON', 'empty.csv'],
      ['other.json', 'MODEL_FORMAT', 'other.json'],
      ['list.json', 'MODEL_FORMAT', 'list.json'],
      ['newer.json', 'MODEL_VERSION', 'newer kindred'],
      ['short-w.json', 'MODEL_INVALID', 'w: expected 3 numbers, got 2'],
      ['short-v.json', 'MODEL_INVALID', 'participants "a".v'],
      ['text-w.json', 'MODEL_INVALID', 'w[0]: expected a number'],
    ] as const
  ).flatMap(([model, code, word]): Case[] =>
    ['predict', 'evaluate'].map((command) => ({
      what: `${command} with ${model}`,
      argv: [command, '--model', `@${model}`, '@good.csv'],
      code,
      words: [model, word],
    })),
  ),
  ...(
    [
      [
        'too many features',
        'model.json',
        'columns3.csv',
        'FEATURE_COUNT',
        ['columns3.csv', '"x3"', '--drop'],
      ],
      ['too few features', 'model.json', 'columns1.csv', 'FEATURE_COUNT', ['columns1.csv', '"x2"']],
      ['other features', 'model.json', 'renamed.csv', 'FEATURE_NAMES', ['renamed.csv', '"x2"', '"width"']],
      ['newcomer of a local model', 'local.json', 'newcomer.csv', 'UNKNOWN_PARTICIPANT', ['"c"', 'local']],
      ['missing file', 'model.json', 'nowhere.csv', 'FILE_NOT_FOUND', ['nowhere.csv']],
    ] as const
  ).flatMap(([what, model, data, code, words]): Case[] =>
    ['predict', 'evaluate'].map((command) => ({
      what: `${command}: ${what}`,
      argv: [command, '--model', `@${model}`, `@${data}`],
      code,
      words,
    })),
  ),
  {
    what: 'predict for nobody with a local model',
    argv: ['predict', '--model', '@local.json', '@no-task.csv'],
    code: 'UNKNOWN_PARTICIPANT',
    words: ['no-task.csv', '--task'],
  },
  {
    what: 'evaluate without participants',
    argv: ['evaluate', '--model', '@model.json', '@no-task.csv'],
    code: 'MISSING_TASK_COLUMN',
    words: ['no-task.csv', '"task"'],
  },
  {
    what: 'unknown class at evaluate',
    argv: ['evaluate', '--model', '@model.json', '@unknown-class.csv'],
    code: 'UNKNOWN_CLASS',
    words: ['unknown-class.csv line 2', '"2"'],
  },
  {
    what: 'text target at evaluate of a regression',
    argv: ['evaluate', '--model', '@regression.json', '@target.csv'],
    code: 'TARGET_NOT_A_NUMBER',
    words: ['target.csv line 5'],
  },

  // Personalise.
  {
    what: 'personalise without --model',
    argv: ['personalise', '@good.csv'],
    code: 'MISSING_OPTION',
    words: ['--model'],
  },
  ...(
    [
      ['a local model', 'local.json', 'good.csv', 'NOT_PERSONALISABLE', ['local', '--method mtl']],
      ['a mocha model', 'mocha.json', 'good.csv', 'NOT_PERSONALISABLE', ['mocha', '--method mtl']],
      ['a fedavg model', 'fedavg.json', 'good.csv', 'NOT_PERSONALISABLE', ['fedavg', '--method mtl']],
      ['a global model', 'global.json', 'good.csv', 'NOT_PERSONALISABLE', ['global', '--c2']],
      ['a model without C1', 'no-c1.json', 'good.csv', 'MODEL_OPTION_MISSING', ['C1', '--c1']],
      ['a model without C2', 'no-c2.json', 'good.csv', 'MODEL_OPTION_MISSING', ['C2', '--c2']],
      ['no file', 'model.json', 'nowhere.csv', 'FILE_NOT_FOUND', ['nowhere.csv']],
      ['no model', 'nowhere.json', 'good.csv', 'FILE_NOT_FOUND', ['nowhere.json']],
      ['no labels', 'model.json', 'unlabelled.csv', 'MISSING_LABEL_COLUMN', ['unlabelled.csv', '"y"']],
      ['an empty label', 'model.json', 'no-target.csv', 'MISSING_TARGET', ['line 5', '"y"']],
      ['no participants', 'model.json', 'no-task.csv', 'MISSING_TASK_COLUMN', ['no-task.csv', '"task"']],
      ['an unknown class', 'model.json', 'unknown-class.csv', 'UNKNOWN_CLASS', ['line 2', '"2"']],
      ['text as target', 'regression.json', 'target.csv', 'TARGET_NOT_A_NUMBER', ['target.csv line 5']],
      ['too many features', 'model.json', 'columns3.csv', 'FEATURE_COUNT', ['"x3"', '--drop']],
      ['too few features', 'model.json', 'columns1.csv', 'FEATURE_COUNT', ['"x2"']],
      ['other features', 'model.json', 'renamed.csv', 'FEATURE_NAMES', ['"x2"', '"width"']],
    ] as const
  ).map(
    ([what, model, data, code, words]): Case => ({
      what: `personalise: ${what}`,
      argv: ['personalise', '--model', `@${model}`, `@${data}`, '--out', '@mine.json'],
      code,
      words,
    }),
  ),
  ...(
    [
      ['--c1', '0', 'a number above 0'],
      ['--c2', 'much', 'a number above 0'],
      ['--epsilon', '-1', 'at least 0'],
      ['--class-weight', 'even', 'none, balanced'],
      ['--test-fraction', '1', 'below 1'],
      ['--seed', '0.5', 'whole number'],
      ['--gap', '1', 'below 1'],
    ] as const
  ).map(
    ([option, value, expected]): Case => ({
      what: `personalise ${option} ${value}`,
      argv: ['personalise', '--model', '@model.json', '@good.csv', option, value],
      code: 'BAD_OPTION',
      words: [`option ${option}: expected`, expected, `got ${value}`],
    }),
  ),
  {
    what: 'personalise: --out is a folder',
    argv: ['personalise', '--model', '@model.json', '@good.csv', '--out', '@folder'],
    code: 'IS_A_FOLDER',
    words: ['folder'],
  },

  // Places to write.
  {
    what: '--model in a missing folder',
    argv: ['train', '@good.csv', '--model', '@nowhere/m.json'],
    code: 'FOLDER_NOT_FOUND',
    words: ['nowhere'],
  },
  {
    what: '--model is a folder',
    argv: ['train', '@good.csv', '--model', '@folder'],
    code: 'IS_A_FOLDER',
    words: ['folder'],
  },
  {
    what: '--out is a folder',
    argv: ['predict', '--model', '@model.json', '@good.csv', '--out', '@folder'],
    code: 'IS_A_FOLDER',
    words: ['folder'],
  },
  {
    what: '--figures is a file',
    argv: ['train', '@good.csv', '--figures', '@good.csv'],
    code: 'NOT_A_FOLDER',
    words: ['good.csv', '--figures', 'got a file'],
  },
  {
    what: 'evaluate --figures is a file',
    argv: ['evaluate', '--model', '@model.json', '@good.csv', '--figures', '@good.csv'],
    code: 'NOT_A_FOLDER',
    words: ['good.csv', '--figures'],
  },
  {
    what: 'probabilities of a model without them',
    argv: ['predict', '--model', '@model.json', '@good.csv', '--probabilities'],
    code: 'NO_PROBABILITIES',
    words: ['hinge', '--probabilities', '--loss logistic'],
  },
  {
    what: 'a threshold on decisions that are no probabilities',
    argv: ['predict', '--model', '@model.json', '@good.csv', '--threshold', '0.3'],
    code: 'NO_PROBABILITIES',
    words: ['--probabilities'],
  },
  {
    what: '--threshold 1.5',
    argv: ['predict', '--model', '@model.json', '@good.csv', '--threshold', '1.5'],
    code: 'BAD_OPTION',
    words: ['--threshold', 'below 1', '1.5'],
  },
  {
    what: 'probabilities of a regression',
    argv: ['train', '@good.csv', '--objective', 'regression', '--probabilities'],
    code: 'BAD_OPTION',
    words: ['--probabilities', 'classification', '--loss quantile'],
  },
  {
    what: 'probabilities of a method without personal parts',
    argv: ['train', '@good.csv', '--method', 'global', '--probabilities'],
    code: 'BAD_OPTION',
    words: ['--probabilities', 'mtl, local', 'global'],
  },
  {
    what: '--quantile 1',
    argv: ['train', '@good.csv', '--objective', 'regression', '--loss', 'quantile', '--quantile', '1'],
    code: 'BAD_OPTION',
    words: ['--quantile', 'above 0 and below 1'],
  },
  {
    what: 'a quantile of classes',
    argv: ['train', '@good.csv', '--objective', 'classification', '--loss', 'quantile'],
    code: 'BAD_OPTION',
    words: ['--loss', 'hinge', 'quantile'],
  },
  {
    what: '--out in a missing folder',
    argv: ['data', 'make', 'har', '--rows', '10', '--out', '@nowhere/har.csv'],
    code: 'FOLDER_NOT_FOUND',
    words: ['nowhere'],
  },

  // data make, describe, fetch and demo.
  ...(
    [
      [['mnist'], ['har, regression', 'mnist']],
      [
        ['har', '--participants', '0'],
        ['--participants', 'at least 1'],
      ],
      [
        ['har', '--rows', 'many'],
        ['--rows', 'many'],
      ],
      [
        ['har', '--snr', '3'],
        ['--snr', 'regression'],
      ],
      [
        ['har', '--heterogeneity', 'same'],
        ['--heterogeneity', 'regression'],
      ],
      [
        ['rings', '--snr', '20'],
        ['--snr', 'only with data make regression', 'got rings'],
      ],
      [
        ['har', '--json'],
        ['--json', '--out'],
      ],
      [
        ['regression', '--snr', '201'],
        ['--snr', 'from 0 to 200'],
      ],
      [
        ['regression', '--heterogeneity', 'some'],
        ['--heterogeneity', 'same, diverse'],
      ],
    ] as const
  ).map(
    ([argv, words]): Case => ({
      what: `data make ${argv.join(' ')}`,
      argv: ['data', 'make', ...argv],
      code: 'BAD_OPTION',
      words,
    }),
  ),
  {
    what: 'data make larger than memory',
    argv: ['data', 'make', 'har', '--participants', '1000000'],
    code: 'TABLE_TOO_LARGE',
    words: ['data make', 'GiB'],
  },
  {
    what: 'describe a missing file',
    argv: ['data', 'describe', '@no.csv'],
    code: 'FILE_NOT_FOUND',
    words: ['no.csv'],
  },
  { what: 'fetch something else', argv: ['data', 'fetch', 'mnist'], code: 'BAD_OPTION', words: ['uci-har'] },
  {
    what: 'fetch from no address',
    argv: ['data', 'fetch', 'uci-har', '--out', '@new', '--url', 'somewhere'],
    code: 'BAD_OPTION',
    words: ['--url', 'somewhere'],
  },
  {
    what: 'fetch into what exists',
    argv: ['data', 'fetch', 'uci-har', '--out', '@folder'],
    code: 'OUT_EXISTS',
    words: ['folder'],
  },

  // Export, explain, start.
  {
    what: 'export without a format',
    argv: ['export', '--model', '@model.json', '--out', '@m.onnx'],
    code: 'MISSING_OPTION',
    words: ['--format'],
  },
  {
    what: 'an unknown format of export',
    argv: ['export', '--model', '@model.json', '--out', '@m.onnx', '--format', 'pmml'],
    code: 'BAD_OPTION',
    words: ['option --format: expected one of onnx, liblinear, csv, sklearn, got pmml'],
  },
  ...(
    [
      [['--format', 'liblinear'], 'EXPORT_ONE_MODEL', ['got 3', '--participant <id>, --shared', '--each']],
      [['--format', 'csv', '--participant', 'z'], 'UNKNOWN_PARTICIPANT', ['"z"', '"a", "b"', '--shared']],
      [['--format', 'csv', '--participant', 'a', '--each'], 'BAD_OPTION', ['--participant and --each']],
      [['--format', 'csv', '--shared', '--each'], 'BAD_OPTION', ['--shared and --each']],
    ] as const
  ).map(
    ([argv, code, words]): Case => ({
      what: `export ${argv.join(' ')}`,
      argv: ['export', '--model', '@model.json', '--out', '@exported', ...argv],
      ...{ code, words },
    }),
  ),
  {
    what: 'export of a shared part that serves nobody',
    argv: ['export', '--model', '@local.json', '--out', '@m.csv', '--format', 'csv', '--shared'],
    code: 'UNKNOWN_PARTICIPANT',
    words: ['method local has no shared part'],
  },
  {
    what: 'export of each into a file',
    argv: ['export', '--model', '@model.json', '--out', '@good.csv', '--format', 'csv', '--each'],
    code: 'NOT_A_FOLDER',
    words: ['good.csv', '--each'],
  },
  {
    what: 'export into a folder',
    argv: ['export', '--model', '@model.json', '--out', '@folder', '--format', 'csv'],
    code: 'IS_A_FOLDER',
    words: ['folder'],
  },
  {
    what: 'explain a row of no data',
    argv: ['explain', '--model', '@model.json', '--row', '1'],
    code: 'MISSING_ARGUMENT',
    words: ['--row', 'data'],
  },
  {
    what: 'explain a row that there is not',
    argv: ['explain', '--model', '@model.json', '@good.csv', '--row', '5', '--out', '@row.svg'],
    code: 'ROW_NOT_FOUND',
    words: ['good.csv', 'a row from 1 to 4, got 5'],
  },
  {
    what: 'explain somebody unknown',
    argv: ['explain', '--model', '@model.json', '--participant', 'z'],
    code: 'UNKNOWN_PARTICIPANT',
    words: ['"z"', '"a", "b"'],
  },
  {
    what: 'explain a row of a newcomer by a model that has no shared part',
    argv: ['explain', '--model', '@local.json', '@newcomer.csv', '--row', '1'],
    code: 'UNKNOWN_PARTICIPANT',
    words: ['"c"', 'no shared part'],
  },
  {
    what: 'explain --top 0',
    argv: ['explain', '--model', '@model.json', '--top', '0'],
    code: 'BAD_OPTION',
    words: ['--top'],
  },
  ...(
    [
      ['@nowhere.json', 'FILE_NOT_FOUND', ['nowhere.json']],
      ['@not.json', 'START_INVALID', ['not.json', 'lines of weights below the header']],
      ['@other.json', 'MODEL_FORMAT', ['other.json']],
      ['@ids.txt', 'START_FORMAT', ['ids.txt', 'LIBLINEAR']],
      ['@local.json', 'START_FORMAT', ['local.json', 'method local']],
      ['@regression.json', 'START_CLASSES', ['regression.json', '"-1", "1"', 'got one of a regression']],
      ['@broken.model', 'START_INVALID', ['broken.model', '3 x 1 numbers behind w, got 2']],
      ['@wide.model', 'START_FEATURES', ['wide.model', 'expected 2 features as in the data, got 3']],
      ['@names.coef', 'START_FEATURES', ['names.coef', '"x1", "x2"', '"u", "v"']],
      ['@text.coef', 'START_INVALID', ['text.coef line 2', 'column "x2", got "tall"']],
    ] as const
  ).map(
    ([file, code, words]): Case => ({
      what: `train --start ${file}`,
      argv: ['train', '@good.csv', '--start', file, '--model', '@new.json'],
      ...{ code, words },
    }),
  ),
  {
    what: 'a start for a method that has none',
    argv: ['train', '@good.csv', '--start', '@model.json', '--method', 'global'],
    code: 'START_METHOD',
    words: ['--start', 'global'],
  },
  {
    what: 'a start for random features',
    argv: ['train', '@good.csv', '--start', '@model.json', '--features', 'rff:16'],
    code: 'START_METHOD',
    words: ['--start', '--features rff:16'],
  },
  ...(
    [
      ['export', '--model', '@mapped.json', '--format', 'onnx', '--out', '@mapped.onnx'],
      ['explain', '--model', '@mapped.json'],
    ] as const
  ).map(
    (argv): Case => ({
      what: `${argv[0]} a model of random features`,
      argv,
      code: 'MODEL_NOT_LINEAR',
      words: [argv[0], 'linear in its features', '"map"'],
    }),
  ),
  { what: 'demo with a bad seed', argv: ['demo', '--seed', '-1'], code: 'BAD_OPTION', words: ['--seed'] },
];

function pathsIn(argv: readonly string[]): string[] {
  return argv.map((word) => (word.startsWith('@') ? sandbox.path(word.slice(1)) : word));
}

beforeAll(async () => {
  mkdirSync(sandbox.path('folder'));
  for (const [name, content] of Object.entries(FILES)) sandbox.write(name, content);
  sandbox.write('regression.csv', csvOf(smallRegression()));
  for (const argv of [
    ['@good.csv', '--model', '@model.json'],
    ['@good.csv', '--model', '@local.json', '--method', 'local'],
    ['@good.csv', '--model', '@mapped.json', '--features', 'rff:16'],
    ...['global', 'mocha', 'fedavg'].map((m) => ['@good.csv', '--model', `@${m}.json`, '--method', m]),
    ['@good.csv', '--model', '@regression.json', '--objective', 'regression'],
  ]) {
    const outcome = await run(['train', ...pathsIn(argv), '--test-fraction', '0']);
    expect(outcome.code, outcome.stderr).toBe(0);
  }
  const model = JSON.parse(sandbox.read('model.json'));
  const changed = (name: string, changes: object) =>
    sandbox.write(name, JSON.stringify({ ...model, ...changes }));
  const { c1, c2, ...options } = model.options;
  changed('no-c1.json', { options: { ...options, c2 } });
  changed('no-c2.json', { options: { ...options, c1 } });
  changed('newer.json', { version: 4 });
  changed('short-w.json', { w: [1, 2] });
  changed('text-w.json', { w: ['1', 2, 3] });
  changed('short-v.json', { participants: [{ id: 'a', v: [1] }] });
});

describe('bad input is one sentence', () => {
  test('there are many kinds of it', () => {
    expect(CASES.length).toBeGreaterThan(100);
    expect(new Set(CASES.map(({ argv }) => argv.join(' '))).size).toBe(CASES.length);
  });

  test.each(CASES)('$what: $code', async ({ argv, code, words, exit = 2 }) => {
    const before = sandbox.list();
    const json = argv.length > 1 && !argv.includes('--json') && argv[1] !== 'make' ? ['--json'] : [];
    for (const more of [[], json]) {
      // `--json` last would become the value of an option that lacks one.
      if (code === 'MISSING_OPTION_VALUE' && more.length > 0) continue;
      const outcome = await run([...pathsIn(argv), ...more]);
      expect(outcome.stdout).toBe('');
      expect(outcome.stderr).toMatch(/^kindred: [^\n]+\n$/);
      expect(outcome.stderr).not.toMatch(/[\p{Cc}\p{Bidi_C}](?!$)/u);
      expect(outcome.stderr).toContain(`[${code}]`);
      for (const word of words) expect(outcome.stderr).toContain(word);
      expect(outcome.code).toBe(exit);
    }
    expect(sandbox.list()).toEqual(before);
  });
});

describe('what is no fault of the user', () => {
  const broken = {
    stdin: async () => {
      throw new Error('something\nunforeseen');
    },
  };

  test('is called an internal error, in one line', async () => {
    const { code, stdout, stderr } = await run(['train', '-'], broken);
    expect(stdout).toBe('');
    expect(stderr).toBe(
      'kindred: internal error: something unforeseen; KINDRED_DEBUG=1 shows where [INTERNAL]\n',
    );
    expect(code).toBe(1);
  });

  test('has a stack with KINDRED_DEBUG=1', async () => {
    const { code, stderr } = await run(['train', '-'], { ...broken, env: { KINDRED_DEBUG: '1' } });
    expect(stderr).toContain('bad-input.test.ts');
    expect(code).toBe(1);
  });
});
