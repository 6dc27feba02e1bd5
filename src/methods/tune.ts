/**
 * Tuning: C1, C2 (or lambda), the scaling, features, epsilon and class weights by cross-validation inside the participants. Folds are drawn from training
 * rows only; the test rows of `train` with the same seed are never used.
 *
 * A tuning is planned; its search (tune/search.ts) asks for chains of trainings (tune/chain.ts), which are done in any order and anywhere.
 * docs/tuning.md describes it for users.
 */
import { foldsOf } from '../data/split.ts';
import type { Table } from '../data/table.ts';
import { textOfMap } from '../settings/feature-map.ts';
import type { TrainOptions } from '../settings/training.ts';
import type { MethodName } from '../solver/model.ts';
import { type ResolvedOptions, understood } from './options.ts';
import { prepare } from './prepare.ts';
import { ChainSolver, type TuneWork } from './tune/chain.ts';
import {
  type Candidate,
  candidatesOf,
  checkedGrid,
  type Edge,
  named,
  rangesOf,
  type TuneGrid,
} from './tune/grid.ts';
import { chooseMetric, type TuneMetric, usualClassWeights, usualEpsilons } from './tune/metric.ts';
import { Scoring } from './tune/score.ts';
import { type SearchKind, type SearchOutcome, type SearchPlan, search } from './tune/search.ts';

export interface TuneOptions extends TrainOptions {
  /** What is not in it is as usual for the method. An epsilon or class weight given beside it is used as it is. */
  readonly grid?: TuneGrid;
  /** Default: 5; 3 for a quick search. */
  readonly folds?: number;
  /** Default: rmse for regression; balancedAccuracy for balanced class weights and uneven classes, errorRate otherwise. */
  readonly metric?: TuneMetric;
  /** Default: halving, which drops candidates on the way; grid trains every one of them on all folds; quick is what `kindred train` does without C1 and C2. */
  readonly search?: SearchKind;
}

/** A candidate and how it did on held-out rows. */
export interface TuneRow extends Pick<Candidate, 'scale'>, Partial<Omit<Candidate, 'scale'>> {
  readonly score: number;
  /** Over participants. */
  readonly standardError: number;
  /** Folds that the score is of; fewer than all: it was dropped. */
  readonly folds: number;
}

export interface TuneResult {
  readonly method: MethodName;
  readonly objective: ResolvedOptions['objective'];
  readonly metric: TuneMetric;
  /** Why this metric. */
  readonly metricReason: string;
  readonly folds: number;
  readonly search: {
    readonly kind: SearchKind;
    readonly trainings: number;
    /** Times that a range was continued beyond its end; of a quick search: steps from the winner of the grid. */
    readonly widened: number;
  };
  /** Best first; who was dropped comes after all who were not. */
  readonly table: readonly TuneRow[];
  readonly best: TuneRow;
  /** The choice as options of `train`, with everything that was given beside the grid: the same columns, objective and split. */
  readonly chosen: TrainOptions;
  /** Ranges at whose end the choice is: a better one may lie beyond. */
  readonly edges: readonly Edge[];
  /** Features that give the target away. */
  readonly leaks: readonly string[];
  /** Sentences for people: how targets were understood. */
  readonly notes: readonly string[];
  readonly seed: number;
  readonly options: ResolvedOptions;
}

export interface TuneContext {
  /** Called when the search goes on, and after every training. `total` is an estimate until the search knows who goes on. */
  readonly onProgress?: (done: number, total: number) => void;
}

const FOLDS = 5;
const QUICK_FOLDS = 3;
/** Cross-validation compares models, it need not polish them. */
const TUNE_GAP = 3e-3;
const TUNE_ROUNDS = 50;

export function tune(table: Table, options: TuneOptions = {}, context: TuneContext = {}): TuneResult {
  const plan = planTuning(table, options);
  const progress = new TuneProgress(context);
  const solver = new ChainSolver(plan.work);
  const searching = search(plan.search);
  let step = searching.next([]);
  while (!step.done) {
    progress.expect(step.value.expected);
    step = searching.next(step.value.chains.map((chain) => solver.decide(chain, progress.solved)));
  }
  solver.release();
  return tuneResult(plan, step.value);
}

