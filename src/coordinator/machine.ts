/**
 * The coordinator as a machine: `step(state, input)` changes the state and returns effects, and does nothing else.
 *
 * Effects are carried out in the order given, and `persist` is complete before any later effect begins: the outcome of a round
 * is durable before it is sent to anybody. Whether a round can be closed is asked after every input. (The paper's section 3.1.)
 */
import { noblePrimitives, type Primitives } from '../privacy/secure/keys.ts';
import type { ToCoordinator } from '../protocol/messages.ts';
import { measureBelow, onAbove, onBeat, startBranch } from './branch.ts';
import { onSummed } from './closing.ts';
import { onAnswer } from './collecting/plain.ts';
import { onSecureAnswer } from './collecting/secure.ts';
import type { CoordinatorEffect, CoordinatorInput } from './effects.ts';
import { onFault } from './faults.ts';
import { onMoments, readyToStart, startTraining } from './gathering.ts';
import { onEnlist, onPartial } from './groups.ts';
import { onJoin, onPresent } from './joining.ts';
import { onDecline, onForget, onLeave } from './leaving.ts';
import { comeBack, onAway } from './patience.ts';
import { noiseWanted } from './private-rounds.ts';
import { refuse } from './refusals.ts';
import { onRecount, onReopen } from './reopening.ts';
import {
  announce,
  finish,
  isPassedOver,
  onPause,
  onResume,
  onTimer,
  onTiming,
  open,
  wakeFor,
} from './rounds.ts';
import { advance } from './secure-round.ts';
import { sendFinish } from './sending.ts';
import type { CoordinatorState } from './state.ts';
import { membersHere } from './tally.ts';
import { beginWaiting, canClose, gatheringTimer } from './waiting.ts';

/** `primitives` are for secure aggregation: those of the platform may be faster than the portable ones. */
export function step(
  state: CoordinatorState,
  input: CoordinatorInput,
  primitives: Primitives = noblePrimitives,
): CoordinatorEffect[] {
  state.nowMs = input.now;
  const effects = take(state, input, primitives);
  if (state.above) effects.push(...measureBelow(state));
  else if (readyToStart(state)) effects.push(...startTraining(state));
  if (state.secure) return [...effects, ...advance(state)];
  if (state.phase === 'open' && canClose(state)) {
    state.phase = 'summing';
    const noise = noiseWanted(state);
    effects.push({ type: 'summation', ms: state.options.summationMs, ...(noise && { noise }) });
  }
  return effects;
}

function take(state: CoordinatorState, input: CoordinatorInput, primitives: Primitives): CoordinatorEffect[] {
  switch (input.type) {
    case 'start':
      return onStart(state);
    case 'message':
      return onMessage(state, input.from, input.message, primitives);
    case 'timer':
      return onTimer(state);
    case 'away':
      return onAway(state, input.id);
    case 'present':
      return onPresent(state, input.id);
    case 'summed':
      if (state.phase !== 'summing') return [];
      return onSummed(state, input.noise);
    case 'forget':
      return onForget(state, input.id);
    case 'recount':
      return onRecount(state);
    case 'pause':
      return onPause(state);
    case 'resume':
      return onResume(state);
    case 'finish':
      return state.phase === 'finished' ? [] : finish(state, 'operator');
    case 'reopen':
      return onReopen(state);
    case 'above':
      return onAbove(state, input.message);
    case 'beat':
      return onBeat(state);
    case 'timing':
      return onTiming(state, input.timing);
  }
}

/**
 * For the first time, or after a crash: then the round that was open is opened again, with the same w; when it was paused,
 * not before it is resumed.
 */
function onStart(state: CoordinatorState): CoordinatorEffect[] {
  state.startedMs = state.nowMs;
  state.pausedMs = state.nowMs;
  if (state.above) return startBranch(state);
  if (state.phase === 'finished') return membersHere(state).map((member) => sendFinish(state, member));
  if (state.phase === 'gathering') return [gatheringTimer(state)];
  if (state.paused) {
    beginWaiting(state);
    return [];
  }
  // A secure sum may never be opened twice: the round is given up for a new one.
  return state.secure ? open(state, state.purpose, []) : announce(state);
}

/** Moments and a goodbye come from participants and from branches alike. */
function isOfRole({ kind }: ToCoordinator): boolean {
  return kind !== 'moments' && kind !== 'leave' && kind !== 'fault';
}

function onMessage(
  state: CoordinatorState,
  from: string,
  message: ToCoordinator,
  primitives: Primitives,
): CoordinatorEffect[] {
  const isOfBranch = message.kind === 'enlist' || message.kind === 'partial';
  if (isOfBranch !== (state.place.below === 'groups') && isOfRole(message)) {
    const sentence = `${message.kind}: expected messages of ${state.place.below === 'groups' ? 'branches' : 'participants'}`;
    return [refuse(state, from, 'INFEASIBLE', sentence)];
  }
  if (message.kind === 'join') return onJoin(state, from, message);
  if (message.kind === 'enlist') return onEnlist(state, from, message);
  const member = state.members.get(from);
  if (!member) {
    return [refuse(state, from, 'NOT_JOINED', `participant "${from}" has not joined`)];
  }
  // It may be its last message: nobody is waited for because of it.
  if (message.kind === 'fault') return onFault(state, member, message);
  // It is there after all: a late answer shows it, too.
  if (member.isAway) comeBack(state, member);
  if ('session' in message && message.session === member.session && message.kind !== 'leave') {
    if (isPassedOver(state, member)) return wakeFor(state, member);
  }
  if (message.kind === 'decline') return onDecline(state, member, message);
  if (message.kind === 'partial') return onPartial(state, member, message);
  if (state.secure && message.kind !== 'leave') return onSecureAnswer(state, member, message, primitives);
  switch (message.kind) {
    case 'moments':
      return onMoments(state, member, message);
    case 'answer':
      return onAnswer(state, member, message);
    case 'leave':
      // From an earlier session: it has come back since.
      if (message.session < member.session) return [];
      // From a session whose join got lost: it would ignore a finish for the one before.
      member.session = message.session;
      return onLeave(state, member);
    default:
      return [
        refuse(state, from, 'INFEASIBLE', `${message.kind}: this federation does not use secure aggregation`),
      ];
  }
}
