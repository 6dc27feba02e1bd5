import * as arrow from '@uwdata/flechette';
import { describe, expect, test } from 'vitest';
import { readArrow } from '../../src/data/arrow.ts';
import type { TableColumns } from '../../src/data/table.ts';
import { bytesOf, COLUMNS, fixture, refused } from './helpers.ts';

type Values = Record<string, readonly unknown[]>;
type Types = Record<string, arrow.DataType>;
type Format = 'file' | 'stream';

function file(values: Values, types: Types = {}, format: Format = 'file', maxBatchRows = 1e6): Uint8Array {
  const table = arrow.tableFromArrays(values as Record<string, unknown[]>, { types, maxBatchRows });
  return arrow.tableToIPC(table, { format })!;
}

const read = (bytes: Uint8Array, columns: Partial<TableColumns> = {}) =>
  readArrow(bytes, 'a.arrow', { ...COLUMNS, ...columns });

const STRICT = { missing: 'refuse', categorical: 'refuse' } as const;

const task = ['b', 'a', 'b'];
const y = [1, -1, 1];
const x1 = [0.5, -2, 1e30];

describe('readArrow', () => {
  test.each<Format>(['file', 'stream'])(
    'reads the %s format, in one batch and in several',
    async (format) => {
      for (const rows of [1, 2, 3]) {
        const table = await read(
          file({ task, y, x1 }, { task: arrow.dictionary(arrow.utf8()) }, format, rows),
        );
        expect(table.participants).toEqual(['a', 'b']);
        expect([...table.participantOf]).toEqual([1, 0, 1]);
        expect(table.targets).toEqual(['1', '-1', '1']);
        expect([table.features, [...table.x], table.lines]).toEqual([['x1'], x1, undefined]);
      }
    },
  );

  test('reads all kinds of numbers, and booleans as 0 and 1', async () => {
    const types = {
      ...{ i8: arrow.int8(), u16: arrow.uint16(), i64: arrow.int64(), u64: arrow.uint64() },
      ...{ f16: arrow.float16(), f32: arrow.float32(), f64: arrow.float64() },
      ...{ flag: arrow.bool(), money: arrow.decimal(10, 2, 128) },
    };
    const values = {
      ...{ i8: [-128, 127], u16: [0, 65535], i64: [-9007199254740993n, 1n], u64: [0n, 2n ** 63n] },
      ...{ f16: [0.5, -2], f32: [0.25, 1.5], f64: [1e-300, 3e38], flag: [true, false], money: [1.25, -0.5] },
    };
    const table = await read(file({ task: ['a', 'b'], y: [0, 1], ...values }, types));
    const rows = [0, 1].map((i) => [...table.x.subarray(9 * i, 9 * i + 9)]);
    expect(rows).toEqual([
      [-128, 0, -9007199254740992, 0, 0.5, 0.25, 1e-300, 1, 1.25],
      [127, 65535, 1, 2 ** 63, -2, 1.5, 3e38, 0, -0.5],
    ]);
  });

  test('reads text in all its forms as participants and targets', async () => {
    for (const type of [arrow.utf8, arrow.largeUtf8, () => arrow.dictionary(arrow.utf8()), arrow.int64]) {
      const ids = type === arrow.int64 ? [7n, 5n, 7n] : ['Zoë', 'an id of many letters', 'Zoë'];
      const table = await read(file({ task: ids, y: ids, x1 }, { task: type(), y: type() }));
      expect(table.targets).toEqual(ids.map(String));
      expect([...table.participantOf]).toEqual(ids[0] === 7n ? [1, 0, 1] : [0, 1, 0]);
    }
  });

  test.each(['zstd.arrow', 'lz4.arrow'])('reads %s, compressed by the program of that name', async (name) => {
    const { n, x, participants, targets } = await read(fixture(name));
    expect([n, participants]).toEqual([name === 'lz4.arrow' ? 30_000 : 60, ['ward 0', 'ward 1', 'ward 2']]);
    for (let i = 0; i < n; i++) {
      if (x[2 * i] !== ((i * 7) % 11) / 8 || x[2 * i + 1] !== i % 5 || targets![i] !== String(i % 2))
        expect.fail(`row ${i + 1}`);
    }
  });

  test('keeps gaps and text for the encoding', async () => {
    const { x, levels } = await read(file({ task, y, x1: [1, null, 2], town: ['Rome', null, 'Bern'] }));
    expect([...x]).toEqual([1, 1, Number.NaN, Number.NaN, 2, 0]);
    expect(levels).toEqual([undefined, ['Bern', 'Rome']]);
  });

  test('bytes that begin anywhere in their buffer', async () => {
    const bytes = file({ task, y, x1 });
    const shifted = new Uint8Array(bytes.length + 3);
    shifted.set(bytes, 3);
    expect([...(await read(shifted.subarray(3))).x]).toEqual(x1);
  });
});

