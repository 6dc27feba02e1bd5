/** Leaving: a federation for good, a round that a policy rules out, or without a trace (unlearning). */
import type { Decline } from '../protocol/messages.ts';
import { forgetContribution } from './defence.ts';
import type { CoordinatorEffect } from './effects.ts';
import type { Member } from './member.ts';
import { refuse } from './refusals.ts';
import { canWake, isUnderWay, open, wake } from './rounds.ts';
import { sendFinish } from './sending.ts';
import type { CoordinatorState } from './state.ts';
import { persist } from './stored.ts';
import { dropAnswers, dropProof, inquiryOf } from './training.ts';

export function onLeave(state: CoordinatorState, member: Member): CoordinatorEffect[] {
  // In a summation its update is being taken: it gets the outcome when that is done, because it retransmits.
  if (state.phase === 'summing' && member.answer) return [];
  // What has gone into a secure sum cannot be taken out of it again.
  if (state.secure && member.answered && (state.phase === 'open' || state.phase === 'summing')) return [];
  const end = sendFinish(state, member, 'left');
  if (member.presence === 'left') return [end];
  if (!state.trainer) {
    // It has contributed nothing: nothing of it stays.
    removeMember(state, member);
    return [persist(state, [], [member.id]), end];
  }
  member.presence = 'left';
  state.tally = undefined;
  member.answer = undefined;
  member.answered = false;
  return [persist(state, [member]), end];
}

/** Nobody waits in this round for whoever does not want to take part in it. */
export function onDecline(
  state: CoordinatorState,
  member: Member,
  { session, round, code }: Decline,
): CoordinatorEffect[] {
  if (session !== member.session) return [];
  state.declines.set(code, (state.declines.get(code) ?? 0) + 1);
  member.fault = 'DECLINED';
  // Of the federation as a whole: it does not come back with this policy.
  if (round === 0) return onLeave(state, member);
  if (round !== state.round) return [];
  state.secure?.declined.set(member.id, code);
  if (!member.answered) member.barred = Math.max(member.barred, state.round);
  state.tally = undefined;
  return [];
}

/** Unlearning: its answers are dropped, and training goes on for those who remain. */
export function onForget(state: CoordinatorState, id: string): CoordinatorEffect[] {
  const member = state.members.get(id);
  if (!member) return [];
  if (state.trainer && !dropAnswers(state, member)) {
    const message = `forget "${id}": only the participant knows its contribution to noisy sums; train again from the start without it`;
    return [{ type: 'refusal', message }];
  }
  removeMember(state, member);
  state.forgotten.set(id, member.session);
  forgetContribution(state, member);
  const inquiry = inquiryOf(state);
  const isAnswered = [...state.members.values()].some(({ index }) => inquiry?.hasAnswered(index));
  // Where nobody is left whose answers made it, nothing of w stays; the w of a branch is its parent's.
  if (!isAnswered && !state.above) inquiry?.startOver();
  dropProof(state);
  for (const other of state.members.values()) other.scalars = undefined;
  const notice = refuse(
    state,
    id,
    'FORGOTTEN',
    `participant "${id}" has been forgotten: start over`,
    member.session,
  );
  const others = [...state.members.values()];
  const wakes = canWake(state) && inquiryOf(state) !== undefined && others.length > 0;
  if (!isUnderWay(state) && !wakes) {
    return [persist(state, others, [id]), notice];
  }
  // The open round asks about the old w, too: it is given up, and the next one opens without the forgotten answers.
  const [saved, ...announcements] = wakes ? wake(state, others, [id]) : open(state, 'train', others, [id]);
  return [saved, notice, ...announcements];
}

export function removeMember(state: CoordinatorState, member: Member): void {
  state.members.delete(member.id);
  state.tally = undefined;
  dropMoments(state, member);
}

export function dropMoments(state: CoordinatorState, member: Member): void {
  if (!member.moments) return;
  member.moments = undefined;
  state.measured--;
  state.meanings = undefined;
}
