/**
 * What participants and the coordinator send each other. PROTOCOL.md has the bytes; `codec.ts` writes and reads them.
 * A message has all that is needed to act on it alone: any may be lost, duplicated, late or out of order.
 */

import type {
  Advertisement,
  Attestations,
  Attested,
  Counted,
  Dealt,
  Delivered,
  Masked,
  Revealed,
  Roster,
} from '../privacy/secure/messages.ts';
import type { Waiting } from '../settings/federation.ts';
import type { FederationSettings } from '../settings/wire.ts';
import type { AnswerScalars } from '../solver/answer.ts';
import type { GroupBounds } from '../solver/inquiry-types.ts';
import type { Agreement, ColumnClaim } from './agreement.ts';
import type { GroupTests, TestReport } from './test-reports.ts';

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

/** By code, its number on the wire. */
export const DECLINE_NUMBERS = {
  /** A protection that its policy asks for is not there. */
  REQUIREMENT: 1,
  /** More work than its policy allows. */
  EFFORT: 2,
  /** Too few to be summed with. */
  PEERS: 3,
  /** Somebody would stand out in the sum. */
  HIDING: 4,
  /** Others attest to something else than it was asked. */
  STATEMENT: 5,
} as const;
export type DeclineCode = keyof typeof DECLINE_NUMBERS;
export const DECLINE_CODES = Object.keys(DECLINE_NUMBERS) as DeclineCode[];

/* ---- from a branch of a tree of coordinators to its parent, beside `moments`: it stands for the participants behind it ---- */

/** The first message of a branch, and the one that brings news while training rests. */
export interface Enlist {
  readonly kind: 'enlist';
  readonly id: string;
  /** Epoch of the process that speaks for the branch: a later one takes its place. */
  readonly session: number;
  readonly features: number;
  /** Behind it, and their rows. */
  readonly participants: number;
  readonly rows: number;
  /** Rounds of its last accepted partial sum, and of one of which it does not know whether it was accepted; 0: none. */
  readonly base: number;
  readonly pending: number;
  /** The highest number of a round that it knows: none is used twice. */
  readonly rounds: number;
  /** Counts its news: somebody new, other rows, somebody forgotten. */
  readonly edition: number;
  /** Whether it has a scaling and an agreement. */
  readonly settled: boolean;
}

/** Answer of a branch to a round: the last answers of all behind it, in place of its last partial sum. */
export interface PartialSum {
  readonly kind: 'partial';
  readonly session: number;
  /** (branch, round) is the identity of a partial sum. */
  readonly round: number;
  readonly u: Float64Array;
  /** Bounds of the group, for each head. */
  readonly heads: readonly GroupBounds[];
  /** How many the bounds cover, have answered this round, do not come back, and have not answered yet but still may. */
  readonly participants: number;
  readonly answered: number;
  readonly missing: number;
  readonly unanswered: number;
  /** Counts what has made its function another one. */
  readonly renewed: number;
  readonly passes: number;
  readonly computeMs: number;
  /** What those who have answered this round report of their test rows; undefined: nobody does. */
  readonly tests: GroupTests | undefined;
}

/** Something has gone wrong at the participant. Sent once and not answered: a code from a closed list, so that no data can be in it. */
export interface Fault {
  readonly kind: 'fault';
  readonly session: number;
  /** The newest round that it knew of; 0: none. */
  readonly round: number;
  readonly code: FaultCode;
}

