/**
 * Discrete Gaussian noise on the integers, sampled exactly (Canonne, Kamath, Steinke 2020, "The discrete Gaussian for
 * differential privacy", algorithms 1 to 3), for sums formed in a ring of fixed-point numbers k 2^-scaleBits.
 *
 *   Pr[X = x] proportional to exp(-x^2 / (2 s^2)),  s a positive integer in units of the grid
 *
 * Why not continuous noise, rounded afterwards: each participant rounds before the sum, and a sum of rounded numbers is
 * not a function of the sum of the numbers, so "rounding is post-processing" does not apply; and floating-point noise
 * leaves traces in the low bits. Here nothing is approximated: integers and coin flips only.
 *
 * What it costs: nothing in the accountant. N_Z(0, s^2) against its shift by an integer vector of norm D has Renyi
 * divergence at most alpha D^2 / (2 s^2), as the continuous one (theorem 4 there); for Poisson sampling the moments
 * E[exp(k ...)] are at most the continuous ones, so the integer-order sum of rdp.ts is a bound as well. A sum of m
 * discrete Gaussians is not exactly discrete Gaussian: it is within a factor exp(tau) of one, pointwise, with
 * tau <= 10 (m-1) exp(-pi^2 s^2) (Kairouz, Liu, Steinke 2021, "The distributed discrete Gaussian mechanism"). With
 * s >= 4, which `gridShare` demands, tau is below 1e-60 for any m: left out of the account.
 * About 10 microseconds per component. The time a draw takes depends on its value: do not let an adversary time it.
 */
import { inputError, invariant } from '../../base/errors.ts';
import type { Stream } from '../../base/random.ts';
import { type GaussianSettings, shareDeviation } from './gaussian.ts';

const LEAST_SHARE = 4;

/**
 * A participant's share of the noise in units of the grid, rounded up to an integer: never less than asked for. `honest`
 * = 1 is the central case. Room in the ring is the caller's business: r participants need r (clip 2^scaleBits) plus
 * some 10 deviations of the summed noise on either side of 0.
 */
export function gridShare(settings: GaussianSettings, honest: number, scaleBits: number): number {
  const share = Math.ceil(shareDeviation(settings, honest) * 2 ** scaleBits);
  if (share < LEAST_SHARE || share > 2 ** 46)
    throw inputError(
      'DP_GRID',
      `discrete noise: expected a deviation of ${LEAST_SHARE} to 2^46 steps of the grid, got ${share}`,
    );
  return share;
}

/** Independent draws of N_Z(0, deviation^2). */
export function discreteNoise(length: number, deviation: number, random: Stream): BigInt64Array {
  return BigInt64Array.from({ length }, () => discreteGaussian(deviation, random));
}

/** Algorithm 3: a discrete Laplace draw of scale t = s + 1, kept with probability exp(-(|y| - s^2/t)^2 / (2 s^2)). */
function discreteGaussian(deviation: number, random: Stream): bigint {
  invariant(
    Number.isSafeInteger(deviation) && deviation > 0,
    `discreteGaussian: expected a positive integer, got ${deviation}`,
  );
  const s2 = BigInt(deviation) ** 2n;
  const t = BigInt(deviation) + 1n;
  for (;;) {
    const y = discreteLaplace(t, random);
    const away = (y < 0n ? -y : y) * t - s2;
    if (coinExp(away * away, 2n * s2 * t * t, random)) return y;
  }
}

/** Algorithm 2 with scale t: Pr[x] proportional to exp(-|x| / t). */
function discreteLaplace(t: bigint, random: Stream): bigint {
  for (;;) {
    const u = below(t, random);
    if (!coinExp(u, t, random)) continue;
    let v = 0n;
    while (coinExp(1n, 1n, random)) v++;
    const magnitude = u + t * v;
    const negative = random.u32() >>> 31 === 1;
    // Zero would be drawn twice, once with either sign.
    if (magnitude === 0n && negative) continue;
    return negative ? -magnitude : magnitude;
  }
}

/** Algorithm 1: true with probability exp(-n/d), exactly. */
function coinExp(n: bigint, d: bigint, random: Stream): boolean {
  for (; n > d; n -= d) if (!coinExpSmall(1n, 1n, random)) return false;
  return coinExpSmall(n, d, random);
}

/** exp(-g) for g = n/d <= 1: the parity of the first failure among coins of probability g/1, g/2, g/3, ... */
function coinExpSmall(n: bigint, d: bigint, random: Stream): boolean {
  let k = 1n;
  while (below(d * k, random) < n) k++;
  return (k & 1n) === 1n;
}

/** Uniform integer in [0, n), by rejection: `Stream.below` has 53 bits and a bias. */
function below(n: bigint, random: Stream): bigint {
  if (n === 1n) return 0n;
  const bits = (n - 1n).toString(2).length;
  for (;;) {
    let value = 0n;
    for (let have = 0; have < bits; have += 32) {
      const take = Math.min(32, bits - have);
      value = (value << BigInt(take)) | BigInt(random.u32() >>> (32 - take));
    }
    if (value < n) return value;
  }
}
