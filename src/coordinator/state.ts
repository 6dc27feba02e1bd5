/** What the coordinator knows and remembers: plain data beside the aggregator. */
import { newPace, type Pace } from '../base/pace.ts';
import type { Contributions } from '../privacy/defence/contribution.ts';
import type { Budget } from '../privacy/dp/budget.ts';
import type { Summed } from '../privacy/secure/coordinator.ts';
import type { Abandoned, CoordinatorState as SecureCore } from '../privacy/secure/coordinator-round.ts';
import type { Advertisement } from '../privacy/secure/messages.ts';
import type { Agreement } from '../protocol/agreement.ts';
import type {
  Accepted,
  AnswerMessage,
  DeclineCode,
  FaultCode,
  FinishReason,
  Moments,
  PartialSum,
  RejectCode,
  Scalars,
  SecureToParticipant,
  SumPurpose,
} from '../protocol/messages.ts';
import type { RoundTests, TestReport } from '../protocol/test-reports.ts';
import type { Certificate, HeadsCertificate } from '../solver/certificate.ts';
import type { Combiner } from '../solver/combiner.ts';
import type { Inquiries } from '../solver/inquiries.ts';
import type { CoordinatorOptions } from './options.ts';
import type { AboveSide, Behind, Place } from './place.ts';
import { newWays, type Ways } from './ways.ts';

/**
 * gathering  participants join and send their moments
 * open       a round is open
 * summing    a round is closed, its answers are being summed
 * finished   training rests: newcomers, changed rows and the operator wake it
 */
type CoordinatorPhase = 'gathering' | 'open' | 'summing' | 'finished';

/** What is known of a member for good. */
export interface LastingMember {
  readonly id: string;
  /** Place in every sum; given when training starts, in natural order of the ids, then in order of joining. */
  index: number;
  rows: number;
  benchmarkMs: number;
  /** The latest session of the participant that has joined. */
  session: number;
  /** Answers to rounds up to this one are not taken: the participant has been sent an outcome for them. */
  barred: number;
  /** `left`: gone for good, its contribution stays. */
  presence: 'here' | 'left';
  /** Its last answer that was accepted. */
  accepted: Accepted;
  /** Counts the changes of its rows; of a branch, its news. */
  edition: number;
  /** Of a branch: how many stand behind it; absent: it is a participant. */
  participants?: number | undefined;
  /** Its keys for secure aggregation. */
  advertisement?: Advertisement | undefined;
  /** Put out of secure sums, in a sentence: until the operator has it forgotten. */
  expelled?: string | undefined;
}

/** And what comes with the messages of rounds. */
export interface Member extends LastingMember {
  /** While participants gather: what it has brought for the scaling and the agreement. */
  moments: Omit<Moments, 'kind'> | undefined;
  /** Rounds in a row in which it did not deal: after some it has no seat until it sends something again. */
  undealt: number;
  /** With `steps`: last certificate scalars and the round (the w) they are about. */
  scalars: Scalars | undefined;
  scalarsRound: number;
  /** What is taken off its claims, so that they can be added to those of others (claims.ts). */
  offset: readonly number[];
  /** What it last reported of its test rows; where only sums are seen nobody knows it. */
  tests: TestReport | undefined;
  /** The last failure that it has reported since its last answer; DECLINED: its policy ruled something out. */
  fault: FaultCode | 'DECLINED' | undefined;
  /** How many more reports of failures count, and as of when; undefined: none has come yet. */
  faultsLeft?: { readonly left: number; readonly atMs: number };
  /** Answer in the present round; where only sums are seen nobody knows it. */
  answer: AnswerMessage | undefined;
  /** Of a branch: its answer in the present round, and what the last one has said of those behind it. */
  partial: PartialSum | undefined;
  behind: Behind | undefined;
  answered: boolean;
  /** Training rounds in a row without an answer, and certifying ones. */
  missed: number;
  missedChecks: number;
  /** Rounds of this process of the coordinator that have asked it, and those of them that it has answered. */
  askedRounds: number;
  answeredRounds: number;
  /** The session in which training last woke while it was there; 0: none. */
  wokeIn: number;
  /** How often it has woken training since its last answer. */
  idleWakes: number;
  /** Its connection is gone, and nothing has been received from it since. */
  isAway: boolean;
  /** How often it was waited for beyond patience since its last answer, and the round from which it may be again. */
  extraRounds: number;
  extraFrom: number;
  /** Observed time from the opening of a round to the answer. */
  responseMs: number | undefined;
  readonly ways: Ways;
  /** Of rounds and their answers. */
  readonly pace: Pace;
}

