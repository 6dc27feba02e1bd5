/**
 * Calibration of a training in one process: everybody's sigmoids from its own out-of-fold decisions, and one of all decisions together for those who have none.
 */
import { Arena } from '../math/arena.ts';
import { type Calibration, type Held, ownSigmoids, sharedSigmoids } from '../solver/calibration.ts';
import type { MethodName } from '../solver/model.ts';
import { type FoldedRows, outOfFold, type WithoutOwn, withoutOwn } from '../solver/out-of-fold.ts';
import type { ProblemSettings } from '../solver/problem.ts';
import { Shard } from '../solver/shard.ts';
import { ALONE } from './alone.ts';
import type { MethodResult } from './method.ts';
import type { Placed } from './prepare.ts';

interface Calibrated extends ProblemSettings {
  readonly method: MethodName;
  readonly seed: number;
}

/** Of a training that has ended; `settings` are of the problem that was solved. */
export function calibrationOf(
  settings: Calibrated,
  { tasks, columns }: Pick<Placed, 'tasks' | 'columns'>,
  result: Pick<MethodResult, 'w' | 'v' | 'duals'>,
): Calibration {
  const arena = new Arena();
  return calibrated(arena, settings, tasks, columns, (rows, k) => baseOf(arena, settings, rows, result, k));
}

/** Of rows that had no part in w. */
export function newcomersCalibration(
  settings: Omit<Calibrated, 'method'>,
  { tasks, columns }: Pick<Placed, 'tasks' | 'columns'>,
  w: Float64Array,
): Calibration {
  return calibrated(new Arena(), settings, tasks, columns, () => ({ w, c2: settings.c2 }));
}

function calibrated(
  arena: Arena,
  settings: Omit<Calibrated, 'method'>,
  tasks: Placed['tasks'],
  columns: number,
  base: (rows: FoldedRows, k: number) => WithoutOwn,
): Calibration {
  const held = tasks.map((task, k): Held => {
    const rows = { ...task, d: columns };
    const heads = task.y.length / task.n;
    return { heads, y: task.y, decisions: outOfFold(arena, settings, rows, base(rows, k), settings.seed) };
  });
  const participants = tasks.flatMap(({ id }, k) => {
    const own = ownSigmoids(held[k]);
    return own ? [[id, own] as const] : [];
  });
  return { participants: new Map(participants), shared: sharedSigmoids(held, held[0].heads) };
}

/** What is left of a participant's model without its own contribution. */
function baseOf(
  arena: Arena,
  settings: Calibrated,
  rows: FoldedRows,
  { w, v, duals }: Pick<MethodResult, 'w' | 'v' | 'duals'>,
  k: number,
): WithoutOwn {
  const { method, c2 } = settings;
  if (method === 'local') return { w: new Float64Array(w.length), c2: 1 };
  if (method === 'mtl')
    return withoutOwn(
      w,
      v[k].map((value) => c2 * value),
      c2,
    );
  const shard = new Shard(arena, settings, rows);
  const u = shard.combine(duals![k]);
  shard.release();
  return withoutOwn(w, u, ALONE);
}
