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

export interface StartReport {
  readonly method: MethodName;
  /** Medians of alternating runs. */
  readonly newMs: number;
  readonly warmMs: number;
  readonly ratio: number;
}

export async function benchStart(now: () => number, table: Table, repeats = 5): Promise<StartReport[]> {
  const folder = mkdtempSync(join(tmpdir(), 'kindred-bench-'));
  try {
    const data = join(folder, 'rows.csv');
    await writeAtomically(data, writeCsv(table));
    const reports: StartReport[] = [];
    for (const method of ['global', 'mtl'] as const)
      reports.push(await compare(now, { table, data, method, repeats }));
    return reports;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Comparison {
  readonly table: Table;
  /** The same table as a file. */
  readonly data: string;
  readonly method: MethodName;
  readonly repeats: number;
}

async function compare(
  now: () => number,
  { table, data, method, repeats }: Comparison,
): Promise<StartReport> {
  const warm = () => train(table, { method }, { now }).timing.solveMs;
  // Not counted: they make this process a warm one.
  for (let r = 0; r < 3; r++) warm();
  const newTimes: number[] = [];
  const warmTimes: number[] = [];
  for (let r = 0; r < repeats; r++) {
    newTimes.push(await solveMsOfNewProcess(data, method));
    warmTimes.push(warm());
  }
  const newMs = median(newTimes);
  const warmMs = median(warmTimes);
  return { method, newMs, warmMs, ratio: newMs / warmMs };
}

async function solveMsOfNewProcess(data: string, method: MethodName): Promise<number> {
  const child = spawnKindred(['train', data, '--method', method, '--json']);
  const [out, errors] = await Promise.all([text(child.stdout!), text(child.stderr!)]);
  if (out === '') throw new Error(`bench: expected output of kindred train, got only ${errors}`);
  return JSON.parse(out).timing.solveMs;
}
