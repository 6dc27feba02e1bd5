/** What the bytes of packed data stand for (packed.ts has the format). */

export type TypedArray = Uint8Array | Uint32Array | Float64Array | BigUint64Array;

export const TAG = {
  undefined: 0,
  null: 1,
  false: 2,
  true: 3,
  number: 4,
  text: 5,
  bigint: 6,
  array: 7,
  object: 8,
  map: 9,
  bytes: 16,
} as const;

/** By tag, from TAG.bytes on. */
export const ARRAYS = [Uint8Array, Uint32Array, Float64Array, BigUint64Array] as const;
