import { brotliCompressSync, gzipSync } from 'node:zlib';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { describe, expect, test } from 'vitest';
import { readParquet } from '../../src/data/parquet.ts';
import type { TableColumns } from '../../src/data/table.ts';
import { COLUMNS, fixture, refused } from './helpers.ts';

type Column = Parameters<typeof parquetWriteBuffer>[0]['columnData'][number];

function file(columnData: Column[], options: object = {}): Uint8Array {
  return new Uint8Array(parquetWriteBuffer({ columnData, ...options }));
}

function read(bytes: Uint8Array, columns: Partial<TableColumns> = {}) {
  return readParquet(bytes, 'a.parquet', { ...COLUMNS, ...columns });
}

const task: Column = { name: 'task', data: ['b', 'a', 'b'], type: 'STRING' };
const y: Column = { name: 'y', data: [1, -1, 1], type: 'INT32' };
const x1: Column = { name: 'x1', data: [0.5, -2, 1e30], type: 'DOUBLE' };

/** An LZ4 block that copies nothing. */
function lz4Literals(input: Uint8Array): Uint8Array {
  const extra = Math.floor((input.length - 15) / 255);
  const head =
    input.length < 15
      ? [input.length << 4]
      : [0xf0, ...new Array(extra).fill(255), (input.length - 15) % 255];
  return Uint8Array.from([...head, ...input]);
}

/** 3 rows written by pyarrow 25 with its defaults (data pages of version 1, Snappy), one null in x2. */
const BY_PYARROW = [
  'UEFSMRUEFRQVGEwVBBUAEgAACiQBAAAAYgEAAABhFQAVEhUWLBUGFRAVBhUGHAAAAAkgAgAAAAYBAQMCFQQVIBUkTBUEFQASAAAQ',
  'PAEAAAAAAAAA//////////8VABUSFRYsFQYVEBUGFQYcAAAACSACAAAABgEBAwIVBBUwFSxMFQYVABIAABgAAAUBBOA/BQcoAADA',
  '6oygOVk+KUYVABUUFRgsFQYVEBUGFQYcAAAACiQCAAAABgECAyQAFQQVEBUUTBUCFQASAAAIHAAAAAAAAPA/FQAVEhUWLBUGFRAV',
  'BhUGHAAAAAkgAgAAAAMDAQQAFQQZXDUAGAZzY2hlbWEVCAAVDCUCGAR0YXNrJQBMHAAAABUEJQIYAXkAFQolAhgCeDEAFQolAhgC',
  'eDIAFgYZHBlMJgAcFQwZNQAGEBkYBHRhc2sVAhYGFmgWcCY8JggpLBUEFQAVAgAVABUQFQIAPBYGGQYZJgAGAAAAJgAcFQQZNQAG',
  'EBkYAXkVAhYGFnQWfCa4ASZ4KSwVBBUAFQIAFQAVEBUCADwpBhkmAAYAAAAmABwVChk1AAYQGRgCeDEVAhYGFoYBFoYBJrwCJvQB',
  'KSwVBBUAFQIAFQAVEBUCADwpBhkmAAYAAAAmABwVChk1AAYQGRgCeDIVAhYGFmQWbCaqAyb6AiksFQQVABUCABUAFRAVAgA8KQYZ',
  'JgIEAAAAFsYDFgYmCBbeAwAoIHBhcnF1ZXQtY3BwLWFycm93IHZlcnNpb24gMjUuMC4xGUwcAAAcAAAcAAAcAAAAXAEAAFBBUjE=',
].join('');

const STRICT = { missing: 'refuse', categorical: 'refuse' } as const;

