/** What a participant is and remembers: plain data, so that it can be stored, sent to a worker, and compared. */
import { newPace, type Pace } from '../base/pace.ts';
import type { ColumnSummary } from '../data/column-summary.ts';
import type { Scaling } from '../math/scaling.ts';
import type { ParticipantState as SecureCore } from '../privacy/secure/membership.ts';
import type { Advertisement } from '../privacy/secure/messages.ts';
import type { SecureCode } from '../privacy/secure/secure-error.ts';
import type { Agreement } from '../protocol/agreement.ts';
import type { RejectCode } from '../protocol/codes.ts';
import type { AnswerMessage, Finish, FinishReason, RoundMessage } from '../protocol/messages.ts';
import type { Asked } from '../protocol/question.ts';
import type { DeliveredMessage, SumPurpose } from '../protocol/secure-messages.ts';
import type { HeadChange } from '../protocol/secure-sums.ts';
import type { Policy } from '../settings/policy.ts';
import type { FederationSettings } from '../settings/wire.ts';
import type { Solution } from '../solver/member.ts';
import type { BoxContext } from '../solver/problem.ts';
import type { PastSum } from './hiding.ts';

/** What a participant brings along: known before it has received anything. */
export interface Profile {
  readonly id: string;
  readonly rows: number;
  readonly features: number;
  readonly benchmarkMs: number;
  readonly moments: { readonly count: number; readonly mean: Float64Array; readonly m2: Float64Array };
  readonly targets: OwnTargets;
  /** Of the training rows, where there is text or something is missing: moments are then of the values that are known. Absent: neither. */
  readonly columns?: readonly ColumnSummary[] | undefined;
  /** Names of all columns: compared with what an operator declares; sent only where participants may have different ones. Absent in simulations. */
  readonly names?: readonly string[] | undefined;
  /** Wait so long for a reply, at least, before the settings say otherwise. */
  readonly retryMs: number;
  /**
   * Present: takes part only where the coordinator sees nothing but sums, and says nothing in the clear, not even how many
   * rows it holds.
   */
  readonly secure?: SecureProfile | undefined;
  /** What it accepts; absent: the defaults. */
  readonly policy?: Policy | undefined;
  /** Reports how good its models are on its test rows; absent: it does not. */
  readonly reportsTests?: boolean | undefined;
}

/** What a participant knows of its targets before it is told what is learnt from them. */
export interface OwnTargets {
  /** Distinct values, canonical and sorted; undefined: too many, or too long, to be classes. */
  readonly labels: readonly string[] | undefined;
  /** The class that is to be positive, where whoever started it has said so. */
  readonly positive: string | undefined;
  /** Of the training rows; a sentence where they are not numbers. */
  readonly values: { readonly mean: number; readonly m2: number } | string;
}

interface SecureProfile {
  /**
   * 32 bytes that nobody else can know: outside a simulation from the system's entropy. May be the same after a restart from what
   * was stored; whoever has lost that needs a new one.
   */
  readonly secret: Uint8Array;
  /** The enrolment key, which signs our channel key when it is asked to (`sign`); absent: a key of our own does. */
  readonly identityKey?: Uint8Array | undefined;
}

/**
 * joining    has sent `join`, waits for a welcome
 * measuring  has sent its moments, or who it is and then its part of their sum, and waits for the scaling
 * preparing  rows are being scaled
 * idle       waits for a round
 * solving    computes for `round`
 * sent       has sent an answer and waits for the next round
 * personalising  training rests, and the own part to the final w is being solved for
 * leaving    has sent `leave`
 * finished   training rests: another round wakes it
 * refused, gone   nothing more to do
 */
export type Phase =
  | 'joining'
  | 'measuring'
  | 'preparing'
  | 'idle'
  | 'solving'
  | 'sent'
  | 'personalising'
  | 'leaving'
  | 'finished'
  | 'refused'
  | 'gone';

/** An answer on its way: provisional until it is known whether it was accepted. */
export interface Pending {
  readonly message: AnswerMessage;
  readonly solution: Solution;
  /** What it answers, where that goes into a secure sum. */
  readonly asked?: Asked | undefined;
  /** The own share of the noise on a secure sum, on its grid. */
  readonly noise?: Float64Array | undefined;
}

/** What secure aggregation must not forget. */
export interface SecureStored {
  /** Keys, seat and the round that is open. Never changed in place. */
  readonly core: SecureCore;
  /** Undefined until the enrolment key has signed it. */
  readonly advertisement: Advertisement | undefined;
  /** How often the secret has been drawn from. */
  readonly drawn: number;
  readonly purpose: SumPurpose;
  /** From which round's accepted answer each member of the roster goes, in the open round. */
  readonly bases: readonly number[];
  /** The last sums for which shares were revealed. */
  readonly sums: readonly PastSum[];
  /** The first round that the roster is for. */
  readonly rosterRound: number;
}

