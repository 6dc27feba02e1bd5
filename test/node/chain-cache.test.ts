import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { tune } from '../../src/methods/tune.ts';
import { cacheFolder } from '../../src/node/files/cache-folder.ts';
import { tuneOnThreads } from '../../src/node/threads/tuning-pool.ts';
import { smallHar } from '../helpers/tables.ts';

const folder = mkdtempSync(join(tmpdir(), 'kindred-cache-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
beforeEach(() => rmSync(join(folder, 'cache'), { recursive: true, force: true }));

const har = smallHar(3, 5, 40);
const options = { grid: { c1: [0.3, 3], c2: [0.3, 3], scale: ['standard', 'center'] }, folds: 3 } as const;
const kept = { folder: join(folder, 'cache'), afterwards: 'kept' } as const;

function files(): string[] {
  const [own] = readdirSync(kept.folder);
  return readdirSync(join(kept.folder, own)).map((name) => join(kept.folder, own, name));
}

test.each([1, 2])(
  'an interrupted tuning goes on where it was, on %i threads, and comes to the same',
  async (threads) => {
    const onProgress = (done: number) => {
      if (done === 10) throw new Error('interrupted');
    };
    await expect(tuneOnThreads(1, har, options, { cache: kept, onProgress })).rejects.toThrow('interrupted');
    const before = new Map(files().map((file) => [file, statSync(file).mtimeMs]));
    expect(before.size).toBeGreaterThan(0);
    const result = await tuneOnThreads(threads, har, options, { cache: kept });
    expect(JSON.stringify(result)).toBe(JSON.stringify(tune(har, options)));
    expect(files().length).toBeGreaterThan(before.size);
    for (const [file, mtimeMs] of before) expect(statSync(file).mtimeMs).toBe(mtimeMs);
  },
);

test('stored results are used: another one in their place shows', async () => {
  const result = await tuneOnThreads(1, har, options, { cache: kept });
  for (const file of files()) {
    const stored = JSON.parse(readFileSync(file, 'utf8'));
    stored.decisions = stored.decisions.map((text: string) => {
      const { length } = Buffer.from(text, 'base64');
      return Buffer.alloc(length).toString('base64');
    });
    writeFileSync(file, JSON.stringify(stored));
  }
  const other = await tuneOnThreads(1, har, options, { cache: kept });
  expect(other.best.score).not.toBe(result.best.score);
});

test('a file that is not whole is computed again', async () => {
  const result = JSON.stringify(await tuneOnThreads(1, har, options, { cache: kept }));
  for (const file of files()) writeFileSync(file, readFileSync(file).subarray(0, 100));
  expect(JSON.stringify(await tuneOnThreads(1, har, options, { cache: kept }))).toBe(result);
});

test('other data and other options have results of their own', async () => {
  await tuneOnThreads(1, har, options, { cache: kept });
  await tuneOnThreads(1, har, { ...options, seed: 2 }, { cache: kept });
  await tuneOnThreads(1, smallHar(4, 5, 40), options, { cache: kept });
  expect(readdirSync(kept.folder).length).toBe(3);
});

test('the folder is where the system keeps such things', () => {
  expect(cacheFolder({ XDG_CACHE_HOME: '/x', HOME: '/h' }, 'linux')).toBe(join('/x', 'kindred'));
  expect(cacheFolder({ HOME: '/h' }, 'linux')).toBe(join('/h', '.cache', 'kindred'));
  expect(cacheFolder({ HOME: '/h' }, 'darwin')).toBe(join('/h', 'Library', 'Caches', 'kindred'));
  expect(cacheFolder({ LOCALAPPDATA: '/l' }, 'win32')).toBe(join('/l', 'kindred'));
  expect(cacheFolder({}, 'linux')).toBeUndefined();
});
