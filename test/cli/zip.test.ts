import { describe, expect, test } from 'vitest';
import { KindredError } from '../../src/base/errors.ts';
import { readZip, type ZipLimits } from '../../src/node/files/zip.ts';
import { makeZip, type ZipFile } from './make-zip.ts';

const text = 'kindred '.repeat(100);

function refusal(bytes: Uint8Array, limits?: ZipLimits): KindredError {
  try {
    for (const entry of readZip(bytes, 'a.zip', limits)) entry.read();
  } catch (error) {
    if (error instanceof KindredError) return error;
    throw error;
  }
  throw new Error('it was not refused');
}

describe('readZip', () => {
  test('unpacks deflated and stored entries, leaves folders out, skips a comment', () => {
    const zip = makeZip(
      [
        { name: 'folder/', content: '', method: 0 },
        { name: 'folder/deflated.txt', content: text },
        { name: 'stored.txt', content: text, method: 0 },
        { name: 'empty.txt', content: '' },
      ],
      'made for a test',
    );
    const entries = readZip(zip, 'a.zip');
    expect(entries.map(({ name, size }) => [name, size])).toEqual([
      ['folder/deflated.txt', text.length],
      ['stored.txt', text.length],
      ['empty.txt', 0],
    ]);
    expect(entries.map((entry) => new TextDecoder().decode(entry.read()))).toEqual([text, text, '']);
  });

  test.each<[string, string, ZipFile]>([
    ['a wrong checksum', 'ZIP_CORRUPT', { name: 'a', content: text, crc: 1 }],
    ['more bytes than announced', 'ZIP_CORRUPT', { name: 'a', content: text, size: 10 }],
    ['fewer bytes than announced', 'ZIP_CORRUPT', { name: 'a', content: text, size: 9999 }],
    ['encryption', 'ZIP_UNSUPPORTED', { name: 'a', content: text, flags: 1 }],
    ['another compression', 'ZIP_UNSUPPORTED', { name: 'a', content: text, method: 12 }],
    ['a ZIP64 size', 'ZIP_UNSUPPORTED', { name: 'a', content: text, size: 0xffffffff }],
    ['a name that leads out', 'ZIP_UNSAFE_NAME', { name: '../a', content: text }],
    ['a name that leads out in the middle', 'ZIP_UNSAFE_NAME', { name: 'b/../../a', content: text }],
    ['an absolute name', 'ZIP_UNSAFE_NAME', { name: '/etc/a', content: text }],
    ['a drive', 'ZIP_UNSAFE_NAME', { name: 'C:a', content: text }],
    ['backslashes', 'ZIP_UNSAFE_NAME', { name: 'b\\a', content: text }],
    ['a zero byte', 'ZIP_UNSAFE_NAME', { name: 'a\0b', content: text }],
    ['a symbolic link', 'ZIP_UNSAFE_NAME', { name: 'a', content: '/etc', mode: 0o120777 }],
  ])('refuses %s', (_, code, file) => {
    const error = refusal(makeZip([{ name: 'good.txt', content: text }, file]));
    expect(error.code).toBe(code);
    expect(error.kind).toBe('run');
    expect(error.message).toContain('a.zip');
    expect(error.message).not.toContain('\n');
  });

  test('refuses more files and more bytes than allowed', () => {
    const zip = makeZip([
      { name: 'a', content: text },
      { name: 'b', content: text },
    ]);
    expect(refusal(zip, { entries: 1, bytes: 1e6 }).code).toBe('ZIP_TOO_LARGE');
    expect(refusal(zip, { entries: 9, bytes: text.length }).code).toBe('ZIP_TOO_LARGE');
    expect(readZip(zip, 'a.zip', { entries: 2, bytes: 2 * text.length })).toHaveLength(2);
  });

  test('refuses every truncation with a sentence', () => {
    const zip = makeZip([
      { name: 'a', content: text },
      { name: 'b', content: text, method: 0 },
    ]);
    for (let length = 0; length < zip.length; length++) {
      expect(refusal(zip.slice(0, length)).code).toBe('NOT_ZIP');
      // Cut at the front, the end is intact but leads nowhere.
      expect(refusal(zip.slice(length + 1)).code).toMatch(/^(NOT_ZIP|ZIP_CORRUPT)$/);
    }
  });

  test('survives any single changed byte: it unpacks or is refused', () => {
    const zip = makeZip([{ name: 'a', content: text }]);
    for (let at = 0; at < zip.length; at++) {
      const changed = zip.slice();
      changed[at] ^= 0xff;
      try {
        for (const entry of readZip(changed, 'a.zip')) entry.read();
      } catch (error) {
        expect(error).toBeInstanceOf(KindredError);
      }
    }
  });
});
