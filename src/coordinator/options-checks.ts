/** What does not go together in the options of a federation. A border that meets a conflict refuses it in its own words. */

import { costOfRound } from '../privacy/dp/accountant.ts';
import { Budget } from '../privacy/dp/budget.ts';
import { epsilonOf, noiseFor } from '../privacy/dp/calibrate.ts';
import type { DpSettings } from '../privacy/dp/settings.ts';
import type { SecureSettings } from '../protocol/messages.ts';
import { mostParticipants } from '../protocol/secure-sums.ts';
import type { CoordinatorOptions } from './options.ts';

export interface Conflict {
  /** As CoordinatorOptions calls it. */
  readonly field: string;
  readonly expected: string;
  readonly got: unknown;
}

/** Where none is asked for: the rule that the protection can do with. */
export function defaultAggregation({ dp }: { readonly dp?: unknown }) {
  return dp ? 'safe' : 'answers';
}

/** Sums only: what needs more, or hides in another way, does not go with them. */
export function conflictWithSecure(
  options: Pick<CoordinatorOptions, 'aggregation' | 'precision' | 'mask' | 'defence' | 'secure' | 'dp'>,
): Conflict | undefined {
  const { secure, aggregation, precision, mask, defence, dp } = options;
  if (!secure) return undefined;
  if (!dp && aggregation !== 'answers') {
    const expected = 'answers beside secure, which shows sums only (safe or sum with dp)';
    return { field: 'aggregation', expected, got: aggregation };
  }
  if (precision === 'f32')
    return { field: 'precision', expected: 'f64 beside secure, which has a grid of its own', got: precision };
  if (mask) return { field: 'mask', expected: 'none beside secure, which hides updates', got: mask.kind };
  if (defence) {
    const expected = 'none beside secure, where nobody sees single updates';
    return { field: 'defence', expected, got: defence };
  }
  return undefined;
}

/** The paper's masks keep w and v_k apart, which an answer to w cannot. */
export function conflictOfMask({
  mask,
  aggregation,
}: Pick<CoordinatorOptions, 'mask' | 'aggregation'>): Conflict | undefined {
  if (mask?.semantics !== 'paper' || aggregation !== 'answers') return undefined;
  return {
    field: 'mask.semantics',
    expected: 'consistent with answers (paper: with safe or sum)',
    got: 'paper',
  };
}

/** Whether so many can be summed at all. */
export function conflictOfSize(secure: SecureSettings, participants: number): Conflict | undefined {
  const most = mostParticipants(secure);
  if (participants <= most) return undefined;
  const expected = `one that lets ${participants} participants be summed (this one ${most})`;
  return { field: 'secure.limit', expected, got: secure.limit };
}

/** Whether those who are left can hide each other, however many take part: 2 (n - dropped) > n + corrupted. */
export function conflictOfShares({ dropout, corrupted }: SecureSettings): Conflict | undefined {
  const most = (1 - corrupted) / 2;
  if (dropout < most) return undefined;
  const expected = `less than ${most}, which is (1 - corrupted) / 2`;
  return { field: 'secure.dropout', expected, got: dropout };
}

/** What else may be asked for beside differential privacy, or not. */
export function conflictWithDp(
  options: Pick<CoordinatorOptions, 'dp' | 'aggregation' | 'mask' | 'defence'>,
): Conflict | undefined {
  const { dp, aggregation, mask, defence } = options;
  if (!dp) return undefined;
  if (aggregation !== 'safe' && aggregation !== 'sum') {
    const expected = 'safe or sum with dp (answers come with private scalars)';
    return { field: 'aggregation', expected, got: aggregation };
  }
  if (mask?.semantics === 'paper')
    return { field: 'mask.semantics', expected: 'consistent with dp', got: 'paper' };
  if (defence)
    return { field: 'defence', expected: 'none with dp, whose clip bounds every update', got: defence };
  const { noiseMultiplier } = dp;
  const { epsilon } = new Budget(dp).afterRounds(costOfRound({ noiseMultiplier, samplingRate: 1 }));
  if (epsilon <= dp.epsilon) return undefined;
  const expected = `at least ${epsilon.toPrecision(4)}, the price of one round`;
  return { field: 'dp.epsilon', expected, got: dp.epsilon };
}

/** Who adds the noise: the participants where sums are secret, else the coordinator. */
export function conflictOfNoise({
  dp,
  secure,
}: Pick<CoordinatorOptions, 'dp' | 'secure'>): Conflict | undefined {
  if (!dp || (secure === undefined) === (dp.honest === undefined)) return undefined;
  const expected = secure ? 'a number with secure, where participants add the noise' : 'none without secure';
  return { field: 'dp.honest', expected, got: dp.honest };
}

/** A budget that is the price of the rounds must not fail by the rounding of their sum. */
const ROUNDING = 1 + 1e-9;

/** What of differential privacy may be left open: the one follows from the other and the number of rounds. */
interface DpGiven extends Pick<DpSettings, 'clip' | 'delta' | 'honest'> {
  readonly noiseMultiplier?: number | undefined;
  readonly epsilon?: number | undefined;
}

export function completeDp(given: DpGiven, rounds: number): DpSettings {
  const { clip, delta, honest } = given;
  const noiseMultiplier = given.noiseMultiplier ?? noiseFor(given.epsilon!, delta, rounds, 1);
  const price = () => ROUNDING * epsilonOf({ noiseMultiplier, samplingRate: 1 }, delta, rounds);
  const settings = { clip, noiseMultiplier, epsilon: given.epsilon ?? price(), delta };
  return honest === undefined ? settings : { ...settings, honest };
}