/** What has been spent so far, at the delta of the budget. */
export interface PrivacySpent {
  readonly epsilon: number;
  readonly delta: number;
}

/** Scores of one update of a round. */
export interface MemberScore {
  readonly id: string;
  readonly cosine: number | undefined;
  readonly normRatio: number;
  readonly ownShare: number | undefined;
}

/** Who was held to a bound in a round, and the share of its step that was taken. */
export interface Shortened {
  readonly id: string;
  readonly factor: number;
}

/** How long rounds stay open: all that may change while a federation runs. */
export type Timing = Pick<CoordinatorOptions, 'waiting' | 'maxWaitMs'>;

/** One line of a run's history: what is known, when a round closed, of the model in use (the best one, or that of its opening). */
export interface RoundRow extends Certificate {
  readonly round: number;
  readonly atMs: number;
  readonly purpose: 'train' | 'certify';
  readonly responders: readonly string[];
  readonly outcome: 'aggregated' | 'abandoned' | 'certified' | 'final';
  /** Whether the numbers are certain; with `steps` they are an estimate until all have reported about this very w. */
  readonly certified: boolean;
  /** Who has joined and is not covered by the certificate: it does not answer any more, or has not answered yet. */
  readonly missing: readonly string[];
  readonly sigma: number;
  /** Under differential privacy: spent so far, this round included. The certificate is then NaN: unknown. */
  readonly privacy?: PrivacySpent;
  /** With the scores of `defence`: of the updates that were taken. */
  readonly scores?: readonly MemberScore[];
  /** With a norm bound: who was held to it. */
  readonly shortened?: readonly Shortened[];
  /** Where responders are branches: the participants behind all of them. */
  readonly behind?: Omit<Behind, 'renewed'>;
  /** The first round after a rest: a new run begins. */
  readonly woken?: true;
  /** What participants have reported of their test rows; null: nobody has. Absent in rows of earlier versions. */
  readonly tests?: RoundTests | null;
}

