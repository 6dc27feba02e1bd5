/**
 * Gaussian noise for a sum of clipped updates (Dwork et al. 2006; at participant level McMahan et al. 2018).
 *
 * Central: whoever forms the sum adds N(0, (z clip)^2) to every component, z the noise multiplier. The coordinator has
 * then seen the bare updates and is trusted with them; what is protected is every later reader of w.
 *
 * Split: every participant adds N(0, (z clip)^2 / m) to its own update before it is summed (under secure aggregation),
 * m the least number of honest participants that are counted in. The sum of r of them carries variance (z clip)^2 r/m:
 *   r > m   more noise than asked for, the guarantee is better than stated;
 *   r < m   dropouts below the minimum: the sum carries LESS. The round must be abandoned before the sum is opened, or
 *           accounted at `multiplierOf(z, m, r)`. There is no way to add the rest afterwards without a trusted party.
 * Participants that collude with the coordinator know their own share of the noise, hence "honest".
 *
 * Limits. (1) The deviation is z clip, linear in z: never pass a variance. (2) Doubles are not reals: the low bits of
 * `value + noise` can betray the value (Mironov 2012). Where the reader is an adversary use discrete-gaussian.ts, exact
 * on the grid of the ring. (3) The accountant assumes a source that cannot be predicted: `stream(seed, ...)` is for
 * simulations and tests; a deployment passes a cryptographic source behind the same interface.
 */
import { inputError } from '../../base/errors.ts';
import type { Stream } from '../../base/random.ts';

export interface GaussianSettings {
  /** z: standard deviation of the noise of a sum, in units of `clip`. */
  readonly noiseMultiplier: number;
  /** Largest norm of one participant's update. */
  readonly clip: number;
}

/** Standard deviation, per component, of the noise of a sum. */
export function noiseDeviation({ noiseMultiplier, clip }: GaussianSettings): number {
  if (!(noiseMultiplier >= 0 && Number.isFinite(noiseMultiplier)))
    throw inputError('DP_NOISE', `noise multiplier: expected a number >= 0, got ${noiseMultiplier}`);
  if (!(clip > 0 && Number.isFinite(clip)))
    throw inputError('DP_CLIP', `clip: expected a positive norm, got ${clip}`);
  return noiseMultiplier * clip;
}

/** Standard deviation of one participant's share when at least `honest` of them are counted in. */
export function shareDeviation(settings: GaussianSettings, honest: number): number {
  checkCount('honest participants', honest);
  return noiseDeviation(settings) / Math.sqrt(honest);
}

/** The noise multiplier that the sum of `counted` honest shares really has, each cut for a sum of `honest`. */
export function multiplierOf(noiseMultiplier: number, honest: number, counted: number): number {
  checkCount('honest participants', honest);
  if (!(Number.isInteger(counted) && counted >= 0))
    throw inputError('DP_PARTICIPANTS', `counted participants: expected an integer >= 0, got ${counted}`);
  return noiseMultiplier * Math.sqrt(counted / honest);
}

/** A vector of independent N(0, deviation^2). */
export function gaussianNoise(length: number, deviation: number, random: Stream): Float64Array {
  const noise = new Float64Array(length);
  for (let j = 0; j < length; j++) noise[j] = deviation * random.normal();
  return noise;
}

/** Central noise on a sum. The noise is returned too, for the coordinator's record (noisy-model.ts). */
export function noisedSum(
  sum: Float64Array,
  settings: GaussianSettings,
  random: Stream,
): { noised: Float64Array; noise: Float64Array } {
  const noise = gaussianNoise(sum.length, noiseDeviation(settings), random);
  return { noised: sum.map((value, j) => value + noise[j]), noise };
}

/** One participant's update with its share of the noise. The participant commits du, not what it sends. */
export function noisedShare(
  du: Float64Array,
  settings: GaussianSettings,
  honest: number,
  random: Stream,
): Float64Array {
  const noise = gaussianNoise(du.length, shareDeviation(settings, honest), random);
  return du.map((value, j) => value + noise[j]);
}

function checkCount(what: string, count: number): void {
  if (!(Number.isInteger(count) && count >= 1))
    throw inputError('DP_PARTICIPANTS', `${what}: expected an integer >= 1, got ${count}`);
}
