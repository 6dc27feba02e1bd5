/**
 * How a participant comes to sit in a roster: its own keys, what it advertises, and whom it believes. Keys are made once and serve
 * every round and roster; agreements with peers are kept, so a new roster costs one agreement for each new neighbour.
 *
 * An identity is believed if it is the one that is known, from outside or from an earlier roster. What happens with unknown ones is
 * a choice: `refuse`, or `pin` the first that is seen (the coordinator could then invent participants, which count as corrupted
 * ones, but can never replace one that is known).
 */
import { neighboursOf } from './graph.ts';
import { sameBytes } from './index-set.ts';
import { channelPair, type Entropy, identityPair, noblePrimitives, type Primitives, rootOf } from './keys.ts';
import type { Advertisement, Roster } from './messages.ts';
import type { ParticipantState, Peer } from './participant-state.ts';
import { checkAdvertisement, layoutOf, signAdvertisement } from './roster.ts';
import { demand, SecureError } from './secure-error.ts';

export interface Identities {
  /** Identity keys by id. */
  readonly known: ReadonlyMap<string, Uint8Array>;
  readonly unknown: 'refuse' | 'pin';
}

export function newParticipant(
  options: Pick<ParticipantState, 'federation' | 'id' | 'security'>,
  entropy: Entropy,
): ParticipantState {
  const { federation, id, security } = options;
  const keys = { identity: identityPair(entropy), channel: channelPair(entropy) };
  return {
    federation,
    id,
    security,
    ...keys,
    peers: new Map(),
    seat: undefined,
    lastRound: -1,
    round: undefined,
  };
}

export function advertise({ federation, id, identity, channel }: ParticipantState): Advertisement {
  return signAdvertisement(federation, id, identity, channel);
}

/** Takes a seat. An open round is given up: it belongs to the roster before. */
export function acceptRoster(
  state: ParticipantState,
  roster: Roster,
  identities: Identities,
  primitives: Primitives = noblePrimitives,
): void {
  const layout = layoutOf(state.federation, roster, state.security);
  const index = layout.ids.indexOf(state.id);
  demand(
    index >= 0 && isMine(state, roster.members[index]),
    'SECURE_IDENTITY',
    `roster: expected "${state.id}" with its own keys, got ${index < 0 ? 'none' : 'other keys'}`,
  );
  const peers = new Map(state.peers);
  const neighbours = neighboursOf(layout.circle, index).map((at) => {
    const peer = believe(state, roster.members[at], identities, primitives);
    peers.set(layout.ids[at], peer);
    return { index: at, id: layout.ids[at], root: rootOf(peer.agreed, layout.session) };
  });
  state.peers = peers;
  state.seat = { layout, index, id: state.id, neighbours };
  state.round = undefined;
}

function believe(
  state: ParticipantState,
  advertisement: Advertisement,
  identities: Identities,
  primitives: Primitives,
): Peer {
  const { id, identityKey, channelKey } = advertisement;
  const before = state.peers.get(id);
  const expected = identities.known.get(id) ?? before?.advertisement.identityKey;
  demand(
    expected ? sameBytes(expected, identityKey) : identities.unknown === 'pin',
    'SECURE_IDENTITY',
    `roster: expected a known identity of "${id}", got ${expected ? 'another' : 'an unknown one'}`,
    id,
  );
  if (before && sameBytes(before.advertisement.channelKey, channelKey)) return before;
  checkAdvertisement(state.federation, advertisement, primitives);
  return { advertisement, agreed: agreeWith(state, advertisement, primitives) };
}

function agreeWith(
  { channel }: ParticipantState,
  { id, channelKey }: Advertisement,
  primitives: Primitives,
): Uint8Array {
  try {
    return primitives.agree(channel.secretKey, channelKey);
  } catch {
    throw new SecureError(
      'SECURE_IDENTITY',
      `channel key of "${id}": expected a point of full order, got another`,
      id,
    );
  }
}

function isMine(
  { identity, channel }: ParticipantState,
  { identityKey, channelKey }: Advertisement,
): boolean {
  return sameBytes(identity.publicKey, identityKey) && sameBytes(channel.publicKey, channelKey);
}
