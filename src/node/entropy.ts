/** Random numbers that nobody can predict, behind the interface of the derived streams: for noise, masks and keys. */
import { randomBytes } from 'node:crypto';
import { type Stream, streamFrom } from '../base/random.ts';
import type { Entropy } from '../privacy/secure/keys.ts';
import { plainBytes } from './files/files.ts';

/** Bytes for keys and shares. */
export const systemEntropy: Entropy = (bytes) => plainBytes(randomBytes(bytes));

/** Bytes fetched at a time: a call of the system costs more than a few kilobytes. */
const BATCH = 4096;

export function entropyStream(): Stream {
  let bytes = randomBytes(BATCH);
  let at = 0;
  return streamFrom(() => {
    if (at === BATCH) {
      bytes = randomBytes(BATCH);
      at = 0;
    }
    const word = bytes.readUInt32LE(at);
    at += 4;
    return word;
  });
}
