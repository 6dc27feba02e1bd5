/** Who is here, whom the open round asks, who is worth waiting for, and how many they are. */
import { type Member, participantsIn } from './member.ts';
import type { CoordinatorOptions } from './options.ts';
import type { CoordinatorState, Tally } from './state.ts';

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

/** How many participants have joined: behind branches, or here. */
export function participantsOf({ place, members }: CoordinatorState): number {
  return place.below === 'groups' ? participantsIn(members.values()) : members.size;
}
