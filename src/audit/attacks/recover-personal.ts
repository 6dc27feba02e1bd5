/**
 * Attack 1: the personal part. No equation has to be solved (the paper concludes as much in its section 6.1). With `answers`
 * u_k(w) = C2 v_k(w): one answer is the personal part to its query, and the answer to the w in use is v_k. With `steps`
 * v_k = u_k / C2 for the u_k that was accepted last.
 *
 * Under the paper's masks the result is v_k as it was sent: what was masked away is missing from it. Under secure aggregation only
 * the sum over all participants is known, and the best guess at anybody's part is the mean share.
 */
import { columnsOf } from '../../settings/feature-map.ts';
import type { Observation, ObservedRound } from './observation.ts';

/** v_k of the model in use. */
export function recoverPersonal({ settings, rounds, best }: Observation): Float64Array {
  const seen = rounds.filter((round): round is ObservedRound & { u: Float64Array } => round.u !== undefined);
  const wanted = settings.training === 'answers' ? seen.find(({ round }) => round === best) : undefined;
  const u = (wanted ?? seen.findLast(({ taken }) => taken !== undefined) ?? seen.at(-1))?.u;
  return u?.map((value) => value / settings.c2) ?? new Float64Array(columnsOf(settings));
}