describe('readArrow refuses', () => {
  test('missing values, as Parquet does', async () => {
    await refused(
      () => read(file({ task, y, x1: [1, null, 2] }), STRICT),
      'MISSING_VALUE',
      'a.arrow row 2, column "x1"',
    );
    await refused(
      () => read(file({ task: ['a', null, 'b'], y, x1 })),
      'MISSING_PARTICIPANT',
      'row 2',
      'null',
    );
    await refused(() => read(file({ task, y: [1, null, 1], x1 })), 'MISSING_TARGET', 'row 2');
    await refused(() => read(file({ task, y, x1: [1, Number.NaN, 2] }), STRICT), 'MISSING_VALUE', 'row 2');
  });

  test('text, dates and nested columns among the features, unless they are dropped', async () => {
    const when = [1, 2, 3].map((t) => new Date(t * 1e6));
    const extra: [string, readonly unknown[], arrow.DataType, string][] = [
      ['text', ['1', 'b', 'c'], arrow.utf8(), 'NOT_A_NUMBER'],
      ['when', when, arrow.dateMillisecond(), 'NOT_A_NUMBER'],
      ['stamp', when, arrow.timestamp(), 'NOT_A_NUMBER'],
      ['list', [[1], [2], [3]], arrow.list(arrow.float64()), 'NESTED_COLUMN'],
      ['pair', [{ a: 1 }, { a: 2 }, { a: 3 }], arrow.struct({ a: arrow.float64() }), 'NESTED_COLUMN'],
    ];
    for (const [name, values, type, code] of extra) {
      const bytes = file({ task, y, x1, [name]: values }, { [name]: type });
      await refused(() => read(bytes, STRICT), code, `"${name}"`, `--drop ${name}`);
      expect([...(await read(bytes, { drop: [name] })).x]).toEqual(x1);
    }
  });

  test('nothing where text and gaps are kept', async () => {
    const table = await read(file({ task, y, x1: [1, null, 2], color: ['red', 'blue', null] }));
    expect(table.levels).toEqual([undefined, ['blue', 'red']]);
    expect([...table.x]).toEqual([1, 1, Number.NaN, 0, 2, Number.NaN]);
  });

  test('columns as CSV does, and files without rows', async () => {
    await refused(() => read(file({ y, x1 })), 'MISSING_TASK_COLUMN', 'y, x1');
    const empty = { task: arrow.utf8(), y: arrow.int32(), x1: arrow.float64() };
    await refused(() => read(file({ task: [], y: [], x1: [] }, empty)), 'NO_ROWS', 'a.arrow');
  });

  test('what is not Arrow, and more than is allowed', async () => {
    await refused(() => read(bytesOf('task,y,x1\n')), 'NOT_ARROW', 'a.arrow', 'ARROW1');
    await refused(
      () => readArrow(file({ task, y, x1 }), 'a.arrow', COLUMNS, 16),
      'TABLE_TOO_LARGE',
      '--max-bytes',
    );
    const packed = fixture('lz4.arrow');
    await refused(() => readArrow(packed, 'a.arrow', COLUMNS, 500_000), 'TABLE_TOO_LARGE', 'unpacks to more');
  });

  test('numbers in big-endian order', async () => {
    const bytes = file({ task, y, x1 }, {}, 'stream');
    const view = new DataView(bytes.buffer, bytes.byteOffset);
    const follow = (at: number) => at + view.getUint32(at, true);
    const vtableOf = (table: number) => table - view.getInt32(table, true);
    // Behind the prefix of the message: its third field is the schema, whose first one, left out here, is the byte order.
    const message = follow(8);
    const schema = follow(message + view.getUint16(vtableOf(message) + 8, true));
    const order = vtableOf(schema) + 4;
    expect(view.getUint16(order, true)).toBe(0);
    view.setUint16(order, view.getUint16(order + 2, true), true);
    await refused(() => read(bytes), 'ARROW_UNSUPPORTED', 'big-endian');
  });
});
