/** The tree in one process that `kindred bench scale` measures: the real one, with levels, and every level's work is counted. */
import { expect, test } from 'vitest';
import { runTree } from '../../src/node/load/load-tree-run.ts';

const SIZE = { participants: 60, shards: 6, features: 3 };

test('rounds of everybody, and the processor time of each level', async () => {
  const shown: string[] = [];
  const run = await runTree(SIZE, 3, (what) => shown.push(what));
  expect(run.rounds).toHaveLength(3);
  expect(shown[0]).toMatch(/^joined in/);
  for (const { rootMs, branchesMs, shardsMs, rootBytes } of run.rounds) {
    expect(rootMs).toBeGreaterThan(0);
    expect(branchesMs).toBe(0);
    expect(shardsMs).toBeGreaterThan(0);
    expect(rootBytes).toBeGreaterThan(0);
  }
  expect(run.bytesEach).toBeGreaterThan(0);
});

test('branches take shards off the root: it sends and receives as much as it has branches', async () => {
  const direct = await runTree(SIZE, 2, () => {});
  const levels = await runTree({ ...SIZE, fanIn: 2 }, 2, () => {});
  // Six shards are below three branches, and these below two.
  expect(levels.rounds[1].rootBytes).toBe(direct.rounds[1].rootBytes / 3);
  expect(levels.rounds[1].branchesMs).toBeGreaterThan(0);
  expect(levels.bytesEach).toBe(direct.bytesEach);
});
