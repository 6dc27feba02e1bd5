/**
 * The grid on which private sums live: every step, every sum and all noise are multiples of 2^-bits, so that what is published is
 * an integer vector times a constant. Sums of doubles with continuous noise are not: their low bits tell neighbouring sums apart, whatever the
 * deviation (Mironov 2012, "On significance of the least significant bits for differential privacy"; test/privacy/dp/low-bits.test.ts does it).
 *
 * One mechanism serves both who may add the noise. A participant shortens its step to `clip` and rounds it to the grid (`stepOnGrid`); the
 * coordinator adds one discrete Gaussian draw to the integer sum, or, under secure aggregation, every participant adds a share.
 *
 * Sensitivity: rounding toward zero makes no entry longer, and the norm is checked on the integers themselves, without rounding. So it is
 * `clip`, with no allowance of sqrt(d)/2 steps as nearest rounding needs (Kairouz, Liu, Steinke 2021, section 4.1, round at
 * random and pay for that).
 */
import type { Stream } from '../../base/random.ts';
import { norm } from '../../solver/vector.ts';
import { clipFactor } from './clip.ts';
import { discreteNoise, gridShare } from './discrete-gaussian.ts';
import type { DpSettings } from './settings.ts';

/** The clip norm is at least so many steps: what rounding takes from 500 equal entries is a millionth of each. */
const STEPS_OF_CLIP = 2 ** 20;
/** And the deviation at least so many, far above what `gridShare` demands. */
const STEPS_OF_NOISE = 2 ** 8;
const MOST_BITS = 52;

/** Noise for a sum: independent draws of the discrete Gaussian, of a deviation in steps of the grid. */
export interface NoiseOrder {
  readonly length: number;
  readonly deviation: number;
  readonly bits: number;
}

/** With secure aggregation the grid is that of its sums; otherwise it follows from the settings, on both sides alike. */
export function gridBits(
  { clip, noiseMultiplier }: Pick<DpSettings, 'clip' | 'noiseMultiplier'>,
  secure?: { readonly scaleBits: number } | undefined,
): number {
  if (secure) return secure.scaleBits;
  let bits = 0;
  while (bits < MOST_BITS && !isFine(clip * 2 ** bits, noiseMultiplier)) bits++;
  return bits;
}

function isFine(clip: number, noiseMultiplier: number): boolean {
  return clip >= STEPS_OF_CLIP && noiseMultiplier * clip >= STEPS_OF_NOISE;
}

/** A step, shortened to `clip`, as multiples of 2^-bits whose norm is at most `clip` in exact arithmetic. */
export function stepOnGrid(du: Float64Array, clip: number, bits: number): Float64Array {
  const scale = 2 ** bits;
  // The clip norm in steps, rounded down; a double is a fraction with a power of two below, so nothing is lost before that.
  const most = BigInt(Math.floor(clip * scale)) ** 2n;
  for (let factor = clipFactor(norm(du), clip); ; factor *= 1 - 2 ** -40) {
    const steps = du.map((value) => Math.trunc(factor * value * scale) + 0);
    if (squaredNorm(steps) <= most) return steps.map((value) => value / scale);
  }
}

function squaredNorm(steps: Float64Array): bigint {
  let sum = 0n;
  for (const value of steps) if (value !== 0) sum += BigInt(value) ** 2n;
  return sum;
}

/** Whether all entries are multiples of 2^-bits, small enough for `members` of them to be summed without rounding. */
export function isOnGrid(u: Float64Array, bits: number, members: number): boolean {
  const scale = 2 ** bits;
  const most = 2 ** 52 / Math.max(1, members);
  return u.every((value) => Number.isInteger(value * scale) && Math.abs(value * scale) < most);
}

/** The noise of a whole sum, for whoever forms it. */
export function noiseOfSum(dp: DpSettings, length: number): NoiseOrder {
  const bits = gridBits(dp);
  return { length, deviation: gridShare(dp, 1, bits), bits };
}

/** A participant's share of the noise of a secure sum. */
export function noiseOfShare(
  dp: DpSettings,
  length: number,
  secure: { readonly scaleBits: number },
): NoiseOrder {
  const bits = gridBits(dp, secure);
  return { length, deviation: gridShare(dp, dp.honest ?? 1, bits), bits };
}

/** `random` must be a source that nobody can predict; in a simulation it is seeded. */
export function drawNoise({ length, deviation, bits }: NoiseOrder, random: Stream): Float64Array {
  return Float64Array.from(discreteNoise(length, deviation, random), (steps) => Number(steps) / 2 ** bits);
}
