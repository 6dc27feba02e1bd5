/**
 * Vectors to and from little-endian bytes that start anywhere. On little-endian hosts (all that matter) this is one
 * block copy through a byte view, which needs no alignment; the DataView form is the oracle, and serves the others.
 */
import type { Precision } from './messages.ts';

export const NUMBER_BYTES: Readonly<Record<Precision, number>> = { f64: 8, f32: 4 };

/** Numbers as they go over the wire: the array's own width is the width of a number. */
export type WireNumbers = Float64Array | Float32Array;

const HOST_IS_LITTLE_ENDIAN = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1;

/** Writes from `at` on; there must be room. */
export const putNumbers = HOST_IS_LITTLE_ENDIAN ? putByBlock : putByNumber;
/** Reads into `numbers` from `at` on; the bytes must be there. */
export const takeNumbers = HOST_IS_LITTLE_ENDIAN ? takeByBlock : takeByNumber;

export function putByBlock(bytes: Uint8Array, at: number, numbers: WireNumbers): void {
  bytes.set(new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength), at);
}

export function takeByBlock(bytes: Uint8Array, at: number, numbers: WireNumbers): void {
  const target = new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength);
  target.set(bytes.subarray(at, at + target.length));
}

export function putByNumber(bytes: Uint8Array, at: number, numbers: WireNumbers): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (numbers instanceof Float64Array) {
    for (let i = 0; i < numbers.length; i++) view.setFloat64(at + 8 * i, numbers[i], true);
  } else {
    for (let i = 0; i < numbers.length; i++) view.setFloat32(at + 4 * i, numbers[i], true);
  }
}

export function takeByNumber(bytes: Uint8Array, at: number, numbers: WireNumbers): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (numbers instanceof Float64Array) {
    for (let i = 0; i < numbers.length; i++) numbers[i] = view.getFloat64(at + 8 * i, true);
  } else {
    for (let i = 0; i < numbers.length; i++) numbers[i] = view.getFloat32(at + 4 * i, true);
  }
}

/** Index of the first NaN or infinity; -1 if there is none. */
export function firstNotFinite(numbers: WireNumbers): number {
  // x - x is 0 for a finite x and NaN otherwise, and NaN sticks. Four sums, so that additions need not wait in line.
  let a = 0;
  let b = 0;
  let c = 0;
  let d = 0;
  let i = 0;
  for (; i + 4 <= numbers.length; i += 4) {
    a += numbers[i] - numbers[i];
    b += numbers[i + 1] - numbers[i + 1];
    c += numbers[i + 2] - numbers[i + 2];
    d += numbers[i + 3] - numbers[i + 3];
  }
  for (; i < numbers.length; i++) a += numbers[i] - numbers[i];
  if (a + b + c + d === 0) return -1;
  return numbers.findIndex((x: number) => !Number.isFinite(x));
}
