/**
 * Tuning: C1, C2 (or lambda) and the scaling by cross-validation inside the participants. Folds are drawn from training
 * rows only; the test rows of `train` with the same seed are never looked at. Each participant's held-out rows are scored
 * together over all folds, then averaged over participants, as `train` averages.
 *
 * Rows and Gram matrices are built once per scaling and fold. Along C1 (rising) every solve starts from the duals of the
 * one before; when C1 rises by a factor, so do the duals, because most of them sit at the bound.
 */
import { inputError } from '../base/errors.ts';
import { foldsOf, type ScaleMode, type Split, type Table } from '../data/index.ts';
import { Arena } from '../math/index.ts';
import { assembleModel } from './assemble.ts';
import type { MethodName, WarmStart } from './method.ts';
import { type Metrics, meanMetrics, measure } from './metrics.ts';
import { decide } from './model.ts';
import { type ResolvedOptions, resolveOptions, type TrainOptions } from './options.ts';
import { type Prepared, prepare, tasksOf } from './prepare.ts';
import { METHOD, settingsOf } from './train.ts';
import { Workspace } from './workspace.ts';

export type TuneMetric = 'errorRate' | 'balancedAccuracy' | 'r2' | 'rmse';

/** The values to try; what a method does not use is not varied. */
export interface TuneGrid {
  readonly c1?: readonly number[];
  readonly c2?: readonly number[];
  readonly lambda?: readonly number[];
  readonly scale?: readonly ScaleMode[];
}

export interface TuneOptions extends TrainOptions {
  readonly grid?: TuneGrid;
  readonly folds?: number;
  /** Default: errorRate for classification, rmse for regression. */
  readonly metric?: TuneMetric;
}

/** A point of the grid and how it did on held-out rows. */
export interface TuneRow {
  readonly scale: ScaleMode;
  readonly c1?: number;
  readonly c2?: number;
  readonly lambda?: number;
  readonly score: number;
  /** Over participants. */
  readonly standardError: number;
}

export interface TuneResult {
  readonly method: MethodName;
  readonly objective: ResolvedOptions['objective'];
  readonly metric: TuneMetric;
  readonly folds: number;
  /** Best first. */
  readonly table: readonly TuneRow[];
  readonly best: TuneRow;
  readonly seed: number;
  readonly options: ResolvedOptions;
}

