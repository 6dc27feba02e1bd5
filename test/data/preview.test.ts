import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { ByteSource } from '../../src/data/byte-source.ts';
import { previewFile } from '../../src/data/preview.ts';
import { bytesOf, fixture, refused } from './helpers.ts';

const CSV = 'name;age;note\nAda;31;"a;b"\nBen;40;\nCleo;;"two\nlines"\nDan;5;x\n';

describe('previewFile', () => {
  test('gives names and first rows as they are written, whatever the separator', async () => {
    expect(await previewFile(bytesOf(CSV), 'a.csv', 3)).toEqual({
      names: ['name', 'age', 'note'],
      rows: [
        ['Ada', '31', 'a;b'],
        ['Ben', '40', ''],
        ['Cleo', '', 'two\nlines'],
      ],
    });
  });

  test('takes a file that has fewer rows, or none', async () => {
    expect((await previewFile(bytesOf(CSV), 'a.csv', 100)).rows).toHaveLength(4);
    expect(await previewFile(bytesOf('a,b'), 'a.csv', 5)).toEqual({ names: ['a', 'b'], rows: [] });
  });

  test('unpacks gzip', async () => {
    const packed = await previewFile(new Uint8Array(gzipSync(CSV)), 'a.csv.gz', 3);
    expect(packed).toEqual(await previewFile(bytesOf(CSV), 'a.csv', 3));
  });

  test('is the same however the bytes are cut, and reads no more of them than it needs', async () => {
    const whole = await previewFile(bytesOf(CSV), 'a.csv', 2);
    for (let size = 1; size < 12; size++) {
      let given = 0;
      async function* chunks() {
        const bytes = bytesOf(CSV + 'Eve;1;y\n'.repeat(10_000));
        for (let at = 0; at < bytes.length; at += size) {
          given = at + size;
          yield bytes.slice(at, at + size);
        }
      }
      const source: ByteSource = { size: undefined, chunks: chunks() };
      expect(await previewFile(source, 'a.csv', 2), `pieces of ${size} bytes`).toEqual(whole);
      expect(given).toBeLessThan(10_000);
    }
  });

  test('shows the columns of formats that know their own', async () => {
    const { names, rows } = await previewFile(fixture('c-order.npy'), 'c-order.npy', 2);
    expect(names.length).toBeGreaterThan(0);
    expect(rows).toHaveLength(2);
    expect(rows[0]).toHaveLength(names.length);
  });

  test('refuses what is no table', async () => {
    await refused(() => previewFile(new Uint8Array(), 'a.csv', 3), 'EMPTY_FILE', 'a.csv');
    await refused(() => previewFile(bytesOf('\n \n\n'), 'a.csv', 3), 'EMPTY_FILE', 'blank');
    await refused(() => previewFile(bytesOf('PK\x03\x04zip'), 'a.xlsx', 3), 'UNKNOWN_FORMAT', 'ZIP');
    await refused(() => previewFile(bytesOf('a,b\n1,\0\n'), 'a.csv', 3), 'BINARY_FILE');
  });
});
