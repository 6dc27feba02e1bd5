/** Randomness of the browser, which pages have on plain http, too. */
import { type Stream, streamFrom } from '../base/random.ts';

export function randomBytes(count: number): Uint8Array<ArrayBuffer> {
  return crypto.getRandomValues(new Uint8Array(count));
}

const [HIGH, LOW] = [2 ** 21, 2 ** 32];

/** A number in [0, 1) that nobody can predict: whoever knows when others come back can come at that time, too. */
export function randomShare(): number {
  const [high, low] = crypto.getRandomValues(new Uint32Array(2));
  return ((high % HIGH) * LOW + low) / (HIGH * LOW);
}

/** Words fetched at a time: a call costs more than a few kilobytes. */
const BATCH = 1024;

export function entropyStream(): Stream {
  const words = new Uint32Array(BATCH);
  let at = BATCH;
  return streamFrom(() => {
    if (at === BATCH) {
      crypto.getRandomValues(words);
      at = 0;
    }
    return words[at++];
  });
}
