/**
 * The coordinator as a machine: `step(state, input)` changes the state and returns effects, and does nothing else.
 *
 * Effects are carried out in the order given, and `persist` is complete before any later effect begins: what a round has
 * become is durable before anybody is told. Whether a round can be closed is asked after every input. (DESIGN section 4;
 * the paper's section 3.1.)
 */
import type { ToCoordinator } from '../protocol/index.ts';
import { refuse } from './answers.ts';
import { onSummed } from './closing.ts';
import type { CoordinatorEffect, CoordinatorInput } from './effects.ts';
import {
  gatheringTimer,
  onForget,
  onJoin,
  onLeave,
  onMoments,
  readyToStart,
  startTraining,
} from './membership.ts';
import { noiseWanted } from './private-rounds.ts';
import { announce, finish, onAnswer, onTimer } from './rounds.ts';
import type { CoordinatorState } from './state.ts';
import { canClose } from './waiting.ts';
import { finishFor, tellAll } from './words.ts';

export function step(state: CoordinatorState, input: CoordinatorInput): CoordinatorEffect[] {
  const effects = take(state, input);
  if (readyToStart(state, input.now)) effects.push(...startTraining(state, input.now));
  if (state.phase === 'open' && canClose(state, input.now)) {
    state.phase = 'summing';
    const noise = noiseWanted(state);
    effects.push({ type: 'summation', ms: state.options.summationMs, ...(noise && { noise }) });
  }
  return effects;
}

function take(state: CoordinatorState, input: CoordinatorInput): CoordinatorEffect[] {
  switch (input.type) {
    case 'start':
      return onStart(state, input.now);
    case 'message':
      return onMessage(state, input.from, input.message, input.now);
    case 'timer':
      return onTimer(state, input.now);
    case 'summed':
      return state.phase === 'summing' ? onSummed(state, input.now, input.noise) : [];
    case 'forget':
      return onForget(state, input.id, input.now);
    case 'finish':
      return state.phase === 'finished' ? [] : finish(state, 'operator');
  }
}

/** For the first time, or after a crash: then the round that was open is opened again, with the same w. */
function onStart(state: CoordinatorState, now: number): CoordinatorEffect[] {
  state.startedMs = now;
  if (state.phase === 'finished') return tellAll(state, (member) => finishFor(state, member));
  return state.round === 0 ? [gatheringTimer(state, now)] : announce(state, now);
}

function onMessage(
  state: CoordinatorState,
  from: string,
  message: ToCoordinator,
  now: number,
): CoordinatorEffect[] {
  if (message.kind === 'join') return onJoin(state, from, message, now);
  const member = state.members.get(from);
  if (!member) {
    return [refuse(state, from, 'NOT_JOINED', `participant "${from}" has not joined`)];
  }
  switch (message.kind) {
    case 'moments':
      return onMoments(state, member, message);
    case 'update':
    case 'report':
      return onAnswer(state, member, message, now);
    case 'leave':
      // From an earlier life: it has come back since.
      return message.session < member.session ? [] : onLeave(state, member);
  }
}