export interface TuneContext {
  /** Called after every solve. */
  readonly onProgress?: (done: number, total: number) => void;
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

/** Cross-validation compares models, it need not polish them. */
const TUNE_GAP = 3e-3;

export function tune(table: Table, options: TuneOptions = {}, context: TuneContext = {}): TuneResult {
  const { grid: given, folds = 5, metric: wanted, ...rest } = options;
  const resolved = resolveOptions({ gap: TUNE_GAP, ...rest });
  const metric = wanted ?? (resolved.objective === 'regression' ? 'rmse' : 'errorRate');
  const lists = checkedGrid(resolved.method, given);
  const prepared = prepare(table, resolved);
  const splits = foldsOf(prepared.table, { seed: resolved.seed, folds, rows: prepared.split.train });
  const points = lists.scale.length * pointsOf(lists, resolved).length;
  let done = 0;
  const rows: TuneRow[] = [];
  for (const scale of lists.scale) {
    const scored = scoreScale(prepared, splits, { ...resolved, scale }, lists, () => {
      done++;
      context.onProgress?.(done, points * splits.length);
    });
    rows.push(
      ...scored.map(({ point, all }) => ({ scale, ...named(point, lists), ...summary(all, metric) })),
    );
  }
  rows.sort((a, b) => (isGain(metric) ? b.score - a.score : a.score - b.score));
  const { method, objective, seed } = resolved;
  return { method, objective, metric, folds, table: rows, best: rows[0], seed, options: resolved };
}

interface Point {
  readonly c1: number;
  readonly c2: number;
  readonly lambda: number;
}

/** All combinations, C1 rising fastest: the order of warm starts. */
function pointsOf(lists: Required<TuneGrid>, defaults: ResolvedOptions): Point[] {
  const orDefault = (list: readonly number[], value: number) => (list.length > 0 ? list : [value]);
  const points: Point[] = [];
  for (const lambda of orDefault(lists.lambda, defaults.lambda)) {
    for (const c2 of orDefault(lists.c2, defaults.c2)) {
      for (const c1 of orDefault(lists.c1, defaults.c1)) points.push({ c1, c2, lambda });
    }
  }
  return points;
}

/** Every point of the grid under one scaling: metrics of each participant over all folds. */
function scoreScale(
  prepared: Prepared,
  splits: readonly Split[],
  options: ResolvedOptions,
  lists: Required<TuneGrid>,
  onSolved: () => void,
): { point: Point; all: Metrics[] }[] {
  const points = pointsOf(lists, options);
  const held = points.map(() => new HeldOut(prepared));
  for (const split of splits) {
    const placed = tasksOf(prepared, split.train, options);
    const workspace = new Workspace(new Arena(), placed.tasks, placed.d);
    let start: { duals: WarmStart; w: Float64Array; point: Point } | undefined;
    for (const [p, point] of points.entries()) {
      const near = start && point.c1 > start.point.c1 ? start : undefined;
      const result = METHOD[options.method]({
        workspace,
        settings: settingsOf({ ...options, ...point }),
        warmStart: near && rescaled(near.duals, point.c1 / near.point.c1),
        warmW: near?.w,
      });
      start = result.duals && { duals: result.duals, w: result.w, point };
      const model = assembleModel(prepared, options, placed, result);
      held[p].add(split.test, decide(model, prepared.table, split.test));
      onSolved();
    }
    workspace.release();
  }
  return points.map((point, p) => ({ point, all: held[p].metrics(options.objective) }));
}

function rescaled(duals: WarmStart, factor: number): WarmStart {
  return duals.map((dual) => dual.map((value) => value * factor));
}

/** Held-out decisions of all folds, sorted by participant. */
class HeldOut {
  private readonly prepared: Prepared;
  private readonly own: { y: number[]; a: number[] }[];

  constructor(prepared: Prepared) {
    this.prepared = prepared;
    this.own = prepared.table.participants.map(() => ({ y: [], a: [] }));
  }

  add(rows: Uint32Array, decisions: Float64Array): void {
    const { table, y } = this.prepared;
    for (const [t, i] of rows.entries()) {
      const mine = this.own[table.participantOf[i]];
      mine.y.push(y[i]);
      mine.a.push(decisions[t]);
    }
  }

  metrics(objective: ResolvedOptions['objective']): Metrics[] {
    return this.own.map(({ y, a }) => measure(objective, y, a));
  }
}

function summary(all: readonly Metrics[], metric: TuneMetric): { score: number; standardError: number } {
  const score = meanMetrics(all)[metric];
  if (score === undefined) {
    throw inputError(
      'NOTHING_HELD_OUT',
      `tune: no participant has held-out rows to compute ${metric} from; give it more rows per participant`,
    );
  }
  const values = all.map((metrics) => metrics[metric]).filter((value) => value !== undefined);
  const variance =
    values.reduce((sum, value) => sum + (value - score) ** 2, 0) / Math.max(1, values.length - 1);
  return { score, standardError: Math.sqrt(variance / values.length) };
}

function isGain(metric: TuneMetric): boolean {
  return metric === 'balancedAccuracy' || metric === 'r2';
}

/** Only the numbers that were varied. */
function named(point: Point, lists: Required<TuneGrid>): Partial<Point> {
  return {
    ...(lists.c1.length > 0 && { c1: point.c1 }),
    ...(lists.c2.length > 0 && { c2: point.c2 }),
    ...(lists.lambda.length > 0 && { lambda: point.lambda }),
  };
}

function checkedGrid(method: MethodName, given: TuneGrid = {}): Required<TuneGrid> {
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
