/**
 * Replay of what a participant has told: u_k before and after every round, from its updates and from the weights that the
 * coordinator itself gave to the committed solution and to the atoms. The same sums in the same order as on both sides of
 * the wire, so it is u_k to the last bit; under the paper's masking it is the told u_k, not the participant's own.
 */
import { plusScaled, weightedSum } from '../../solver/index.ts';
import { columnsOf, type Observation } from './observation.ts';

export interface ToldState {
  /** u_k when the round of the same index in `rounds` began. */
  readonly before: readonly Float64Array[];
  /** u_k after the last round. */
  readonly final: Float64Array;
}

export function replayTold(observation: Observation): ToldState {
  let u: Float64Array = new Float64Array(columnsOf(observation.settings));
  let atoms: Float64Array[] = [];
  const before: Float64Array[] = [];
  for (const { du, weights } of observation.rounds) {
    before.push(u);
    if (!du || !weights) continue;
    atoms = [...atoms, plusScaled(u, 1, du)].slice(1 - weights.length);
    u = combined(weights, [u, ...atoms]);
  }
  return { before, final: u };
}

/** As `commit` does it: a weight of 1 takes the part as it is. */
export function combined(weights: readonly number[], parts: readonly Float64Array[]): Float64Array {
  const only = weights.indexOf(1);
  return only >= 0 ? parts[only] : weightedSum(weights, parts);
}
