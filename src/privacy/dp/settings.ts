/**
 * Differential privacy of a federation at participant level, central mode: what participants are told and the coordinator
 * keeps to. Participants clip their step; the coordinator, which is trusted with the clipped updates, adds N(0, (z clip)^2)
 * to every component of their sum, accounts for it with a sampling rate of 1 (everybody is asked in every round, and who
 * answers before a deadline is no secret sample), and stops before (epsilon, delta) would be exceeded.
 *
 * What (epsilon, delta) covers: everything that is computed from the w of all rounds, with or without one participant.
 * What it does not cover:
 *   - the coordinator itself, which sees every clipped update;
 *   - the sums of the federated scaling (mean and variance of every feature): with `scale: none`, or a scaling that was
 *     public beforehand, there are none;
 *   - who takes part, the number of rows, and how long solves take;
 *   - a participant that is forgotten: w before and w after differ by exactly its contribution. The others stay covered;
 *   - a participant's own model w + v_k, which stays with it.
 */
import { checkDelta, checkEpsilon } from './accountant.ts';
import type { PrivacyLimit } from './budget.ts';
import { type GaussianSettings, noiseDeviation } from './gaussian.ts';

export interface DpSettings extends GaussianSettings, PrivacyLimit {}

export function checkDpSettings(dp: DpSettings): void {
  noiseDeviation(dp);
  checkEpsilon(dp.epsilon);
  checkDelta(dp.delta);
}
