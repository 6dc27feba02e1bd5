/**
 * What members claim of their values, and how far that is believed. A claim counts in the certificate as it is; what is far beyond what others
 * claim does not count where it would affect others.
 */
import type { Known } from './inquiry-types.ts';

/** Values above so many times the median do not count in the scale of the relative gap. */
const LARGEST_SHARE = 20;
const LEAST_FOR_MEDIAN = 3;
/** Values above so many times the largest one of the others do not count against a query, where they are of members held to a bound. */
const LARGEST_HELD = 2;

/**
 * What is left out of the scale of the relative gap: the part of any value that is more than so many times the median one. Who
 * claims a huge value makes nobody else's gap seem small.
 */
export function excessOfValues(known: Iterable<Known>): number {
  const values = [...known].flatMap(({ u, reached }) => (u ? [reached] : []));
  if (values.length < LEAST_FOR_MEDIAN) return 0;
  const median = [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
  const most = LARGEST_SHARE * Math.max(0, median);
  return values.reduce((sum, value) => sum + Math.max(0, value - most), 0);
}

/**
 * Of members of whom only a share of the change is taken: the part of their values that is far above those of everybody else. Their
 * contributions are bounded, and so is what they can say against a query; the certificate counts what they claim.
 */
export function excessOfHeld(known: readonly Known[]): number {
  const free = known.flatMap(({ u, held, reached }) => (u && !held ? [reached] : []));
  if (free.length === 0) return 0;
  const most = LARGEST_HELD * free.reduce((a, b) => Math.max(a, b), 0);
  return known.reduce((sum, { held, reached }) => sum + (held ? Math.max(0, reached - most) : 0), 0);
}
