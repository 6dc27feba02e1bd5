/** Agreeing with a coordinator: its welcome, a new session where it does not know us any more, and starting over where it has lost its store. */
import { sameData } from '../base/same-data.ts';
import type { Welcome } from '../protocol/messages.ts';
import type { FederationSettings } from '../settings/wire.ts';
import { misfitOf } from './agreement.ts';
import type { ParticipantEffect } from './effects.ts';
import { advertisement, giveUp, takeSeat } from './secure.ts';
import { goodbye, retransmit } from './sending.ts';
import { NOTHING_STORED, type ParticipantState } from './state.ts';

export function onWelcome(state: ParticipantState, message: Welcome, now: number): ParticipantEffect[] {
  const { settings, agreement } = message;
  if (state.phase === 'leaving') return [];
  if (state.stored.scaling) {
    if (!isAnotherFederation(state, message)) return [];
    startOver(state);
  }
  const unfit = unfitFor(state, settings);
  if (unfit) return giveUp(state, 'NOT_SECURE', unfit);
  const misfit = misfitOf(state, settings, agreement);
  // Nobody is to wait for us.
  if (misfit) return [...giveUp(state, misfit.code, misfit.message), goodbye(state)];
  state.awaited = message.awaited;
  const newcomer = !state.stored.secure;
  const secure = takeSeat(state, settings);
  if (!message.scaling) {
    state.waitingFor = message.waitingFor;
    // `finished`: the operator has ended a training that never began, and opens it again.
    if (state.phase !== 'joining' && state.phase !== 'finished') return [];
    state.stored = { ...state.stored, settings, agreement, secure };
    state.phase = 'measuring';
    return [{ type: 'persist', stored: state.stored }, ...retransmit(state, now)];
  }
  const scaling = { mode: settings.scale, ...message.scaling };
  state.stored = { ...state.stored, settings, scaling, agreement, secure };
  state.waitingFor = undefined;
  state.phase = 'preparing';
  const introduction = newcomer ? advertisement(state) : undefined;
  return [
    { type: 'persist', stored: state.stored },
    ...(introduction ? [{ type: 'send', message: introduction } as const] : []),
    { type: 'prepare', settings, scaling, agreement: agreement! },
  ];
}

/**
 * Whether the coordinator has lost its store and begun again: the scaling of a federation never changes. Without one the message may be
 * an old one, late on its way; moments that are sent for nothing do no harm, but keys are not given up without FORGOTTEN, which everybody
 * receives who has answered.
 */
function isAnotherFederation(
  { stored, phase }: ParticipantState,
  { settings, scaling, agreement }: Welcome,
): boolean {
  if (stored.base > 0 || stored.pending) return false;
  if (!scaling) {
    const rests = phase === 'joining' || phase === 'finished';
    return rests && (stored.isForgotten === true || !stored.secure);
  }
  const { shift, factor } = stored.scaling!;
  return !sameData([stored.settings, { shift, factor }, stored.agreement], [settings, scaling, agreement]);
}

/** Nothing that was agreed on before holds any more. Keys are new, too: round numbers begin again, and none may be used twice with a key. */
function startOver(state: ParticipantState): void {
  const { session, secure, edition } = state.stored;
  const drawn = secure?.drawn ?? state.stored.drawn;
  state.stored = { ...NOTHING_STORED, session, edition, ...(drawn !== undefined && { drawn }) };
  forgetRun(state);
}

function forgetRun(state: ParticipantState): void {
  state.problem = undefined;
  state.warm = undefined;
  state.latest = undefined;
  state.order = undefined;
  state.unfinished = undefined;
  state.delivered = undefined;
  state.mismatches = 0;
  state.phase = 'joining';
}

/** Whoever came for secure aggregation does not go on without it, and nobody can take part in it without a secret. */
function unfitFor({ profile }: ParticipantState, settings: FederationSettings): string | undefined {
  if (!profile.secure === !settings.secure) return undefined;
  const [wanted, got] = profile.secure ? ['with', 'without'] : ['without', 'with'];
  return `participant "${profile.id}": expected a federation ${wanted} secure aggregation, got one ${got}`;
}

/**
 * The operator has taken our contribution out, or the coordinator has lost its store: a new session. Which of the two the next welcome says:
 * what was agreed on is kept to compare it with.
 */
export function beginSession(state: ParticipantState, now: number): ParticipantEffect[] {
  const { settings, scaling, agreement, session, secure, drawn, edition } = state.stored;
  // Keys and used numbers outlast a session.
  state.stored = {
    ...NOTHING_STORED,
    settings,
    scaling,
    agreement,
    session: session + 1,
    secure,
    drawn,
    edition,
    isForgotten: true,
  };
  const { problem } = state;
  forgetRun(state);
  state.problem = problem;
  return [{ type: 'cancel' }, { type: 'persist', stored: state.stored }, ...retransmit(state, now)];
}
