/**
 * How much noise a sum of clipped updates needs (Dwork et al. 2006; at participant level McMahan et al. 2018). It is drawn on a grid (grid.ts).
 *
 * Central: whoever forms the sum adds noise of variance (z clip)^2 to every component, z the noise multiplier. The coordinator has
 * then seen the bare updates and is trusted with them; what is protected is every later reader of w.
 *
 * Split: every participant adds variance (z clip)^2 / m to its own update before it is summed (under secure aggregation),
 * m the least number of honest participants that are counted in. The sum of r of them carries variance (z clip)^2 r/m:
 *   r > m   more noise than asked for, the guarantee is better than stated;
 *   r < m   dropouts below the minimum: the sum carries LESS. The round must be abandoned before the sum is opened, or
 *           accounted at a multiplier of z sqrt(r/m). There is no way to add the rest afterwards without a trusted party.
 * Participants that collude with the coordinator know their own share of the noise, hence "honest".
 *
 * The deviation is z clip, linear in z: never pass a variance. The accountant assumes a source that cannot be predicted: `stream(seed, ...)` is
 * for simulations and tests; a deployment passes a cryptographic source behind the same interface.
 */
import { inputError } from '../../base/errors.ts';

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
  if (!(Number.isInteger(honest) && honest >= 1))
    throw inputError('DP_PARTICIPANTS', `honest participants: expected an integer >= 1, got ${honest}`);
  return noiseDeviation(settings) / Math.sqrt(honest);
}
