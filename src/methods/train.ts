/** Training from a table to a result: what `kindred train` does and what the library offers as `train`. */
import type { Table } from '../data/index.ts';
import { Arena } from '../math/index.ts';
import type { Certificate, Objective } from '../solver/index.ts';
import { assembleModel } from './assemble.ts';
import { type Evaluation, evaluateRows } from './evaluate.ts';
import { trainFedavg } from './fedavg.ts';
import { trainGlobal, trainLocal } from './independent.ts';
import type { HistoryRow, Method, MethodName, MethodSettings, RoundView, Stopped } from './method.ts';
import { trainMocha } from './mocha.ts';
import type { Model } from './model.ts';
import { trainMtl } from './mtl.ts';
import { type ResolvedOptions, resolveOptions, type TrainOptions } from './options.ts';
import { prepare, tasksOf } from './prepare.ts';
import { Workspace } from './workspace.ts';

export const METHOD: Readonly<Record<MethodName, Method>> = {
  mtl: trainMtl,
  local: trainLocal,
  global: trainGlobal,
  mocha: trainMocha,
  fedavg: trainFedavg,
};

/** Participants and means are those of the test rows. */
export interface TrainResult extends Evaluation {
  readonly method: MethodName;
  readonly objective: Objective;
  readonly certificate?: Certificate;
  readonly conservation?: { readonly relativeError: number };
  readonly rounds: number;
  readonly passes: number;
  readonly stopped: Stopped;
  readonly history: readonly HistoryRow[];
  readonly timing: { readonly loadMs: number; readonly solveMs: number };
  readonly seed: number;
  readonly options: ResolvedOptions;
  readonly notes: readonly string[];
  readonly model: Model;
}

/** What a training may be given beside data and options. */
export interface TrainContext {
  /** Milliseconds; without a clock `timing` is zero. Nothing else depends on it. */
  readonly now?: () => number;
  readonly onRound?: (view: RoundView) => void;
}

export function train(table: Table, options: TrainOptions = {}, context: TrainContext = {}): TrainResult {
  const resolved = resolveOptions(options);
  const now = context.now ?? (() => 0);
  const started = now();
  const prepared = prepare(table, resolved);
  const placed = tasksOf(prepared, prepared.split.train, resolved);
  const workspace = new Workspace(new Arena(), placed.tasks, placed.d);
  const loaded = now();
  const result = METHOD[resolved.method]({
    workspace,
    settings: settingsOf(resolved),
    onRound: context.onRound,
  });
  const solved = now();
  workspace.release();
  const model = assembleModel(prepared, resolved, placed, result);
  const { w: _w, v: _v, servesNewcomers: _s, duals: _d, ...course } = result;
  return {
    method: resolved.method,
    objective: resolved.objective,
    ...evaluateRows(model, prepared.table, prepared.y, prepared.split.test),
    ...course,
    timing: { loadMs: loaded - started, solveMs: solved - loaded },
    seed: resolved.seed,
    options: resolved,
    notes: prepared.notes,
    model,
  };
}

/** Epsilon is regression's alone: for classification the same formulas hold with 0. */
export function settingsOf(options: ResolvedOptions): MethodSettings {
  return { ...options, epsilon: options.objective === 'regression' ? options.epsilon : 0 };
}