/** Counts over the members, for the question asked after every input: can the round be closed? */
interface Tally {
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

/** A message but for the session it is addressed to: that may change before it is retransmitted. */
export type Unaddressed = SecureToParticipant extends infer M
  ? M extends SecureToParticipant
    ? Omit<M, 'session'>
    : never
  : never;

export interface SecureSide {
  /** The roster and the open round; undefined: there are too few for any sum. */
  core: SecureCore | undefined;
  /** Keys of those in the roster, in its order. */
  roster: readonly Advertisement[];
  /** Places in the roster, by id. */
  seats: ReadonlyMap<string, number>;
  /** The first round that the roster is for. */
  rosterRound: number;
  /** What the open round sums. */
  purpose: SumPurpose;
  /** When dealing, attesting or revealing ends without those who are missing. */
  phaseEndsMs: number;
  /** When the present phase is sent again to those who have not replied. */
  pace: Pace;
  /** What the present phase has sent to whom. */
  sent: ReadonlyMap<string, Unaddressed>;
  /** Who does not take part in the open round, and why. */
  declined: Map<string, DeclineCode>;
  /** Of a round that is closed, until it has been taken in. */
  outcome: Summed | Abandoned | undefined;
}

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

/** A member from whom this process of the coordinator has received nothing yet. */
export function newMember(lasting: LastingMember): Member {
  return {
    ...lasting,
    moments: undefined,
    scalars: undefined,
    scalarsRound: 0,
    offset: [],
    tests: undefined,
    fault: undefined,
    answer: undefined,
    answered: false,
    partial: undefined,
    behind: undefined,
    undealt: 0,
    missed: 0,
    missedChecks: 0,
    askedRounds: 0,
    answeredRounds: 0,
    wokeIn: 0,
    idleWakes: 0,
    isAway: false,
    extraRounds: 0,
    extraFrom: 0,
    responseMs: undefined,
    ways: newWays(),
    pace: newPace(),
  };
}

export function membersHere(state: CoordinatorState): Member[] {
  return [...state.members.values()].filter((member) => member.presence === 'here');
}

const FOR_ALL = { kind: 'all' } as const;

/** How a round waits: for branches always for all, because each has a deadline of its own for those behind it. */
export function waitingOf({ place, options }: CoordinatorState): CoordinatorOptions['waiting'] {
  return place.below === 'groups' ? FOR_ALL : options.waiting;
}

/** Members whose answer the open round can still take. */
export function membersAsked(state: CoordinatorState): Member[] {
  return membersHere(state).filter((member) => member.barred < state.round);
}

export function tallyOf(state: CoordinatorState): Tally {
  state.tally ??= count(state);
  return state.tally;
}

function count(state: CoordinatorState): Tally {
  const tally = { here: 0, answers: 0, silent: 0, awaited: 0 };
  for (const member of state.members.values()) addTo(tally, state, member, 1);
  return tally;
}

/** By -1: takes it out again. */
function addTo(tally: Tally, state: CoordinatorState, member: Member, by: 1 | -1): void {
  if (member.presence !== 'here') return;
  tally.here += by;
  if (member.answered) tally.answers += by;
  else if (member.barred < state.round) {
    tally.silent += by;
    if (isAwaited(state, member)) tally.awaited += by;
  }
}

export function tallyNewcomer(state: CoordinatorState, member: Member): void {
  if (state.tally) addTo(state.tally, state, member, 1);
}

/** Changes one member, and does not count the others again: where all of a crowd come back, that would take the square of their number. */
export function tallyChange(state: CoordinatorState, member: Member, change: () => void): void {
  const { tally } = state;
  if (tally) addTo(tally, state, member, -1);
  change();
  if (tally) addTo(tally, state, member, 1);
}

/**
 * Whether it is worth waiting for: where a round waits for everybody or for a share, as long as it has answered lately (who is too slow to
 * train in time may still certify in time); where it waits for a time, as long as its connection is there.
 */
export function isAwaited(state: CoordinatorState, member: Member): boolean {
  const { purpose, options } = state;
  const { patience } = options;
  const waiting = waitingOf(state);
  if (purpose === 'certify') return member.missedChecks < patience;
  if (waiting.kind === 'all' || waiting.kind === 'share') return member.missed < patience;
  return !member.isAway || patience === Number.POSITIVE_INFINITY;
}

/** Whether nobody counts on its answers any more: it has left, or has been silent for long. */
export function isMissing(state: CoordinatorState, member: Member): boolean {
  const { patience } = state.options;
  const waiting = waitingOf(state);
  if (member.presence === 'left' || member.expelled || member.missedChecks >= patience) return true;
  return waiting.kind === 'all' && member.missed >= patience;
}

/** Counts one member's answer. */
export function tallyAnswer(state: CoordinatorState, member: Member): void {
  const tally = tallyOf(state);
  if (isAwaited(state, member)) tally.awaited--;
  tally.silent--;
  tally.answers++;
}

/** Notes whose answers count from this round on, and which share of their change. */
export function accept(
  round: number,
  members: readonly Member[],
  answers: readonly { readonly member: number; readonly factor: number }[] = [],
): void {
  const factors = new Map(answers.map(({ member, factor }) => [member, factor]));
  for (const member of members) {
    const factor = factors.get(member.index) ?? 1;
    member.accepted = factor < 1 ? { round, factor } : { round };
  }
}

/** How many participants have joined: behind branches, or here. */
export function participantsOf({ place, members }: CoordinatorState): number {
  return place.below === 'groups' ? participantsIn(members.values()) : members.size;
}

/** How many participants members stand for. */
export function participantsIn(members: Iterable<Member>): number {
  let count = 0;
  for (const { participants = 1 } of members) count += participants;
  return count;
}
