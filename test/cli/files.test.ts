import { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { KindredError } from '../../src/base/errors.ts';
import { fileError } from '../../src/node/files/file-error.ts';
import { readBytes, writeAtomically } from '../../src/node/files/files.ts';
import { Sandbox } from './helpers.ts';

const sandbox = new Sandbox();

describe('writeAtomically', () => {
  test('writes chunks of text and bytes, and leaves nothing else', async () => {
    await writeAtomically(sandbox.path('a.txt'), ['one ', new TextEncoder().encode('two'), '']);
    expect(sandbox.read('a.txt')).toBe('one two');
    expect(sandbox.list()).toEqual(['a.txt']);
  });

  test('keeps the old file when the new one fails half-way', async () => {
    const chunks = function* () {
      yield 'half';
      throw new Error('no more');
    };
    const before = sandbox.list();
    await expect(writeAtomically(sandbox.path('a.txt'), chunks())).rejects.toThrow('no more');
    await expect(writeAtomically(sandbox.path('b.txt'), chunks())).rejects.toThrow('no more');
    expect(sandbox.read('a.txt')).toBe('one two');
    expect(sandbox.list()).toEqual(before);
  });

  test('writes through a symbolic link', async () => {
    mkdirSync(sandbox.path('real'));
    sandbox.write('real/target.txt', 'old');
    symlinkSync(sandbox.path('real/target.txt'), sandbox.path('link.txt'));
    await writeAtomically(sandbox.path('link.txt'), ['new']);
    expect((await lstat(sandbox.path('link.txt'))).isSymbolicLink()).toBe(true);
    expect(readFileSync(sandbox.path('real/target.txt'), 'utf8')).toBe('new');
  });

  test('writes to a device as it is', async () => {
    await writeAtomically('/dev/null', ['gone']);
    expect((await lstat('/dev/null')).isCharacterDevice()).toBe(true);
  });
});

describe('readBytes', () => {
  test('gives bytes whose slice is a copy', async () => {
    const bytes = await readBytes(sandbox.write('bytes', 'abcdef'));
    expect(bytes.constructor).toBe(Uint8Array);
    expect(bytes.slice(1, 3).buffer.byteLength).toBe(2);
  });
});

describe('fileError', () => {
  test.each([
    ['EACCES', 'NO_PERMISSION', 'input'],
    ['ENOSPC', 'DISK_FULL', 'run'],
    ['ENOENT', 'FILE_NOT_FOUND', 'input'],
  ])('%s becomes %s and names the file', (code, ours, kind) => {
    const error = fileError(Object.assign(new Error(), { code }), 'a.csv') as KindredError;
    expect(error).toBeInstanceOf(KindredError);
    expect(error).toMatchObject({ code: ours, kind });
    expect(error.message).toContain('a.csv: ');
  });

  test('anything else stays what it is', () => {
    const error = new Error('else');
    expect(fileError(error, 'a.csv')).toBe(error);
  });
});
