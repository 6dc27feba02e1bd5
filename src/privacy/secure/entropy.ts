/**
 * Secret bytes without a source of randomness: HKDF-Expand (RFC 5869) of one secret of 32 bytes that was drawn outside, with a
 * number that counts the draws. Whoever stores the number before it lets anything out that depends on a draw never uses
 * one twice; after a crash before that, the same draw gives the same bytes, and nobody has seen them.
 */
import { expand } from '@noble/hashes/hkdf.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { utf8ToBytes } from '@noble/hashes/utils.js';
import { invariant } from '../../base/errors.ts';
import type { Entropy } from './keys.ts';

/** An `Entropy` that goes on from a number of draws, and counts them. */
export function drawFrom(secret: Uint8Array, drawn: number): { entropy: Entropy; drawn(): number } {
  invariant(secret.length === 32, `entropy: expected a secret of 32 bytes, got ${secret.length}`);
  let count = drawn;
  return {
    entropy: (bytes) => expand(sha256, secret, utf8ToBytes(`kindred secure 1|draw|${count++}`), bytes),
    drawn: () => count,
  };
}
