/**
 * A tuning's work on one scaling and one fold: every point of the grid is trained on the fold's training rows, and decides
 * its held-out rows. Folds and scalings are independent of each other; within one, rows and Gram matrices are built once.
 *
 * Along C1 (rising) every solve starts from the duals of the one before; when C1 rises by a factor, so do the duals, because
 * most of them sit at the bound.
 */
import type { ScaleMode, Split } from '../data/index.ts';
import { Arena } from '../math/index.ts';
import { assembleModel } from './assemble.ts';
import type { WarmStart } from './method.ts';
import { decide } from './model.ts';
import type { ResolvedOptions } from './options.ts';
import { type Prepared, tasksOf } from './prepare.ts';
import { METHOD, settingsOf } from './train.ts';
import type { Point } from './tune-grid.ts';
import { Workspace } from './workspace.ts';

/** What all parts of a tuning have in common. Plain data: parts may be done by other threads. */
export interface TuneWork {
  readonly prepared: Prepared;
  readonly options: ResolvedOptions;
  readonly points: readonly Point[];
}

export interface TunePart {
  readonly scale: ScaleMode;
  readonly split: Split;
}

/** Decisions on the part's held-out rows, for each point. `onSolved` is called after every training. */
export function decideFold(
  { prepared, options: given, points }: TuneWork,
  { scale, split }: TunePart,
  onSolved: () => void,
): Float64Array[] {
  const options = { ...given, scale };
  const placed = tasksOf(prepared, split.train, options);
  const workspace = new Workspace(new Arena(), placed.tasks, placed.d);
  let start: { duals: WarmStart; point: Point } | undefined;
  const decisions = points.map((point) => {
    const near = start && point.c1 > start.point.c1 ? start : undefined;
    const result = METHOD[options.method]({
      workspace,
      settings: settingsOf({ ...options, ...point }),
      warmStart: near && rescaled(near.duals, point.c1 / near.point.c1),
    });
    start = result.duals && { duals: result.duals, point };
    const model = assembleModel(prepared, options, placed, result);
    onSolved();
    return decide(model, prepared.table, split.test);
  });
  workspace.release();
  return decisions;
}

function rescaled(duals: WarmStart, factor: number): WarmStart {
  return duals.map((dual) => dual.map((value) => value * factor));
}
