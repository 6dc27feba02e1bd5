/**
 * What every training method takes and gives. A method sees tasks (one per participant: rows to be placed in kernel
 * memory, targets, weights) and returns a shared part w and personal parts v_k; participant k's model is w + v_k.
 */
import type { Aggregation } from '../settings/training.ts';
import type { HeadsCertificate } from '../solver/certificate.ts';
import type { InquiryOptions } from '../solver/inquiry-types.ts';
import type { ProblemSettings } from '../solver/problem.ts';
import type { Workspace } from './workspace.ts';

export interface MethodSettings extends ProblemSettings {
  /** MOCHA's regularisation. */
  readonly lambda: number;
  readonly aggregation: Aggregation;
  /** Most local passes in a round. */
  readonly passes: number;
  /** Most rounds. */
  readonly rounds: number;
  /** Stop when the relative gap is at most this. */
  readonly gap: number;
  readonly seed: number;
}

export interface HistoryRow {
  readonly round: number;
  readonly primal: number;
  /** Null where the method has no dual (fedavg). */
  readonly dual: number | null;
  readonly relativeGap: number | null;
}

/** The model after a round, for observers. Valid during the call only. */
export interface RoundView {
  readonly row: HistoryRow;
  readonly w: Float64Array;
  personal(k: number): Float64Array;
}

/** The solution of a nearby problem, to start from. */
export interface WarmStart {
  readonly w: Float64Array;
  /** One per task, in the order of the tasks. Undefined: only w is known, and everybody answers it from scratch. */
  readonly duals?: readonly Float64Array[] | undefined;
}

export interface MethodInput {
  readonly workspace: Workspace;
  readonly settings: MethodSettings;
  readonly onRound?: ((view: RoundView) => void) | undefined;
  readonly warmStart?: WarmStart | undefined;
  /** What the coordinator's side of `mtl` may see of answers; default: each of them. */
  readonly sees?: InquiryOptions['sees'] | undefined;
  /** Most passes of one task in one round, where nodes differ; default: `settings.passes` for all. */
  readonly passesOf?: ((task: number, round: number) => number) | undefined;
}

/** Why a training ended: certified, no longer improving, or out of rounds. */
export type Stopped = 'gap' | 'stall' | 'rounds';

/** Of problems that are solved side by side: those that stopped above the target gap, each by itself. */
export interface Unfinished {
  readonly problems: number;
  readonly of: number;
  readonly largestGap: number;
}

export interface MethodResult {
  readonly w: Float64Array;
  readonly v: readonly Float64Array[];
  /** Whether w alone is a model for a participant that was not there. */
  readonly servesNewcomers: boolean;
  readonly certificate?: HeadsCertificate;
  readonly conservation?: { readonly relativeError: number };
  readonly rounds: number;
  /** Local passes over a participant's rows, summed over participants and rounds. */
  readonly passes: number;
  readonly history: readonly HistoryRow[];
  readonly stopped: Stopped;
  readonly unfinished?: Unfinished;
  /** Duals per task, for a warm start; undefined where the method has none. */
  readonly duals?: WarmStart['duals'];
}

/** How a training went, apart from the model. */
export type Trajectory = Required<
  Pick<MethodResult, 'certificate' | 'rounds' | 'passes' | 'history' | 'stopped'>
> &
  Pick<MethodResult, 'unfinished'>;

export type Method = (input: MethodInput) => MethodResult;
