/**
 * What participants and the coordinator say to each other. PROTOCOL.md has the bytes; `codec.ts` writes and reads them.
 * A message says all that is needed to act on it alone: any may be lost, doubled, late or out of order.
 */
import type { DpSettings } from '../privacy/dp/index.ts';
import type { MaskSettings } from '../privacy/index.ts';
import type { Objective } from '../solver/index.ts';
import type { SecureToCoordinator, SecureToParticipant } from './secure-messages.ts';

export type * from './secure-messages.ts';

export const PROTOCOL_VERSION = 2;

/** Numbers of a vector on the wire. Both sides go on with exactly what was sent. */
export type Precision = 'f64' | 'f32';

/** What all participants must agree on. Sent as JSON text inside `welcome`. */
export interface FederationSettings {
  readonly objective: Objective;
  readonly c1: number;
  readonly c2: number;
  readonly epsilon: number;
  readonly classWeight: 'none' | 'balanced';
  readonly scale: 'standard' | 'center' | 'none';
  readonly bias: boolean;
  /** Features before the bias. */
  readonly features: number;
  /** Local solutions to keep beside the committed one. */
  readonly atoms: number;
  /** Most local passes in a round. */
  readonly passes: number;
  readonly seed: number;
  readonly straggler: StragglerPolicy;
  readonly precision: Precision;
  /** How long to wait for an answer before sending again. */
  readonly retryMs: number;
  /** Updates are masked; absent: they are not. */
  readonly mask?: MaskSettings | undefined;
  /** Steps are clipped, their sum carries noise, and no scalars are told; absent: none of it. */
  readonly dp?: DpSettings | undefined;
  /** Only sums of updates are seen by the coordinator; absent: it sees each of them. */
  readonly secure?: SecureSettings | undefined;
}

/** Grid and thresholds of secure aggregation (secure-sums.ts, privacy/secure). */
export interface SecureSettings {
  /** An entry that is summed is a multiple of 2^-scaleBits. */
  readonly scaleBits: number;
  /** Largest absolute value of an entry of one participant. */
  readonly limit: number;
  /** The step of a round is a multiple of 2^-stepBits. */
  readonly stepBits: number;
  /** Largest share of participants that may vanish during a round. */
  readonly dropout: number;
  /** Largest share of participants that may work for the coordinator. */
  readonly corrupted: number;
}

/**
 * What a participant does when a new round opens while it still solves for an old one.
 *   restart  drop the work, start again from the committed state (the paper)
 *   resume   start again from the unfinished duals
 *   anytime  never be caught: send what there is just before the deadline
 */
export type StragglerPolicy = 'restart' | 'resume' | 'anytime';

/** Certificate scalars of the model (w of the round, v_k = u_k / C2) a participant holds. */
export interface Scalars {
  readonly loss: number;
  readonly dualSum: number;
  readonly uNorm2: number;
}

/* ---- from participant to coordinator ---- */

/** First thing said, and said again after every restart. */
export interface Join {
  readonly kind: 'join';
  readonly id: string;
  readonly rows: number;
  readonly features: number;
  /** Time of a benchmark solve, for waiting periods derived from it. */
  readonly benchmarkMs: number;
  /** Counts the lives of a participant: every start and every new beginning is a new one, from 1. */
  readonly session: number;
  /** Last round whose outcome was accepted and committed; 0: none. */
  readonly base: number;
  /** Round of an update whose outcome is not known yet; 0: none. */
  readonly pending: number;
}

/** For the federated standardisation. */
export interface Moments {
  readonly kind: 'moments';
  readonly count: number;
  readonly mean: Float64Array;
  readonly m2: Float64Array;
}

