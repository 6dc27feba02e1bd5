/** What goes into the participant's machine and what comes out of it. */
import type { Scaling } from '../math/scaling.ts';
import type { Agreement } from '../protocol/agreement.ts';
import type { Scalars, ToCoordinator, ToParticipant } from '../protocol/messages.ts';
import type { TestReport } from '../protocol/test-reports.ts';
import type { FederationSettings } from '../settings/wire.ts';
import type { Solution } from '../solver/member.ts';
import type { BoxContext } from '../solver/problem.ts';
import type { Stored } from './state.ts';

/** A local solve to make; with `steps` and purpose `certify` only an evaluation of the model. */
export interface SolveRequest {
  readonly round: number;
  readonly purpose: 'train' | 'certify' | 'personalise';
  readonly w: Float64Array;
  /** The solution accepted last; undefined: nothing contributed yet. */
  readonly committed: Solution | undefined;
  /** Duals to start from instead of the committed ones. */
  readonly warm: Float64Array | undefined;
  readonly sigma: number;
  readonly tolerance: number;
  readonly passes: number;
  readonly seed: number;
  /** Be done within this time, with whatever there is then; Infinity: solve to the end. */
  readonly budgetMs: number;
}

export interface SolveResult {
  readonly round: number;
  readonly purpose: SolveRequest['purpose'];
  readonly scalars: Scalars;
  readonly solution: Solution;
  /** u of the answer as it is before a mask: the own model, which is not sent. */
  readonly own?: Float64Array | undefined;
  /** What the step went from, which the first one knows only now. */
  readonly committed: Solution;
  readonly passes: number;
  readonly computeMs: number;
  /** The own share of the noise on a secure sum, on its grid. */
  readonly noise?: Float64Array | undefined;
  /** Of the model that is answered with, where tests are reported. */
  readonly tests?: TestReport | undefined;
}

export type ParticipantInput = { readonly now: number } & (
  | { readonly type: 'start' }
  | { readonly type: 'message'; readonly message: ToParticipant }
  | { readonly type: 'prepared'; readonly problem: BoxContext }
  | { readonly type: 'solved'; readonly result: SolveResult }
  /** By the enrolment key. */
  | { readonly type: 'signed'; readonly signature: Uint8Array }
  | { readonly type: 'timer' }
  | { readonly type: 'leave' }
);

export type ParticipantEffect =
  | { readonly type: 'persist'; readonly stored: Stored }
  | { readonly type: 'send'; readonly message: ToCoordinator }
  /** Scale the rows and answer with `prepared`. */
  | {
      readonly type: 'prepare';
      readonly settings: FederationSettings;
      readonly scaling: Scaling;
      readonly agreement: Agreement;
    }
  /** Have it signed by the enrolment key and answer with `signed`. */
  | { readonly type: 'sign'; readonly statement: Uint8Array }
  /** Answer with `solved`. */
  | { readonly type: 'solve'; readonly request: SolveRequest }
  /** Drop the solve under way: no answer. */
  | { readonly type: 'cancel' }
  /** Answer for the solve under way now, with what there is. */
  | { readonly type: 'interrupt' }
  /** One timer: a new one replaces it. */
  | { readonly type: 'timer'; readonly atMs: number };
