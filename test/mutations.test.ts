/** `scripts/mutation-check.mjs` plants bugs by replacing text: it must find that text once in the sources of today. */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';

const root = resolve(import.meta.dirname, '..');

test('every planted bug has its place', async () => {
  const { MUTATIONS } = (await import(join(root, 'scripts/mutations.mjs'))) as {
    MUTATIONS: readonly { bug: string; file: string; from: string }[];
  };
  expect(MUTATIONS.length).toBeGreaterThan(20);
  const lost = MUTATIONS.filter(
    ({ file, from }) => readFileSync(join(root, file), 'utf8').split(from).length !== 2,
  );
  expect(lost.map(({ bug }) => bug)).toEqual([]);
});
