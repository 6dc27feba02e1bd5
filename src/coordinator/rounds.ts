/** Rounds open, wait, and are followed by others, or by a rest. */
import { nextSendMs, noteNoReply, noteSent } from '../base/pace.ts';
import type { FinishReason } from '../protocol/messages.ts';
import { giveUpRound } from './branch-sum.ts';
import type { CoordinatorEffect } from './effects.ts';
import type { Member } from './member.ts';
import { waitForAgain } from './patience.ts';
import { openSum, retransmitPhase, sumTimer } from './secure-round.ts';
import { sendFinish, sendRound } from './sending.ts';
import type { CoordinatorState, Timing } from './state.ts';
import { persist } from './stored.ts';
import { membersAsked, membersHere } from './tally.ts';
import { inquiryOf } from './training.ts';
import { beginWaiting, canClose, gatheringTimer, nextDeadline } from './waiting.ts';

/** Opens the next round: durable first, then it is sent to everybody, with the last answer that was accepted of each. */
export function open(
  state: CoordinatorState,
  purpose: 'train' | 'certify',
  changed: readonly Member[],
  removed: readonly string[] = [],
): CoordinatorEffect[] {
  if (state.above) return giveUpRound(state, changed, removed);
  return openNext(state, purpose, changed, removed);
}

/** In a branch for rounds of its own only: the parent opens all others. */
function openNext(
  state: CoordinatorState,
  purpose: 'train' | 'certify',
  changed: readonly Member[],
  removed: readonly string[],
): CoordinatorEffect[] {
  state.round++;
  // Before it is stored: a federation that is woken rests no more, also after a crash.
  beginRound(state, purpose);
  return [persist(state, changed, removed), ...announce(state)];
}

/** Nobody has answered it yet. */
export function beginRound(state: CoordinatorState, purpose: 'train' | 'certify'): void {
  state.phase = 'open';
  state.purpose = purpose;
  state.tally = undefined;
  if (state.timing) state.options = { ...state.options, ...state.timing };
  if (state.secure) state.secure.purpose = state.scaling ? 'train' : 'measure';
  for (const member of state.members.values()) {
    member.answer = undefined;
    member.partial = undefined;
    member.answered = false;
    noteNoReply(member.pace, state.nowMs);
  }
}

/**
 * Whether a round is open that goes on from answers dropped since. So does one that is being summed: a secure sum is one of changes to
 * them, and answers are to a query that is no longer asked.
 */
export function isUnderWay(state: CoordinatorState): boolean {
  const { phase, secure } = state;
  return (
    phase === 'open' || (phase === 'summing' && (secure !== undefined || inquiryOf(state) !== undefined))
  );
}

/** Opens the sum of everybody's moments: a round in which nothing is trained yet, and that waits for all. */
export function openMeasuring(state: CoordinatorState): CoordinatorEffect[] {
  return openNext(state, 'certify', [], []);
}

export function announce(state: CoordinatorState): CoordinatorEffect[] {
  state.phase = 'open';
  beginWaiting(state);
  if (state.secure) return [...sendRounds(state), ...openSum(state), sumTimer(state)];
  return [...sendRounds(state), nextTimer(state)];
}

/** No round is sent before there is a model to train. */
function sendRounds(state: CoordinatorState): CoordinatorEffect[] {
  return state.trainer ? membersHere(state).flatMap((member) => sendRound(state, member)) : [];
}

export function onTimer(state: CoordinatorState): CoordinatorEffect[] {
  // Only a summation that was under way goes on.
  if (state.paused && state.phase !== 'summing') return [];
  if (state.secure) return onSumTimer(state);
  if (state.phase !== 'open' || canClose(state)) return [];
  const { nowMs } = state;
  const silent = membersSilent(state);
  if (silent.length === 0) return [];
  // Whoever has not answered may not have received it.
  return retransmitTo(
    state,
    silent.filter((member) => nowMs >= retryAt(state, member)),
  );
}

function retransmitTo(state: CoordinatorState, members: readonly Member[]): CoordinatorEffect[] {
  const again = members.flatMap((member) => sendRound(state, member));
  return [...again, nextTimer(state)];
}

/** When the open round is sent again to a member that has not answered it. */
function retryAt({ options }: CoordinatorState, { pace }: Member): number {
  return nextSendMs(pace, options.retryMs);
}

function membersSilent(state: CoordinatorState): Member[] {
  return membersAsked(state).filter((member) => !member.answered);
}

