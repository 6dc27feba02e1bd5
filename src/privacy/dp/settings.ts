/**
 * Differential privacy of a federation at participant level: the settings that participants receive and the coordinator keeps to.
 * Participants clip their step; every component of the sum gets noise of deviation z clip; the coordinator accounts for it
 * with a sampling rate of 1 (everybody is asked in every round, and who answers before a deadline is no secret sample), and
 * stops before (epsilon, delta) would be exceeded.
 *
 * Who adds the noise: the coordinator, which is then trusted with the clipped updates; or, under secure aggregation, the
 * participants, each a share that is enough if only `honest` of them keep theirs to themselves. (epsilon, delta) covers everything that
 * is computed from the w of all rounds, with or without one participant; docs/dp-and-defence.md has what it does not cover.
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