describe('readParquet', () => {
  test('reads doubles, floats, integers, big integers and booleans as numbers', async () => {
    const table = await read(
      file([
        task,
        y,
        x1,
        { name: 'f', data: [0.25, 2, 3], type: 'FLOAT' },
        { name: 'big', data: [1n, -9007199254740993n, 3n], type: 'INT64' },
        { name: 'flag', data: [true, false, true], type: 'BOOLEAN' },
      ]),
    );
    expect(table.features).toEqual(['x1', 'f', 'big', 'flag']);
    expect([...table.x]).toEqual([0.5, 0.25, 1, 1, -2, 2, -9007199254740992, 0, 1e30, 3, 3, 1]);
    expect(table.participants).toEqual(['a', 'b']);
    expect([...table.participantOf]).toEqual([1, 0, 1]);
    expect(table.targets).toEqual(['1', '-1', '1']);
    expect(table.lines).toBeUndefined();
  });

  test('reads integer participants and several row groups, with and without compression', async () => {
    const n = 2500;
    const columns: Column[] = [
      { name: 'task', data: Array.from({ length: n }, (_, i) => BigInt(i % 7)), type: 'INT64' },
      { name: 'y', data: Array.from({ length: n }, (_, i) => i / 4), type: 'DOUBLE' },
      { name: 'x1', data: Array.from({ length: n }, (_, i) => Math.sqrt(i)), type: 'DOUBLE' },
    ];
    for (const codec of ['SNAPPY', 'UNCOMPRESSED']) {
      const table = await read(file(columns, { rowGroupSize: 1000, codec }));
      expect(table.n).toBe(n);
      expect(table.participants).toEqual(['0', '1', '2', '3', '4', '5', '6']);
      expect(table.targets![2499]).toBe('624.75');
      expect(table.x[2499]).toBe(Math.sqrt(2499));
    }
  });

  test('reads what pyarrow writes', async () => {
    const bytes = Uint8Array.from(atob(BY_PYARROW), (ch) => ch.charCodeAt(0));
    const table = await read(bytes, { drop: ['x2'] });
    expect(table.targets).toEqual(['1', '-1', '1']);
    expect([...table.x]).toEqual([0.5, -2, 1e30]);
    expect((await read(bytes)).x[5]).toBeNaN();
    await refused(() => read(bytes, STRICT), 'MISSING_VALUE', 'a.parquet row 3, column "x2"');
  });

  test('leaves out dropped columns and needs neither participant nor target when predicting', async () => {
    const note: Column = { name: 'note', data: ['p', 'q', 'r'], type: 'STRING' };
    const table = await read(file([note, x1]), { drop: ['note'], need: 'neither' });
    expect(table.participants).toEqual(['']);
    expect(table.targets).toBeUndefined();
  });

  test('needs a target, but no participant, where all rows are of one', async () => {
    const table = await read(file([y, x1]), { need: 'label' });
    expect([table.participants, table.targets]).toEqual([
      [''],
      Array.from(y.data as ArrayLike<unknown>, String),
    ]);
    const nulls: Column = { name: 'y', data: ['1', null, '1'], type: 'STRING' };
    await refused(() => read(file([nulls, x1]), { need: 'label' }), 'MISSING_TARGET', 'row 2');
  });

  test('refuses more rows than the limit allows, and says how to allow more', async () => {
    const bytes = file([task, y, x1]);
    await refused(
      () => readParquet(bytes, 'a.parquet', COLUMNS, 16),
      'TABLE_TOO_LARGE',
      '16 bytes are allowed',
      '--max-bytes',
    );
  });

  test('refuses missing values with row and column', async () => {
    const nulls: Column = { name: 'x1', data: [0.5, null, 1], type: 'DOUBLE' };
    await refused(
      () => read(file([task, y, nulls]), STRICT),
      'MISSING_VALUE',
      'a.parquet row 2, column "x1"',
    );
    const nan: Column = { name: 'x1', data: [0.5, 1, Number.NaN], type: 'DOUBLE' };
    await refused(() => read(file([task, y, nan]), STRICT), 'MISSING_VALUE', 'row 3', 'NaN');
    const infinite: Column = { name: 'x1', data: [Number.NEGATIVE_INFINITY, 1, 1], type: 'DOUBLE' };
    await refused(() => read(file([task, y, infinite])), 'NOT_FINITE', 'row 1', '-Infinity');
    const large: Column = { name: 'x1', data: [1, 1e39, 1], type: 'DOUBLE' };
    await refused(() => read(file([task, y, large])), 'NUMBER_TOO_LARGE', 'row 2');
    const nobody: Column = { name: 'task', data: ['a', null, 'b'], type: 'STRING' };
    await refused(() => read(file([nobody, y, x1])), 'MISSING_PARTICIPANT', 'row 2', '"task"', 'null');
    const unlabelled: Column = { name: 'y', data: [1, null, 1], type: 'INT32' };
    await refused(() => read(file([task, unlabelled, x1])), 'MISSING_TARGET', 'row 2', '"y"');
  });

  test('refuses text, dates and nested values in features', async () => {
    const text: Column = { name: 'x1', data: ['1', 'b', 'c'], type: 'STRING' };
    await refused(() => read(file([task, y, text]), STRICT), 'NOT_A_NUMBER', 'row 2', 'the text "b"');
    const date: Column = { name: 'x1', data: [1, 2, 3].map((t) => new Date(t)), type: 'TIMESTAMP' };
    await refused(() => read(file([task, y, date]), STRICT), 'NOT_A_NUMBER', 'row 1', '1970-01-01');
    const schema = [
      { name: 'root', num_children: 3 },
      { name: 'task', type: 'BYTE_ARRAY', converted_type: 'UTF8' },
      { name: 'y', type: 'INT32' },
      { name: 'x1', num_children: 1, repetition_type: 'OPTIONAL', converted_type: 'LIST' },
      { name: 'list', num_children: 1, repetition_type: 'REPEATED' },
      { name: 'element', type: 'DOUBLE', repetition_type: 'OPTIONAL' },
    ];
    const lists = { name: 'x1', data: [[1], [2], [3]] };
    const plain = [task, y].map(({ name, data }) => ({ name, data }));
    await refused(() => read(file([...plain, lists], { schema })), 'NESTED_COLUMN', '"x1"');
  });

  test('refuses columns as CSV does', async () => {
    await refused(() => read(file([y, x1])), 'MISSING_TASK_COLUMN', 'y, x1');
    await refused(() => read(file([task, y])), 'NO_FEATURES', 'a.parquet');
  });

  test.each([
    ['GZIP', (input: Uint8Array) => gzipSync(input)],
    ['BROTLI', (input: Uint8Array) => brotliCompressSync(input)],
    ['LZ4_RAW', (input: Uint8Array) => lz4Literals(input)],
  ])('reads pages compressed with %s', async (codec, compress) => {
    const compressors = { [codec]: (input: Uint8Array) => new Uint8Array(compress(input)) };
    const table = await read(file([task, y, x1], { codec, compressors }));
    expect([[...table.x], table.targets]).toEqual([
      [0.5, -2, 1e30],
      ['1', '-1', '1'],
    ]);
  });

  test('reads pages compressed with ZSTD, as the zstd program packs them', async () => {
    const table = await read(fixture('zstd.parquet'));
    expect([table.n, table.x[2], table.x[119]]).toEqual([60, 95.125, 4]);
    expect(table.participants).toEqual(['ward 0', 'ward 1', 'ward 2']);
  });

  test('says plainly which compression it cannot read', async () => {
    const compressors = { LZO: (input: Uint8Array) => input };
    const bytes = file([task, y, x1], { codec: 'LZO', compressors });
    await refused(() => read(bytes), 'PARQUET_CODEC', 'SNAPPY, GZIP, ZSTD', 'got LZO');
  });

  test('refuses a page that unpacks to more than is allowed before it is unpacked', async () => {
    const zeros: Column[] = [
      { name: 'task', data: new Array(100_000).fill('a'), type: 'STRING' },
      { name: 'y', data: new Array(100_000).fill(1), type: 'INT32' },
      {
        name: 'x1',
        data: Array.from({ length: 100_000 }, (_, i) => i % 2),
        type: 'DOUBLE',
        encoding: 'PLAIN',
      },
    ];
    const compressors = { GZIP: (input: Uint8Array) => new Uint8Array(gzipSync(input)) };
    const bytes = file(zeros, { codec: 'GZIP', compressors, pageSize: 1 << 20 });
    await refused(() => readParquet(bytes, 'a.parquet', COLUMNS, 700_000), 'TABLE_TOO_LARGE', '--max-bytes');
  });

  test('refuses what is not Parquet', async () => {
    await refused(() => read(new Uint8Array()), 'NOT_PARQUET', 'a.parquet');
    await refused(() => read(new TextEncoder().encode('task,y\n')), 'NOT_PARQUET', 'PAR1');
  });
});
