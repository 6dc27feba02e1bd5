/**
 * A share on its way from its dealer to its holder, past the coordinator: ChaCha20-Poly1305 (RFC 8439) under a key that only the
 * two know and that serves one share of one round, hence the zero nonce. Associated data: dealer, holder, round.
 */
import { chacha20poly1305 } from '@noble/ciphers/chacha.js';
import { utf8ToBytes } from '@noble/hashes/utils.js';
import { type Context, contextText, derive } from './keys.ts';

const NONCE = new Uint8Array(12);

/** A share of both secrets of a round (recovery, self mask), and the tag of the seal. */
export const SHARE_BYTES = 32;
export const SEALED_BYTES = SHARE_BYTES + 16;

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
