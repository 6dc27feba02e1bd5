/**
 * Rows of a table on their way into kernel memory: copied as they are, scaled by a kernel, mapped where there is a map. Millions of values go this way
 * before a solve; a loop in JavaScript takes twice as long, and longer still in a process that has just begun.
 */

import type { Arena } from '../math/arena.ts';
import type { Address } from '../math/kernels.ts';
import { columnsOf } from '../settings/feature-map.ts';
import { type RowForm, rowWriter } from './row-writer.ts';

export interface TableRows extends Pick<RowForm, 'scaling' | 'map'> {
  /** The whole table, row by row. */
  readonly x: Float64Array;
  /** Row numbers in the table, in the order of the shard. */
  readonly index: Uint32Array;
}

interface Place {
  readonly address: Address;
  /** One more than there are features where the last one is the bias. */
  readonly d: number;
  readonly stride: number;
}

export function placeTableRows(arena: Arena, rows: TableRows, place: Place): void {
  (rows.map ? placeMapped : placeScaled)(arena, rows, place);
}

function placeMapped(arena: Arena, { x, index, scaling, map }: TableRows, { address, d, stride }: Place) {
  const bias = d > columnsOf({ features: scaling.shift.length, map, bias: false });
  const write = rowWriter({ scaling, map, bias });
  const values = arena.f32(address, index.length * stride);
  for (let i = 0; i < index.length; i++) write(x, index[i], values, i * stride);
}

function placeScaled(arena: Arena, { x, index, scaling }: TableRows, { address, d, stride }: Place): void {
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
