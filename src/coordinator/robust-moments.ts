/**
 * The moments of everybody, merged so that one of them cannot ruin the scaling of all, whatever it claims, and for good, as it may leave
 * afterwards. Of at least four:
 *
 *   weight   nobody counts for more than 10 times the median number of rows
 *   mean     at most `reach` away from the median of all means, feature by feature
 *   spread   around that median at most `reach`
 *
 * `reach` is 4 times the largest spread of all but the one tenth (at least one) with the largest: so it is never less than that of some honest
 * participant, and honest moments are merged as they are, unless they are few and far from all others. A feature that all others have constant
 * has no reach: whatever is claimed of it, it stays constant for them. Moments a thousand times as far are left out, and their sender is told.
 */
import { type Moments, mergeMoments } from '../math/scaling.ts';

const LEAST_PARTICIPANTS = 4;
const MOST_WEIGHT = 10;
const REACH = 4;
/** In units of the reach. */
const FAR = 250;
const SHARE_OF_LIARS = 0.1;

export interface Claimed {
  readonly id: string;
  readonly moments: Moments;
}

export interface Merged {
  readonly moments: Moments;
  /** Whose moments were left out, and why. */
  readonly leftOut: readonly { readonly id: string; readonly sentence: string }[];
}

/** `nameOf`: column j of d, in words. */
export function mergeRobustly(
  claimed: readonly Claimed[],
  nameOf: (j: number, d: number) => string = (j) => `feature ${j + 1}`,
): Merged {
  const known = claimed.filter(({ moments }) => moments.count > 0);
  if (known.length < LEAST_PARTICIPANTS) {
    return { moments: claimed.map(({ moments }) => moments).reduce(mergeMoments), leftOut: [] };
  }
  const d = known[0].moments.mean.length;
  const features = Array.from({ length: d }, (_, j) => featureOf(known, j));
  const leftOut = known.flatMap(({ id, moments }) => {
    const j = features.findIndex((feature, at) => isFar(moments.mean[at], feature));
    return j < 0 ? [] : [{ id, sentence: sentenceOf(moments.mean[j], nameOf(j, d), features[j]) }];
  });
  const out = new Set(leftOut.map(({ id }) => id));
  const most = MOST_WEIGHT * median(known.map(({ moments }) => moments.count));
  const merged = known
    .filter(({ id }) => !out.has(id))
    .map(({ moments }) => bounded(moments, features, most))
    .reduce(mergeMoments);
  return { moments: merged, leftOut };
}

interface Feature {
  readonly middle: number;
  /** Infinity: there is no bound. */
  readonly reach: number;
}

function featureOf(known: readonly Claimed[], j: number): Feature {
  const middle = median(known.map(({ moments }) => moments.mean[j]));
  const spreads = known.map(({ moments: { count, mean, m2 } }) =>
    Math.hypot(Math.sqrt(m2[j] / count), mean[j] - middle),
  );
  const dropped = Math.max(1, Math.floor(SHARE_OF_LIARS * known.length));
  const typical = spreads.sort((a, b) => b - a)[dropped];
  return { middle, reach: typical > 0 ? REACH * typical : Number.POSITIVE_INFINITY };
}

function isFar(mean: number, { middle, reach }: Feature): boolean {
  return Math.abs(mean - middle) > FAR * reach;
}

function sentenceOf(mean: number, name: string, { middle, reach }: Feature): string {
  return `moments: expected a mean of ${name} within ${FAR * reach} of ${middle}, the median of all participants, got ${mean}; check its unit`;
}

/** As claimed where it is within the bounds. */
function bounded(moments: Moments, features: readonly Feature[], most: number): Moments {
  const count = Math.min(moments.count, most);
  const mean = moments.mean.slice();
  const m2 = moments.m2.slice();
  for (const [j, { middle, reach }] of features.entries()) {
    mean[j] = Math.min(middle + reach, Math.max(middle - reach, mean[j]));
    const largest = moments.count * reach * reach;
    m2[j] = Math.min(m2[j], largest) * (count / moments.count);
  }
  return { count, mean, m2 };
}

/** The lower one of two. */
function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor((values.length - 1) / 2)];
}
