/**
 * The participant's side of secure aggregation (src/privacy/secure): what it answers to the coordinator's messages, and what it
 * puts into the sum. Dealing needs nothing but the plan, so it happens while the solve is under way; the vector is masked when
 * both the solution and the shares of the others are there.
 *
 * The state of the protocol is part of what is stored, and stored before any answer is sent. Whatever the protocol
 * refuses changes nothing and is not answered: the round goes on without us.
 */
import { fromBase64Url } from '../base/base64.ts';
import { sameData } from '../base/same-data.ts';
import { carriesNoise } from '../privacy/dp/honest.ts';
import { has, type IndexSet, members } from '../privacy/secure/index-set.ts';
import { drawFrom, noblePrimitives, type Primitives } from '../privacy/secure/keys.ts';
import {
  acceptRoster,
  type ParticipantState as Core,
  type Identities,
  newParticipant,
} from '../privacy/secure/membership.ts';
import { attest, deal, mask, reveal } from '../privacy/secure/participant.ts';
import { advertise, advertisedBytes, layoutOf } from '../privacy/secure/roster.ts';
import { SecureError } from '../privacy/secure/secure-error.ts';
import { areLevelsNamed, measuredBy } from '../protocol/agreement.ts';
import type { ToCoordinator } from '../protocol/messages.ts';
import { questionOf } from '../protocol/question.ts';
import type {
  AttestationsMessage,
  CountedMessage,
  PlanMessage,
  RosterMessage,
  SecureToParticipant,
} from '../protocol/secure-messages.ts';
import {
  changeVector,
  federationName,
  MOMENTS_LIMIT,
  momentsVector,
  securityOf,
  sumPlan,
} from '../protocol/secure-sums.ts';
import { testEntries } from '../protocol/summed-reports.ts';
import type { FederationSettings } from '../settings/wire.ts';
import { plusScaled } from '../solver/vector.ts';
import { measuredRows } from './agreement.ts';
import type { ParticipantEffect } from './effects.ts';
import { giveUp } from './faults.ts';
import { REMEMBERED, standsOut } from './hiding.ts';
import { policyOf } from './policy.ts';
import { retransmit, retryMsOf } from './sending.ts';
import type { ParticipantState, SecureStored } from './state.ts';
import { advertisement, decline, type SecureSide, summedScalars } from './summing.ts';

/** Rounds in a row in which the others attest to something else than we were asked, before we give up. */
const CONTRADICTIONS = 20;

/** `primitives`: those of the platform may be faster than the portable ones. */
export function secureSide(primitives: Primitives = noblePrimitives): SecureSide {
  return {
    takeSeat,
    toSign,
    maskWhenReady,
    onMessage: (state, message, now) => onSecureMessage(state, message, now, primitives),
  };
}

function takeSeat(state: ParticipantState, settings: FederationSettings): SecureStored | undefined {
  const { stored, profile } = state;
  if (!settings.secure || !profile.secure || stored.secure) return stored.secure;
  const { secret, identityKey } = profile.secure;
  const { entropy, drawn } = drawFrom(secret, stored.drawn ?? 0);
  const security = securityOf(settings.secure);
  const options = { federation: federationName(settings), id: profile.id, security };
  const core = newParticipant(options, entropy, identityKey);
  return {
    core,
    // Signed once: a signature takes longer than all else that is sent. The enrolment key is not ours to use: it is asked to sign.
    advertisement: identityKey ? undefined : advertise(core),
    drawn: drawn(),
    purpose: 'measure',
    bases: [],
    sums: [],
    rosterRound: 0,
  };
}

function toSign({ stored }: ParticipantState): Uint8Array | undefined {
  const { secure } = stored;
  return secure && !secure.advertisement ? advertisedBytes(secure.core) : undefined;
}

