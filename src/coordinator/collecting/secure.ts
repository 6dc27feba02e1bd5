/** A sum of which nobody knows the parts: what the phases of secure aggregation (secure-round.ts) have come to when a round closes. */
import { scalingFrom } from '../../math/scaling.ts';
import type { Summed } from '../../privacy/secure/coordinator.ts';
import { changeFrom, exactLimit, momentsFrom } from '../../protocol/secure-sums.ts';
import { plusScaled } from '../../solver/vector.ts';
import type { CoordinatorState } from '../state.ts';
import { inquiryOf, localProblem, sharedPart } from '../training.ts';
import type { Collected } from './collected.ts';

/** The sum of the round that is being closed; undefined: it was given up. */
export function takeOutcome(state: CoordinatorState): Summed | undefined {
  const secure = state.secure!;
  const { outcome } = secure;
  secure.outcome = undefined;
  return outcome?.kind === 'summed' ? outcome : undefined;
}

/** The scaling, from the sum of everybody's moments; undefined where there is no sum, or nonsense in it. */
export function scalingOf(state: CoordinatorState, summed: Summed | undefined) {
  const moments = summed && momentsFrom(summed.sum, state.secure!.core!.layout.ids.length);
  // Nobody sees who has put nonsense into a secret sum; that there is some, everybody would.
  return moments && moments.count >= 1 ? scalingFrom(moments, state.options.scale) : undefined;
}

/** Nobody, where sums would no longer be exact. */
export function collectSum(state: CoordinatorState, summed: Summed | undefined): Collected {
  if (!summed) return { members: [] };
  const { training } = localProblem(state.options);
  const change = changeFrom(summed.sum, training);
  const members = summed.counted.flatMap((id) => state.members.get(id) ?? []);
  const before = inquiryOf(state)?.u ?? sharedPart(state)!;
  const most = exactLimit(state.options.secure!);
  if (plusScaled(before, 1, change.u).some((value) => Math.abs(value) >= most)) return { members: [] };
  return { members, sum: { counted: members.map(({ index }) => index), ...change } };
}
