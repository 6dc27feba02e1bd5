/**
 * What secure aggregation sums, entry by entry, and on which grid. Both sides must lay it out alike.
 *
 *   measure  count, sum of x, sum of x^2 (features, where they are scaled; missing values count as 0, and the indicator that follows says
 *            how many they are), then of the targets where those are: sum of y, sum of y^2, and
 *            how many multiples of 2^20 are to be added to each. With neither there is no such sum
 *   train    change of u (d), then of each head: change of F(w) + w.u, change of the constant of the cut (with `steps`, the change of u alone);
 *            then what is reported of tests, which is no change (summed-reports.ts); under differential privacy nothing of it
 *
 * Everybody sends the change since its last accepted answer, so that the sum over all stays whole when somebody drops out. Every round
 * has a w of its own: two sums over almost the same members are of different answers, and their difference is nobody's.
 *
 * Bits: an entry is a multiple of 2^-scaleBits, hence so are u_k and the sum of all, and every sum is exact in f64 below
 * 2^(53 - scaleBits).
 */
import { type ColumnCode, featuresOfCode } from '../data/encoding.ts';
import type { Moments as FeatureMoments } from '../math/scaling.ts';
import { type FixedPoint, finestScaleBits } from '../privacy/secure/fixed-point.ts';
import type { Security } from '../privacy/secure/graph.ts';
import type { RoundPlan } from '../privacy/secure/messages.ts';
import { columnsOf } from '../settings/feature-map.ts';
import type { FederationSettings, SecureSettings } from '../settings/wire.ts';
import { type Agreement, featuresBy, headsBy, type MeasuringSettings, measuredBy } from './agreement.ts';
import type { Moments } from './messages.ts';
import type { PlanMessage, SumPurpose } from './secure-messages.ts';
import { TEST_ENTRIES } from './summed-reports.ts';

type SummedSettings = Pick<FederationSettings, 'features' | 'levels' | 'map' | 'bias' | 'seed' | 'training'> &
  MeasuringSettings & { readonly secure?: SecureSettings | undefined };

/** Count, sums and sums of squares of one participant's raw rows must stay below. */
export const MOMENTS_LIMIT = 2 ** 32;

/** Entries of targets, in two parts: prices squared are far beyond the limit. */
const TARGET_ENTRIES = 4;
const LARGE_UNIT = 2 ** 20;

const STATISTICAL_BITS = 40;
const CORRECTNESS_BITS = 20;
/** Entries after the change of u, for each head. */
const SCALARS = 2;

/** What goes with a change of u; nothing with `steps`. */
export interface HeadChange {
  /** Of F(w) + w.u. */
  readonly value: number;
  /** Of the constant of the cut. */
  readonly constant: number;
}

/** Of one participant, or summed over those who were counted. */
interface SummedChange {
  readonly u: Float64Array;
  readonly heads: readonly HeadChange[];
  /** What is reported of tests; empty under differential privacy. */
  readonly tests: Float64Array;
}

/** Keys of one federation are of no use in another. */
export function federationName({
  features,
  bias,
  seed,
}: Pick<FederationSettings, 'features' | 'bias' | 'seed'>): string {
  return `kindred, ${features} features, ${bias ? 'bias' : 'no bias'}, seed ${seed}`;
}

export function securityOf({ dropout, corrupted }: SecureSettings): Security {
  return { dropout, corrupted, statisticalBits: STATISTICAL_BITS, correctnessBits: CORRECTNESS_BITS };
}

/** How many can be summed before an entry could wrap. */
export function mostParticipants({ limit, scaleBits }: SecureSettings): number {
  return Math.ceil(2 ** 63 / (limit * 2 ** scaleBits + 0.5)) - 1;
}

/** The plan of a round, as privacy/secure wants it. */
export function sumPlan(
  settings: SummedSettings,
  plan: Omit<PlanMessage, 'kind' | 'session' | 'bases'>,
  { participants, agreement }: { readonly participants: number; readonly agreement: Agreement | undefined },
): RoundPlan {
  const { round, purpose, roster } = plan;
  const { scaleBits, limit } = gridOf(settings.secure!, purpose, participants);
  return { round, session: roster, length: lengthOf(settings, purpose, agreement), scaleBits, limit };
}

function gridOf(secure: SecureSettings, purpose: SumPurpose, participants: number): FixedPoint {
  if (purpose !== 'measure') return { scaleBits: secure.scaleBits, limit: secure.limit, participants };
  const range = { limit: MOMENTS_LIMIT, participants };
  return { ...range, scaleBits: finestScaleBits(range) };
}

