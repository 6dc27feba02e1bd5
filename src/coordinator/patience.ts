/**
 * Who is waited for. Patience is regained by answering: whoever only joins, again and again, or comes back without ever answering, is
 * waited for in one more round and then hardly more than anybody who is silent. So nobody can hold up the others by being noisy.
 */
import type { CoordinatorEffect } from './effects.ts';
import type { Member } from './member.ts';
import type { CoordinatorState } from './state.ts';
import { tallyChange } from './tally.ts';

/** Joins that a participant may send at once, and how many more within the time of a retransmission. */
const JOIN_BURST = 16;
const JOINS_PER_RETRY = 4;
/** How much later each further round comes that is waited for beyond patience. */
const SPACING = 8;

/** Counts as silent at once instead of after some rounds; whatever it sends next shows that it is there. */
export function onAway(state: CoordinatorState, id: string): CoordinatorEffect[] {
  const member = state.members.get(id);
  if (!member) return [];
  const { patience } = state.options;
  tallyChange(state, member, () => {
    member.isAway = true;
    // Whoever has no end of patience wants to wait for those who come back.
    if (patience < Number.POSITIVE_INFINITY) setMissed(member, (missed) => Math.max(missed, patience));
  });
  return [];
}

/** It is there after all: waited for in one more round, and the next time after eight times as many rounds, until it answers. */
export function comeBack(state: CoordinatorState, member: Member): void {
  const { patience } = state.options;
  tallyChange(state, member, () => {
    member.isAway = false;
    if (state.round < member.extraFrom || !isBeyond(member, patience)) return;
    member.extraRounds++;
    member.extraFrom = state.round + SPACING ** member.extraRounds;
    setMissed(member, (missed) => Math.min(missed, patience - 1));
  });
}

function isBeyond({ missed, missedChecks, undealt }: Member, patience: number): boolean {
  return Math.max(missed, missedChecks, undealt) >= patience;
}

/** As if it had just answered: after an answer, and where everybody is asked anew. */
export function waitForAgain(state: CoordinatorState, member: Member): void {
  tallyChange(state, member, () => {
    member.isAway = false;
    member.extraRounds = 0;
    member.extraFrom = 0;
    setMissed(member, () => 0);
  });
}

function setMissed(member: Member, change: (missed: number) => number): void {
  member.missed = change(member.missed);
  member.missedChecks = change(member.missedChecks);
  member.undealt = change(member.undealt);
}

/**
 * Whether a join is one too many of its participant: dropped, as a network may drop it. Every join is answered, some with a whole w, and
 * some are stored; one that matters is retransmitted.
 */
export function joinsTooOften({ joins, nowMs, options }: CoordinatorState, id: string): boolean {
  const { left, atMs } = joins.get(id) ?? { left: JOIN_BURST, atMs: nowMs };
  const regained = (JOINS_PER_RETRY * (nowMs - atMs)) / options.retryMs;
  const present = Math.min(JOIN_BURST, left + regained);
  joins.set(id, { left: present >= 1 ? present - 1 : present, atMs: nowMs });
  return present < 1;
}
