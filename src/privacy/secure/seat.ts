/** A participant's place in a roster: its neighbours, and the root key it has agreed with each. */

import { chacha20poly1305 } from '@noble/ciphers/chacha.js';
import { utf8ToBytes } from '@noble/hashes/utils.js';
import { type Context, contextText, derive, pairContext, SECRET_BYTES } from './keys.ts';
import type { Layout } from './roster.ts';

const NONCE = new Uint8Array(12);

/** A share of both secrets of a round (recovery, self mask), and the tag of the seal. */
export const SHARE_BYTES = 32;
export const SEALED_BYTES = SHARE_BYTES + 16;

/**
 * A share on its way from its dealer to its holder, past the coordinator: ChaCha20-Poly1305 (RFC 8439) under a key that only the
 * two know and that serves one share of one round, hence the zero nonce. Associated data: dealer, holder, round.
 */
export function seal(share: Uint8Array, root: Uint8Array, context: Context): Uint8Array {
  return cipher(root, context).encrypt(share);
}

/** `undefined` if it was not sealed by that dealer for that holder and round, or was changed on the way. */
export function open(sealed: Uint8Array, root: Uint8Array, context: Context): Uint8Array | undefined {
  if (sealed.length !== SEALED_BYTES) return undefined;
  try {
    return cipher(root, context).decrypt(sealed);
  } catch {
    return undefined;
  }
}

function cipher(root: Uint8Array, context: Context) {
  return chacha20poly1305(
    derive(root, 'share encryption', context),
    NONCE,
    utf8ToBytes(contextText('sealed share', context)),
  );
}

export interface Neighbour {
  readonly index: number;
  readonly id: string;
  readonly root: Uint8Array;
}

export interface Seat {
  readonly layout: Layout;
  readonly index: number;
  readonly id: string;
  /** By ascending index. */
  readonly neighbours: readonly Neighbour[];
}

export function fromMe({ layout, id }: Seat, to: { id: string }, round: number): Context {
  return { federation: layout.federation, round, from: id, to: to.id };
}

export function toMe({ layout, id }: Seat, from: { id: string }, round: number): Context {
  return { federation: layout.federation, round, from: from.id, to: id };
}

/** The seed of this round's mask between two participants: both derive the same. */
export function pairSeed(seat: Seat, neighbour: Neighbour, round: number): Uint8Array {
  return derive(neighbour.root, 'pairwise mask', pairContext(fromMe(seat, neighbour, round)), SECRET_BYTES);
}

/** A share that dealer and holder derive from their root. */
export function derivedShare(root: Uint8Array, context: Context): Uint8Array {
  return derive(root, 'derived share', context, SHARE_BYTES);
}
