/**
 * How a participant comes to sit in a roster: its own keys, what it advertises, and whom it believes. Keys are made once and serve
 * every round and roster; agreements with peers are kept, so a new roster costs one agreement for each new neighbour.
 *
 * An identity is believed if it is the one that is known, from outside or from an earlier roster. What happens with unknown ones is
 * a choice: `refuse`, or `pin` the first that is seen (the coordinator could then invent participants, which count as corrupted
 * ones, but can never replace one that is known).
 */
import { neighboursOf, type Security } from './graph.ts';
import { type IndexSet, sameBytes } from './index-set.ts';
import {
  channelPair,
  type Entropy,
  identityPair,
  type KeyPair,
  noblePrimitives,
  type Primitives,
  rootOf,
} from './keys.ts';
import type { Advertisement, Dealt, Delivered, Masked, Roster, RoundPlan } from './messages.ts';
import { checkAdvertisement, layoutOf } from './roster.ts';
import type { Seat } from './seat.ts';
import { refuse } from './secure-error.ts';

interface Peer {
  readonly advertisement: Advertisement;
  /** The secret agreed between the two channel keys. */
  readonly agreed: Uint8Array;
}

export interface ParticipantRound {
  readonly plan: RoundPlan;
  readonly dealt: Dealt;
  readonly ownShare: Uint8Array;
  readonly selfMask: Uint8Array;
  masked:
    | { readonly message: Masked; readonly delivered: Delivered; readonly question: Uint8Array }
    | undefined;
  /** The only set for which anything is ever revealed in this round. */
  counted: IndexSet | undefined;
}

export interface ParticipantState {
  readonly federation: string;
  readonly id: string;
  readonly security: Security;
  readonly identity: KeyPair;
  readonly channel: KeyPair;
  peers: Map<string, Peer>;
  seat: Seat | undefined;
  /** No round up to this one is ever opened again. */
  lastRound: number;
  round: ParticipantRound | undefined;
}

export function seatOf(state: ParticipantState): Seat {
  if (!state.seat) refuse('SECURE_OUT_OF_TURN', 'secure aggregation: expected a roster first, got a round');
  return state.seat;
}

export function openRound(state: ParticipantState, number: number): { seat: Seat; round: ParticipantRound } {
  const seat = seatOf(state);
  const { round } = state;
  if (round?.plan.round !== number)
    refuse('SECURE_OUT_OF_TURN', `round: expected ${round ? round.plan.round : 'none'}, got ${number}`);
  return { seat, round };
}

export function maskedRound(state: ParticipantState, number: number) {
  const { seat, round } = openRound(state, number);
  if (!round.masked?.question)
    refuse('SECURE_OUT_OF_TURN', `round ${number}: expected a delivery of shares first, got a later message`);
  const { delivered, question } = round.masked;
  return { seat, round, delivered, question };
}

export function samePlan(a: RoundPlan, b: RoundPlan): boolean {
  return a.length === b.length && a.scaleBits === b.scaleBits && a.limit === b.limit;
}

export interface Identities {
  readonly known: ReadonlyMap<string, Uint8Array>;
  readonly unknown: 'refuse' | 'pin';
}

export function newParticipant(
  options: Pick<ParticipantState, 'federation' | 'id' | 'security'>,
  entropy: Entropy,
  /** Of a key that is kept elsewhere: what it signs is asked for there. */
  identityKey?: Uint8Array,
): ParticipantState {
  const identity = identityKey
    ? { publicKey: identityKey, secretKey: new Uint8Array(0) }
    : identityPair(entropy);
  const keys = { identity, channel: channelPair(entropy) };
  return { ...options, ...keys, peers: new Map(), seat: undefined, lastRound: -1, round: undefined };
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
  if (index < 0 || !isMine(state, roster.members[index]))
    refuse(
      'SECURE_IDENTITY',
      `roster: expected "${state.id}" with its own keys, got ${index < 0 ? 'none' : 'other keys'}`,
    );
  if (identities.unknown === 'refuse')
    for (const member of roster.members) checkIdentity(state, member, identities);
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
  const { id, channelKey } = advertisement;
  const before = state.peers.get(id);
  checkIdentity(state, advertisement, identities);
  if (before && sameBytes(before.advertisement.channelKey, channelKey)) return before;
  checkAdvertisement(state.federation, advertisement, primitives);
  try {
    return { advertisement, agreed: primitives.agree(state.channel.secretKey, channelKey) };
  } catch {
    return refuse(
      'SECURE_IDENTITY',
      `channel key of "${id}": expected a point of full order, got another`,
      id,
    );
  }
}

function checkIdentity(
  state: ParticipantState,
  { id, identityKey }: Advertisement,
  { known, unknown }: Identities,
): void {
  if (id === state.id) return;
  const expected = known.get(id) ?? state.peers.get(id)?.advertisement.identityKey;
  if (!(expected ? sameBytes(expected, identityKey) : unknown === 'pin'))
    refuse(
      'SECURE_IDENTITY',
      `roster: expected a known identity of "${id}", got ${expected ? 'another' : 'an unknown one'}`,
      id,
    );
}

function isMine(
  { identity, channel }: ParticipantState,
  { identityKey, channelKey }: Advertisement,
): boolean {
  return sameBytes(identity.publicKey, identityKey) && sameBytes(channel.publicKey, channelKey);
}
