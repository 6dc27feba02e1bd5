/** The same file in pieces and as a whole: the same table, or the same sentence. */
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { KindredError } from '../../src/base/errors.ts';
import type { ByteSource } from '../../src/data/byte-source.ts';
import { readCsv, readCsvChunks } from '../../src/data/csv.ts';
import { gunzipped } from '../../src/data/gzip.ts';
import type { Table, TableColumns } from '../../src/data/table.ts';
import { bytesOf, COLUMNS } from './helpers.ts';

type Outcome = Omit<Table, 'x' | 'lines'> & { readonly x: number[]; readonly lines: number[] };

async function outcomeOf(read: () => Table | Promise<Table>): Promise<Outcome | string> {
  try {
    const table = await read();
    return { ...table, x: [...table.x], lines: [...table.lines!] };
  } catch (error) {
    if (!(error instanceof KindredError)) throw error;
    return `${error.code}: ${error.message}`;
  }
}

/** In pieces of these lengths, over and over. */
function inPieces(bytes: Uint8Array, lengths: readonly number[]): ByteSource {
  async function* chunks() {
    for (let at = 0, i = 0; at < bytes.length; i++) {
      const end = at + lengths[i % lengths.length];
      yield bytes.slice(at, end);
      at = end;
    }
  }
  return { size: bytes.length, chunks: chunks() };
}

async function expectSame(
  bytes: Uint8Array,
  lengths: number[],
  window: number,
  columns: Partial<TableColumns>,
) {
  const wanted = { ...COLUMNS, ...columns };
  const whole = await outcomeOf(() => readCsv(bytes, 'a.csv', wanted));
  const cut = await outcomeOf(() => readCsvChunks(inPieces(bytes, lengths), 'a.csv', wanted, window));
  expect(cut).toEqual(whole);
  return whole;
}

const field = fc.oneof(
  { weight: 60, arbitrary: fc.double({ noNaN: true, min: -1e6, max: 1e6 }).map(String) },
  fc.constantFrom(
    '1',
    '-2.5',
    '"3"',
    '" 4 "',
    'Zoë',
    '"a\nb"',
    '"a""b"',
    '"x\r\ny"',
    '',
    'text',
    '"open',
    '"q"r',
  ),
);
const lineEnd = fc.constantFrom('\n', '\r\n', '\r', '\n\n', '\r\n \r\n');
const csv = fc
  .tuple(
    fc.constantFrom('', '\ufeff', '\n\n', ' \r\n'),
    fc.array(
      fc.tuple(
        fc.constantFrom('a', 'b', '"c,d"', 'Ünal'),
        fc.constantFrom('1', '0', '1', '0', '+1', '-1', '0.0', ''),
        field,
        field,
        lineEnd,
      ),
      { maxLength: 12 },
    ),
  )
  .map(([start, rows]) =>
    [`${start}task,y,x1,"x 2"\n`, ...rows.map(([task, y, a, b, end]) => `${task},${y},${a},${b}${end}`)].join(
      '',
    ),
  );

test('wherever a file is cut, its table and its errors are those of the whole', async () => {
  let tables = 0;
  await fc.assert(
    fc.asyncProperty(
      csv,
      fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 5 }),
      fc.integer({ min: 1, max: 64 }),
      fc.boolean(),
      async (text, lengths, window, header) => {
        const columns = header ? {} : { header, task: 'c1', label: 'c2' };
        if (typeof (await expectSame(bytesOf(text), lengths, window, columns)) !== 'string') tables++;
      },
    ),
    { numRuns: 1500 },
  );
  expect(tables).toBeGreaterThan(100);
});

test('wherever good rows are cut, all of them arrive', async () => {
  const rows = Array.from({ length: 50 }, (_, i) => `p${i % 7},${i % 2},${i / 8},"-${i}e-3"`);
  const text = `task,y,x1,x2\r\n${rows.join('\r\n')}`;
  for (let length = 1; length < 40; length++) {
    const whole = await expectSame(bytesOf(text), [length], 1 + (length % 5) * 13, {});
    expect((whole as Outcome).n).toBe(50);
  }
});

test('the line of an error far into a file of many pieces is exact', async () => {
  const rows = Array.from({ length: 200_000 }, (_, i) => `p,1,${i},${i === 150_000 ? 'bad' : 2}`);
  const bytes = bytesOf(`task,y,x1,x2\n${rows.join('\n')}\n`);
  expect(bytes.length).toBeGreaterThan(2 << 20);
  const cut = await outcomeOf(() => readCsvChunks(inPieces(bytes, [100_000]), 'a.csv', COLUMNS));
  expect(cut).toMatch(/^NOT_A_NUMBER: a\.csv line 150002, column "x2"/);
});

test('a quote that is never closed is found in time that grows with the file, not with its square', async () => {
  const bytes = bytesOf(`task,y,x1\na,1,"${'x\n'.repeat(1 << 20)}`);
  const cut = await outcomeOf(() => readCsvChunks(inPieces(bytes, [1000]), 'a.csv', COLUMNS, 1000));
  expect(cut).toMatch(/^CSV_UNTERMINATED_QUOTE: a\.csv line 2:/);
});

test('an unpacked stream is read in pieces, and the size that gzip claims is only a hint', async () => {
  const text = `task,y,x1\n${Array.from({ length: 300_000 }, (_, i) => `p,1,${i}`).join('\n')}\n`;
  const packed = new Uint8Array(gzipSync(text));
  for (const claimed of [packed.subarray(-4), Uint8Array.of(255, 255, 255, 15), Uint8Array.of(1, 0, 0, 0)]) {
    const source = { ...inPieces(packed, [5000]), lastFour: claimed };
    const table = await readCsvChunks(gunzipped(source, 'a.csv.gz'), 'a.csv.gz', COLUMNS);
    expect([table.n, table.x.length, table.x[299_999]]).toEqual([300_000, 300_000, 299_999]);
  }
});
