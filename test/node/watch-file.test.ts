/** Changes of a file are noticed, however it is written, and reported when it is quiet. */
import { appendFileSync, mkdtempSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, expect, test } from 'vitest';
import { completeLines } from '../../src/data/complete-lines.ts';
import { signatureOf, watchFile } from '../../src/node/files/watch-file.ts';
import { until } from '../helpers/server.ts';

const folder = mkdtempSync(join(tmpdir(), 'kindred-watch-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const stops: (() => void)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});
let files = 0;

function watched(timing: Partial<Parameters<typeof watchFile>[2]> = {}) {
  const path = join(folder, `${files++}.csv`);
  writeFileSync(path, 'a\n');
  const seen = { path, changes: 0 };
  const all = { pollMs: 20, quietMs: 40, mostMs: 1000, ...timing };
  stops.push(watchFile(path, signatureOf(path), all, () => seen.changes++));
  return seen;
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

test('a file that grows, is overwritten, is replaced, or goes and comes back', async () => {
  const seen = watched();
  appendFileSync(seen.path, 'b\n');
  await until(() => seen.changes === 1, 'growth');
  writeFileSync(seen.path, 'c\n');
  await until(() => seen.changes === 2, 'another content');
  writeFileSync(`${seen.path}.new`, 'c\n');
  renameSync(`${seen.path}.new`, seen.path);
  await until(() => seen.changes === 3, 'another file');
  rmSync(seen.path);
  await pause(150);
  expect(seen.changes).toBe(3);
  writeFileSync(seen.path, 'd\n');
  await until(() => seen.changes === 4, 'a file again');
  await pause(150);
  expect(seen.changes).toBe(4);
});

test('events of the system alone are enough, and so is looking alone', async () => {
  const byEvents = watched({ pollMs: 1e6 });
  appendFileSync(byEvents.path, 'b\n');
  await until(() => byEvents.changes === 1, 'an event');
  const byLooking = watched({ pollMs: 20 });
  // As old as it was, as a file system with coarse times may have it: the size tells.
  appendFileSync(byLooking.path, 'b\n');
  utimesSync(byLooking.path, 1, 1);
  await until(() => byLooking.changes === 1, 'a look');
});

test('many changes at once are one, but a file that is never quiet is reported, too', async () => {
  const seen = watched({ quietMs: 100, mostMs: 1e6 });
  for (let i = 0; i < 10; i++) {
    appendFileSync(seen.path, `${i}\n`);
    await pause(10);
  }
  await until(() => seen.changes === 1, 'quiet');
  const restless = watched({ quietMs: 200, mostMs: 400 });
  const writing = setInterval(() => appendFileSync(restless.path, 'x\n'), 20);
  stops.push(() => clearInterval(writing));
  await until(() => restless.changes >= 2, 'reports while it grows');
});

test('what changed between the first reading and the watch is reported', async () => {
  const path = join(folder, 'before.csv');
  writeFileSync(path, 'a\n');
  const since = signatureOf(path);
  appendFileSync(path, 'b\n');
  let changes = 0;
  stops.push(watchFile(path, since, { pollMs: 20, quietMs: 20, mostMs: 1000 }, () => changes++));
  await until(() => changes === 1, 'a change');
});

test('a last line without an end is left out of text, and of nothing else', () => {
  const cut = (text: string, name = 'a.csv') =>
    new TextDecoder().decode(completeLines(new TextEncoder().encode(text), name));
  expect(cut('x,y\n1,2\n3,')).toBe('x,y\n1,2\n');
  expect(cut('x,y\n1,2\n')).toBe('x,y\n1,2\n');
  expect(cut('x,y')).toBe('x,y');
  expect(cut('')).toBe('');
  const gzip = new Uint8Array([0x1f, 0x8b, 8, 0x0a, 1, 2]);
  expect(completeLines(gzip, 'a.csv.gz')).toEqual(gzip);
});
