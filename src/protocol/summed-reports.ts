/**
 * Test reports where only sums are seen: the sums of such a round end with
 *
 *   number of reports, sum of own, of own^2, of shared, of shared^2
 *
 * to which a participant that reports nothing adds zeros. Values are coarse there: an accuracy is a fraction with a known denominator, and
 * sums of exact fractions give away their terms. Errors are in units of the target's scaling, so that they fit the grid.
 */
import type { TargetScaling } from '../math/target-scaling.ts';
import type { Objective } from '../settings/losses.ts';
import type { SecureSettings } from '../settings/wire.ts';
import type { TestReport } from './test-reports.ts';

/** Values in sums are multiples of 2^-10, and their squares of 2^-20: on a coarser grid nothing is reported. */
const COARSE = 2 ** -10;
const LEAST_BITS = 20;
/** The largest error in a sum, in units of the target's scaling. */
const LARGEST_SUMMED = 1024;
/** Entries at the end of a sum. */
export const TEST_ENTRIES = 5;

interface SummedTests {
  readonly objective: Objective;
  readonly secure?: Pick<SecureSettings, 'limit' | 'scaleBits'> | undefined;
  readonly target: TargetScaling | undefined;
}

/** Of one participant. A value beyond what can be summed is not reported. */
export function testEntries(report: TestReport | undefined, summed: SummedTests): Float64Array {
  const entries = new Float64Array(TEST_ENTRIES);
  if (report?.shared === undefined || (summed.secure?.scaleBits ?? 0) < LEAST_BITS) return entries;
  const unit = unitOf(summed);
  const [own, shared] = [report.own, report.shared].map(
    (value) => Math.round(value / unit / COARSE) * COARSE,
  );
  if (!(Math.max(own, shared) <= largestOf(summed))) return entries;
  entries.set([1, own, own ** 2, shared, shared ** 2]);
  return entries;
}

function unitOf({ objective, target }: SummedTests): number {
  return objective === 'regression' ? (target?.scale ?? 1) : 1;
}

function largestOf({ objective, secure }: SummedTests): number {
  if (objective === 'classification') return 1;
  return Math.min(LARGEST_SUMMED, Math.sqrt(secure?.limit ?? Number.POSITIVE_INFINITY));
}

/** Reports of several participants, of which only sums are known. */
export interface ReportSums {
  readonly reports: number;
  readonly own: MeanAndSpread;
  readonly shared: MeanAndSpread;
}

interface MeanAndSpread {
  readonly mean: number;
  /** Standard deviation over participants. */
  readonly spread: number;
}

/** Rounding explains no more. */
const SLACK = 1e-6;

/** From the sums over `members`; undefined: nobody reports, or somebody's numbers cannot be true. */
export function reportSums(
  [reports, own, ownSquares, shared, sharedSquares]: Float64Array,
  members: number,
  summed: SummedTests,
): ReportSums | undefined {
  if (!(Number.isInteger(reports) && reports >= 1 && reports <= members)) return undefined;
  const most = largestOf(summed);
  const unit = unitOf(summed);
  const of = (sum: number, squares: number): MeanAndSpread | undefined => {
    const mean = sum / reports;
    const variance = squares / reports - mean ** 2;
    // Nobody's value is below 0 or above the most: then squares are at most the sum times the most.
    const isPossible = mean >= 0 && mean <= most && squares <= most * sum + SLACK;
    if (!isPossible || variance < -SLACK) return undefined;
    return { mean: unit * mean, spread: unit * Math.sqrt(Math.max(0, variance)) };
  };
  const [ownMean, sharedMean] = [of(own, ownSquares), of(shared, sharedSquares)];
  return ownMean && sharedMean && { reports, own: ownMean, shared: sharedMean };
}
