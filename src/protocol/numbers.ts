/** Which numbers may be sent. */
import type { Precision } from './messages.ts';

/** The largest number that does not become Infinity; past the largest f32 by just under half a unit, which rounds down. */
const LARGEST: Readonly<Record<Precision, number>> = { f64: Number.MAX_VALUE, f32: 3.4028235677973362e38 };

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