function lengthOf(settings: SummedSettings, purpose: SumPurpose, agreement: Agreement | undefined): number {
  const features = featuresBy(settings, agreement);
  const asked = measuredBy(settings);
  if (purpose === 'measure')
    return 1 + (asked.features ? 2 * features : 0) + (asked.target ? TARGET_ENTRIES : 0);
  const heads = headsBy(agreement);
  return heads * columnsOf({ ...settings, features }) + scalarEntries(settings, heads) + testLength(settings);
}

type EntrySettings = Pick<SummedSettings, 'training' | 'dp'>;

function scalarEntries({ training }: EntrySettings, heads: number): number {
  return training === 'answers' ? SCALARS * heads : 0;
}

/** Entries of what is reported of tests: functions of private rows, to which no noise is added. */
function testLength({ dp }: EntrySettings): number {
  return dp ? 0 : TEST_ENTRIES;
}

/** What of a participant's moments is summed. */
type RowMoments = FeatureMoments & Pick<Moments, 'target'>;

export function momentsVector({ count, mean, m2, target }: RowMoments): Float64Array {
  const d = mean.length;
  const vector = new Float64Array(1 + 2 * d + (target ? TARGET_ENTRIES : 0));
  vector[0] = count;
  for (let j = 0; j < d; j++) {
    vector[1 + j] = count * mean[j];
    vector[1 + d + j] = m2[j] + count * mean[j] * mean[j];
  }
  if (target) vector.set(inTwoParts(count * target.mean, target.m2 + count * target.mean ** 2), 1 + 2 * d);
  return vector;
}

function inTwoParts(sum: number, squares: number): number[] {
  const large = [sum, squares].map((value) => Math.round(value / LARGE_UNIT));
  return [sum - large[0] * LARGE_UNIT, squares - large[1] * LARGE_UNIT, ...large];
}

/**
 * Moments of all from the sum. A spread that the grid or f64 could have made counts as 0: with 20 participants and 5,000 rows that is a
 * standard deviation below 1e-5, or below 1e-7 of the mean.
 */
export function momentsFrom(
  sum: Float64Array,
  participants: number,
  settings: MeasuringSettings,
  encoding?: readonly ColumnCode[] | undefined,
): RowMoments {
  const isTargetSummed = measuredBy(settings).target;
  const d = (sum.length - 1 - (isTargetSummed ? TARGET_ENTRIES : 0)) / 2;
  const count = sum[0];
  const grid = participants * 2 ** -finestScaleBits({ limit: MOMENTS_LIMIT, participants });
  const spreadOf = (squares: number, average: number, rows = count) => {
    const spread = squares - rows * average * average;
    const noise = 4 * (grid * (1 + 2 * Math.abs(average)) + 2 ** -50 * squares);
    return spread <= noise ? 0 : spread;
  };
  const gaps = new Set(gapFeatures(encoding ?? []));
  // Whoever fills gaps with the mean of all changes neither the mean nor the spread of what is known.
  const known = (j: number) => (gaps.has(j) ? Math.max(1, count - sum[2 + j]) : count);
  const mean = sum.slice(1, 1 + d).map((total, j) => total / known(j));
  const m2 = mean.map((average, j) => spreadOf(sum[1 + d + j], average, known(j)));
  if (!isTargetSummed) return { count, mean, m2, target: undefined };
  const [low, lowSquares, high, highSquares] = sum.subarray(1 + 2 * d);
  const average = (low + high * LARGE_UNIT) / count;
  const target = { mean: average, m2: spreadOf(lowSquares + highSquares * LARGE_UNIT, average) };
  return { count, mean, m2, target };
}

/** Features of columns of numbers with an indicator, by their places. */
function gapFeatures(encoding: readonly ColumnCode[]): number[] {
  let at = 0;
  return encoding.flatMap((code) => {
    const here = at;
    at += featuresOfCode(code);
    return code.kind === 'number' && code.missing ? [here] : [];
  });
}

export function changeVector({ u, heads, tests }: SummedChange, settings: EntrySettings): Float64Array {
  const scalars = scalarEntries(settings, heads.length);
  const vector = new Float64Array(u.length + scalars + testLength(settings));
  vector.set(u);
  for (const [h, { value, constant }] of heads.entries())
    vector.set([value, constant], u.length + SCALARS * h);
  if (!settings.dp) vector.set(tests, u.length + scalars);
  return vector;
}

export function changeFrom(sum: Float64Array, settings: EntrySettings, heads: number): SummedChange {
  const testsAt = sum.length - testLength(settings);
  const scalars = scalarEntries(settings, heads);
  const d = testsAt - scalars;
  const changes = Array.from({ length: scalars / SCALARS }, (_, h) => ({
    value: sum[d + SCALARS * h],
    constant: sum[d + SCALARS * h + 1],
  }));
  return { u: sum.slice(0, d), heads: changes, tests: sum.slice(testsAt) };
}
