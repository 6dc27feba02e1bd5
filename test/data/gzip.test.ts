import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { collect, inMemory } from '../../src/data/byte-source.ts';
import { detectFormat } from '../../src/data/data-format.ts';
import { gunzipped, isGzip } from '../../src/data/gzip.ts';
import { unpackedLimit } from '../../src/data/memory.ts';
import { parseTable } from '../../src/data/parse-table.ts';
import { bytesOf, refused } from './helpers.ts';

const gunzip = (bytes: Uint8Array, name: string, limit?: number) =>
  collect(gunzipped(inMemory(bytes), name, limit));

const text = Array.from({ length: 20_000 }, (_, i) => `${i},${Math.sin(i)}`).join('\n');
const packed = new Uint8Array(gzipSync(text));

describe('gunzipped', () => {
  test('gives back what was packed', async () => {
    expect(isGzip(packed)).toBe(true);
    expect(new TextDecoder().decode(await gunzip(packed, 'a.csv.gz'))).toBe(text);
    expect(await gunzip(new Uint8Array(gzipSync('')), 'a.csv.gz')).toHaveLength(0);
  });

  test.each([3, 10, 1000, packed.length - 9, packed.length - 1])(
    'refuses a file cut at byte %i',
    async (end) => {
      await refused(
        () => gunzip(packed.subarray(0, end), 'a.csv.gz'),
        'GZIP_CORRUPT',
        'a.csv.gz',
        'truncated',
      );
    },
  );

  test('refuses a corrupt file', async () => {
    const bad = packed.slice();
    bad.fill(0xff, 2000, 2100);
    await refused(() => gunzip(bad, 'a.csv.gz'), 'GZIP_CORRUPT', 'cannot be decompressed');
  });

  test('refuses what is not gzip', async () => {
    await refused(() => gunzip(bytesOf('a,b\n'), 'a.csv.gz'), 'NOT_GZIP', 'a.csv.gz');
  });

  test('refuses a bomb at the limit, not at the end', async () => {
    const bomb = new Uint8Array(gzipSync(new Uint8Array(20_000_000)));
    await refused(() => gunzip(bomb, 'a.csv.gz', 1_000_000), 'GZIP_TOO_LARGE', '1,000,000 bytes');
  });

  test('refuses a small file that unpacks to hundreds of megabytes, unless it is asked to', async () => {
    const chunks = Array.from({ length: 300 }, () => gzipSync(new Uint8Array(1 << 20).fill(0x0a)));
    const bomb = new Uint8Array(Buffer.concat(chunks));
    expect(bomb.length).toBeLessThan(1e6);
    await refused(() => parseTable(bomb, 'a.csv.gz'), 'GZIP_TOO_LARGE', '0.25 GiB', '--max-bytes');
    await refused(() => parseTable(bomb, 'a.csv.gz', { maxBytes: 2 ** 30 }), 'EMPTY_FILE');
  });

  test('refuses binary data at its first piece, however much follows', async () => {
    const zeros = new Uint8Array(gzipSync(new Uint8Array(1 << 26)));
    await refused(() => parseTable(zeros, 'a.csv.gz', { maxBytes: 2 ** 22 }), 'BINARY_FILE', 'offset 0');
  });

  test('a large file may unpack to a hundredfold, and none to more than 4 GiB', () => {
    expect(unpackedLimit(1000)).toBe(2 ** 28);
    expect(unpackedLimit(1e7)).toBe(1e9);
    expect(unpackedLimit(1e12)).toBe(2 ** 32);
    expect(unpackedLimit(1e12, 5)).toBe(5);
  });
});

describe('detectFormat', () => {
  test.each([
    ['a.csv', 'task,y\n', 'csv'],
    ['a.csv.gz', 'not gzip', 'csv.gz'],
    ['a.parquet', 'not parquet', 'parquet'],
    ['whatever.csv', 'PAR1....', 'parquet'],
    ['whatever', '\x1f\x8b', 'csv.gz'],
    ['a.libsvm', '1 1:2', 'libsvm'],
    ['a.svm', '', 'libsvm'],
    ['a.txt', '+1 1:0.5 7:-2e-3\n-1 2:1\n', 'libsvm'],
    ['a.txt', '1 12:30,5\n', 'csv'],
    ['a.txt', 'task,y,x1\n', 'csv'],
    ['noname', '', 'csv'],
  ])('takes %s beginning with %j for %s', (name, head, format) => {
    const bytes = Uint8Array.from(head, (ch) => ch.charCodeAt(0));
    expect(detectFormat(name, bytes)).toBe(format);
  });

  test('refuses what it does not know', async () => {
    await refused(() => detectFormat('a.bin', Uint8Array.of(0x89, 0x50, 0x00)), 'UNKNOWN_FORMAT', 'a.bin');
    await refused(() => detectFormat('a.libsvm.gz', packed), 'UNKNOWN_FORMAT', 'unpack');
  });
});
