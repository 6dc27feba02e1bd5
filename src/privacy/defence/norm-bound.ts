/**
 * Norm bounds: how far one participant may move the shared model in one round. A poisoned update works by its size
 * (Bagdasaryan et al. 2020, "How to backdoor federated learning"); bounding the norm bounds its influence whatever it
 * contains (Sun, Kairouz, Suresh, McMahan 2019, "Can you really backdoor federated learning?").
 *
 *   fixed     one bound for all rounds, chosen by the operator: over it an update is clipped, or refused.
 *   robust    a bound per round: a quantile (the median) of the norms of that round, times a factor. With fewer than
 *             half of the senders lying, the median lies among the honest norms, so a liar moves w by at most factor x
 *             the largest honest norm in a round. Below 3 updates there is no majority to speak of: with 2 the smaller
 *             norm counts, with 1 its own.
 *
 * The verdict is a factor c_k in [0, 1] per participant: the coordinator takes that share of the change of its contribution, the
 * participant is notified and does the same (`partOfStep`). 0 is a refusal: as if missed.
 *
 * What it does not do: a small change in a bad direction passes. Under secure aggregation nobody sees single norms: participants
 * must then prove the bound or be trusted with it.
 */
import { inputError } from '../../base/errors.ts';
import { norm as lengthOf } from '../../solver/vector.ts';
import { clipFactor } from '../dp/clip.ts';

export interface Change {
  readonly member: number;
  readonly du: Float64Array;
}

type OverBound = 'clip' | 'refuse';

export interface NormVerdict {
  readonly member: number;
  /** Measured from du. */
  readonly norm: number;
  /** c_k: the share of the step that is taken. */
  readonly factor: number;
  readonly why: 'within bound' | 'over bound' | 'not finite';
}

export interface RobustBoundOptions {
  /** Which norm of the round is the measure; above 0.5 fewer liars are enough to set it. */
  readonly quantile?: number;
  /** Honest norms differ (participants hold 10 rows or 10,000): twice the median leaves most of them alone. */
  readonly factor?: number;
}

/** The same bound for everybody. */
export function boundNorms(updates: readonly Change[], bound: number, overBound: OverBound): NormVerdict[] {
  return updates.map((update) => judge(update, bound, overBound));
}

export function boundNormsRobustly(
  updates: readonly Change[],
  options: RobustBoundOptions = {},
): NormVerdict[] {
  const bound = robustBound(updates, options);
  // No sound update moves anything: nothing to bound, and only unsound ones to refuse.
  return boundNorms(updates, bound > 0 ? bound : Number.MIN_VALUE, 'clip');
}

/**
 * factor x the quantile of the norms, 0 if nobody moved. The quantile is one of the norms, never a mean of two: half of an
 * absurd norm is absurd too. Norms of 0 are left out, so that participants without a change cannot stop the rest.
 */
export function robustBound(
  updates: readonly Change[],
  { quantile = 0.5, factor = 2 }: RobustBoundOptions = {},
): number {
  if (!(quantile >= 0 && quantile <= 1))
    throw inputError('DEFENCE_QUANTILE', `quantile: expected a number in [0, 1], got ${quantile}`);
  if (!(factor > 0 && Number.isFinite(factor)))
    throw inputError('DEFENCE_FACTOR', `factor: expected a positive number, got ${factor}`);
  const norms = updates.map(({ du }) => lengthOf(du)).filter((norm) => norm > 0 && Number.isFinite(norm));
  if (norms.length === 0) return 0;
  return factor * lowerQuantile(norms, quantile);
}

/** The largest of the values of which at most a share q is below it. */
export function lowerQuantile(values: readonly number[], q: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(q * (sorted.length - 1))];
}

function judge({ member, du }: Change, bound: number, overBound: OverBound): NormVerdict {
  const norm = lengthOf(du);
  // A change so large that its square overflows is not finite either.
  if (!Number.isFinite(norm)) return { member, norm, factor: 0, why: 'not finite' };
  const factor = clipFactor(norm, bound);
  if (factor === 1) return { member, norm, factor, why: 'within bound' };
  return { member, norm, factor: overBound === 'refuse' ? 0 : factor, why: 'over bound' };
}
