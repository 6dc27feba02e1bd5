/**
 * e^x for x <= 0 from operations that every engine rounds alike (Math.exp may differ between engines), in the order of `assembly/steps.ts`, so that
 * the plain kernels and the WebAssembly ones have the same bits: x = k ln 2 + r with |r| <= ln 2 / 2, ln 2 in two parts so that r loses
 * nothing, and the Taylor series of r, whose rest is below 5e-18. Error: 2 units in the last place.
 */
const LN2_HIGH = 0.6931471803691238;
const LN2_LOW = 1.9082149292705877e-10;
/** Below it the result would lose bits: 3e-308 counts as 0. */
const LEAST = -708;

/** 2^-k. */
const HALVES = new Float64Array(1023);
for (let k = 0, power = 1; k < HALVES.length; k++, power /= 2) HALVES[k] = power;

export function expNegative(x: number): number {
  if (x < LEAST) return 0;
  const k = Math.floor(x * Math.LOG2E + 0.5);
  const r = x - k * LN2_HIGH - k * LN2_LOW;
  let sum = 1 / 6227020800;
  sum = 1 / 479001600 + r * sum;
  sum = 1 / 39916800 + r * sum;
  sum = 1 / 3628800 + r * sum;
  sum = 1 / 362880 + r * sum;
  sum = 1 / 40320 + r * sum;
  sum = 1 / 5040 + r * sum;
  sum = 1 / 720 + r * sum;
  sum = 1 / 120 + r * sum;
  sum = 1 / 24 + r * sum;
  sum = 1 / 6 + r * sum;
  sum = 1 / 2 + r * sum;
  sum = 1 + r * sum;
  sum = 1 + r * sum;
  return sum * HALVES[-k];
}
