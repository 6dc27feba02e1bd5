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
import type { Task } from '../../methods/workspace.ts';
import { Workspace } from '../../methods/workspace.ts';
import { median } from '../../reproduce/statistics.ts';
import type { ProblemSettings } from '../../solver/problem.ts';
import { dot } from '../../solver/vector.ts';

const PROGRAM = 'liblinear-train';
/** From loose to tight; the loosest that is good enough is the one that counts. */
const TOLERANCES = [1, 0.3, 0.1, 0.03, 0.01, 0.003, 0.001, 1e-4];

export interface LiblinearReport {
  readonly c1: number;
  readonly rows: number;
  readonly columns: number;
  readonly ourMs: number;
  readonly ourPrimal: number;
  readonly ourGap: number;
  readonly liblinearMs: number;
  readonly liblinearPrimal: number;
  readonly liblinearTolerance: number;
  /** How many times as fast we are. */
  readonly ratio: number;
  /** All personal models (`mtl`, C2 = 1) to the same relative gap, rows in memory, Gram matrices to be made. */
  readonly personalMs: number;
}

export function hasLiblinear(): boolean {
  try {
    execFileSync(PROGRAM, [], { stdio: 'ignore' });
    return true;
  } catch (error) {
    // It exits with 1 when called without arguments; only a missing program is a no.
    return (error as NodeJS.ErrnoException).code !== 'ENOENT';
  }
}

export function benchLiblinear(now: () => number, table: Table, c1: number, repeats = 5): LiblinearReport {
  const options = resolveOptions({ method: 'global', testFraction: 0, c1, gap: 1e-3 });
  const prepared = prepare(table, options);
  const { tasks, d } = tasksOf(prepared, prepared.split.train, options);
  const settings = options;
  const alone: ProblemSettings = { ...settings, c2: Number.POSITIVE_INFINITY };
  const ours: number[] = [];
  let result: ReturnType<typeof METHOD.global> | undefined;
  const workspace = new Workspace(new Arena(), tasks, d);
  const shard = workspace.pooled(alone);
  for (let r = 0; r <= repeats; r++) {
    const started = now();
    result = METHOD.global({ workspace, settings });
    if (r > 0) ours.push(now() - started);
  }
  const { primal, relativeGap } = result!.certificate!;
  const personalMs = median(Array.from({ length: repeats }, () => personalTime(now, tasks, d, settings)));

  const folder = mkdtempSync(join(tmpdir(), 'kindred-bench-'));
  try {
    const data = join(folder, 'rows');
    writeLibsvm(data, shard.n, d, (i) => shard.arena.f32(shard.rows + 4 * i * shard.stride, d), shard.y);
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
    const reading = median(Array.from({ length: repeats }, () => train(1e9)));
    for (const tolerance of TOLERANCES) {
      train(tolerance);
      const reached = primalNow();
      if (reached > primal && tolerance !== TOLERANCES.at(-1)) continue;
      const whole = median(Array.from({ length: repeats }, () => train(tolerance)));
      const liblinearMs = Math.max(0, whole - reading);
      const ourMs = median(ours);
      return {
        c1,
        rows: shard.n,
        columns: d,
        ourMs,
        ourPrimal: primal,
        ourGap: relativeGap,
        liblinearMs,
        liblinearPrimal: reached,
        liblinearTolerance: tolerance,
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

function writeLibsvm(
  path: string,
  n: number,
  d: number,
  rowOf: (i: number) => Float32Array,
  y: Float64Array,
): void {
  const file = openSync(path, 'w');
  for (let i = 0; i < n; i++) {
    const row = rowOf(i);
    let line = y[i] > 0 ? '+1' : '-1';
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
