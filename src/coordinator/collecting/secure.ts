/**
 * A sum of which nobody knows the parts: what is taken from whom while it comes about (nothing in the clear, every answer once), and what the phases of
 * secure aggregation (secure-round.ts) have come to when a round closes.
 */
import type { Summed } from '../../privacy/secure/coordinator.ts';
import type { Primitives } from '../../privacy/secure/keys.ts';
import { headsBy } from '../../protocol/agreement.ts';
import type { Enlist, PartialSum } from '../../protocol/branch-messages.ts';
import type { Decline, Fault, Join, Leave, Moments, ToCoordinator } from '../../protocol/messages.ts';
import type { MaskedMessage } from '../../protocol/secure-messages.ts';
import { changeFrom, momentsFrom } from '../../protocol/secure-sums.ts';
import { exactLimit } from '../../protocol/sum-grid.ts';
import { plusScaled } from '../../solver/vector.ts';
import { areLabelsAsked } from '../agreement.ts';
import type { CoordinatorEffect } from '../effects.ts';
import { onMoments } from '../gathering.ts';
import type { Member } from '../member.ts';
import { outOfSession, refuse } from '../refusals.ts';
import { testsInSum } from '../reported-tests.ts';
import { rosterFor, seatOf, takeAdvertisement } from '../secure-roster.ts';
import { sendPhase, takeAnswer } from '../secure-round.ts';
import { awaited, sendFinish, sendOutcome, sendWelcome } from '../sending.ts';
import type { CoordinatorState } from '../state.ts';
import { persist } from '../stored.ts';
import { inquiryOf, localProblem, sharedPart } from '../training.ts';
import { noteArrival, WELCOMED } from '../ways.ts';
import type { Collected } from './plain.ts';

export function onSecureAnswer(
  state: CoordinatorState,
  member: Member,
  message: Exclude<ToCoordinator, Join | Leave | Decline | Fault | Enlist | PartialSum>,
  primitives: Primitives,
): CoordinatorEffect[] {
  if (message.kind === 'moments' && areLabelsAlone(message) && areLabelsAsked(state))
    return onMoments(state, member, message);
  if (message.kind === 'moments' || message.kind === 'answer') {
    const sentence = `${message.kind}: not allowed with secure aggregation, which accepts only masked messages`;
    return [refuse(state, member.id, 'INFEASIBLE', sentence)];
  }
  const ignored = outOfSession(state, member, message.session);
  if (ignored) return ignored;
  if (member.presence === 'left') return [sendFinish(state, member, 'left')];
  if (message.kind === 'advertise') {
    noteArrival(member.ways, WELCOMED, state.nowMs);
    const effects = takeAdvertisement(state, member, message, primitives);
    // Who advertises again may not have received the scaling, or waits for others: there is no other message to ask with.
    if (state.scaling || awaited(state) > 0) effects.push(sendWelcome(state, member));
    // Who has no seat has one in the next round: the plan of this one would only make it ask again.
    if (seatOf(state, member) < 0) return effects;
    return [...effects, ...rosterFor(state, member), ...sendPhase(state, member)];
  }
  if (message.kind !== 'masked') return takeAnswer(state, member, message);
  return outOfTurn(state, member, message) ?? takeAnswer(state, member, message);
}

/** Names of classes, which are asked for where the operator has declared none, and nothing of the rows. */
function areLabelsAlone({ count, mean, m2, target }: Moments): boolean {
  return count === 0 && mean.length + m2.length === 0 && target === undefined;
}

/** A vector that cannot go into the sum any more, or starts from another state than is recorded. */
function outOfTurn(
  state: CoordinatorState,
  member: Member,
  { round, base }: MaskedMessage,
): CoordinatorEffect[] | undefined {
  if (round > state.round) {
    const sentence = `masked: expected at most round ${state.round}, got ${round}`;
    return [refuse(state, member.id, 'FUTURE_ROUND', sentence)];
  }
  if (round === state.round && member.answered) return [];
  const { accepted } = member;
  // The round is never opened again, so the outcome that is sent here is final.
  if (round < state.round || state.phase === 'summing' || member.barred >= round) {
    return [sendOutcome(member, round)];
  }
  if (base === accepted.round) return undefined;
  const sentence = `masked: expected one that starts from round ${accepted.round}, got ${base}`;
  return [refuse(state, member.id, 'STATE_MISMATCH', sentence)];
}

/** The sum of the round that is being closed; undefined: it was given up. */
export function takeOutcome(state: CoordinatorState): Summed | undefined {
  const secure = state.secure!;
  const { outcome } = secure;
  secure.outcome = undefined;
  if (outcome?.kind === 'summed') return outcome;
  // Somebody would have stood out in the sum: not so where the others have something new to answer, too.
  if ([...secure.declined.values()].includes('HIDING')) inquiryOf(state)?.stepBack();
  return undefined;
}

/** Whoever was found to have sent wrong shares has no seat any more; it is sent the reason, and so is the operator. */
export function expel(state: CoordinatorState): CoordinatorEffect[] {
  const found = (state.secure?.outcome?.culprits ?? []).flatMap(({ id, fault, dealer }) => {
    const member = state.members.get(id);
    if (!member) return [];
    const what =
      fault === 'share'
        ? `its share of the secret of "${dealer}" was wrong`
        : 'its shares did not match its commitment';
    member.expelled = `participant "${id}": ${what} in round ${state.round}`;
    return [member];
  });
  if (found.length === 0) return [];
  return [
    persist(state, found),
    ...found.map(({ id, expelled }) => refuse(state, id, 'EXPELLED', expelled!)),
  ];
}

/** The moments of all rows, from the sum of everybody's; undefined where there is no sum, or it is not valid. */
export function measuredMoments(state: CoordinatorState, summed: Summed | undefined) {
  const { secure, options, agreement } = state;
  const moments =
    summed && momentsFrom(summed.sum, secure!.core!.layout.ids.length, options, agreement?.encoding);
  // Nobody sees who has put invalid values into a secure sum; that there are some shows in the sum.
  return moments && moments.count >= 1 ? moments : undefined;
}

/** Nobody, where sums would no longer be exact. */
export function collectSum(state: CoordinatorState, summed: Summed | undefined): Collected {
  if (!summed) return { members: [] };
  const { options } = state;
  const { training } = localProblem(options);
  const { u, heads, tests } = changeFrom(summed.sum, { training, dp: options.dp }, headsBy(state.agreement));
  const members = summed.counted.flatMap((id) => state.members.get(id) ?? []);
  const before = inquiryOf(state)?.u ?? sharedPart(state)!;
  const most = exactLimit(options.secure!);
  if (plusScaled(before, 1, u).some((value) => Math.abs(value) >= most)) return { members: [] };
  const total = (key: 'value' | 'constant') => heads.reduce((sum, head) => sum + head[key], 0);
  const counted = members.map(({ index }) => index);
  return {
    members,
    sum: { counted, u, value: total('value'), constant: total('constant'), heads },
    notes: { tests: testsInSum(state, tests, summed.counted.length) },
  };
}
