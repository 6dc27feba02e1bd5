/**
 * Differential privacy of a federation at participant level: the settings that participants receive and the coordinator keeps to.
 * Participants clip their step; every component of the sum gets noise of deviation z clip; the coordinator accounts for it
 * with a sampling rate of 1 (everybody is asked in every round, and who answers before a deadline is no secret sample), and
 * stops before (epsilon, delta) would be exceeded.
 *
 * Who adds the noise: the coordinator, which is then trusted with the clipped updates; or, under secure aggregation, the
 * participants, each a share that is enough if only `honest` of them keep theirs to themselves. With more of them in a sum it
 * carries more noise than is accounted for. Nobody knows that noise, so w is no longer the sum of the u_k, and nothing can check it.
 *
 * What (epsilon, delta) covers: everything that is computed from the w of all rounds, with or without one participant.
 * What it does not cover:
 *   - the coordinator itself, where it adds the noise: it sees every clipped update;
 *   - the sums of the federated scaling (mean and variance of every feature): with `scale: none`, or a scaling that was
 *     public beforehand, there are none;
 *   - who takes part, the number of rows, and how long solves take;
 *   - a participant that is forgotten: w before and w after differ by exactly its contribution. The others stay covered;
 *   - a participant's own model w + v_k, which stays with it.
 */
import { checkDelta, checkEpsilon } from './accountant.ts';
import type { PrivacyLimit } from './budget.ts';
import { type GaussianSettings, noiseDeviation, shareDeviation } from './gaussian.ts';

export interface DpSettings extends GaussianSettings, PrivacyLimit {
  /** Least number of honest participants in any sum, who add the noise together; absent: the coordinator adds it. */
  readonly honest?: number | undefined;
}

export function checkDpSettings(dp: DpSettings): void {
  noiseDeviation(dp);
  checkEpsilon(dp.epsilon);
  checkDelta(dp.delta);
  if (dp.honest !== undefined) shareDeviation(dp, dp.honest);
}
