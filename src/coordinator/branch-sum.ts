/**
 * What a branch of a tree of coordinators says to its parent. To the parent it is a participant that stands for many: it answers a round
 * with the sums of the last answers of all behind it, which take the place of its last partial sum as a whole.
 *
 * A partial sum is durable before it is sent, with what undoes it: the parent's next message names the one that it has accepted, and only then
 * is it settled which answers count. One that the parent has not accepted is undone, and whoever was in it is asked again.
 */
import { invariant } from '../base/errors.ts';
import type { PartialSum } from '../protocol/branch-messages.ts';
import type { Collected } from './collecting/plain.ts';
import type { CoordinatorEffect } from './effects.ts';
import { accept, type Member, participantsIn } from './member.ts';
import type { Behind, PendingSum } from './place.ts';
import { groupTests } from './reported-tests.ts';
import type { CoordinatorState } from './state.ts';
import { acceptedAnswers, persist } from './stored.ts';
import { isMissing } from './tally.ts';
import { inquiryOf } from './training.ts';

/** Who stands behind it, for the first time or with news. */
export function enlisting(state: CoordinatorState): CoordinatorEffect {
  const { name, epoch, base, pending, edition } = state.above!;
  const members = [...state.members.values()];
  const message = {
    kind: 'enlist',
    id: name,
    session: epoch,
    features: state.features,
    participants: participantsIn(members),
    rows: members.reduce((sum, { rows }) => sum + rows, 0),
    base,
    pending: pending?.message.round ?? 0,
    rounds: state.round,
    edition,
    settled: state.scaling !== undefined,
  } as const;
  return { type: 'up', message };
}

/** The partial sum of which it is not known whether it was accepted. */
export function partialSum(state: CoordinatorState): CoordinatorEffect {
  const { pending, epoch } = state.above!;
  invariant(pending, 'partial sum: expected one that is pending');
  return { type: 'up', message: { kind: 'partial', session: epoch, ...pending.message } };
}

/** Closes a round of the parent: the answers that were collected, and the last ones of everybody else. */
export function sumUp(
  state: CoordinatorState,
  { members, answers, sum, groups, notes }: Collected,
  changed: readonly Member[] = [],
  removed: readonly string[] = [],
): CoordinatorEffect[] {
  const above = state.above!;
  const inquiry = inquiryOf(state)!;
  const { round } = state;
  const before = { inquiry: inquiry.memory, accepted: acceptedAnswers(state) };
  if (sum) inquiry.takeSum(round, sum);
  if (answers) inquiry.take(round, answers);
  if (groups) inquiry.takeGroups(round, groups);
  accept(round, members, answers);
  noteRenewed(state, members);
  state.phase = 'summing';
  const missing = new Set(above.held);
  const message: PendingSum['message'] = {
    round,
    u: inquiry.u,
    heads: inquiry.boundsOfAll(round, missing),
    ...countsOf(state, members),
    renewed: above.renewed,
    passes: members.reduce((sum, { answer, partial }) => sum + ((answer ?? partial)?.passes ?? 0), 0),
    computeMs: state.nowMs - state.openedMs,
    tests: groupTests(notes?.tests),
  };
  above.pending = { message, before };
  return [persist(state, changed, removed), partialSum(state)];
}

/** Somebody who is held still from now on, or a branch below that is another group: so is this one. */
function noteRenewed(state: CoordinatorState, responders: readonly Member[]): void {
  const above = state.above!;
  const inquiry = inquiryOf(state)!;
  const held = [...state.members.values()].filter(
    (member) => inquiry.hasAnswered(member.index) && isMissing(state, member),
  );
  const before = new Set(above.held);
  if (held.some(({ index }) => !before.has(index))) above.renewed++;
  above.held = held.map(({ index }) => index);
  for (const member of responders) {
    if (!member.partial) continue;
    if (member.behind && member.behind.renewed !== member.partial.renewed) above.renewed++;
    member.behind = behindOf(member.partial);
  }
}

export function behindOf(partial: PartialSum): Behind {
  const { participants, answered, missing, unanswered, renewed } = partial;
  return { participants, answered, missing, unanswered, renewed };
}

/** Participants that the bounds cover, that have answered this round, that do not come back, and that have not answered yet. */
export function countsOf(state: CoordinatorState, responders: readonly Member[]): Omit<Behind, 'renewed'> {
  const inquiry = inquiryOf(state)!;
  const counts = { participants: 0, answered: 0, missing: 0, unanswered: 0 };
  for (const member of state.members.values()) {
    const isHeld = isMissing(state, member);
    const all = member.participants ?? 1;
    if (!inquiry.hasAnswered(member.index)) counts[isHeld ? 'missing' : 'unanswered'] += all;
    else if (isHeld) counts.missing += member.behind?.participants ?? 1;
    else {
      counts.participants += member.behind?.participants ?? 1;
      counts.missing += member.behind?.missing ?? 0;
      counts.unanswered += member.behind?.unanswered ?? 0;
    }
  }
  for (const { behind } of responders) counts.answered += behind?.answered ?? 1;
  return counts;
}

/**
 * What the open round goes on from is no longer there, or training is to go on: a branch opens no rounds, so the round is answered with what is
 * left, and while training rests the parent is sent the news.
 */
export function giveUpRound(
  state: CoordinatorState,
  changed: readonly Member[],
  removed: readonly string[],
): CoordinatorEffect[] {
  const above = state.above!;
  if (state.phase === 'open' && state.trainer) {
    for (const member of state.members.values()) {
      member.answer = undefined;
      member.partial = undefined;
      member.answered = false;
    }
    if (state.secure) state.secure.outcome = undefined;
    return sumUp(state, { members: [] }, changed, removed);
  }
  if (state.phase !== 'finished') return [persist(state, changed, removed)];
  above.edition++;
  above.isNews = true;
  return [persist(state, changed, removed), enlisting(state)];
}
