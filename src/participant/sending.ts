/** The participant's messages and their retransmission: made from its state. */
import type { AnswerMessage, ToCoordinator } from '../protocol/messages.ts';
import { sentPart } from '../solver/member.ts';
import type { ParticipantEffect } from './effects.ts';
import { advertisement, maskedAnswer } from './secure.ts';
import type { ParticipantState, Pending } from './state.ts';

/** Retransmits whatever the coordinator may not have received; also the way to ask what is going on. */
export function retransmit(state: ParticipantState, now: number): ParticipantEffect[] {
  const messages: ToCoordinator[] = [];
  const { moments } = state.profile;
  const { session, pending } = state.stored;
  if (state.phase === 'leaving') messages.push({ kind: 'leave', session });
  else if (state.phase === 'measuring')
    messages.push(advertisement(state) ?? { kind: 'moments', ...moments });
  else if (state.phase === 'sent' && pending) messages.push(answerFor(state, pending));
  else if (state.phase !== 'solving' && state.phase !== 'personalising') messages.push(hello(state));
  const sends = messages.map((message) => ({ type: 'send', message }) as const);
  // Whoever rests asks once, after a new connection; a round wakes it.
  return state.phase === 'finished' ? sends : [...sends, timer(state, now)];
}

/** What to say of a pending update: the update, or what hides it; or that we are here, and wait for shares to hide it with. */
function answerFor(state: ParticipantState, pending: Pending): ToCoordinator {
  if (!state.stored.secure) return asSent(state, pending);
  return maskedAnswer(state, pending.message.round) ?? hello(state);
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

export function timer(state: ParticipantState, now: number): ParticipantEffect {
  return { type: 'timer', atMs: now + (state.stored.settings?.retryMs ?? state.profile.retryMs) };
}
