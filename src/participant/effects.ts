/** What goes into the participant's machine and what comes out of it. */
import type { Scaling } from '../data/index.ts';
import type { FederationSettings, Scalars, ToCoordinator, ToParticipant } from '../protocol/index.ts';
import type { CommitContext, Solution, Update } from '../solver/index.ts';
import type { Stored } from './state.ts';

/** A local solve to make, or (purpose `certify`) only a look at the model. */
export interface SolveRequest {
  readonly round: number;
  readonly purpose: 'train' | 'certify';
  readonly w: Float64Array;
  /** Undefined: nothing contributed yet. */
  readonly committed: Solution | undefined;
  /** Duals to go on from instead of the committed ones. */
  readonly unfinished: Float64Array | undefined;
  readonly sigma: number;
  readonly tolerance: number;
  readonly passes: number;
  readonly seed: number;
  /** Be done within this time, with whatever there is then; Infinity: solve to the end. */
  readonly budgetMs: number;
}

export interface SolveResult {
  readonly round: number;
  readonly scalars: Scalars;
  /** Absent when certifying. */
  readonly proposal: { readonly update: Update; readonly atom: Solution } | undefined;
  readonly committed: Solution;
  readonly passes: number;
  readonly computeMs: number;
}

export type ParticipantInput = { readonly now: number } & (
  | { readonly type: 'start' }
  | { readonly type: 'message'; readonly message: ToParticipant }
  | { readonly type: 'prepared'; readonly problem: CommitContext }
  | { readonly type: 'solved'; readonly result: SolveResult }
  | { readonly type: 'timer' }
  | { readonly type: 'leave' }
);

export type ParticipantEffect =
  | { readonly type: 'persist'; readonly stored: Stored }
  | { readonly type: 'send'; readonly message: ToCoordinator }
  /** Scale the rows and answer with `prepared`. */
  | { readonly type: 'prepare'; readonly settings: FederationSettings; readonly scaling: Scaling }
  /** Answer with `solved`. */
  | { readonly type: 'solve'; readonly request: SolveRequest }
  /** Drop the solve under way: no answer. */
  | { readonly type: 'cancel' }
  /** Answer for the solve under way now, with what there is. */
  | { readonly type: 'interrupt' }
  /** One timer: a new one replaces it. */
  | { readonly type: 'timer'; readonly atMs: number };
