/** Training from a table to a result: what `kindred train` does and what the library offers as `train`. */
import { invariant } from '../base/errors.ts';
import type { Table } from '../data/table.ts';
import { Arena } from '../math/arena.ts';
import { type TargetScaling, withScaledEpsilon } from '../math/target-scaling.ts';
import type { Objective } from '../settings/losses.ts';
import type { TrainOptions } from '../settings/training.ts';
import type { Certificate, HeadsCertificate } from '../solver/certificate.ts';
import type { LinearModel } from '../solver/linear-model.ts';
import type { MethodName, Model } from '../solver/model.ts';
import { calibrationOf } from './calibrate.ts';
import { type Evaluation, evaluationOf, type Tested, testedBy } from './evaluate.ts';
import { trainFedavg } from './fedavg.ts';
import { LOCAL, trainGlobal, trainLocal } from './independent.ts';
import type { HistoryRow, Method, MethodResult, RoundView, Stopped, Unfinished } from './method.ts';
import { MTL_BY_ANSWERS, trainMocha, trainMtl } from './mtl.ts';
import { type ResolvedOptions, understood } from './options.ts';
import { type Placed, type Prepared, prepare, tasksOf } from './prepare.ts';
import { type Answerers, type AskingMethod, settleWith } from './questions.ts';
import { checkStart, startingW, startNote } from './start.ts';
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
  /** Of a regression: how its targets were scaled. Primal, dual and gap are those of the problem with scaled targets. */
  readonly target?: TargetScaling;
  readonly certificate?: HeadsCertificate;
  readonly conservation?: { readonly relativeError: number };
  readonly rounds: number;
  readonly passes: number;
  readonly stopped: Stopped;
  /** `local`, where participants are above the target gap at the end: the certificate is of their sum. */
  readonly unfinished?: Unfinished;
  readonly history: readonly HistoryRow[];
  readonly timing: { readonly loadMs: number; readonly solveMs: number };
  readonly seed: number;
  readonly options: ResolvedOptions;
  /** Sentences for people: how targets were understood. */
  readonly notes: readonly string[];
  /** Features that give the target away. */
  readonly leaks: readonly string[];
  /** What was made of columns with text or gaps, a sentence each; absent: there are none. */
  readonly columns?: readonly string[];
  readonly model: Model;
}

/** What a training may be given beside data and options. */
export interface TrainContext {
  /** Milliseconds; without a clock `timing` is zero. Nothing else depends on it. */
  readonly now?: () => number;
  readonly onRound?: (view: RoundView) => void;
  /** The test rows, as the model decides them: for figures. */
  readonly onTested?: (tested: readonly Tested[]) => void;
  /** A linear model to start from, in raw units: `mtl` by answers then takes fewer rounds. */
  readonly start?: LinearModel | undefined;
}

export function train(table: Table, options: TrainOptions = {}, context: TrainContext = {}): TrainResult {
  const training = begin(table, options, context);
  const { placed, resolved, warmStart } = training;
  const workspace = new Workspace(new Arena(), placed.tasks, placed.columns);
  const { onRound } = context;
  const settings = withScaledEpsilon(resolved, placed.target);
  const result = METHOD[resolved.method]({ workspace, settings, onRound, warmStart });
  workspace.release();
  return finish(training, result);
}

/** The method of these options, if it needs nothing of its participants but replies. */
export function askingMethodOf({ method, aggregation }: ResolvedOptions): AskingMethod | undefined {
  if (method === 'mtl' && aggregation === 'answers') return MTL_BY_ANSWERS;
  return method === 'local' ? LOCAL : undefined;
}

/** As `train`, with a method that asks and rows held elsewhere: the result is the same to the bit. */
export async function trainWith(
  answerers: Answerers,
  table: Table,
  options: TrainOptions = {},
  context: TrainContext = {},
): Promise<TrainResult> {
  try {
    const training = begin(table, options, context);
    const { rows, tasks, d, heads } = training.placed;
    const settings = withScaledEpsilon(training.resolved, training.placed.target);
    const method = askingMethodOf(settings);
    invariant(method, `train: ${settings.method} cannot ask`);
    await answerers.hold(rows, method.problem(settings));
    const { onRound } = context;
    const { warmStart } = training;
    const asking = method.run({ tasks, d, heads, settings, onRound, warmStart });
    return finish(training, await settleWith(asking, answerers));
  } finally {
    await answerers.release();
  }
}

/** A training whose rows have been chosen and scaled, and that has not solved anything. */
function begin(table: Table, options: TrainOptions, { now = () => 0, onTested, start }: TrainContext) {
  const { resolved, notes } = understood(options, table);
  if (start) checkStart(resolved);
  const started = now();
  const prepared = prepare(table, resolved);
  const placed = tasksOf(prepared, prepared.split.train, resolved);
  const { features } = prepared.table;
  const { bias } = resolved;
  const w = start && startingW(start, { ...placed, features, bias, classes: prepared.classes });
  const note = start && startNote(start, features);
  return {
    ...{ resolved, prepared, placed, warmStart: w && { w }, now, onTested, started, loaded: now() },
    notes: [...notes, ...prepared.notes, ...(note === undefined ? [] : [note])],
  };
}

function finish(
  { resolved, notes, prepared, placed, now, onTested, started, loaded }: ReturnType<typeof begin>,
  result: MethodResult,
): TrainResult {
  const plain = assembleModel(prepared, resolved, placed, result);
  const calibration = resolved.probabilities
    ? calibrationOf(personalProblem(resolved), placed, result.w)
    : undefined;
  const model = calibration ? { ...plain, calibration } : plain;
  const solved = now();
  const tested = testedBy(model, prepared.table, prepared.y, prepared.split.test);
  onTested?.(tested);
  const { w: _w, v: _v, servesNewcomers: _s, duals: _d, ...trajectory } = result;
  return {
    method: resolved.method,
    objective: resolved.objective,
    ...(placed.target && { target: placed.target }),
    ...evaluationOf(model, tested),
    ...trajectory,
    timing: { loadMs: loaded - started, solveMs: solved - loaded },
    seed: resolved.seed,
    options: resolved,
    notes,
    leaks: prepared.leaks,
    ...(prepared.columns.length > 0 && { columns: prepared.columns }),
    model,
  };
}

/** Whose solution a personal part is. A model of `local` is one on top of w = 0, at the price of w. */
function personalProblem(options: ResolvedOptions): ResolvedOptions {
  return options.method === 'local' ? { ...options, c2: 1 } : options;
}

/** A usable model from what a method returned and how its rows were prepared. */
export function assembleModel(
  prepared: Prepared,
  options: ResolvedOptions,
  placed: Pick<Placed, 'tasks' | 'scaling' | 'map' | 'target'>,
  result: MethodResult,
): Model {
  const { method, objective, bias, seed } = options;
  return {
    method,
    objective,
    features: prepared.table.features,
    ...(prepared.encoding && { encoding: prepared.encoding }),
    bias,
    scaling: placed.scaling,
    map: placed.map,
    target: placed.target,
    classes: prepared.classes,
    w: result.w,
    personal: new Map(placed.tasks.map((task, k) => [task.id, result.v[k]])),
    servesNewcomers: result.servesNewcomers,
    options,
    seed,
    certificate: result.certificate && sumsOf(result.certificate),
  };
}

/** The file of a model has the sums alone; those of each head are in the result of the training. */
function sumsOf({ primal, dual, relativeGap }: Certificate): Certificate {
  return { primal, dual, relativeGap };
}
