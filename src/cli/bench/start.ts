/**
 * The same training in a new process and in one that has done it before: engines compile what has proved to be hot, and a
 * command that runs once should not pay for that. What is compared is the solving time that `train --json` reports.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Table } from '../../data/table.ts';
import { writeCsv } from '../../data/write-csv.ts';
import { train } from '../../methods/train.ts';
import { spawnKindred } from '../../node/admin/served.ts';
import { writeAtomically } from '../../node/files/files.ts';
import { median } from '../../reproduce/statistics.ts';
import type { MethodName } from '../../solver/model.ts';
import { ms, part, times } from './part.ts';

const REPEATS = 5;

export const start = part(
  async ({ now, table }) => {
    const folder = mkdtempSync(join(tmpdir(), 'kindred-bench-'));
    try {
      const data = join(folder, 'rows.csv');
      await writeAtomically(data, writeCsv(table));
      const global = await compare(now, table, data, 'global');
      return [global, await compare(now, table, data, 'mtl')];
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
  (runs, { table }) => [
    'Start-up: solving in a new process against a warm one',
    ...table(
      ['<method', 'new', 'warm', 'ratio'],
      runs.map((run) => [run.method, ms(run.newMs), ms(run.warmMs), times(run.ratio)]),
    ),
  ],
);

/** Medians of alternating runs. `data`: the same table as a file. */
async function compare(now: () => number, table: Table, data: string, method: MethodName) {
  const warm = () => train(table, { method }, { now }).timing.solveMs;
  // Not counted: they make this process a warm one.
  for (let r = 0; r < 3; r++) warm();
  const newTimes: number[] = [];
  const warmTimes: number[] = [];
  for (let r = 0; r < REPEATS; r++) {
    newTimes.push(await solveMsOfNewProcess(data, method));
    warmTimes.push(warm());
  }
  const [newMs, warmMs] = [median(newTimes), median(warmTimes)];
  return { method, newMs, warmMs, ratio: newMs / warmMs };
}

async function solveMsOfNewProcess(data: string, method: MethodName): Promise<number> {
  const child = spawnKindred(['train', data, '--method', method, '--no-auto', '--json']);
  const [out, errors] = await Promise.all([text(child.stdout!), text(child.stderr!)]);
  if (out === '') throw new Error(`bench: expected output of kindred train, got only ${errors}`);
  return JSON.parse(out).timing.solveMs;
}
