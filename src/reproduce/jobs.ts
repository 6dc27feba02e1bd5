/**
 * Jobs: the pieces of work that experiments are made of. A job is plain data and its result depends on nothing else (but
 * for measured times), so results can be cached by the job's content, and computed anywhere in any order.
 */
import type { TuneGrid } from '../methods/tune/grid.ts';
import type { Objective } from '../settings/losses.ts';
import type { TrainOptions } from '../settings/training.ts';
import type { ScenarioInput } from '../sim/scenario.ts';
import type { MethodName } from '../solver/model.ts';
import type { Curve } from './curves.ts';
import type { TableSpec } from './table-spec.ts';

/** Constants by cross-validation on the training rows of one split. */
export interface TuneJob {
  readonly kind: 'tune';
  readonly table: TableSpec;
  readonly options: TrainOptions;
  readonly grid: TuneGrid;
  readonly folds: number;
}

/** A federation in virtual time. */
export interface SimulateJob {
  readonly kind: 'simulate';
  readonly table: TableSpec;
  readonly scenario: ScenarioInput;
}

/** A training in this process: for what does not depend on time. */
export interface TrainJob {
  readonly kind: 'train';
  readonly table: TableSpec;
  readonly options: TrainOptions;
}

/** One participant joins a federation that is trained already. */
export interface NewcomerJob {
  readonly kind: 'newcomer';
  readonly table: TableSpec;
  readonly scenario: ScenarioInput;
  /** By place among the participants. */
  readonly newcomer: number;
  /** Training rows it has, at the most. */
  readonly newcomerRows: number;
  readonly joinsMs: number;
}

export interface SequenceJob {
  readonly kind: 'sequence';
  readonly table: TableSpec;
  readonly scenario: ScenarioInput;
  readonly rounds: { readonly from: number; readonly to: number };
}

/** Wall-clock times of two trainings, in turns. */
export interface TimingJob {
  readonly kind: 'timing';
  readonly table: TableSpec;
  readonly candidates: Readonly<Record<string, TrainOptions>>;
  readonly runs: number;
  /**
   * Until each stops by itself, or for as few rounds as bring each within 0.005 of the test metric that the lesser of them
   * has at its end.
   */
  readonly until: 'the end' | 'the same metric';
}

/** Wall-clock times of passes over n rows of d columns. */
export interface ComplexityJob {
  readonly kind: 'complexity';
  readonly objective: Objective;
  readonly shapes: readonly (readonly [n: number, d: number])[];
  readonly repeats: number;
}

export type Job = TuneJob | SimulateJob | TrainJob | NewcomerJob | SequenceJob | TimingJob | ComplexityJob;

/** Constants of one method, and how they came about. */
export interface Constants {
  readonly method: MethodName;
  readonly scale: 'standard' | 'center' | 'none';
  readonly c1?: number;
  readonly c2?: number;
  readonly lambda?: number;
  readonly score: number;
  readonly metric: string;
  readonly tried: number;
}

export interface SimulationResult extends Curve {
  /** Mean share that answered in time. */
  readonly responders: number;
  readonly upPerParticipantRound: number;
  readonly downPerParticipantRound: number;
}

export interface ResultOf {
  readonly tune: Constants;
  readonly simulate: SimulationResult;
  /** Balanced accuracy or R2: mean over participants, and of each. */
  readonly train: { readonly metric: number; readonly participants: Readonly<Record<string, number>> };
  readonly newcomer: {
    /** With the shared part alone, when it joins. */
    readonly cold: number;
    /** After its first round, and when the training ends. */
    readonly first: number;
    readonly final: number;
    /** Rounds from joining until its metric is within 0.01 of the final one. */
    readonly rounds: number;
  };
  readonly sequence: { readonly svg: string };
  readonly timing: {
    readonly candidates: Readonly<
      Record<
        string,
        {
          /** Milliseconds of each run, from scaled rows in memory to a model. */
          readonly ms: readonly number[];
          readonly rounds: number;
          readonly passes: number;
          readonly metric: number;
        }
      >
    >;
  };
  readonly complexity: {
    readonly points: readonly { readonly n: number; readonly d: number; readonly passMs: number }[];
  };
}

export type JobResult = ResultOf[keyof ResultOf];

/** Jobs whose results are measured times: they need the machine for themselves. */
export function isTimed({ kind }: Pick<Job, 'kind'>): boolean {
  return kind === 'timing' || kind === 'complexity';
}
