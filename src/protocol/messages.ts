/**
 * What participants and the coordinator send each other. PROTOCOL.md has the bytes; `codec.ts` writes and reads them.
 * Branches of a tree (branch-messages.ts) and secure aggregation (secure-messages.ts) add messages of their own.
 * A message has all that is needed to act on it alone: any may be lost, duplicated, late or out of order.
 */
import type { FederationSettings } from '../settings/wire.ts';
import type { AnswerScalars } from '../solver/answer.ts';
import type { Agreement, ColumnClaim } from './agreement.ts';
import type { Enlist, PartialSum, TimingMessage } from './branch-messages.ts';
import type { DeclineCode, FaultCode, RejectCode } from './codes.ts';
import type { SecureToCoordinator, SecureToParticipant } from './secure-messages.ts';
import type { TestReport } from './test-reports.ts';

export const PROTOCOL_VERSION = 7;

/** Numbers of a vector on the wire. Both sides go on with exactly what was sent. */
export type Precision = FederationSettings['precision'];
export type Training = FederationSettings['training'];

/** How good a participant's model (w of the round, v_k = u_k / C2) is on its rows. */
export type Scalars = AnswerScalars;

/* ---- from participant to coordinator ---- */

/** The first message, after every start. */
export interface Join {
  readonly kind: 'join';
  readonly id: string;
  readonly rows: number;
  readonly features: number;
  /** Time of a benchmark solve, for waiting periods derived from it. */
  readonly benchmarkMs: number;
  /** Counts the sessions of a participant, from 1: every start and every new beginning is a new one. */
  readonly session: number;
  /** Round of its last accepted answer, as far as it knows; 0: none. */
  readonly base: number;
  /** Round of an answer of which it does not know whether it was accepted; 0: none. */
  readonly pending: number;
  /** Counts the changes of its rows: answers about other rows do not count any more. */
  readonly edition: number;
}

/** What the scaling and the agreement on targets need of a participant: only what is asked for (agreement.ts). */
export interface Moments {
  readonly kind: 'moments';
  /** Of the training rows, for the moments; 0 where none are asked for. */
  readonly count: number;
  /** Of the features; empty where they are not asked for. */
  readonly mean: Float64Array;
  readonly m2: Float64Array;
  /** Of the targets. */
  readonly target: { readonly mean: number; readonly m2: number } | undefined;
  /** Names of its classes, canonical and sorted; no counts. */
  readonly labels: readonly string[];
  /** The class that it was told is positive. */
  readonly positive: string | undefined;
  /** Its columns, where some have text or gaps: means and squares are then of the values that are known. Absent: all are numbers, all known. */
  readonly columns?: readonly ColumnClaim[] | undefined;
  /** Their names, where participants may have different ones. */
  readonly names?: readonly string[] | undefined;
}

/** Answer to a round: the whole contribution of the participant, in place of its last one. */
export interface AnswerMessage {
  readonly kind: 'answer';
  readonly session: number;
  /** (participant, round) is the identity of an answer. */
  readonly round: number;
  /** Round of its last accepted answer: one that would replace another is refused. */
  readonly base: number;
  readonly u: Float64Array;
  /** With `answers` about (w, u / C2); with `steps` about (w, what was accepted last / C2). */
  readonly scalars: Scalars;
  readonly passes: number;
  readonly computeMs: number;
  /** The contribution accepted last, where the round asks for it. */
  readonly previous: Float64Array | undefined;
  /** Of the model that it answers with, on its test rows: only of those who have chosen to report it. */
  readonly tests?: TestReport | undefined;
}

/** Leaves for good; the contribution stays in w until the operator has it forgotten. */
export interface Leave {
  readonly kind: 'leave';
  readonly session: number;
}

/** Does not take part: `round` is the one that it is about, 0 for all. What it has against it is its own business, but for the code. */
export interface Decline {
  readonly kind: 'decline';
  readonly session: number;
  readonly round: number;
  readonly code: DeclineCode;
}

/** Something has gone wrong at the participant. Sent once and not answered: a code from a closed list, so that no data can be in it. */
export interface Fault {
  readonly kind: 'fault';
  readonly session: number;
  /** The newest round that it knew of; 0: none. */
  readonly round: number;
  readonly code: FaultCode;
}

/* ---- from coordinator to participant ---- */

export interface Welcome {
  readonly kind: 'welcome';
  readonly settings: FederationSettings;
  /** Present once it is settled: newcomers need no `moments` exchange. */
  readonly scaling: { readonly shift: Float64Array; readonly factor: Float64Array } | undefined;
  /** How many more participants have to join before training starts. */
  readonly awaited: number;
  /** Complete together with the scaling; classes may be known before. */
  readonly agreement: Agreement | undefined;
  /** What training waits for, where it is more than participants and what they bring. */
  readonly waitingFor: string | undefined;
}

/** The last answer of this participant that was accepted. */
export interface Accepted {
  /** 0: none so far. */
  readonly round: number;
  /** In (0, 1): only this share of the change was taken, by the coordinator's norm bound; absent: all of it. */
  readonly factor?: number | undefined;
}

/**
 * Opens a round. An answer to an earlier round was accepted if `accepted.round` names it, and missed otherwise: both sides agree
 * which one counts.
 */
export interface RoundMessage {
  readonly kind: 'round';
  /** The session that is addressed: any other ignores it. */
  readonly session: number;
  readonly round: number;
  /** The round whose w is the best that is known; 0: use the latest. */
  readonly best: number;
  /** `certify`: the round waits for everybody; with `steps` nobody makes one. */
  readonly purpose: 'train' | 'certify';
  readonly w: Float64Array;
  readonly sigma: number;
  readonly tolerance: number;
  /** Time left to answer; Infinity: as long as it takes. */
  readonly waitMs: number;
  readonly accepted: Accepted;
  /** Whether the answer has to bring along the contribution that was accepted last: the coordinator does not know it. */
  readonly sendPrevious: boolean;
}

/** Response to an answer that came late or again. */
interface OutcomeMessage {
  readonly kind: 'outcome';
  readonly session: number;
  readonly round: number;
  readonly accepted: Accepted;
}

/** Training rests, for good or until it goes on with another `round`; w is the shared part in use. */
export interface Finish {
  readonly kind: 'finish';
  readonly session: number;
  readonly round: number;
  /** As in `round`. */
  readonly best: number;
  readonly reason: FinishReason;
  readonly w: Float64Array;
  readonly accepted: Accepted;
  /** How many have contributed to w, and how many who have joined the certificate does not cover. */
  readonly participants: number;
  readonly missing: number;
}

/** Why it ended, for all; `left`: for one participant that has left; `budget`: of privacy. */
export type FinishReason = 'gap' | 'stall' | 'rounds' | 'time' | 'operator' | 'left' | 'budget';

/** A message was refused; `code` is stable. */
export interface Reject {
  readonly kind: 'reject';
  readonly code: RejectCode;
  /** The session that is meant, where it matters (FORGOTTEN); 0: any. */
  readonly session: number;
  readonly message: string;
}

export type ToCoordinator =
  | Join
  | Moments
  | AnswerMessage
  | Leave
  | Decline
  | Fault
  | Enlist
  | PartialSum
  | SecureToCoordinator;
export type ToParticipant =
  | Welcome
  | RoundMessage
  | TimingMessage
  | OutcomeMessage
  | Finish
  | Reject
  | SecureToParticipant;
export type Message = ToCoordinator | ToParticipant;
