/**
 * The coordinator's half of differential privacy (privacy/dp/settings.ts). The machine draws nothing: `summation` asks
 * for the noise that is needed, `summed` brings it. A sum is paid for in the budget, and its noise kept, in the one durable
 * change that takes its updates: a crash before that leaves nothing published, a crash after it nothing to be done again.
 *
 * The noise of a round that is given up, or that a crash undoes, is forgotten unseen. No loss is reported, so there is no
 * certificate, no best model, no certifying round and no end by a gap or a stall.
 */
import { invariant } from '../base/errors.ts';
import { costOfRound, type RdpCurve } from '../privacy/dp/accountant.ts';
import { Budget, type StoredBudget } from '../privacy/dp/budget.ts';
import { type NoiseOrder, noiseOfSum } from '../privacy/dp/grid.ts';
import { carriesNoise, multiplierOf } from '../privacy/dp/honest.ts';
import { NoisyCombiner } from '../privacy/dp/noisy-combiner.ts';
import { checkDpSettings, type DpSettings } from '../privacy/dp/settings.ts';
import { settingError } from '../settings/refused.ts';
import { type CoordinatorOptions, conflictOfDp } from './options.ts';
import type { PrivacySpent } from './round-row.ts';
import type { CoordinatorState } from './state.ts';
import { combinerOf } from './training.ts';

/** Once more where the machine is made: privacy is not left to whoever wrote the options. */
export function checkPrivacy(options: CoordinatorOptions): void {
  if (!options.dp) return;
  checkDpSettings(options.dp);
  const conflict = conflictOfDp(options);
  if (conflict)
    throw settingError({ code: 'BAD_OPTION', name: conflict.field }, '', conflict.expected, conflict.got);
}

/** With the limit of today: the operator may have moved it since. */
export function budgetFor(
  { dp }: CoordinatorOptions,
  stored: StoredBudget | undefined = undefined,
): Budget | undefined {
  if (!dp) return undefined;
  return stored ? Budget.restore({ ...stored, limit: dp }) : new Budget(dp);
}

/** What the sum of the open round will need. */
export function noiseWanted(state: CoordinatorState): NoiseOrder | undefined {
  const { options, purpose } = state;
  const combiner = combinerOf(state);
  if (!options.dp || !combiner || purpose !== 'train') return undefined;
  return noiseOfSum(options.dp, combiner.w.length);
}

/** Whether one more sum would be one too many. Of a secure sum what it costs at most: one with less noise is not opened. */
export function budgetIsSpent({ options, budget }: CoordinatorState): boolean {
  if (!options.dp || !budget) return false;
  return budget.wouldExceed(costOf(options.dp));
}

/** Pays for a sum that has been taken and puts its noise on it. */
export function makePrivate(state: CoordinatorState, noise: Float64Array | undefined): void {
  const { options, budget } = state;
  const combiner = combinerOf(state);
  if (!options.dp) return;
  invariant(combiner instanceof NoisyCombiner && budget, 'differential privacy: expected a noisy combiner');
  const { length } = combiner.w;
  invariant(
    noise?.length === length,
    `summed: expected noise of ${length} numbers, got ${noise?.length ?? 'none'}`,
  );
  state.budget = budget.spend(costOf(options.dp));
  combiner.addNoise(noise);
}

/** Whether a secure sum of so many would carry the noise that was promised: one that does not is never opened. */
export function carriesItsNoise({ options, secure }: CoordinatorState, counted: number): boolean {
  if (!options.dp || secure?.purpose === 'measure') return true;
  return carriesNoise(options.dp, { counted, roster: rosterOf(secure) }, options.secure!);
}

/** Pays for a secure sum of so many, which has its noise already: what they have added, not what was promised. */
export function payForSum(state: CoordinatorState, counted: number): void {
  const { budget, options, secure } = state;
  if (!options.dp || !budget) return;
  const noiseMultiplier = multiplierOf(options.dp, { counted, roster: rosterOf(secure) }, options.secure!);
  state.budget = budget.spend(costOfRound({ noiseMultiplier, samplingRate: 1 }));
}

function rosterOf(secure: CoordinatorState['secure']): number {
  return secure!.core!.layout.ids.length;
}

/** For a row; nothing where nothing is spent. */
export function privacySpent({ budget }: CoordinatorState): { readonly privacy?: PrivacySpent } {
  if (!budget) return {};
  const { epsilon, delta } = budget.spent;
  return { privacy: { epsilon, delta } };
}

/** Everybody is asked: no amplification by sampling is claimed. */
function costOf({ noiseMultiplier }: DpSettings): RdpCurve {
  return costOfRound({ noiseMultiplier, samplingRate: 1 });
}
