/**
 * Masks: the ChaCha20 keystream (RFC 8439) of a 32-byte key, read as 64-bit integers and added to or subtracted from a
 * vector in place. (The PRG of Bonawitz et al. 2017, section 3.4.)
 *
 * The nonce is zero. That is sound only because every key is used for one mask: keys.ts derives each from a secret and a
 * context that names the federation, the round, both ends and the purpose, and no participant opens a round twice.
 */
import { chacha20 } from '@noble/ciphers/chacha.js';
import { addWords, subtractWords } from './fixed-point.ts';

const NONCE = new Uint8Array(12);
/** A multiple of the 64 bytes of a ChaCha20 block, small enough to stay in the first-level cache. */
const BLOCK_BYTES = 8192;
const ZEROS = new Uint8Array(BLOCK_BYTES);
/** Room for one block of keystream at a time; nothing in it outlives a call. */
const STREAM = new Uint32Array(BLOCK_BYTES / 4);

export function addMask(vector: Uint32Array, key: Uint8Array): void {
  overKeystream(vector, key, addWords);
}

export function subtractMask(vector: Uint32Array, key: Uint8Array): void {
  overKeystream(vector, key, subtractWords);
}

function overKeystream(vector: Uint32Array, key: Uint8Array, combine: typeof addWords): void {
  for (let at = 0; at < vector.length; at += BLOCK_BYTES / 4) {
    const words = Math.min(STREAM.length, vector.length - at);
    const bytes = new Uint8Array(STREAM.buffer, 0, 4 * words);
    chacha20(key, NONCE, ZEROS.subarray(0, bytes.length), bytes, (4 * at) / 64);
    combine(vector.subarray(at, at + words), STREAM, words);
  }
}
