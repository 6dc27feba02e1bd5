/** Training from a table to a result: what `kindred train` does and what the library offers as `train`. */
import type { Table } from '../data/index.ts';
import { Arena } from '../math/index.ts';
import type { Certificate, Objective } from '../solver/index.ts';
import { trainFedavg } from './fedavg.ts';
import { trainGlobal, trainLocal } from './independent.ts';
import type { HistoryRow, Method, MethodName, MethodSettings, RoundView, Stopped } from './method.ts';
import { type Metrics, meanMetrics, measure } from './metrics.ts';
import { trainMocha } from './mocha.ts';
import { decide, type Model } from './model.ts';
import { trainMtl } from './mtl.ts';
import { type ResolvedOptions, resolveOptions, type TrainOptions } from './options.ts';
import { type Prepared, prepare, tasksOf } from './prepare.ts';
import { Workspace } from './workspace.ts';

export const METHOD: Readonly<Record<MethodName, Method>> = {
  mtl: trainMtl,
  local: trainLocal,
  global: trainGlobal,
  mocha: trainMocha,
  fedavg: trainFedavg,
};

export interface ParticipantResult extends Metrics {
  readonly id: string;
  /** All rows of the participant, of which `testRows` were kept for testing. */
  readonly rows: number;
  readonly testRows: number;
}

export interface TrainResult {
  readonly method: MethodName;
  readonly objective: Objective;
  readonly participants: readonly ParticipantResult[];
  /** Means over participants, on their test rows. */
  readonly mean: Metrics;
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
  const { tasks, d, scaling } = tasksOf(prepared, prepared.split.train, resolved);
  const workspace = new Workspace(new Arena(), tasks, d);
  const loaded = now();
  const {
    w,
    v,
    servesNewcomers,
    duals: _,
    ...course
  } = METHOD[resolved.method]({
    workspace,
    settings: settingsOf(resolved),
    onRound: context.onRound,
  });
  const solved = now();
  workspace.release();
  const model: Model = {
    method: resolved.method,
    objective: resolved.objective,
    features: prepared.table.features,
    bias: resolved.bias,
    scaling,
    classes: prepared.classes,
    w,
    personal: new Map(tasks.map((task, k) => [task.id, v[k]])),
    servesNewcomers,
    options: resolved,
    seed: resolved.seed,
    certificate: course.certificate,
  };
  const participants = testResults(prepared, model);
  return {
    method: resolved.method,
    objective: resolved.objective,
    participants,
    mean: meanMetrics(participants),
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

function testResults({ table, y, split }: Prepared, model: Model): ParticipantResult[] {
  const decisions = decide(model, table, split.test);
  const own: { y: number[]; a: number[] }[] = table.participants.map(() => ({ y: [], a: [] }));
  for (const [t, i] of split.test.entries()) {
    const mine = own[table.participantOf[i]];
    mine.y.push(y[i]);
    mine.a.push(decisions[t]);
  }
  const rows = new Array<number>(table.participants.length).fill(0);
  for (const k of table.participantOf) rows[k]++;
  return table.participants.map((id, k) => ({
    id,
    rows: rows[k],
    testRows: own[k].y.length,
    ...measure(model.objective, own[k].y, own[k].a),
  }));
}
