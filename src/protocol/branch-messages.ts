/** What a branch of a tree of coordinators and its parent send each other, beside the messages of participants: a branch stands for those behind it. */
import type { Waiting } from '../settings/federation.ts';
import type { GroupBounds } from '../solver/inquiry-types.ts';
import type { GroupTests } from './test-reports.ts';

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

/** To a branch, before each `round`: how long that one and those after it stay open. */
export interface TimingMessage {
  readonly kind: 'timing';
  readonly session: number;
  readonly waiting: Waiting;
  /** Infinity: no limit. */
  readonly maxWaitMs: number;
}
