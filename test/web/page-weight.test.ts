/** What the participant's page and pages of others load, as it is served. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { loadSizes } from '../../src/cli/bench/load-sizes.ts';
import { useBuilt } from '../node/client/helpers.ts';

useBuilt();

const folder = fileURLToPath(new URL('../../dist/web/', import.meta.url));

/** In thousands of bytes, compressed. */
function weightOf(names: readonly string[]): number {
  const sizes = names.map((name) => brotliCompressSync(readFileSync(join(folder, 'assets', name))).length);
  return sizes.reduce((sum, size) => sum + size, 0) / 1000;
}

test('opening it takes 70 kB, and taking part with a CSV file 180 kB in all', () => {
  const page = readFileSync(join(folder, 'join.html'), 'utf8');
  const first = [...page.matchAll(/assets\/([^"]+)/g)].map(([, name]) => name);
  expect(first.length).toBeGreaterThan(3);
  expect(weightOf(first)).toBeLessThan(70);
  const script = first.map((name) => readFileSync(join(folder, 'assets', name), 'utf8')).join('');
  const workers = readdirSync(join(folder, 'assets')).filter(
    (name) => /^(rows\.worker|participant-worker)-/.test(name) && script.includes(name),
  );
  expect(workers).toHaveLength(2);
  expect(weightOf([...first, ...workers])).toBeLessThan(180);
});

test('the plain ES module takes 60 kB at most, by gzip, with its worker and the kernels', () => {
  const [worker, library] = loadSizes();
  console.log(
    `/kindred.js with its worker: ${library.gzipBytes} bytes by gzip, ${library.brotliBytes} by brotli`,
  );
  // The library is small, and shares nothing with its worker.
  expect(library.gzipBytes).toBeGreaterThan(worker.gzipBytes);
  expect(library.gzipBytes).toBeLessThanOrEqual(60_000);
});
