/** Where a coordinator stands in a tree of them, and what a branch and its parent know of each other. */
import type { Moments as RowMoments } from '../math/scaling.ts';
import type { PartialSum } from '../protocol/branch-messages.ts';
import type { Finish, Moments, RoundMessage } from '../protocol/messages.ts';
import type { InquiriesMemory } from '../solver/inquiries.ts';

/** Where a coordinator stands in a tree of them. */
export interface Place {
  /** Who its members are: participants, or branches that stand for groups of them. */
  readonly below: 'participants' | 'groups';
  /** Present: it is a branch itself, known to its parent by this name. */
  readonly above?: { readonly name: string; readonly epoch: number } | undefined;
}

/** The only coordinator of its federation. */
export const ALONE: Place = { below: 'participants' };

/** What a branch says of the participants behind it. */
export type Behind = Pick<PartialSum, 'participants' | 'answered' | 'missing' | 'unanswered' | 'renewed'>;

/** The side of a branch that its parent sees. */
export interface AboveSide {
  readonly name: string;
  readonly epoch: number;
  /** Whether the parent has answered this process. */
  isKnown: boolean;
  /** Whether it has told this process which round is open, or that training rests. */
  isCurrent: boolean;
  /** When it last sent something, or was asked again by us. */
  heardMs: number;
  /** Counts news for the parent, and whether it does not know of the latest. */
  edition: number;
  isNews: boolean;
  /** Whether answers were dropped that the parent may still count. */
  hasDropped: boolean;
  /** While participants gather: what the parent waits for, and when it was last sent the moments of all. */
  awaited: number;
  waitingFor: string | undefined;
  momentsSentMs: number;
  /** Under secure aggregation: when the next sum of moments may be opened. */
  measureFromMs: number;
  /** The moments of all, where only their sum is known. */
  moments: (RowMoments & Partial<Pick<Moments, 'target'>>) | undefined;
  /** The last round of the parent that was opened here, and the last one that cannot be opened again: secure sums are opened once. */
  opened: number;
  spent: number;
  /** Counts what has made the function of the group another one, and who is held still in it (by index). */
  renewed: number;
  held: readonly number[];
  /** Round of the last partial sum that the parent has accepted; 0: none. */
  base: number;
  /** A partial sum of which it is not known whether it was accepted. */
  pending: PendingSum | undefined;
  /** How the open round is to be answered. */
  order: Pick<RoundMessage, 'tolerance' | 'waitMs'> | undefined;
  /** With the end of training: how many there are in all, and how many are missing. */
  covered: Pick<Finish, 'participants' | 'missing'> | undefined;
}

/** A partial sum as it was sent, and what undoes it. */
export interface PendingSum {
  readonly message: Omit<PartialSum, 'kind' | 'session'>;
  /** Answers as they were before; absent: they are gone, and everybody is asked again. */
  readonly before?: { readonly inquiry: InquiriesMemory; readonly accepted: Float64Array } | undefined;
}