/** What survives a crash. Everything else is asked for again. */
export interface Stored {
  readonly settings: FederationSettings | undefined;
  readonly scaling: Scaling | undefined;
  /** Settled with the scaling. Absent: with an earlier version, or not yet. */
  readonly agreement?: Agreement | undefined;
  /** Counts the sessions of this participant: messages to or from an earlier one are ignored. */
  readonly session: number;
  /** Round of the last accepted answer; 0: none. */
  readonly base: number;
  /** That answer; its duals are empty where they were of other rows. */
  readonly committed: Solution | undefined;
  /** The query that it answered, where answers are summed. */
  readonly answeredW?: Float64Array | undefined;
  /** What sums hold of it beside u, head by head (secure-sums.ts). */
  readonly summed?: readonly HeadChange[] | undefined;
  readonly pending: Pending | undefined;
  /** Counts the changes of the rows. */
  readonly edition: number;
  /** For prediction at any time: the best model that the coordinator knows of, or the latest. */
  readonly model: UsableModel | undefined;
  readonly finished: FinishReason | undefined;
  readonly secure?: SecureStored | undefined;
  /** How often the secret was drawn from for keys that are given up. */
  readonly drawn?: number | undefined;
  /** Has begun a new session because the coordinator did not know it any more. */
  readonly isForgotten?: boolean | undefined;
}

/** w of a round, and the own u that goes with it; the personal part is u / C2. */
export interface UsableModel {
  readonly round: number;
  readonly w: Float64Array;
  /** Undefined: nothing contributed yet. */
  readonly u: Float64Array | undefined;
}

/** Why there is nothing more to do. */
export type RefusalCode =
  | RejectCode
  | SecureCode
  | 'NOT_SECURE'
  | 'POSITIVE_NEEDED'
  | 'TARGET_NOT_A_NUMBER'
  | 'COLUMNS_NOT_AGREED'
  | 'REPORT_NOT_PRIVATE'
  | 'DECLINED'
  | 'CONTRADICTED'
  | 'ACCUSED';

export interface ParticipantState {
  readonly profile: Profile;
  phase: Phase;
  stored: Stored;
  /** Present once the rows are scaled. */
  problem?: BoxContext | undefined;
  order?: RoundMessage | undefined;
  /** What training waits for before it starts, in words. */
  waitingFor?: string | undefined;
  /** The model of the newest round taken up: whether it is the best is known when the round has closed. */
  latest?: UsableModel | undefined;
  /** The round being computed for; it may be older than `order` while an interrupted solve winds up. */
  solvingRound: number;
  /** Passes of interrupted solves that went into the present one. */
  carriedPasses: number;
  /** Duals of the last answer, accepted or not: a start for the next. */
  warm?: Float64Array | undefined;
  /** The w that a personal part is being solved for, at the end. */
  finishing?: Float64Array | undefined;
  /** Duals of an interrupted solve, to go on from, and the passes that went into them (`resume`). */
  unfinished?: { readonly beta: Float64Array; readonly passes: number } | undefined;
  /** Of our messages and what the coordinator replies. */
  readonly pace: Pace;
  /** Rounds in a row that named another accepted answer than ours. */
  mismatches: number;
  /** Whether the coordinator has asked us to join and has not answered since: then we ask again, also at rest. */
  isAskedToJoin: boolean;
  /** How many more participants training waits for before it starts; undefined: not known yet. */
  awaited?: number | undefined;
  /** Of the training that rests: how many have contributed, and how many are not covered by its certificate. */
  covered?: Pick<Finish, 'participants' | 'missing'> | undefined;
  /** Rounds answered by this process, and certifying ones in a row. */
  answeredRounds: number;
  certified: number;
  /** Rounds in a row in which others attested to something else than we were asked. */
  contradictions: number;
  /** When we last asked for the roster of a plan that we did not know. */
  askedMs: number;
  /** Shares that the others have dealt, until they are used. */
  delivered?: DeliveredMessage | undefined;
  refusal?: { readonly code: RefusalCode; readonly message: string } | undefined;
}

export const NOTHING_STORED: Stored = {
  settings: undefined,
  scaling: undefined,
  session: 0,
  base: 0,
  committed: undefined,
  pending: undefined,
  edition: 0,
  model: undefined,
  finished: undefined,
};

/** All that a machine begins with: what a run log notes of every start. */
export interface ParticipantStart {
  readonly machine: 'participant';
  readonly profile: Profile;
  readonly stored: Stored;
}

/** A participant that starts: for the first time, or from what it had stored. */
export function newParticipant(profile: Profile, stored: Stored = NOTHING_STORED): ParticipantState {
  return {
    profile,
    phase: stored.finished === 'left' ? 'gone' : 'joining',
    stored,
    solvingRound: 0,
    carriedPasses: 0,
    pace: newPace(),
    mismatches: 0,
    isAskedToJoin: false,
    answeredRounds: 0,
    certified: 0,
    contradictions: 0,
    askedMs: Number.NEGATIVE_INFINITY,
  };
}
