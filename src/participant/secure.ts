/**
 * The participant's side of secure aggregation (src/privacy/secure): what it answers to the coordinator's messages, and what it
 * puts into the sum. Dealing needs nothing but the plan, so it happens while the solve is under way; the vector is masked when
 * both the solution and the shares of the others are there.
 *
 * The state of the protocol is part of what is stored, and stored before any answer is sent. Whatever the protocol
 * refuses changes nothing and is not answered: the round goes on without us.
 */
import { sameData } from '../base/same-data.ts';
import { carriesNoise } from '../privacy/dp/honest.ts';
import { type IndexSet, members } from '../privacy/secure/index-set.ts';
import { drawFrom, type Primitives } from '../privacy/secure/keys.ts';
import {
  acceptRoster,
  type ParticipantState as Core,
  type Identities,
  newParticipant,
} from '../privacy/secure/membership.ts';
import { attest, deal, mask, reveal } from '../privacy/secure/participant.ts';
import { advertise, layoutOf } from '../privacy/secure/roster.ts';
import { SecureError } from '../privacy/secure/secure-error.ts';
import { measuredBy } from '../protocol/agreement.ts';
import type {
  AnswerMessage,
  PlanMessage,
  RosterMessage,
  SecureToParticipant,
  ToCoordinator,
} from '../protocol/messages.ts';
import {
  changeVector,
  exactLimit,
  federationName,
  MOMENTS_LIMIT,
  momentsVector,
  securityOf,
  sumPlan,
  toGrid,
} from '../protocol/secure-sums.ts';
import type { FederationSettings, SecureSettings } from '../settings/wire.ts';
import { boundsOf } from '../solver/answer.ts';
import { plusScaled } from '../solver/vector.ts';
import { measuredRows } from './agreement.ts';
import type { ParticipantEffect } from './effects.ts';
import type { ParticipantState, RefusalCode, SecureStored, SummedScalars } from './state.ts';

const TRUST_ON_FIRST_USE: Identities = { known: new Map(), unknown: 'pin' };

/** Keys, as soon as the settings say for which federation; made once and kept for good. */
export function takeSeat(state: ParticipantState, settings: FederationSettings): SecureStored | undefined {
  const { stored, profile } = state;
  if (!settings.secure || !profile.secure || stored.secure) return stored.secure;
  const { entropy, drawn } = drawFrom(profile.secure.secret, stored.drawn ?? 0);
  const security = securityOf(settings.secure);
  const core = newParticipant({ federation: federationName(settings), id: profile.id, security }, entropy);
  // Signed once: a signature takes longer than all else that is sent.
  const advertisement = advertise(core);
  return { core, advertisement, drawn: drawn(), purpose: 'measure', rosterRound: 0 };
}

/** Who we are, once there is anything to say. */
export function advertisement({ stored }: ParticipantState): ToCoordinator | undefined {
  if (!stored.secure) return undefined;
  const { identityKey, channelKey, signature } = stored.secure.advertisement;
  return { kind: 'advertise', session: stored.session, identityKey, channelKey, signature };
}

/** The masked vector of a round, if it was sent: what is retransmitted in place of an answer. */
export function maskedAnswer({ stored }: ParticipantState, round: number): ToCoordinator | undefined {
  const { secure, session, base } = stored;
  const open = secure?.core.round;
  if (!open?.masked || open.plan.round !== round) return undefined;
  return { ...open.masked.message, kind: 'masked', session, base };
}

export function onSecureMessage(
  state: ParticipantState,
  message: SecureToParticipant,
  now: number,
  primitives: Primitives,
): ParticipantEffect[] {
  if (!state.stored.secure) return [];
  switch (message.kind) {
    case 'roster':
      return onRoster(state, message, primitives);
    case 'plan':
      return onPlan(state, message, now);
    case 'delivered':
      state.delivered = message;
      return maskWhenReady(state);
    case 'counted':
      if (!isNoisyEnough(state, message.members)) return [];
      return answer(state, (core, session) => ({ ...attest(core, message), kind: 'attested', session }));
    case 'attestations':
      return answer(state, (core, session) => ({ ...reveal(core, message), kind: 'revealed', session }));
  }
}

/** Whether those who are to be summed add the noise that the settings promise: with fewer nobody helps to uncover the sum. */
function isNoisyEnough({ stored: { settings, secure } }: ParticipantState, counted: IndexSet): boolean {
  const roster = secure!.core.seat?.layout.ids.length;
  if (!settings?.dp || !settings.secure || roster === undefined || secure!.purpose === 'measure') return true;
  return carriesNoise(settings.dp, { counted: members(counted).length, roster }, settings.secure);
}

function onRoster(state: ParticipantState, message: RosterMessage, primitives: Primitives) {
  const { rosterRound, core } = state.stored.secure!;
  if (message.round < rosterRound) return [];
  const identities = state.profile.secure?.identities ?? TRUST_ON_FIRST_USE;
  return answer(
    state,
    (copy) => {
      // Taking a seat gives up an open round: not for a roster that was retransmitted.
      const { session } = layoutOf(core.federation, message, core.security);
      if (!sameData(session, core.seat?.layout.session)) acceptRoster(copy, message, identities, primitives);
      return undefined;
    },
    { rosterRound: message.round },
  );
}

