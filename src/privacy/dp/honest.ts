/**
 * Noise that the participants of a secure sum add together: what it amounts to depends on who is summed. A share is made for sums with
 * at least `dp.honest` honest participants (gaussian.ts); of a roster of n at most floor(corrupted n) collude with the coordinator and
 * know their own shares, and all of them may be among those who are summed.
 *
 * Fewer than `dp.honest`: the sum is not opened, by the coordinator or by any participant. More: it carries more noise than was promised, and is
 * accounted for at what it carries.
 */
import type { DpSettings } from './settings.ts';

export interface SumSize {
  /** How many are in the sum. */
  readonly counted: number;
  /** How many were in the roster. */
  readonly roster: number;
}

interface Accomplices {
  /** Largest share of the roster that may collude with the coordinator. */
  readonly corrupted: number;
}

/** The least number of those summed who keep their noise to themselves. */
export function honestIn({ counted, roster }: SumSize, { corrupted }: Accomplices): number {
  return Math.max(0, counted - Math.floor(corrupted * roster));
}

/** Whether a sum carries the noise that was promised. */
export function carriesNoise(
  { honest }: Pick<DpSettings, 'honest'>,
  summed: SumSize,
  secure: Accomplices,
): boolean {
  return honest === undefined || honestIn(summed, secure) >= honest;
}

/** The noise multiplier of a sum: that of the settings where the coordinator adds the noise, or where exactly `honest` do. */
export function multiplierOf(
  { noiseMultiplier, honest }: Pick<DpSettings, 'noiseMultiplier' | 'honest'>,
  summed: SumSize,
  secure: Accomplices,
): number {
  if (honest === undefined) return noiseMultiplier;
  return noiseMultiplier * Math.sqrt(honestIn(summed, secure) / honest);
}
