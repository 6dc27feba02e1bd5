/** Agreeing with a coordinator: its welcome, a new session where it does not know us any more, and starting over where it has lost its store. */
import { invariant } from '../base/errors.ts';
import { sameData } from '../base/same-data.ts';
import type { Welcome } from '../protocol/messages.ts';
import type { FederationSettings } from '../settings/wire.ts';
import { misfitOf } from './agreement.ts';
import type { ParticipantEffect } from './effects.ts';
import { giveUp, stop } from './faults.ts';
import { objectionTo, policyOf } from './policy.ts';
import { goodbye, retransmit, timer } from './sending.ts';
import { NOTHING_STORED, type ParticipantState } from './state.ts';
import { advertisement, decline, type SecureSide } from './summing.ts';

/** Phases in which nothing is under way that a new beginning would disturb. */
const WITHOUT_WORK: ReadonlySet<ParticipantState['phase']> = new Set(['joining', 'idle', 'finished']);
/** Welcomes without a scaling that are not late on their way. */
const UNSCALED = 5;

export function onWelcome(
  state: ParticipantState,
  message: Welcome,
  now: number,
  side: SecureSide | undefined,
): ParticipantEffect[] {
  const { settings, agreement } = message;
  if (state.phase === 'leaving') return [];
  const isAnother = state.stored.scaling !== undefined;
  if (state.stored.scaling) {
    if (!isAnotherFederation(state, message)) return [];
    if (message.scaling || state.stored.isForgotten) startOver(state);
    else measureAgain(state);
  }
  const unfit = unfitFor(state, settings);
  if (unfit) return giveUp(state, 'NOT_SECURE', unfit);
  const misfit = misfitOf(state, settings, agreement);
  // Nobody is to wait for us.
  if (misfit) return [...giveUp(state, misfit.code, misfit.message), goodbye(state)];
  state.awaited = message.awaited;
  const declined = declineFederation(state, settings);
  if (declined) return declined;
  invariant(!settings.secure || side, 'secure aggregation: expected its cryptography, got none');
  const newcomer = !state.stored.secure;
  const secure = side ? side.takeSeat(state, settings) : state.stored.secure;
  if (!message.scaling) {
    state.waitingFor = message.waitingFor;
    // With secure aggregation: what columns become is settled before anything is measured.
    if (state.phase === 'measuring' && agreement?.encoding && !sameData(agreement, state.stored.agreement)) {
      state.stored = { ...state.stored, agreement };
      return [{ type: 'persist', stored: state.stored }];
    }
    // `finished`: the operator has ended a training that never began, and opens it again.
    if (state.phase !== 'joining' && state.phase !== 'finished') return [];
    state.stored = { ...state.stored, settings, agreement, secure };
    state.phase = 'measuring';
    return [{ type: 'persist', stored: state.stored }, ...signing(state, side), ...retransmit(state, now)];
  }
  const scaling = { mode: settings.scale, ...message.scaling };
  state.stored = { ...state.stored, settings, scaling, agreement, secure };
  state.waitingFor = undefined;
  state.phase = 'preparing';
  const introduction = newcomer ? advertisement(state) : undefined;
  return [
    { type: 'persist', stored: state.stored },
    ...signing(state, side),
    ...(introduction ? [{ type: 'send', message: introduction } as const] : []),
    // Who was at rest has no timer, and nobody knows that it has begun again.
    ...(isAnother ? [timer(state, now)] : []),
    { type: 'prepare', settings, scaling, agreement: agreement! },
  ];
}

/** What the policy has against the federation as a whole ends it for good. */
export function declineFederation(
  state: ParticipantState,
  settings: FederationSettings,
): ParticipantEffect[] | undefined {
  const objection = objectionTo(policyOf(state), settings);
  if (!objection) return undefined;
  const message = `participant "${state.profile.id}": declined by its policy: ${objection.sentence}`;
  return [...decline(state, 0, objection.code), ...stop(state, 'DECLINED', message)];
}

/** Our channel key is advertised once the enrolment key has signed it. */
export function signing(state: ParticipantState, side: SecureSide | undefined): ParticipantEffect[] {
  const statement = side?.toSign(state);
  return statement ? [{ type: 'sign', statement }] : [];
}

export function onSigned(state: ParticipantState, signature: Uint8Array): ParticipantEffect[] {
  const { secure } = state.stored;
  if (!secure || secure.advertisement) return [];
  const { id, identity, channel } = secure.core;
  const signed = { id, identityKey: identity.publicKey, channelKey: channel.publicKey, signature };
  state.stored = { ...state.stored, secure: { ...secure, advertisement: signed } };
  return [
    { type: 'persist', stored: state.stored },
    { type: 'send', message: advertisement(state)! },
  ];
}

/**
 * Whether the coordinator has lost its store and begun again: the scaling of a federation never changes. Without one the message may be
 * an old one, late on its way; moments that are sent for nothing do no harm, but keys are not given up without FORGOTTEN, which everybody
 * receives who has answered, or several such messages.
 */
function isAnotherFederation(state: ParticipantState, { settings, scaling, agreement }: Welcome): boolean {
  const { stored, phase } = state;
  if (stored.base > 0 || stored.pending) return false;
  if (!scaling) {
    if (!WITHOUT_WORK.has(phase)) return false;
    return stored.isForgotten === true || !stored.secure || ++state.mismatches >= UNSCALED;
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

/** The scaling is lost, but not that we have joined: with the same keys, and numbers of rounds above those that they were used for. */
function measureAgain(state: ParticipantState): void {
  const { session, secure, drawn, edition } = state.stored;
  state.stored = { ...NOTHING_STORED, session, edition, secure, drawn };
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
