/** Files of every binary format with bytes missing or wrong: a table or a sentence, in little time and memory. */
import * as arrow from '@uwdata/flechette';
import fc from 'fast-check';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { describe, expect, test } from 'vitest';
import { KindredError } from '../../src/base/errors.ts';
import { type ParseOptions, parseTable } from '../../src/data/parse-table.ts';
import { readNpz } from '../../src/node/files/npz.ts';
import { fixture } from './helpers.ts';

const task = ['b', 'a', 'b'];
const y = [1, -1, 1];
const x1 = [0.5, -2, 1e30];

const parquet = new Uint8Array(
  parquetWriteBuffer({
    columnData: [
      { name: 'task', data: task, type: 'STRING' },
      { name: 'y', data: y, type: 'INT32' },
      { name: 'x1', data: x1, type: 'DOUBLE' },
    ],
  }),
);

function arrowFile(format: 'file' | 'stream'): Uint8Array {
  const types = { task: arrow.dictionary(arrow.utf8()), note: arrow.list(arrow.float64()) };
  const note = [[1], [2, 3], []];
  const flag = [true, null, false];
  return arrow.tableToIPC(arrow.tableFromArrays({ task, y, x1, flag, note }, { types }), { format })!;
}

const numbered: ParseOptions = { task: 'c1', label: 'c2' };
const FILES: [name: string, bytes: Uint8Array, options: ParseOptions][] = [
  ['plain.parquet', parquet, {}],
  ['zstd.parquet', fixture('zstd.parquet'), {}],
  ['plain.arrow', arrowFile('file'), { drop: ['note', 'flag'] }],
  ['plain.arrows', arrowFile('stream'), { drop: ['note', 'flag'] }],
  ['zstd.arrow', fixture('zstd.arrow'), {}],
  ['c.npy', fixture('c-order.npy'), numbered],
  ['arrays.npz', fixture('arrays.npz'), { unzip: readNpz }],
];

async function tableOrRefusal(
  bytes: Uint8Array,
  name: string,
  options?: ParseOptions,
): Promise<'read' | string> {
  try {
    const { x, n, features } = await parseTable(bytes, name, options);
    expect(x.length).toBe(n * features.length);
    return 'read';
  } catch (error) {
    if (!(error instanceof KindredError) || error.kind !== 'input') throw error;
    return error.code;
  }
}

describe.each(FILES)('%s', (name, good, options) => {
  test('is read as it is', async () => {
    expect(await tableOrRefusal(good, name, options)).toBe('read');
  });

  test('is refused where its end is missing', async () => {
    const step = Math.ceil(good.length / 400);
    for (let end = 0; end < good.length; end += step) {
      const outcome = await tableOrRefusal(good.slice(0, end), name, options);
      // A stream may end after any message; without its last one it is still a table.
      if (name.endsWith('.arrows') && end > good.length - 16) continue;
      expect(outcome, `${end} of ${good.length} bytes`).not.toBe('read');
    }
  });

  test('is a table or a sentence where any byte is wrong', async () => {
    for (let at = 0; at < good.length; at++) {
      for (const flip of [0x01, 0x80, 0xff]) {
        const bytes = good.slice();
        bytes[at] ^= flip;
        await tableOrRefusal(bytes, name, options);
      }
    }
  });

  test('is a table or a sentence where many bytes are wrong', async () => {
    const wrong = fc.tuple(fc.nat(good.length - 1), fc.constantFrom(0, 1, 0x7f, 0x80, 0xff));
    await fc.assert(
      fc.asyncProperty(fc.array(wrong, { minLength: 1, maxLength: 12 }), async (changes) => {
        const bytes = good.slice();
        for (const [at, value] of changes) bytes[at] = value;
        await tableOrRefusal(bytes, name, options);
      }),
      { numRuns: 500 },
    );
  });
});
