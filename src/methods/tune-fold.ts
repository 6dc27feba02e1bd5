/**
 * A tuning's work on one scaling and one fold: every point of the grid is trained on the fold's training rows, and decides
 * its held-out rows. Folds and scalings are independent of each other; within one, rows and Gram matrices are built once.
 *
 * Along C1 (rising) every training starts from the solution of the one before, and the first of a C2 from that of the C2
 * before. Duals are taken as they are: letting them rise with C1 makes a worse start than none (docs/decisions.md).
 */

import { inputError } from '../base/errors.ts';
import type { Split } from '../data/split.ts';
import { Arena } from '../math/arena.ts';
import type { ScaleMode } from '../math/scaling.ts';
import { withScaledEpsilon } from '../math/target-scaling.ts';
import { decide, type MethodName } from '../solver/model.ts';
import type { MethodResult, WarmStart } from './method.ts';
import type { ResolvedOptions } from './options.ts';
import { type Prepared, tasksOf } from './prepare.ts';
import { assembleModel, METHOD } from './train.ts';
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
      settings: withScaledEpsilon({ ...options, ...point }, placed.target),
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

/** The values to try; what a method does not use is not varied. */
export interface TuneGrid {
  readonly c1?: readonly number[];
  readonly c2?: readonly number[];
  readonly lambda?: readonly number[];
  readonly scale?: readonly ScaleMode[];
}

export interface Point {
  readonly c1: number;
  readonly c2: number;
  readonly lambda: number;
}

/** All combinations, C1 rising fastest: the order of warm starts. */
export function pointsOf(lists: Required<TuneGrid>, defaults: ResolvedOptions): Point[] {
  const orDefault = (list: readonly number[], value: number) => (list.length > 0 ? list : [value]);
  const points: Point[] = [];
  for (const lambda of orDefault(lists.lambda, defaults.lambda)) {
    for (const c2 of orDefault(lists.c2, defaults.c2)) {
      for (const c1 of orDefault(lists.c1, defaults.c1)) points.push({ c1, c2, lambda });
    }
  }
  return points;
}

const GRIDS: Readonly<Record<MethodName, Required<TuneGrid>>> = {
  mtl: grid([0.3, 1, 3, 10, 30, 100], [0.03, 0.1, 0.3, 1, 3, 10], []),
  local: grid([0.1, 0.3, 1, 3, 10, 30, 100, 300, 1000], [], []),
  global: grid([0.1, 0.3, 1, 3, 10, 30, 100, 300, 1000], [], []),
  mocha: grid([], [], [1e-2, 1e-3, 1e-4, 1e-5, 1e-6]),
  fedavg: grid([0.3, 1, 3, 10], [0.03, 0.1, 0.3, 1], []),
};

function grid(c1: number[], c2: number[], lambda: number[]): Required<TuneGrid> {
  return { c1, c2, lambda, scale: ['standard', 'center'] };
}

export function checkedGrid(method: MethodName, given: TuneGrid = {}): Required<TuneGrid> {
  const defaults = GRIDS[method];
  const list = (name: 'c1' | 'c2' | 'lambda'): readonly number[] => {
    const values = defaults[name].length > 0 ? (given[name] ?? defaults[name]) : [];
    for (const value of values) {
      if (!(value > 0 && Number.isFinite(value))) {
        throw inputError('BAD_OPTION', `option --${name}: expected numbers above 0, got ${value}`);
      }
    }
    return [...values].sort((a, b) => a - b);
  };
  return { c1: list('c1'), c2: list('c2'), lambda: list('lambda'), scale: given.scale ?? defaults.scale };
}

/** Only the numbers that were varied. */
export function named(point: Point, lists: Required<TuneGrid>): Partial<Point> {
  return {
    ...(lists.c1.length > 0 && { c1: point.c1 }),
    ...(lists.c2.length > 0 && { c2: point.c2 }),
    ...(lists.lambda.length > 0 && { lambda: point.lambda }),
  };
}