function onSecureMessage(
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
      return onCounted(state, message);
    case 'attestations':
      return onAttestations(state, message);
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
  const identities = identitiesFor(state);
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

/** Whose keys are believed: those that the policy names and nobody else's, or the first that are seen. */
function identitiesFor(state: ParticipantState): Identities {
  const { peers } = policyOf(state);
  if (!peers) return { known: new Map(), unknown: 'pin' };
  const { id } = state.profile;
  const known = Object.entries(peers).filter(([name]) => name !== id);
  return { known: new Map(known.map(([name, key]) => [name, fromBase64Url(key)])), unknown: 'refuse' };
}

function onPlan(state: ParticipantState, message: PlanMessage, now: number): ParticipantEffect[] {
  const { settings, scaling, secure } = state.stored;
  const { seat, lastRound, round: open } = secure!.core;
  if (!settings || message.round < lastRound || (message.purpose === 'measure') !== !scaling) return [];
  // What our columns become goes before: it is on its way, or is sent again when we send ours again.
  const isNamed = state.profile.columns && areLevelsNamed(settings);
  if (isNamed && !state.stored.agreement?.encoding) return retransmit(state, now);
  if (!seat || !sameData(message.roster, seat.layout.session)) return askForRoster(state, now);
  // Retransmitted: so is the answer, unless a later one has been given.
  if (message.round === lastRound && open?.masked) return [];
  // Too few to hide among: there may be more in a later round.
  if (seat.layout.ids.length < policyOf(state).minPeers) return decline(state, message.round, 'PEERS');
  const plan = sumPlan(settings, message, {
    participants: seat.layout.ids.length,
    agreement: state.stored.agreement,
  });
  const { entropy, drawn } = drawFrom(state.profile.secure!.secret, secure!.drawn);
  const effects = answer(
    state,
    (core, session) => ({ ...deal(core, plan, entropy), kind: 'dealt', session }),
    () => ({ drawn: drawn(), purpose: message.purpose, bases: message.bases }),
  );
  return [...effects, ...maskWhenReady(state)];
}

/** Not again and again: the answer brings the plan, and a roster that we cannot take would bring it for ever. */
function askForRoster(state: ParticipantState, now: number): ParticipantEffect[] {
  if (now < state.askedMs + retryMsOf(state)) return [];
  state.askedMs = now;
  return say(advertisement(state));
}

function maskWhenReady(state: ParticipantState): ParticipantEffect[] {
  const { secure, base, settings, scaling, agreement, pending } = state.stored;
  const round = secure?.core.round?.plan.round;
  const { delivered } = state;
  if (!settings || round === undefined || delivered?.round !== round) return [];
  const values = summands(state, round);
  if (!values) return [];
  const { purpose, bases = [] } = secure!;
  const asked = purpose === 'train' ? pending?.asked : undefined;
  // The others would take our change for one from another answer than it is from.
  if (purpose === 'train' && (!asked || bases[secure!.core.seat!.index] !== base)) return [];
  const question = questionOf({ purpose, settings, scaling, agreement, asked, bases });
  return answer(state, (core, session) => ({
    ...mask(core, delivered, values, question),
    kind: 'masked',
    session,
    base,
  }));
}

/** Attests to who was counted in, unless somebody would stand out in the sum. */
function onCounted(state: ParticipantState, message: CountedMessage): ParticipantEffect[] {
  const sum = sumOf(state, message.round, (index) => has(message.members, index));
  if (sum && sum.bases.size < policyOf(state).minPeers) return decline(state, message.round, 'PEERS');
  const { secure, settings } = state.stored;
  if (sum && !settings?.dp && standsOut(secure!.sums ?? [], sum, policyOf(state).margin))
    return decline(state, message.round, 'HIDING');
  if (!isNoisyEnough(state, message.members)) return [];
  return answer(state, (core, session) => ({ ...attest(core, message), kind: 'attested', session }));
}

/** Reveals shares, and remembers for what: from here on the coordinator may know the sum. */
function onAttestations(state: ParticipantState, message: AttestationsMessage): ParticipantEffect[] {
  const { secure } = state.stored;
  const counted = secure!.core.round?.counted;
  const sum = counted && sumOf(state, message.round, (index) => has(counted, index));
  const known = (secure!.sums ?? []).filter(({ round }) => round !== message.round);
  const effects = answer(
    state,
    (core, session) => ({ ...reveal(core, message), kind: 'revealed', session }),
    () => {
      state.contradictions = 0;
      if (!sum) return {};
      const { bases, ...rest } = sum;
      const past = { ...rest, round: message.round, members: [...bases.keys()] };
      return { sums: [...known, past].slice(-REMEMBERED) };
    },
  );
  return effects.length > 0 || !sum ? effects : onContradiction(state, message.round);
}

/** What others attest to is not what we were asked. */
function onContradiction(state: ParticipantState, round: number): ParticipantEffect[] {
  state.contradictions++;
  if (state.contradictions < CONTRADICTIONS) return decline(state, round, 'STATEMENT');
  const { id } = state.profile;
  const message = `participant "${id}": in ${CONTRADICTIONS} consecutive rounds, too few others attested to the same question; the coordinator may be sending participants different questions; no contribution was revealed`;
  return [...decline(state, round, 'STATEMENT'), ...giveUp(state, 'CONTRADICTED', message)];
}

/** The sum of the open round over some of the roster; undefined: there is none. */
function sumOf({ stored }: ParticipantState, round: number, isCounted: (index: number) => boolean) {
  const { secure, pending, answeredW } = stored;
  const { seat, round: open } = secure!.core;
  if (!seat || open?.plan.round !== round || !open.masked) return undefined;
  const { purpose, bases: all = [] } = secure!;
  const bases = new Map(
    seat.layout.ids.flatMap((id, index) => (isCounted(index) ? [[id, all[index] ?? 0] as const] : [])),
  );
  if (purpose === 'measure') return { purpose, w: new Float64Array(0), from: undefined, bases };
  return pending?.asked && { purpose, w: pending.asked.w, from: answeredW, bases };
}

/** What goes into the sum of a round, as soon as it is there. */
function summands(state: ParticipantState, round: number): Float64Array | undefined {
  const { secure, pending, committed, summed, settings, agreement } = state.stored;
  if (!settings) return undefined;
  if (secure!.purpose === 'measure')
    return momentsVector(measuredRows(state, settings, measuredBy(settings)));
  if (pending?.message.round !== round) return undefined;
  const { u } = pending.message;
  const before = committed?.u ?? new Float64Array(u.length);
  const change = plusScaled(u, -1, before);
  const now = summedScalars(pending.message, settings);
  return changeVector(
    {
      u: pending.noise ? plusScaled(change, 1, pending.noise) : change,
      heads: now.map(({ value, constant }, h) => ({
        value: value - (summed?.[h].value ?? 0),
        constant: constant - (summed?.[h].constant ?? 0),
      })),
      tests: testEntries(pending.message.tests, { ...settings, target: agreement?.target }),
    },
    settings,
  );
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

function overflow({ stored, profile }: ParticipantState, error: SecureError): string {
  const message = `participant "${profile.id}": ${error.message}`;
  return stored.secure?.purpose === 'measure'
    ? `${message}: the sums of features and of their squares must stay below ${MOMENTS_LIMIT}; rescale the features`
    : `${message}: raise secure.limit`;
}

function say(message: ToCoordinator | undefined): ParticipantEffect[] {
  return message ? [{ type: 'send', message }] : [];
}
