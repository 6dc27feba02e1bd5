/**
 * A tuning's work on one scaling and one fold: every point of the grid is trained on the fold's training rows, and decides
 * its held-out rows. Folds and scalings are independent of each other; within one, rows and Gram matrices are built once.
 *
 * Along C1 (rising) every training starts from the solution of the one before, and the first of a C2 from that of the C2
 * before. Duals are taken as they are: letting them rise with C1 makes a worse start than none (docs/decisions.md).
 */

import type { Split } from '../data/split.ts';
import { Arena } from '../math/arena.ts';
import type { ScaleMode } from '../math/scaling.ts';
import { decide } from '../solver/model.ts';
import type { MethodResult, WarmStart } from './method.ts';
import type { ResolvedOptions } from './options.ts';
import { type Prepared, tasksOf } from './prepare.ts';
import { assembleModel, METHOD } from './train.ts';
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
  const starts = new Starts();
  const decisions = points.map((point) => {
    const result = METHOD[options.method]({
      workspace,
      settings: { ...options, ...point },
      warmStart: starts.near(point),
    });
    starts.solved(point, result);
    const model = assembleModel(prepared, options, placed, result);
    onSolved();
    return decide(model, prepared.table, split.test);
  });
  workspace.release();
  return decisions;
}

/** Solutions to start from, of points in the order of C1 rising fastest. */
class Starts {
  private before: { readonly c1: number; readonly start: WarmStart } | undefined;
  /** Of the first point of the C2 before. */
  private first: WarmStart | undefined;

  near({ c1 }: Point): WarmStart | undefined {
    return this.before && c1 > this.before.c1 ? this.before.start : this.first;
  }

  /** Methods without duals leave nothing to start from. */
  solved({ c1 }: Point, { w, duals }: MethodResult): void {
    if (!duals) return;
    const start = { w, duals };
    if (!this.before || c1 <= this.before.c1) this.first = start;
    this.before = { c1, start };
  }
}
