/** What the coordinator knows and remembers: plain data beside the aggregator. */
import type { Contributions } from '../privacy/defence/contribution.ts';
import type { Budget } from '../privacy/dp/budget.ts';
import type { Agreement } from '../protocol/agreement.ts';
import type { DeclineCode, FaultCode, RejectCode } from '../protocol/codes.ts';
import type { FinishReason } from '../protocol/messages.ts';
import type { Certificate, HeadsCertificate } from '../solver/certificate.ts';
import type { Combiner } from '../solver/combiner.ts';
import type { Inquiries } from '../solver/inquiries.ts';
import type { Member } from './member.ts';
import type { CoordinatorOptions } from './options.ts';
import type { AboveSide, Place } from './place.ts';
import type { SecureSide } from './secure-side.ts';

/**
 * gathering  participants join and send their moments
 * open       a round is open
 * summing    a round is closed, its answers are being summed
 * finished   training rests: newcomers, changed rows and the operator wake it
 */
type CoordinatorPhase = 'gathering' | 'open' | 'summing' | 'finished';

/** How long rounds stay open: all that may change while a federation runs. */
export type Timing = Pick<CoordinatorOptions, 'waiting' | 'maxWaitMs'>;

/** Counts over the members, for the question asked after every input: can the round be closed? */
export interface Tally {
  here: number;
  /** Answers that the open round has. */
  answers: number;
  /** Members that the open round could still get an answer from. */
  silent: number;
  /** Those of them that are worth waiting for. */
  awaited: number;
}

/** Labels, and the positive one if somebody has named it. */
export interface Meanings {
  readonly labels: Set<string>;
  positive: string | undefined;
}

export type Trainer = { readonly inquiry: Inquiries } | { readonly combiner: Combiner };

export interface CoordinatorState {
  options: CoordinatorOptions;
  /** How long rounds stay open, as the operator has changed it: from the next one on. */
  timing?: Timing | undefined;
  readonly place: Place;
  /** Present in a branch. */
  readonly above: AboveSide | undefined;
  phase: CoordinatorPhase;
  /** By the operator: no round closes, no deadline passes (`onPause`). */
  paused: boolean;
  /** Since when, in this process of the coordinator. */
  pausedMs: number;
  /** Counted from 1; 0 before the first. */
  round: number;
  purpose: 'train' | 'certify';
  /** Time of the input that is being taken. */
  nowMs: number;
  openedMs: number;
  /** Later by as long as it has been paused since. */
  startedMs: number;
  deadlineMs: number;
  /** The way to a member of whom nothing is known yet, and back. */
  usualWayMs: number;
  features: number;
  scaling: { readonly shift: Float64Array; readonly factor: Float64Array } | undefined;
  /** Settled with the scaling, for good. */
  agreement: Agreement | undefined;
  trainer: Trainer | undefined;
  readonly members: Map<string, Member>;
  /** Whom the operator has had forgotten, and their last session. */
  readonly forgotten: Map<string, number>;
  /** Whose session is newer here than in the store: saved with the next change. */
  readonly unsaved: Set<string>;
  /** What each participant has left of the joins that it may send, and as of when. */
  readonly joins: Map<string, { readonly left: number; readonly atMs: number }>;
  /** Counted when first asked for; answers, newcomers and those who come back move it, other changes have it counted again. */
  tally: Tally | undefined;
  /** While participants gather: how many have sent their moments. */
  measured: number;
  /** Classes that they have brought so far: collected when first asked for, and again after some were taken back. */
  meanings: Meanings | undefined;
  nextIndex: number;
  /** Rounds in which something was aggregated, since training began or woke. */
  aggregated: number;
  /** The round before those. */
  wokenRound: number;
  gap: number;
  bestGap: number;
  bestRound: number;
  /** Of the model in use, as last known. */
  certificate: HeadsCertificate;
  /** Whom it does not cover. */
  missing: readonly string[];
  /** The best model that is known for certain: that of a round's opening, by its primal value. */
  best: { readonly round: number; readonly primal: number } | undefined;
  /** With `steps`: w of `best`; not known after a crash. */
  bestW: Float64Array | undefined;
  finish: FinishReason | undefined;
  /** Under differential privacy. */
  budget: Budget | undefined;
  /** Running scores by index of the member, where they are asked for. */
  contributions: Contributions;
  /** What the last aggregated round did to w; not known after a crash. */
  lastChange: Float64Array | undefined;
  /** Present where this coordinator sees sums of its participants only. */
  readonly secure: SecureSide | undefined;
  /** Where only sums are seen: rounds in a row in which the vectors have shown that the target is reached. */
  shownRounds: number;
  /** Rejections by code. */
  readonly rejections: Map<RejectCode, number>;
  /** What participants have declined, by code. */
  readonly declines: Map<DeclineCode, number>;
  /** Failures that participants have reported, by code. */
  readonly faults: Map<FaultCode, number>;
}

/** Nothing is known. */
export const UNKNOWN: Certificate = { primal: Number.POSITIVE_INFINITY, dual: 0, relativeGap: 1 };
