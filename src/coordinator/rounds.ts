/** A round from its opening to its last answer. */
import type { FinishReason, Report, SumPurpose, ToParticipant, UpdateMessage } from '../protocol/index.ts';
import { refusalOfAnswer, refuse } from './answers.ts';
import type { CoordinatorEffect } from './effects.ts';
import { openSum, sayPhaseAgain, sumTimer } from './secure-round.ts';
import type { SecureSide } from './secure-state.ts';
import { type CoordinatorState, type Member, membersAsked, tallyAnswer } from './state.ts';
import { storedChanges } from './stored.ts';
import { canClose, nextDeadline, waitingPeriod } from './waiting.ts';
import { finishFor, roundFor, tellAll } from './words.ts';

/** Opens the next round: durable first, then everybody is told, with what became of the last one. */
export function open(
  state: CoordinatorState,
  purpose: 'train' | 'certify',
  now: number,
  changed: readonly Member[],
): CoordinatorEffect[] {
  state.round++;
  state.purpose = purpose;
  state.tally = undefined;
  if (state.secure) state.secure.purpose = summedFor(purpose, state.secure, state.scaling);
  for (const member of state.members.values()) {
    member.update = undefined;
    member.answered = false;
  }
  return [{ type: 'persist', changes: storedChanges(state, changed) }, ...announce(state, now)];
}

/** The loss at one w is summed once. */
function summedFor(purpose: 'train' | 'certify', { looked }: SecureSide, measured: unknown): SumPurpose {
  if (!measured) return 'measure';
  if (purpose === 'certify') return 'certify';
  return looked ? 'step' : 'train';
}

/** Opens the sum of everybody's moments: a round in which nothing is trained yet, and that waits for all. */
export function openMeasuring(state: CoordinatorState, now: number): CoordinatorEffect[] {
  return open(state, 'certify', now, []);
}

export function announce(state: CoordinatorState, now: number): CoordinatorEffect[] {
  state.phase = 'open';
  beginWaiting(state, now);
  if (state.secure) return [...tellRound(state, now), ...openSum(state, now), sumTimer(state, now)];
  return [...tellRound(state, now), nextTimer(state, now)];
}

/** The waiting period of the open round begins, or begins anew. */
export function beginWaiting(state: CoordinatorState, now: number): void {
  state.openedMs = now;
  state.saidMs = now;
  state.deadlineMs = now + waitingPeriod(state);
}

/** Nobody is told of a round before there is a model to train. */
function tellRound(state: CoordinatorState, now: number): CoordinatorEffect[] {
  return state.aggregator ? tellAll(state, (member) => roundFor(state, member, now)) : [];
}

export function onAnswer(
  state: CoordinatorState,
  member: Member,
  message: UpdateMessage | Report,
  now: number,
): CoordinatorEffect[] {
  // From an earlier life, late on its way; or from a new one, whose joining got lost.
  if (message.session < member.session) return [];
  if (message.session > member.session) {
    return [
      refuse(state, member.id, 'NOT_JOINED', `participant "${member.id}" has not joined in this session`),
    ];
  }
  if (state.phase === 'finished') return [{ type: 'send', to: member.id, message: finishFor(state, member) }];
  const refusal = refusalOfAnswer(state, member, message);
  if (refusal) {
    // Nothing better will come of it in this round: it is not waited for.
    if (refusal.code === 'INFEASIBLE' || refusal.code === 'TOO_LARGE') passOver(state, member);
    return [refuse(state, member.id, refusal.code, refusal.message)];
  }
  if (member.presence === 'left') {
    return [{ type: 'send', to: member.id, message: { ...finishFor(state, member), reason: 'left' } }];
  }
  if (member.answered && message.round === state.round) return [];
  const { session, accepted } = member;
  const outcome: ToParticipant = { kind: 'outcome', session, round: message.round, accepted };
  // Late, or again: answered, never aggregated.
  if (message.round < state.round || message.round <= member.barred) {
    return [{ type: 'send', to: member.id, message: outcome }];
  }
  if (state.phase === 'summing') {
    // Its round counts as closed. That is durable before it is said: after a crash the round is open again.
    member.barred = state.round;
    state.tally = undefined;
    return [
      { type: 'persist', changes: storedChanges(state, [member]) },
      { type: 'send', to: member.id, message: outcome },
    ];
  }
  tallyAnswer(state, member);
  member.answered = true;
  member.missed = 0;
  member.missedLooks = 0;
  member.responseMs = now - state.openedMs;
  member.scalars = message.scalars;
  member.scalarsRound = message.round;
  if (message.kind === 'update') member.update = message;
  return [];
}

function passOver(state: CoordinatorState, member: Member): void {
  if (member.answered) return;
  member.barred = state.round;
  state.tally = undefined;
}

export function onTimer(state: CoordinatorState, now: number): CoordinatorEffect[] {
  // Only a summation that was under way goes on.
  if (state.paused && state.phase !== 'summing') return [];
  if (state.secure) return onSumTimer(state, now);
  if (state.phase !== 'open' || canClose(state, now)) return [];
  if (membersSilent(state).length === 0) return [];
  if (now < state.saidMs + state.options.retryMs) return [nextTimer(state, now)];
  // Whoever has not answered may not have heard.
  state.saidMs = now;
  return sayRoundAgain(state, now);
}

/** Speaks of the open round to those who have not answered it. */
export function sayRoundAgain(state: CoordinatorState, now: number): CoordinatorEffect[] {
  const again = membersSilent(state).map(
    (member) => ({ type: 'send', to: member.id, message: roundFor(state, member, now) }) as const,
  );
  return [...again, nextTimer(state, now)];
}

function membersSilent(state: CoordinatorState): Member[] {
  return membersAsked(state).filter((member) => !member.answered);
}

function onSumTimer(state: CoordinatorState, now: number): CoordinatorEffect[] {
  const running = state.phase === 'open' || state.phase === 'summing';
  if (!running || state.secure!.outcome) return [];
  if (now < state.saidMs + state.options.retryMs) return [sumTimer(state, now)];
  state.saidMs = now;
  return [...sayPhaseAgain(state, now), sumTimer(state, now)];
}

function nextTimer(state: CoordinatorState, now: number): CoordinatorEffect {
  return { type: 'timer', atMs: Math.min(nextDeadline(state, now), state.saidMs + state.options.retryMs) };
}

export function finish(
  state: CoordinatorState,
  reason: FinishReason,
  changed: readonly Member[] = [],
): CoordinatorEffect[] {
  state.phase = 'finished';
  state.paused = false;
  state.finish = reason;
  return [
    { type: 'persist', changes: storedChanges(state, changed) },
    ...tellAll(state, (member) => finishFor(state, member)),
  ];
}
