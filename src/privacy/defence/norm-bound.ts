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
 * The answer is a factor c_k in [0, 1] per participant, the same scaled step for w and for v_k (dp/scaled-step.ts): the
 * coordinator takes c_k du_k, the participant is told c_k and shortens its atom by it. 0 is a refusal: as if missed.
 *
 * What it does not do: a small update in a bad direction passes; and ds, which `exact` and `line-search` weigh by, cannot be
 * checked without the data (duNorm2 can, and is). Under secure aggregation nobody sees single norms: participants must
 * then prove the bound or be trusted with it.
 */
import { inputError } from '../../base/errors.ts';
import type { IndexedUpdate } from '../../solver/index.ts';
import { clipFactor, updateNorm } from '../dp/clip.ts';
import { scaledUpdate } from '../dp/scaled-step.ts';

export type OverBound = 'clip' | 'refuse';

export interface NormVerdict {
  readonly member: number;
  /** Measured from du. */
  readonly norm: number;
  /** c_k: the share of the step that is taken. */
  readonly factor: number;
  readonly why: 'within bound' | 'over bound' | 'not finite' | 'wrong norm stated';
}

export interface RobustBoundOptions {
  /** Which norm of the round is the measure; above 0.5 fewer liars are enough to set it. */
  readonly quantile?: number;
  /** Honest norms differ (participants hold 10 rows or 10,000): twice the median leaves most of them alone. */
  readonly factor?: number;
}

/** Relative error that the stated |du|^2 may have; single precision on the way explains no more. */
const STATED_NORM_TOLERANCE = 1e-5;

/** The same bound for everybody. */
export function boundNorms(
  updates: readonly IndexedUpdate[],
  bound: number,
  overBound: OverBound,
): NormVerdict[] {
  return updates.map((update) => judge(update, bound, overBound));
}

/** Clips every update of a round to the robust bound of that round. */
export function boundNormsRobustly(
  updates: readonly IndexedUpdate[],
  options: RobustBoundOptions = {},
): NormVerdict[] {
  const bound = robustBound(updates, options);
  // No sound update moves anything: nothing to bound, and only unsound ones to refuse.
  return boundNorms(updates, bound > 0 ? bound : Number.MIN_VALUE, 'clip');
}

/**
 * factor x the quantile of the norms, 0 if nobody moved. The quantile is one of the norms, never a mean of two: half of an
 * absurd norm is absurd too. Norms of 0 are left out, so that participants with nothing to say cannot stop the rest.
 */
export function robustBound(
  updates: readonly IndexedUpdate[],
  { quantile = 0.5, factor = 2 }: RobustBoundOptions = {},
): number {
  if (!(quantile >= 0 && quantile <= 1))
    throw inputError('DEFENCE_QUANTILE', `quantile: expected a number in [0, 1], got ${quantile}`);
  if (!(factor > 0 && Number.isFinite(factor)))
    throw inputError('DEFENCE_FACTOR', `factor: expected a positive number, got ${factor}`);
  const norms = updates.map(updateNorm).filter((norm) => norm > 0 && Number.isFinite(norm));
  if (norms.length === 0) return 0;
  return factor * lowerQuantile(norms, quantile);
}

/** The updates as they may be aggregated: shortened, without the refused ones. */
export function boundedUpdates(
  updates: readonly IndexedUpdate[],
  verdicts: readonly Pick<NormVerdict, 'member' | 'factor'>[],
): IndexedUpdate[] {
  const factors = new Map(verdicts.map(({ member, factor }) => [member, factor]));
  return updates
    .filter(({ member }) => (factors.get(member) ?? 0) > 0)
    .map((update) => scaledUpdate(update, factors.get(update.member)!));
}

/** The largest of the values of which at most a share q is below it. */
export function lowerQuantile(values: readonly number[], q: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(q * (sorted.length - 1))];
}

function judge(update: IndexedUpdate, bound: number, overBound: OverBound): NormVerdict {
  const { member } = update;
  const norm = updateNorm(update);
  if (!isFiniteUpdate(update)) return { member, norm, factor: 0, why: 'not finite' };
  if (Math.abs(update.duNorm2 - norm * norm) > STATED_NORM_TOLERANCE * norm * norm)
    return { member, norm, factor: 0, why: 'wrong norm stated' };
  const factor = clipFactor(norm, bound);
  if (factor === 1) return { member, norm, factor, why: 'within bound' };
  return { member, norm, factor: overBound === 'refuse' ? 0 : factor, why: 'over bound' };
}

/** An update so large that its square overflows is not finite either. */
function isFiniteUpdate({ du, ds, uDotDu, duNorm2, s }: IndexedUpdate): boolean {
  return [ds, uDotDu, duNorm2, s].every(Number.isFinite) && du.every(Number.isFinite);
}
