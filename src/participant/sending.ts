/** The participant's messages and their retransmission: made from its state. */
import { nextSendMs, noteSent } from '../base/pace.ts';
import type { AnswerMessage, ToCoordinator } from '../protocol/messages.ts';
import { sentPart } from '../solver/member.ts';
import { broughtMoments } from './agreement.ts';
import type { ParticipantEffect } from './effects.ts';
import { policyOf } from './policy.ts';
import type { ParticipantState, Pending } from './state.ts';
import { advertisement, maskedAnswer } from './summing.ts';

/** Retransmits whatever the coordinator may not have received; also the way to ask what is going on. */
export function retransmit(state: ParticipantState, now: number): ParticipantEffect[] {
  const sends = messagesFor(state).map((message): ParticipantEffect => ({ type: 'send', message }));
  // Whoever rests asks once, after a new connection, or until it has an answer where it was asked to join; a round wakes it.
  return state.phase === 'finished' && !state.isAskedToJoin ? sends : [...sends, timer(state, now)];
}

function messagesFor(state: ParticipantState): ToCoordinator[] {
  const { pending, secure } = state.stored;
  switch (state.phase) {
    case 'leaving':
      return [leave(state)];
    case 'measuring': {
      const moments = broughtMoments(state);
      const keys = advertisement(state);
      // Levels go first: where no labels are asked for, whoever has advertised its keys is waited for no longer.
      const all = moments?.columns ? [moments, keys] : [keys, moments];
      const brought = all.filter((one) => one !== undefined);
      // Where nothing is asked for, to be there is enough.
      return brought.length > 0 ? brought : [hello(state)];
    }
    case 'solving':
    case 'personalising':
      return [];
    case 'sent':
      // The answer, or what hides it; or that we are here, and wait for shares to hide it with.
      if (pending && !secure) return [asSent(state, pending)];
      return [(pending && maskedAnswer(state, pending.message.round)) ?? hello(state)];
    default:
      return [hello(state)];
  }
}

function leave({ stored: { session } }: ParticipantState): ToCoordinator {
  return { kind: 'leave', session };
}

/** Sent once: whoever gives up does not wait for an answer. */
export function goodbye(state: ParticipantState): ParticipantEffect {
  return { type: 'send', message: leave(state) };
}

/** A stored answer as it is sent: in this session, and with what was accepted before it where the round asks for that. */
export function asSent({ stored, order }: ParticipantState, { message }: Pending): AnswerMessage {
  const { session, committed } = stored;
  const previous = order?.sendPrevious && committed ? sentPart(committed).u : undefined;
  return { ...message, session, previous };
}

export function hello({ profile, stored }: ParticipantState): ToCoordinator {
  const { id, features, benchmarkMs } = profile;
  // How many rows there are is part of what is hidden, and nothing but MOCHA asks for it.
  const rows = profile.secure ? 1 : profile.rows;
  const pending = stored.pending?.message.round ?? 0;
  const { session, base, edition } = stored;
  return { kind: 'join', id, rows, features, benchmarkMs, session, base, pending, edition };
}

/**
 * The coordinator is behind what we know: its message was late on its way, or its store was rolled back. It finds out which by what our `join`
 * says of rounds.
 */
export function compareStates(state: ParticipantState): ParticipantEffect[] {
  return state.phase === 'leaving' ? [] : [{ type: 'send', message: hello(state) }];
}

/** When to retransmit what was sent now. */
export function timer(state: ParticipantState, now: number): ParticipantEffect {
  noteSent(state.pace, now);
  return { type: 'timer', atMs: nextSendMs(state.pace, retryMsOf(state)) };
}

/** As the federation has it, but not so often that it would exhaust us. */
export function retryMsOf(state: ParticipantState): number {
  const { stored, profile } = state;
  return Math.max(policyOf(state).leastRetryMs, stored.settings?.retryMs ?? profile.retryMs);
}
