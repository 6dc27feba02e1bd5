/** What the vectors of an inquiry show by themselves: where only sums are seen, claims that do not fit it are not believed. */
import type { Best, Standing } from './inquiry-types.ts';
import { dot } from './vector.ts';

/** Sums of local gaps, against the least that P can be: what is claimed outside of this is a lie, or of no use. */
const PLAUSIBLE = { least: -1e-6, most: 1 };

export function isPlausible({ claimedRoughness }: Pick<Standing, 'claimedRoughness'>): boolean {
  return claimedRoughness >= PLAUSIBLE.least && claimedRoughness <= PLAUSIBLE.most;
}

interface Vectors {
  readonly best: Best | undefined;
  /** U. */
  readonly u: Float64Array;
  readonly c2: number;
  /** K. */
  readonly participants: number;
  /** Sum of everybody's local gaps, as claimed. */
  readonly roughness: number;
}

/**
 * What is in the vectors themselves, and in nobody's claims: P(w) is at least 1/2 |w|^2 + |U|^2 / (2 C2 K), whatever the losses are, since
 * K personal parts that add up to U / C2 are as short as they can be when they are all alike; and for exact answers the gap is 1/2 |w - U|^2.
 */
export function shownByVectors({
  best,
  u,
  c2,
  participants,
  roughness,
}: Vectors): Pick<Standing, 'vectorGap' | 'claimedRoughness'> {
  if (!best?.gradient) return { vectorGap: Number.POSITIVE_INFINITY, claimedRoughness: 0 };
  const personal = dot(u, u) / (2 * c2 * Math.max(1, participants));
  const least = dot(best.w, best.w) / 2 + personal || 1;
  return { vectorGap: dot(best.gradient, best.gradient) / 2 / least, claimedRoughness: roughness / least };
}
