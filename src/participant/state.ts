/** What a participant is and remembers: plain data, so that it can be stored, sent to a worker, and compared. */
import type { Scaling } from '../data/index.ts';
import type {
  Advertisement,
  Identities,
  SecureCode,
  ParticipantState as SecureCore,
} from '../privacy/secure/index.ts';
import type {
  DeliveredMessage,
  FederationSettings,
  FinishReason,
  RejectCode,
  RoundMessage,
  SumPurpose,
  UpdateMessage,
} from '../protocol/index.ts';
import type { CommitContext, Solution } from '../solver/index.ts';

/** What a participant brings along: known before it has heard anything. */
export interface Profile {
  readonly id: string;
  readonly rows: number;
  readonly features: number;
  readonly benchmarkMs: number;
  readonly moments: { readonly count: number; readonly mean: Float64Array; readonly m2: Float64Array };
  /** Wait so long for an answer before the settings say otherwise. */
  readonly retryMs: number;
  /**
   * Present: takes part only where the coordinator sees nothing but sums, and says nothing in the clear, not even how many
   * rows it holds.
   */
  readonly secure?: SecureProfile | undefined;
}

export interface SecureProfile {
  /**
   * 32 bytes that nobody else can know: outside a simulation from the system's entropy. May be the same after a restart from what
   * was stored; whoever has lost that needs a new one.
   */
  readonly secret: Uint8Array;
  /** Whose keys are known from elsewhere; default: the first that are seen are believed. */
  readonly identities?: Identities | undefined;
}

/**
 * joining    has said who it is, waits for a welcome
 * measuring  has sent its moments, or who it is and then its part of their sum, and waits for the scaling
 * preparing  rows are being scaled
 * idle       waits for a round
 * solving    computes for `round`
 * sent       has sent an update, or a report, and waits for what becomes of it
 * leaving    has said that it leaves
 * finished, refused   nothing more to do
 */
export type Phase =
  | 'joining'
  | 'measuring'
  | 'preparing'
  | 'idle'
  | 'solving'
  | 'sent'
  | 'leaving'
  | 'finished'
  | 'refused';

/** An update on its way: provisional until its outcome is known. */
export interface Pending {
  readonly message: UpdateMessage;
  readonly atom: Solution;
}

/** What secure aggregation must not forget. */
export interface SecureStored {
  /** Keys, seat and the round that is open. Never changed in place. */
  readonly core: SecureCore;
  /** What it says of itself, signed. */
  readonly advertisement: Advertisement;
  /** How often the secret has been drawn from. */
  readonly drawn: number;
  /** What the open round sums. */
  readonly purpose: SumPurpose;
  /** The first round that the roster is for. */
  readonly rosterRound: number;
  /** What s of the committed solution is more than the sums say (secure-sums.ts). */
  readonly gained: number;
}

/** What survives a crash. Everything else is asked for again. */
export interface Stored {
  readonly settings: FederationSettings | undefined;
  readonly scaling: Scaling | undefined;
  /** Counts the lives of this participant: messages to or from an earlier one mean nothing any more. */
  readonly session: number;
  /** Last round whose outcome was accepted and committed. */
  readonly base: number;
  readonly committed: Solution | undefined;
  readonly atoms: readonly Solution[];
  readonly pending: Pending | undefined;
  /** For prediction at any time: the best model that the coordinator knows of, or the latest. */
  readonly model: UsableModel | undefined;
  readonly finished: FinishReason | undefined;
  readonly secure?: SecureStored | undefined;
}

/** w of a round, and the own u that was committed when it opened; the personal part is u / C2. */
export interface UsableModel {
  readonly round: number;
  readonly w: Float64Array;
  /** Undefined: nothing contributed yet. */
  readonly u: Float64Array | undefined;
}

export interface ParticipantState {
  readonly profile: Profile;
  phase: Phase;
  stored: Stored;
  /** Present once the rows are scaled. */
  problem: CommitContext | undefined;
  /** The newest round heard of. */
  order: RoundMessage | undefined;
  /** The model of the newest round taken up: whether it is the best is known when the round has closed. */
  latest: UsableModel | undefined;
  /** The round being computed for; it may be older than `order` while an interrupted solve winds up. */
  solvingRound: number;
  /** Passes of interrupted solves that went into the present one. */
  carriedPasses: number;
  /** Certifying rounds answered, for answering again. */
  reported: number;
  /** Duals of an interrupted solve, to go on from, and the passes that went into them (`resume`). */
  unfinished: { readonly beta: Float64Array; readonly passes: number } | undefined;
  /** Rounds in a row that spoke of another state than ours. */
  mismatches: number;
  /** When we last asked for the roster of a plan that we did not know. */
  askedMs: number;
  /** Shares that the others have dealt, until they are used; and the loss at the w of a certifying round. */
  delivered: DeliveredMessage | undefined;
  looked: { readonly round: number; readonly loss: number } | undefined;
  refusal: { readonly code: RejectCode | SecureCode | 'NOT_SECURE'; readonly message: string } | undefined;
}

export const NOTHING_STORED: Stored = {
  settings: undefined,
  scaling: undefined,
  session: 0,
  base: 0,
  committed: undefined,
  atoms: [],
  pending: undefined,
  model: undefined,
  finished: undefined,
};

/** A participant that starts: for the first time, or from what it had stored. */
export function newParticipant(profile: Profile, stored: Stored = NOTHING_STORED): ParticipantState {
  return {
    profile,
    phase: stored.finished ? 'finished' : 'joining',
    stored,
    problem: undefined,
    order: undefined,
    latest: undefined,
    solvingRound: 0,
    carriedPasses: 0,
    reported: 0,
    unfinished: undefined,
    mismatches: 0,
    askedMs: Number.NEGATIVE_INFINITY,
    delivered: undefined,
    looked: undefined,
    refusal: undefined,
  };
}
