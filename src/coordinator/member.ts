/** A member as the coordinator knows it: what is stored of it for good, and what comes with the messages of rounds. */
import { newPace, type Pace } from '../base/pace.ts';
import type { Advertisement } from '../privacy/secure/messages.ts';
import type { PartialSum } from '../protocol/branch-messages.ts';
import type { FaultCode } from '../protocol/codes.ts';
import type { Accepted, AnswerMessage, Moments, Scalars } from '../protocol/messages.ts';
import type { TestReport } from '../protocol/test-reports.ts';
import type { Behind } from './place.ts';
import { newWays, type Ways } from './ways.ts';

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

/** How many participants members stand for. */
export function participantsIn(members: Iterable<Member>): number {
  let count = 0;
  for (const { participants = 1 } of members) count += participants;
  return count;
}
