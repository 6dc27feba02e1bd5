/** Who takes part in secure sums: keys as they are advertised, and a new roster whenever that changes. */
import { newCoordinator } from '../privacy/secure/coordinator.ts';
import type { Primitives } from '../privacy/secure/keys.ts';
import { makeRoster } from '../privacy/secure/roster.ts';
import { SecureError } from '../privacy/secure/secure-error.ts';
import type { Advertise } from '../protocol/secure-messages.ts';
import { federationName, mostParticipants, securityOf } from '../protocol/secure-sums.ts';
import type { CoordinatorEffect } from './effects.ts';
import type { Member } from './member.ts';
import { comeBack } from './patience.ts';
import { refuse } from './refusals.ts';
import type { CoordinatorState } from './state.ts';
import { persist } from './stored.ts';

/** Keys are checked when they come and believed from then on; an identity stays for good. */
export function takeAdvertisement(
  state: CoordinatorState,
  member: Member,
  message: Advertise,
  primitives: Primitives,
): CoordinatorEffect[] {
  const { identityKey, channelKey, signature } = message;
  const advertisement = { id: member.id, identityKey, channelKey, signature };
  const known = member.advertisement;
  if (known && !same(known.identityKey, identityKey)) {
    const sentence = `participant "${member.id}": expected its previous identity, got another`;
    return [refuse(state, member.id, 'STATE_MISMATCH', sentence)];
  }
  comeBack(state, member);
  if (known && same(known.channelKey, channelKey)) return [];
  const most = mostParticipants(state.options.secure!);
  if (!known && membersSeated(state).length >= most) {
    const sentence = `participant "${member.id}": expected at most ${most} in a sum with this limit and scaleBits`;
    return [refuse(state, member.id, 'INFEASIBLE', sentence)];
  }
  try {
    makeRoster(federationName({ ...state.options, features: state.features }), [advertisement], primitives);
  } catch (error) {
    if (!(error instanceof SecureError)) throw error;
    return [refuse(state, member.id, 'INFEASIBLE', error.message)];
  }
  member.advertisement = advertisement;
  return [persist(state, [member])];
}

/** A new roster if somebody has come or gone; true if there is one. */
export function renewRoster(state: CoordinatorState): boolean {
  const { options, features } = state;
  const secure = state.secure!;
  const members = membersSeated(state)
    .map(({ advertisement }) => advertisement!)
    .sort((a, b) => (a.id < b.id ? -1 : 1));
  const { core, roster } = secure;
  // Keys are stored once and handed on: the same people are the same objects.
  if (core && members.length === roster.length && members.every((one, i) => one === roster[i])) return false;
  secure.roster = members;
  secure.seats = new Map();
  const federation = federationName({ ...options, features });
  try {
    secure.core = newCoordinator(federation, { members }, securityOf(options.secure!), state.round - 1);
    secure.rosterRound = state.round;
    secure.seats = new Map(members.map(({ id }, seat) => [id, seat]));
    return true;
  } catch (error) {
    if (!(error instanceof SecureError)) throw error;
    // Too few for any sum that hides anybody.
    secure.core = undefined;
    return false;
  }
}

export function rosterFor(state: CoordinatorState, member: Member): CoordinatorEffect[] {
  const { secure } = state;
  if (!secure?.core || seatOf(state, member) < 0) return [];
  const { rosterRound: round, roster: members } = secure;
  const message = { kind: 'roster', session: member.session, round, members } as const;
  return [{ type: 'send', to: member.id, message }];
}

/** Members that can be dealt with: here, with keys, and not silent lately. */
export function membersSeated({ members, options }: CoordinatorState): Member[] {
  return [...members.values()].filter(
    ({ presence, advertisement, undealt, expelled }) =>
      presence === 'here' && advertisement && !expelled && undealt < options.patience,
  );
}

/** Its place in the roster; -1: it has none. */
export function seatOf({ secure }: CoordinatorState, member: Member): number {
  return secure?.seats.get(member.id) ?? -1;
}

/** Whether a member has sent what the present phase waits for. */
export function hasReplied(state: CoordinatorState, member: Member): boolean {
  const round = state.secure?.core?.round;
  if (!round || state.secure?.declined.has(member.id)) return true;
  const seat = seatOf(state, member);
  switch (round.phase) {
    case 'dealing':
      return round.dealt.has(seat);
    case 'masking':
      return round.masked.has(seat);
    case 'attesting':
      return round.attested.has(seat);
    case 'revealing':
      return round.revealed.has(seat);
  }
}

/** Those to whom the present phase has sent something, who are here and have not replied. */
export function membersAwaited(state: CoordinatorState): Member[] {
  return [...(state.secure?.sent.keys() ?? [])].flatMap((id) => {
    const member = state.members.get(id);
    return member && member.presence === 'here' && !hasReplied(state, member) ? [member] : [];
  });
}

function same(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i]);
}
