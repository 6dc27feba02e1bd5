/**
 * Tuning: C1, C2 (or lambda) and the scaling by cross-validation inside the participants. Folds are drawn from training
 * rows only; the test rows of `train` with the same seed are never used. Each participant's held-out rows are scored
 * together over all folds, then averaged over participants, as `train` averages.
 *
 * A tuning is planned, its parts (tune-fold.ts) are done in any order and anywhere, and what they decided is put together
 * in the order of the plan.
 */
import { inputError } from '../base/errors.ts';
import { foldsOf } from '../data/split.ts';
import type { Table } from '../data/table.ts';
import type { ScaleMode } from '../math/scaling.ts';
import type { TrainOptions } from '../settings/training.ts';
import { type Metrics, meanMetrics, measure } from '../solver/metrics.ts';
import type { MethodName } from '../solver/model.ts';
import { type ResolvedOptions, resolveOptions } from './options.ts';
import { prepare } from './prepare.ts';
import {
  checkedGrid,
  decideFold,
  named,
  pointsOf,
  type TuneGrid,
  type TunePart,
  type TuneWork,
} from './tune-fold.ts';

export type TuneMetric = 'errorRate' | 'balancedAccuracy' | 'r2' | 'rmse';

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

/** Cross-validation compares models, it need not polish them. */
const TUNE_GAP = 3e-3;

export function tune(table: Table, options: TuneOptions = {}, context: TuneContext = {}): TuneResult {
  const plan = planTuning(table, options);
  const onSolved = progressOf(plan, context);
  return tuneResult(
    plan,
    plan.parts.map((part) => decideFold(plan.work, part, onSolved)),
  );
}

export interface TunePlan {
  readonly work: TuneWork;
  readonly parts: readonly TunePart[];
  readonly grid: Required<TuneGrid>;
  readonly folds: number;
  readonly metric: TuneMetric;
}

export function planTuning(table: Table, options: TuneOptions): TunePlan {
  const { grid: given, folds = 5, metric: wanted, ...rest } = options;
  const resolved = resolveOptions({ gap: TUNE_GAP, ...rest });
  const metric = wanted ?? (resolved.objective === 'regression' ? 'rmse' : 'errorRate');
  const grid = checkedGrid(resolved.method, given);
  const prepared = prepare(table, resolved);
  const splits = foldsOf(prepared.table, { seed: resolved.seed, folds, rows: prepared.split.train });
  const work = { prepared, options: resolved, points: pointsOf(grid, resolved) };
  const parts = grid.scale.flatMap((scale) => splits.map((split) => ({ scale, split })));
  return { work, parts, grid, folds, metric };
}

export function progressOf({ work, parts }: TunePlan, { onProgress }: TuneContext): () => void {
  let done = 0;
  return () => onProgress?.(++done, work.points.length * parts.length);
}

/** From what the parts have decided, in the order of the plan's. */
export function tuneResult(
  { work, parts, grid, folds, metric }: TunePlan,
  decisions: readonly (readonly Float64Array[])[],
): TuneResult {
  const { prepared, options, points } = work;
  const rows = grid.scale.flatMap((scale) =>
    points.map((point, p): TuneRow => {
      const own = prepared.table.participants.map(() => ({ y: [] as number[], a: [] as number[] }));
      for (const [i, part] of parts.entries()) {
        if (part.scale !== scale) continue;
        for (const [t, row] of part.split.test.entries()) {
          const mine = own[prepared.table.participantOf[row]];
          mine.y.push(prepared.y[row]);
          mine.a.push(decisions[i][p][t]);
        }
      }
      const metrics = own.map(({ y, a }) => measure(options.objective, y, a));
      return { scale, ...named(point, grid), ...summary(metrics, metric) };
    }),
  );
  rows.sort((a, b) => (isGain(metric) ? b.score - a.score : a.score - b.score));
  const { method, objective, seed } = options;
  return { method, objective, metric, folds, table: rows, best: rows[0], seed, options };
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
