/**
 * Vectors to and from little-endian bytes that start anywhere.
 *
 * f64 on a little-endian host (all that matter) is one block copy through a byte view, which needs no alignment. f32 goes
 * number by number: a second array to convert through costs more than the loop.
 */
import type { Precision } from './messages.ts';

export const NUMBER_BYTES: Readonly<Record<Precision, number>> = { f64: 8, f32: 4 };

/** The largest number that does not become Infinity; past the largest f32 by just under half a unit, which rounds down. */
const LARGEST: Readonly<Record<Precision, number>> = { f64: Number.MAX_VALUE, f32: 3.4028235677973362e38 };

const HOST_IS_LITTLE_ENDIAN = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1;

/** Writes from `at` on; there must be room. */
export const putF64 = HOST_IS_LITTLE_ENDIAN ? putF64ByBlock : putF64ByNumber;
/** Reads from `at` on, to fill `numbers`; the bytes must be there. */
export const takeF64 = HOST_IS_LITTLE_ENDIAN ? takeF64ByBlock : takeF64ByNumber;

export function putF64ByBlock(view: DataView, at: number, numbers: Float64Array): void {
  const target = new Uint8Array(view.buffer, view.byteOffset + at, numbers.byteLength);
  target.set(new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength));
}

export function takeF64ByBlock(view: DataView, at: number, numbers: Float64Array): void {
  const target = new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength);
  target.set(new Uint8Array(view.buffer, view.byteOffset + at, numbers.byteLength));
}

export function putF64ByNumber(view: DataView, at: number, numbers: Float64Array): void {
  for (let i = 0; i < numbers.length; i++) view.setFloat64(at + 8 * i, numbers[i], true);
}

export function takeF64ByNumber(view: DataView, at: number, numbers: Float64Array): void {
  for (let i = 0; i < numbers.length; i++) numbers[i] = view.getFloat64(at + 8 * i, true);
}

export function putF32(view: DataView, at: number, numbers: Float64Array): void {
  for (let i = 0; i < numbers.length; i++) view.setFloat32(at + 4 * i, numbers[i], true);
}

export function takeF32(view: DataView, at: number, numbers: Float64Array): void {
  for (let i = 0; i < numbers.length; i++) numbers[i] = view.getFloat32(at + 4 * i, true);
}

/** Index of the first NaN, infinity, or number that would become one in this precision; -1 if there is none. */
export function firstNotFinite(numbers: Float64Array, precision: Precision): number {
  if (precision === 'f64' && allFinite(numbers)) return -1;
  const largest = LARGEST[precision];
  for (let i = 0; i < numbers.length; i++) {
    // Negated, because no comparison with NaN is true.
    if (!(Math.abs(numbers[i]) <= largest)) return i;
  }
  return -1;
}

/** Nothing but NaN comes of NaN or infinity times 0. Four sums, so that no addition waits for the one before it; and no branches. */
function allFinite(numbers: Float64Array): boolean {
  let [a, b, c, d] = [0, 0, 0, 0];
  const whole = numbers.length & ~3;
  for (let i = 0; i < whole; i += 4) {
    a += numbers[i] * 0;
    b += numbers[i + 1] * 0;
    c += numbers[i + 2] * 0;
    d += numbers[i + 3] * 0;
  }
  for (let i = whole; i < numbers.length; i++) a += numbers[i] * 0;
  return a + b + c + d === 0;
}