export interface UpdateMessage {
  readonly kind: 'update';
  readonly session: number;
  /** (participant, round) is the identity of an update. */
  readonly round: number;
  /** The committed state it starts from, as the last round accepted: an update on anything else is refused. */
  readonly base: number;
  readonly du: Float64Array;
  readonly ds: number;
  readonly uDotDu: number;
  readonly duNorm2: number;
  /** About the committed model, for the certificate; `dualSum` is the committed s. */
  readonly scalars: Scalars;
  readonly passes: number;
  readonly computeMs: number;
}

/** Answer to a certifying round: no update. */
export interface Report {
  readonly kind: 'report';
  readonly session: number;
  readonly round: number;
  readonly base: number;
  readonly scalars: Scalars;
}

/** Gone for good; the contribution stays in w until the operator says otherwise. */
export interface Leave {
  readonly kind: 'leave';
  readonly session: number;
}

/* ---- from coordinator to participant ---- */

export interface Welcome {
  readonly kind: 'welcome';
  readonly settings: FederationSettings;
  /** Present once it is settled: newcomers need no `moments` exchange. */
  readonly scaling: { readonly shift: Float64Array; readonly factor: Float64Array } | undefined;
}

/** What became of the last update of this participant that was accepted. */
export interface Accepted {
  /** 0: none so far. */
  readonly round: number;
  /** For the committed solution, then for each atom, oldest first. */
  readonly weights: readonly number[];
  /**
   * In (0, 1): only this share of the step was let through by the coordinator's norm bound. The newest atom is
   * shortened by it, before the weights are applied and for good; absent: taken as it was sent.
   */
  readonly factor?: number;
}

/**
 * Opens a round. An update of an earlier round was accepted if `accepted.round` names it, and missed otherwise: the
 * participant commits or rolls back.
 */
export interface RoundMessage {
  readonly kind: 'round';
  /** The life of the participant that is spoken to: any other does not listen. */
  readonly session: number;
  readonly round: number;
  /** The round whose model (its w, and what was committed then) is the best that is known; 0: use the latest. */
  readonly best: number;
  readonly purpose: 'train' | 'certify';
  readonly w: Float64Array;
  readonly sigma: number;
  readonly tolerance: number;
  /** Time left to answer; Infinity: as long as it takes. */
  readonly waitMs: number;
  readonly accepted: Accepted;
}

/** Answer to an update that came late or again. */
export interface OutcomeMessage {
  readonly kind: 'outcome';
  readonly session: number;
  readonly round: number;
  readonly accepted: Accepted;
}

export interface Finish {
  readonly kind: 'finish';
  readonly session: number;
  readonly round: number;
  /** As in `round`. */
  readonly best: number;
  readonly reason: FinishReason;
  readonly w: Float64Array;
  readonly accepted: Accepted;
}

/** Why it ended, for all; `left`: for one participant that said it leaves; `budget`: of privacy. */
export type FinishReason = 'gap' | 'stall' | 'rounds' | 'time' | 'operator' | 'left' | 'budget';

/** What was said cannot be taken; `code` is stable. */
export interface Reject {
  readonly kind: 'reject';
  readonly code: RejectCode;
  /** The session that is meant, where it matters (FORGOTTEN); 0: any. */
  readonly session: number;
  readonly message: string;
}

export const REJECT_CODES = [
  'BAD_FRAME',
  'BAD_VERSION',
  'NOT_JOINED',
  'WRONG_FEATURES',
  'NOT_FINITE',
  'WRONG_SHAPE',
  'STATE_MISMATCH',
  'FORGOTTEN',
  'INFEASIBLE',
  'TOO_LATE',
  'FUTURE_ROUND',
  'TOO_LARGE',
  'WRONG_IDENTITY',
  'RATE_LIMITED',
] as const;
export type RejectCode = (typeof REJECT_CODES)[number];

export type ToCoordinator = Join | Moments | UpdateMessage | Report | Leave | SecureToCoordinator;
export type ToParticipant = Welcome | RoundMessage | OutcomeMessage | Finish | Reject | SecureToParticipant;
export type Message = ToCoordinator | ToParticipant;