/** By code, its number on the wire. */
export const FAULT_NUMBERS = {
  /** None of the others. */
  OTHER: 1,
  /** The solver has stopped. */
  SOLVER_FAILED: 2,
  OUT_OF_MEMORY: 3,
  /** Its state could not be stored. */
  STORAGE_FAILED: 4,
  /** Targets or columns do not fit what was agreed on. */
  ROWS_REFUSED: 5,
  /** It was started for another kind of federation: secure aggregation, or reports of tests. */
  WRONG_OPTIONS: 6,
  /** Its numbers are too large for secure sums. */
  SECURE_OVERFLOW: 7,
  /** Others attest to something else than it was asked, again and again. */
  CONTRADICTED: 8,
  /** It knows of another accepted answer than the coordinator. */
  STATE_MISMATCH: 9,
  /** Frames that it could not read. */
  BAD_FRAME: 10,
} as const;
export type FaultCode = keyof typeof FAULT_NUMBERS;
export const FAULT_CODES = Object.keys(FAULT_NUMBERS) as FaultCode[];

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

/** To a branch, before each `round`: how long that one and those after it stay open. */
export interface TimingMessage {
  readonly kind: 'timing';
  readonly session: number;
  readonly waiting: Waiting;
  /** Infinity: no limit. */
  readonly maxWaitMs: number;
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

/** By code, its number on the wire. 10 was TOO_LATE of version 2, and is not used again. */
export const REJECT_NUMBERS = {
  BAD_FRAME: 1,
  BAD_VERSION: 2,
  NOT_JOINED: 3,
  WRONG_FEATURES: 4,
  NOT_FINITE: 5,
  WRONG_SHAPE: 6,
  STATE_MISMATCH: 7,
  FORGOTTEN: 8,
  INFEASIBLE: 9,
  FUTURE_ROUND: 11,
  TOO_LARGE: 12,
  WRONG_IDENTITY: 13,
  RATE_LIMITED: 14,
  WRONG_CLASSES: 15,
  /** Its shares in a secure sum were wrong: it takes part in none until the operator has it forgotten. */
  EXPELLED: 16,
} as const;
export type RejectCode = keyof typeof REJECT_NUMBERS;
export const REJECT_CODES = Object.keys(REJECT_NUMBERS) as RejectCode[];

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

/* ---- with secure aggregation, beside `round`: the messages of src/privacy/secure, in the session of who sends or receives them ---- */

/**
 * What a round sums (secure-sums.ts has the vectors).
 *   measure  the moments of the rows, for the scaling
 *   train    changes of the contributions since those accepted last
 */
export type SumPurpose = 'measure' | 'train';

/** A message of secure aggregation as it is sent: from or to this session of a participant. */
type InSession<Kind extends string, Content> = Content & { readonly kind: Kind; readonly session: number };

/* ---- from participant to coordinator ---- */

/** A participant's keys: sent once the settings are known, and when a roster or a plan does not fit. */
export type Advertise = InSession<'advertise', Omit<Advertisement, 'id'>>;
export type DealtMessage = InSession<'dealt', Dealt>;
/** `base` as in `answer`. */
export type MaskedMessage = InSession<'masked', Masked & { readonly base: number }>;
export type AttestedMessage = InSession<'attested', Attested>;
export type RevealedMessage = InSession<'revealed', Revealed>;

/* ---- from coordinator to participant ---- */

/** `round` is the first that it is for: an older roster is ignored. */
export type RosterMessage = InSession<'roster', Roster & { readonly round: number }>;
export type PlanMessage = InSession<'plan', Plan>;
export type DeliveredMessage = InSession<'delivered', Delivered>;
export type CountedMessage = InSession<'counted', Counted>;
export type AttestationsMessage = InSession<'attestations', Attestations>;

/** Opens the sum of a round; lengths and grid follow from the settings. A number is used once, ever. */
interface Plan {
  readonly round: number;
  readonly purpose: SumPurpose;
  /** Digest of roster and parameters, 32 bytes. */
  readonly roster: Uint8Array;
  /** Round of the accepted answer that each member's change goes from, in the order of the roster; 0: none. */
  readonly bases: readonly number[];
}

type SecureToCoordinator = Advertise | DealtMessage | MaskedMessage | AttestedMessage | RevealedMessage;
export type SecureToParticipant =
  | RosterMessage
  | PlanMessage
  | DeliveredMessage
  | CountedMessage
  | AttestationsMessage;