function onPlan(state: ParticipantState, message: PlanMessage, now: number): ParticipantEffect[] {
  const { settings, scaling, secure } = state.stored;
  const { seat, lastRound, round: open } = secure!.core;
  if (!settings || message.round < lastRound || (message.purpose === 'measure') !== !scaling) return [];
  if (!seat || !sameData(message.roster, seat.layout.session)) return askForRoster(state, settings, now);
  // Retransmitted: so is the answer, unless a later one has been given.
  if (message.round === lastRound && open?.masked) return [];
  const plan = sumPlan(settings, message, seat.layout.ids.length);
  const { entropy, drawn } = drawFrom(state.profile.secure!.secret, secure!.drawn);
  const effects = answer(
    state,
    (core, session) => ({ ...deal(core, plan, entropy), kind: 'dealt', session }),
    () => ({ drawn: drawn(), purpose: message.purpose }),
  );
  return [...effects, ...maskWhenReady(state)];
}

/** Not again and again: the answer brings the plan, and a roster that we cannot take would bring it for ever. */
function askForRoster(
  state: ParticipantState,
  { retryMs }: FederationSettings,
  now: number,
): ParticipantEffect[] {
  if (now < state.askedMs + retryMs) return [];
  state.askedMs = now;
  return say(advertisement(state));
}

/** Masks and sends what the open round sums, once it is known and the shares of the others are there. */
export function maskWhenReady(state: ParticipantState): ParticipantEffect[] {
  const { secure, base } = state.stored;
  const round = secure?.core.round?.plan.round;
  const { delivered } = state;
  if (round === undefined || delivered?.round !== round) return [];
  const values = summands(state, round);
  if (!values) return [];
  return answer(state, (core, session) => ({
    ...mask(core, delivered, values),
    kind: 'masked',
    session,
    base,
  }));
}

/** What goes into the sum of a round, as soon as it is there. */
function summands(state: ParticipantState, round: number): Float64Array | undefined {
  const { secure, pending, committed, summed, settings } = state.stored;
  if (!settings) return undefined;
  if (secure!.purpose === 'measure') return momentsVector(measuredRows(state.profile, measuredBy(settings)));
  if (pending?.message.round !== round) return undefined;
  const { u } = pending.message;
  const before = committed?.u ?? new Float64Array(u.length);
  const change = plusScaled(u, -1, before);
  const now = summedScalars(pending.message, settings);
  return changeVector(
    {
      u: pending.noise ? plusScaled(change, 1, pending.noise) : change,
      value: now.value - (summed?.value ?? 0),
      constant: now.constant - (summed?.constant ?? 0),
    },
    settings.training,
  );
}

/** What the sums of a federation hold of an answer beside u, on their grid. */
export function summedScalars({ scalars }: AnswerMessage, settings: FederationSettings): SummedScalars {
  const { secure, training, c2 } = settings;
  if (!secure || training === 'steps') return { value: 0, constant: 0 };
  const bounds = boundsOf(scalars, c2);
  const [value, constant] = toGrid(Float64Array.of(bounds.value + scalars.wDotU, bounds.constant), secure);
  return { value, constant };
}

/** The entry of a solution that is too large for sums of it to be exact, in a sentence. */
export function tooLarge(u: Float64Array, secure: SecureSettings): string | undefined {
  const most = exactLimit(secure);
  const at = u.findIndex((value) => Math.abs(value) >= most);
  if (at < 0) return undefined;
  return `entry ${at} of our contribution: expected less than ${most} for exact sums, got ${u[at]}; fewer secure.scaleBits leave more room`;
}

/** Tries a message on a copy of the protocol's state; stores what came of it, then answers. */
function answer(
  state: ParticipantState,
  act: (core: Core, session: number) => ToCoordinator | undefined,
  changes: Partial<SecureStored> | (() => Partial<SecureStored>) = {},
): ParticipantEffect[] {
  const { stored } = state;
  const { core } = stored.secure!;
  // What was stored may never change under the store's hands.
  const copy: Core = { ...core, round: core.round && { ...core.round } };
  try {
    const message = act(copy, stored.session);
    const changed = typeof changes === 'function' ? changes() : changes;
    state.stored = { ...stored, secure: { ...stored.secure!, ...changed, core: copy } };
    return [{ type: 'persist', stored: state.stored }, ...say(message)];
  } catch (error) {
    if (!(error instanceof SecureError)) throw error;
    return error.code === 'SECURE_OVERFLOW' ? giveUp(state, 'SECURE_OVERFLOW', overflow(state, error)) : [];
  }
}

/** Nothing can come of it until the operator changes something. */
export function giveUp(state: ParticipantState, code: RefusalCode, message: string): ParticipantEffect[] {
  state.phase = 'refused';
  state.refusal = { code, message };
  return [{ type: 'cancel' }];
}

function overflow({ stored, profile }: ParticipantState, error: SecureError): string {
  const message = `participant "${profile.id}": ${error.message}`;
  return stored.secure?.purpose === 'measure'
    ? `${message}: the sums of features and of their squares must stay below ${MOMENTS_LIMIT}; bring the features to a smaller unit`
    : `${message}: raise secure.limit`;
}

function say(message: ToCoordinator | undefined): ParticipantEffect[] {
  return message ? [{ type: 'send', message }] : [];
}
