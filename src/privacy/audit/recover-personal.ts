/**
 * Attack 1: the personal part. v_k = u_k / C2, and u_k is the sum of what was accepted of k's updates, by weights that the
 * coordinator chose itself: no equation has to be solved. (The paper concludes as much in its section 6.1.)
 *
 * Without masks, and with masks of the `consistent` kind, the result is v_k exactly. Under the paper's masks it is the told
 * v_k: what was masked away is missing from it. Under secure aggregation only the sum over all participants is known, and
 * the best guess at anybody's part is the mean share.
 */
import { plusScaled } from '../../solver/index.ts';
import { columnsOf, type Observation, type SumObservation } from './observation.ts';
import { replayTold } from './told.ts';

/** v_k after the last round. */
export function recoverPersonal(observation: Observation): Float64Array {
  const { c2 } = observation.settings;
  return replayTold(observation).final.map((value) => value / c2);
}

/** The mean share of what was summed: the same guess for everybody. */
export function recoverFromSums({ settings, rounds }: SumObservation): Float64Array {
  let u: Float64Array = new Float64Array(columnsOf(settings));
  for (const { du, count, step } of rounds) if (count > 0) u = plusScaled(u, step / count, du);
  return u.map((value) => value / settings.c2);
}
