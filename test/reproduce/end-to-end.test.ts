import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { curvesCsv } from '../../src/charts/csv.ts';
import { type Profile, profileFor } from '../../src/reproduce/profile.ts';
import { type Execute, reproduce } from '../../src/reproduce/reproduce.ts';
import { runJob } from '../../src/reproduce/run-job.ts';
import { tablesWith } from '../../src/reproduce/table-spec.ts';

/** Small enough for a test, and still everything: tuning, simulations of five methods, averages, intervals. */
const spec = { kind: 'har', participants: 4, rows: 30, features: 10, seed: 2 } as const;
const data = { spec, rows: 30, features: 10, positive: undefined, name: 'small' };
const quick = profileFor('quick', data, 2);
const profile: Profile = {
  ...quick,
  horizonRounds: 12,
  grids: {
    ...quick.grids,
    mtl: { c1: [1, 10], c2: [1], scale: ['standard'] },
    sum: { c1: [1], c2: [0.1], scale: ['standard'] },
    alone: { c1: [1], scale: ['standard'] },
    mocha: { lambda: [1e-3], scale: ['standard'] },
  },
};

const inOrder: Execute = async (jobs) => {
  const tableOf = tablesWith(undefined);
  return jobs.map((job) => runJob(job, tableOf, () => 0));
};

/** As if other threads had been faster. */
const backwards: Execute = async (jobs) => {
  const results = await inOrder([...jobs].reverse());
  return [...results].reverse();
};

test('an experiment end to end: its curves, byte for byte', async () => {
  const { sections, verdicts } = await reproduce(['cls-all'], profile, inOrder);
  const csv = sections
    .flatMap(({ figures }) => figures)
    .map(curvesCsv)
    .join('');
  const path = new URL('../fixtures/reproduce/cls-all.csv', import.meta.url);
  if (process.env.UPDATE_GOLDEN) writeFileSync(path, csv);
  expect(existsSync(path), 'golden curves').toBe(true);
  expect(csv).toBe(readFileSync(path, 'utf8'));
  expect(csv.split('\n').length).toBeGreaterThan(500);
  expect(verdicts.map(({ id }) => id)).toContain('mtl-best');
});

test('the order in which jobs are done changes nothing', async () => {
  const one = await reproduce(['cls-all', 'cls-stragglers'], profile, inOrder);
  const other = await reproduce(['cls-all', 'cls-stragglers'], profile, backwards);
  expect(JSON.stringify(other)).toBe(JSON.stringify(one));
});
