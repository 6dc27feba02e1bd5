/**
 * One global model: our solve to a relative gap of 1e-3 against LIBLINEAR's dual solver (-s 3, the same problem) to the
 * same primal value or better. LIBLINEAR's program does not print its solving time, so its reading time is measured by a
 * run that stops after one iteration and subtracted; what is counted is, if anything, too little.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Table } from '../../data/table.ts';
import { Arena } from '../../math/arena.ts';
import type { MethodSettings } from '../../methods/method.ts';
import { resolveOptions } from '../../methods/options.ts';
import { prepare, tasksOf } from '../../methods/prepare.ts';
import { METHOD } from '../../methods/train.ts';
import { type Task, Workspace } from '../../methods/workspace.ts';
import { median } from '../../reproduce/statistics.ts';
import type { Shard } from '../../solver/shard.ts';
import { dot } from '../../solver/vector.ts';
import { ms, part, times } from './part.ts';

const PROGRAM = 'liblinear-train';
const REPEATS = 5;
/** From loose to tight; the loosest that is good enough is the one that counts. */
const TOLERANCES = [1, 0.3, 0.1, 0.03, 0.01, 0.003, 0.001, 1e-4];

export const liblinear = part(
  ({ now, table }) =>
    hasLiblinear() ? [1, 10].map((c1) => compare(now, table, c1)) : ('not installed' as const),
  (runs, { table }) => {
    if (runs === 'not installed')
      return ['LIBLINEAR', '  skipped: not installed (Debian package liblinear-tools)'];
    const rows = runs.map((run) => [
      String(run.c1),
      ms(run.ourMs),
      run.ourPrimal.toFixed(2),
      ms(run.liblinearMs),
      run.liblinearPrimal.toFixed(2),
      times(run.ratio),
      ms(run.personalMs),
    ]);
    return [
      'One global model to a relative gap of 1e-3, against LIBLINEAR -s 3 to the same primal (solving only); all personal models to 1e-3',
      ...table(['C1', 'kindred', 'primal', 'liblinear', 'primal', 'as fast', 'all personal'], rows),
    ];
  },
);

function hasLiblinear(): boolean {
  try {
    execFileSync(PROGRAM, [], { stdio: 'ignore' });
    return true;
  } catch (error) {
    // It exits with 1 when called without arguments; only a missing program is a no.
    return (error as NodeJS.ErrnoException).code !== 'ENOENT';
  }
}

function compare(now: () => number, table: Table, c1: number) {
  const settings = resolveOptions({ method: 'global', testFraction: 0, c1, gap: 1e-3 }, table);
  const prepared = prepare(table, settings);
  const { tasks, columns: d } = tasksOf(prepared, prepared.split.train, settings);
  const workspace = new Workspace(new Arena(), tasks, d);
  const shard = workspace.pooled({ ...settings, c2: Number.POSITIVE_INFINITY });
  const { primal, relativeGap } = METHOD.global({ workspace, settings }).certificate!;
  const medianOf = (time: () => number) => median(Array.from({ length: REPEATS }, time));
  const ourMs = medianOf(() => {
    const started = now();
    METHOD.global({ workspace, settings });
    return now() - started;
  });
  // All personal models (`mtl`, C2 = 1) to the same relative gap, rows in memory, Gram matrices to be made.
  const personalMs = medianOf(() => personalTime(now, tasks, d, settings));
  const folder = mkdtempSync(join(tmpdir(), 'kindred-bench-'));
  try {
    const data = join(folder, 'rows');
    writeLibsvm(data, shard, d);
    const model = join(folder, 'model');
    const train = (tolerance: number) => {
      const started = now();
      execFileSync(PROGRAM, ['-q', '-s', '3', '-c', String(c1), '-e', String(tolerance), data, model]);
      return now() - started;
    };
    const primalNow = () => {
      const w = readModel(readFileSync(model, 'utf8'));
      shard.load(shard.startingBeta(), w);
      return dot(w, w) / 2 + shard.loss();
    };
    train(1e9);
    const reading = medianOf(() => train(1e9));
    for (const tolerance of TOLERANCES) {
      train(tolerance);
      const reached = primalNow();
      if (reached > primal && tolerance !== TOLERANCES.at(-1)) continue;
      const liblinearMs = Math.max(0, medianOf(() => train(tolerance)) - reading);
      return {
        ...{ c1, rows: shard.n, columns: d, ourMs },
        ourPrimal: primal,
        ourGap: relativeGap,
        liblinearMs,
        liblinearPrimal: reached,
        liblinearTolerance: tolerance,
        // How many times as fast we are.
        ratio: liblinearMs / ourMs,
        personalMs,
      };
    }
    throw new Error('unreachable: the last tolerance returns');
  } finally {
    rmSync(folder, { recursive: true, force: true });
    workspace.release();
  }
}

function personalTime(
  now: () => number,
  tasks: readonly Task[],
  d: number,
  settings: MethodSettings,
): number {
  const workspace = new Workspace(new Arena(), tasks, d);
  workspace.each(settings);
  const started = now();
  METHOD.mtl({ workspace, settings });
  const ms = now() - started;
  workspace.release();
  return ms;
}

function writeLibsvm(path: string, shard: Shard, d: number): void {
  const file = openSync(path, 'w');
  for (let i = 0; i < shard.n; i++) {
    const row = shard.arena.f32(shard.rows + 4 * i * shard.stride, d);
    let line = shard.y[i] > 0 ? '+1' : '-1';
    for (let j = 0; j < d; j++) if (row[j] !== 0) line += ` ${j + 1}:${row[j]}`;
    writeSync(file, `${line}\n`);
  }
}

/** Weights for the label +1: LIBLINEAR's are for the label that it met first. */
function readModel(text: string): Float64Array {
  const lines = text.trim().split('\n');
  const first = lines.find((line) => line.startsWith('label'))!.split(' ')[1];
  const sign = first === '1' ? 1 : -1;
  return Float64Array.from(lines.slice(lines.indexOf('w') + 1), (line) => sign * Number(line));
}
