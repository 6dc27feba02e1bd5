/** The grid of secure sums, for whoever computes what is summed; a page that takes part in no such sums loads no more of them (secure-sums.ts). */
import type { SecureSettings } from '../settings/wire.ts';

/** The most that an entry of u_k or w may be for sums of them to be exact. */
export function exactLimit({ scaleBits }: SecureSettings): number {
  return 2 ** (53 - scaleBits);
}

export function toGrid(values: Float64Array, { scaleBits }: SecureSettings): Float64Array {
  const scale = 2 ** scaleBits;
  // No negative zero: it would come back as zero.
  return values.map((value) => Math.round(value * scale) / scale + 0);
}
