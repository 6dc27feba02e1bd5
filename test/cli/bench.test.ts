import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sideBySide } from '../../src/cli/bench/part.ts';
import { writeCsv } from '../../src/data/write-csv.ts';
import { median, powerLaw } from '../../src/reproduce/statistics.ts';
import { chromium } from '../helpers/chromium.ts';
import { smallHar } from '../helpers/tables.ts';
import { run } from './helpers.ts';

const folder = mkdtempSync(join(tmpdir(), 'kindred-bench-'));
const data = join(folder, 'har.csv');
writeFileSync(data, [...writeCsv(smallHar(2, 3, 30))].join(''));

test('bench measures a part alone and says what it measured', async () => {
  const { code, stdout } = await run(['bench', '--only', 'aggregation', '--data', data, '--json']);
  expect(code).toBe(0);
  const { aggregation } = JSON.parse(stdout);
  expect(aggregation.points.length).toBe(4);
  for (const { roundsRatio, default: usual, safe } of aggregation.points) {
    expect(roundsRatio).toBe(usual.rounds / safe.rounds);
    expect(roundsRatio).toBeLessThan(1);
  }
});

test('bench compares a new process with a warm one', async () => {
  const { code, stdout } = await run(['bench', 'start', '--data', data, '--json']);
  expect(code).toBe(0);
  const { start } = JSON.parse(stdout);
  expect(start.map(({ method }: { method: string }) => method)).toEqual(['global', 'mtl']);
  for (const { newMs, warmMs, ratio } of start) expect(ratio).toBeCloseTo(newMs / warmMs, 10);
});

test('bench browser compares a pass in a page with one here, to the bit', async () => {
  const { code, stdout } = await run(['bench', 'browser', '--data', data, '--json']);
  expect(code).toBe(0);
  const { pass, sizes } = JSON.parse(stdout).browser;
  if (chromium) expect(pass).toMatchObject({ isEqual: true, ratio: pass.pageMs / pass.nodeMs });
  else expect(pass.skipped).toMatch(/Chromium/);
  const [worker, library] = sizes as { gzipBytes: number; files: number }[];
  expect(worker.gzipBytes).toBeGreaterThan(30_000);
  expect(library.gzipBytes).toBeGreaterThan(worker.gzipBytes);
  expect(library.gzipBytes).toBeLessThan(100_000);
  expect(library.files).toBeGreaterThan(worker.files);
});

test('medians, turns and exponents are what they say', () => {
  expect(median([5, 1, 9])).toBe(5);
  expect(median([4, 1, 9, 2])).toBe(3);
  let time = 0;
  const measured = sideBySide(() => time, 3, {
    slow: () => {
      time += 6;
    },
    fast: () => {
      time += 2;
    },
  });
  expect(measured).toEqual({ slow: 6, fast: 2 });
  expect(powerLaw([10, 100, 1000].map((x) => ({ x, y: 3 * x ** 1.5 }))).exponent).toBeCloseTo(1.5, 10);
});
