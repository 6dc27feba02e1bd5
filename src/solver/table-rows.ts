/**
 * Rows of a table on their way into kernel memory: copied as they are, scaled by a kernel. Millions of values go this way
 * before a solve; a loop in JavaScript takes twice as long, and longer still in a process that has just begun.
 */

import type { Arena } from '../math/arena.ts';
import type { Address } from '../math/kernels.ts';
import type { Scaling } from '../math/scaling.ts';

export interface TableRows {
  /** The whole table, row by row. */
  readonly x: Float64Array;
  /** Row numbers in the table, in the order of the shard. */
  readonly index: Uint32Array;
  readonly scaling: Pick<Scaling, 'shift' | 'factor'>;
}

/** Puts them at an address, in rows of `d` columns: one more than the table has where the last one is the bias. */
export function placeTableRows(
  arena: Arena,
  { x, index, scaling }: TableRows,
  { address, d, stride }: { readonly address: Address; readonly d: number; readonly stride: number },
): void {
  const features = scaling.shift.length;
  const [raw, shift, factor] = [0, 0, 0].map(() => arena.allocate(8 * stride));
  arena.f64(shift, features).set(scaling.shift);
  arena.f64(factor, features).set(scaling.factor);
  const values = arena.f64(raw, d);
  if (d > features) {
    // The bias is a column of ones that scaling leaves as it is.
    values[features] = 1;
    arena.f64(factor, d)[features] = 1;
  }
  for (let i = 0; i < index.length; i++) {
    const at = index[i] * features;
    values.set(x.subarray(at, at + features));
    arena.kernels.scaleRow(raw, shift, factor, address + 4 * i * stride, stride);
  }
  for (const piece of [raw, shift, factor]) arena.release(piece);
}
