/**
 * Who takes part, and what follows from it for everybody alike: the digest that all keys depend on, places in the graph,
 * the threshold. The channel key is signed by the identity key, so a coordinator cannot put itself between two participants
 * (the PKI of Bonawitz et al. 2017, section 6).
 */
import { ed25519 } from '@noble/curves/ed25519.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { concatBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import {
  type Circle,
  circleOf,
  type GraphParameters,
  graphParameters,
  rankOf,
  type Security,
} from './graph.ts';
import type { KeyPair, Primitives } from './keys.ts';
import type { Advertisement, Roster } from './messages.ts';
import { demandBytes, refuse } from './secure-error.ts';

export interface Layout extends GraphParameters {
  readonly federation: string;
  /** 32 bytes that stand for roster and parameters: who has another roster agrees on no key with us. */
  readonly session: Uint8Array;
  readonly ids: readonly string[];
  readonly circle: Circle;
}

type Advertiser = Record<'federation' | 'id', string> & Record<'identity' | 'channel', KeyPair>;

export function advertise({ federation, id, identity, channel }: Readonly<Advertiser>): Advertisement {
  const signature = ed25519.sign(advertisedBytes({ federation, id, channel }), identity.secretKey);
  return { id, identityKey: identity.publicKey, channelKey: channel.publicKey, signature };
}

/** What the identity key signs. */
export function advertisedBytes({ federation, id, channel }: Omit<Advertiser, 'identity'>): Uint8Array {
  return signedBytes(federation, id, channel.publicKey);
}

export function checkAdvertisement(
  federation: string,
  { id, identityKey, channelKey, signature }: Advertisement,
  primitives: Primitives,
): void {
  const where = `advertisement of "${id}"`;
  demandBytes(identityKey, 32, `${where}, identity key`, id);
  demandBytes(channelKey, 32, `${where}, channel key`, id);
  demandBytes(signature, 64, `${where}, signature`, id);
  if (!primitives.verify(signature, signedBytes(federation, id, channelKey), identityKey))
    refuse(
      'SECURE_IDENTITY',
      `${where}: expected a channel key signed by its identity key, got a wrong signature`,
      id,
    );
}

/** The coordinator's list of those whose advertisement holds. */
export function makeRoster(
  federation: string,
  advertisements: readonly Advertisement[],
  primitives: Primitives,
): Roster {
  for (const advertisement of advertisements) checkAdvertisement(federation, advertisement, primitives);
  const members = [...advertisements].sort((a, b) => (a.id < b.id ? -1 : 1));
  checkOrder(members);
  return { members };
}

export function layoutOf(federation: string, { members }: Roster, security: Security): Layout {
  checkOrder(members);
  const parameters = graphParameters(members.length, security);
  const ids = members.map(({ id }) => id);
  const session = sessionOf(federation, members, security, parameters);
  const circle = circleOf(
    ids.length,
    parameters.neighbours,
    sha256(concatBytes(session, utf8ToBytes('graph'))),
  );
  return { ...parameters, federation, session, ids, circle };
}

function sessionOf(
  federation: string,
  members: readonly Advertisement[],
  { dropout, corrupted, statisticalBits, correctnessBits }: Security,
  { neighbours, threshold, minimum }: GraphParameters,
): Uint8Array {
  const numbers = [dropout, corrupted, statisticalBits, correctnessBits, neighbours, threshold, minimum];
  const ids = members.map(({ id }) => id);
  const head = JSON.stringify(['kindred secure 1', 'roster', federation, numbers, ids]);
  const hash = sha256.create().update(utf8ToBytes(head));
  for (const { id, identityKey, channelKey } of members) {
    // Of one length each, or two rosters could be the same bytes.
    if (identityKey.length !== 32 || channelKey.length !== 32)
      refuse(
        'SECURE_MALFORMED',
        `keys of "${id}": expected 32 bytes each, got ${identityKey.length} and ${channelKey.length}`,
        id,
      );
    hash.update(identityKey).update(channelKey);
  }
  return hash.digest();
}

/**
 * Whether a dealer must send this holder its share. threshold - 1 neighbours and the dealer itself fix the polynomial with shares
 * that they derive; only the others are sent theirs.
 */
export function mustSend({ circle, threshold }: Layout, dealer: number, holder: number): boolean {
  return rankOf(circle, dealer, holder) >= threshold - 1;
}

/** Shamir's point of a participant: 0 is where the secret is. */
export function pointOf(index: number): number {
  return index + 1;
}

function checkOrder(members: readonly Advertisement[]): void {
  for (let i = 1; i < members.length; i++) {
    if (members[i - 1].id >= members[i].id)
      refuse(
        'SECURE_IDENTITY',
        `roster: expected different ids in ascending order, got "${members[i - 1].id}" before "${members[i].id}"`,
        members[i].id,
      );
  }
}

function signedBytes(federation: string, id: string, channelKey: Uint8Array): Uint8Array {
  return concatBytes(
    utf8ToBytes(JSON.stringify(['kindred secure 1', 'advertise', federation, id])),
    channelKey,
  );
}