function onSumTimer(state: CoordinatorState): CoordinatorEffect[] {
  const running = state.phase === 'open' || state.phase === 'summing';
  if (!running || state.secure!.outcome) return [];
  const { pace } = state.secure!;
  if (state.nowMs < nextSendMs(pace, state.options.retryMs)) return [sumTimer(state)];
  noteSent(pace, state.nowMs);
  return [...retransmitPhase(state), sumTimer(state)];
}

function nextTimer(state: CoordinatorState): CoordinatorEffect {
  let atMs = nextDeadline(state);
  for (const member of membersSilent(state)) atMs = Math.min(atMs, retryAt(state, member));
  return { type: 'timer', atMs };
}

export function finish(
  state: CoordinatorState,
  reason: FinishReason,
  changed: readonly Member[] = [],
): CoordinatorEffect[] {
  state.phase = 'finished';
  state.paused = false;
  state.finish = reason;
  // Whoever has come back and could not answer yet is not sent home: its next message wakes training.
  const told = membersHere(state).filter(
    (member) => member.extraRounds === 0 || !isPassedOver(state, member),
  );
  return [persist(state, changed), ...told.map((member) => sendFinish(state, member))];
}

/** Whether training may go on after a rest: not where the operator or a budget has ended it. */
export function canWake({ phase, finish }: CoordinatorState): boolean {
  return phase === 'finished' && finish !== 'operator' && finish !== 'budget';
}

/**
 * Training has come to rest before it could answer: to the model it is a newcomer, and wakes it. Once in a session: whoever still cannot answer then,
 * being too slow or one of too few, would wake it for ever.
 */
export function isPassedOver(state: CoordinatorState, member: Member): boolean {
  const { index, presence, session, wokeIn } = member;
  if (!mayWake(state, member) || presence !== 'here' || wokeIn === session) return false;
  return inquiryOf(state)?.hasAnswered(index) === false;
}

/** Whether somebody may wake training: not whoever has done so again and again, and never answered. */
export function mayWake(state: CoordinatorState, { idleWakes }: Member): boolean {
  return canWake(state) && inquiryOf(state) !== undefined && idleWakes < state.options.patience;
}

/** Training goes on for the sake of one member. */
export function wakeFor(state: CoordinatorState, member: Member): CoordinatorEffect[] {
  waitForAgain(state, member);
  member.idleWakes++;
  return wake(state, [...state.members.values()]);
}

/** Training goes on after a rest, from the model in use: limits count from here. */
export function wake(
  state: CoordinatorState,
  changed: readonly Member[],
  removed: readonly string[] = [],
): CoordinatorEffect[] {
  if (state.above) return giveUpRound(state, changed, removed);
  state.finish = undefined;
  state.startedMs = state.nowMs;
  state.aggregated = 0;
  state.wokenRound = state.round;
  state.bestRound = state.round;
  state.bestGap = Number.POSITIVE_INFINITY;
  noteWoken(state);
  return open(state, 'train', changed, removed);
}

export function noteWoken(state: CoordinatorState): void {
  for (const member of state.members.values()) member.wokeIn = member.session;
}

/**
 * The operator pauses and resumes a run. While it is paused no round closes, no deadline passes, nothing is retransmitted by a
 * timer and training does not start; messages are answered as ever, and the open round keeps the answers that it gets. Two
 * things still open a round: a summation that was under way, which is completed, and `forget`, after which there is another w.
 *
 * That a run is paused is durable before anything follows from it. Time spent paused counts for no limit.
 */
export function onPause(state: CoordinatorState): CoordinatorEffect[] {
  if (state.paused || state.phase === 'finished') return [];
  state.paused = true;
  state.pausedMs = state.nowMs;
  return [persist(state)];
}

export function onResume(state: CoordinatorState): CoordinatorEffect[] {
  if (!state.paused) return [];
  state.paused = false;
  state.startedMs += state.nowMs - state.pausedMs;
  // A secure sum that stood still is given up for a new one, as after a crash.
  if (state.phase === 'open' && state.secure) return open(state, state.purpose, []);
  return [persist(state), ...goOn(state)];
}

/** The open round keeps the deadline that participants were sent with it. */
export function onTiming(state: CoordinatorState, timing: Timing): CoordinatorEffect[] {
  state.timing = timing;
  return [persist(state)];
}

function goOn(state: CoordinatorState): CoordinatorEffect[] {
  switch (state.phase) {
    case 'gathering':
      return [gatheringTimer(state)];
    case 'open':
      beginWaiting(state);
      return retransmitTo(state, membersSilent(state));
    default:
      // The summation opens the next round when it is done.
      return [];
  }
}