export interface TunePlan {
  readonly work: TuneWork;
  readonly search: SearchPlan;
  readonly metricReason: string;
  readonly notes: readonly string[];
  /** What was given for all trainings. */
  readonly given: TrainOptions;
}

export function planTuning(table: Table, options: TuneOptions): TunePlan {
  const { grid: given = {}, metric: wanted, search: kind = 'halving', ...others } = options;
  const { folds = kind === 'quick' ? QUICK_FOLDS : FOLDS, ...rest } = others;
  const { resolved, notes } = understood({ gap: TUNE_GAP, rounds: TUNE_ROUNDS, ...rest }, table);
  const prepared = prepare(table, resolved);
  const { objective, loss, method, gap, rounds } = resolved;
  const classWeight = rest.classWeight ?? given.classWeight?.[0];
  const { metric, why } = chooseMetric(wanted, { objective, loss, classWeight }, prepared);
  const grid = checkedGrid(given, {
    ...rangesOf(method, kind === 'quick' ? 'coarse' : 'whole'),
    epsilon: rest.epsilon === undefined ? usualEpsilons(resolved, prepared) : [rest.epsilon],
    classWeight: rest.classWeight === undefined ? usualClassWeights(metric, resolved) : [rest.classWeight],
    features: [textOfMap(resolved.features)],
  });
  const splits = foldsOf(prepared.table, { seed: resolved.seed, folds, rows: prepared.split.train });
  const open = new Set((['c1', 'c2', 'lambda'] as const).filter((name) => given[name] === undefined));
  return {
    work: { prepared, options: resolved, splits },
    search: {
      ...{ kind, grid, folds, open },
      candidates: candidatesOf(grid, resolved),
      effort: { gap, rounds },
      scoring: new Scoring(resolved, metric, prepared, splits),
    },
    metricReason: why,
    notes: [...notes, ...prepared.notes],
    given: rest,
  };
}

/** Counts trainings. */
export class TuneProgress {
  private readonly onProgress: NonNullable<TuneContext['onProgress']>;
  private done = 0;
  private expected = 0;

  constructor({ onProgress = () => {} }: TuneContext) {
    this.onProgress = onProgress;
  }

  /** So many in all. */
  expect(trainings: number): void {
    this.expected = trainings;
    this.onProgress(this.done, Math.max(this.done, trainings));
  }

  readonly solved = (): void => {
    this.onProgress(++this.done, Math.max(this.done, this.expected));
  };
}

export function tuneResult(plan: TunePlan, outcome: SearchOutcome): TuneResult {
  const { work, search: planned, metricReason } = plan;
  const { method, objective, seed } = work.options;
  const { grid, edges, trainings, widened } = outcome;
  const table = outcome.tried.map(({ candidate, score: { score, standardError }, folds }): TuneRow => {
    return { ...named(candidate, grid), score, standardError, folds };
  });
  return {
    ...{ method, objective, metric: planned.scoring.metric, metricReason, folds: planned.folds },
    search: { kind: planned.kind, trainings, widened },
    ...{ table, best: table[0], chosen: chosenFrom(plan, outcome), edges },
    ...{ leaks: work.prepared.leaks, notes: plan.notes, seed },
    options: { ...work.options, epsilon: planned.grid.epsilon[0], classWeight: planned.grid.classWeight[0] },
  };
}

function chosenFrom(
  { work, given, search: { grid } }: TunePlan,
  { tried: [best] }: SearchOutcome,
): TrainOptions {
  // The accuracy of the search is not that of a training.
  const { gap: _gap, ...rest } = given;
  const { method, seed, testFraction, objective } = work.options;
  const { epsilon, classWeight, features } = best.candidate;
  const weighing = objective === 'regression' ? { epsilon } : { classWeight };
  const mapped = features === 'none' ? {} : { features };
  return { ...rest, ...mapped, method, seed, testFraction, ...weighing, ...named(best.candidate, grid) };
}
