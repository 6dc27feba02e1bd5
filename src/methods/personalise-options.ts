/**
 * Options of `personalise`. C1, C2, epsilon, the loss and the class weight are those that w was trained with, as the model records them,
 * unless others are given.
 */
import { inputError } from '../base/errors.ts';
import { accepted } from '../settings/kinds.ts';
import { defaultLoss, MEDIAN, unfitLoss } from '../settings/losses.ts';
import { readSettings } from '../settings/objects.ts';
import { OPTIONS, settingError } from '../settings/refused.ts';
import { PERSONALISING, type PersonaliseOptions, personalisingKind } from '../settings/training.ts';
import type { MethodName, Model } from '../solver/model.ts';
import { checkProbabilities } from './options.ts';

/** Complete and checked; epsilon is 0 for classification. */
export type ResolvedPersonaliseOptions = {
  readonly [K in keyof Required<PersonaliseOptions>]: NonNullable<PersonaliseOptions[K]>;
};

export function resolvePersonaliseOptions(
  model: Model,
  options: PersonaliseOptions,
): { readonly resolved: ResolvedPersonaliseOptions; readonly notes: readonly string[] } {
  const given = readSettings(personalisingKind, options, OPTIONS);
  checkMethod(model.method, given.c2);
  const { c1, c2, epsilon, quantile, loss, classWeight, probabilities } = PERSONALISING;
  const { objective, options: recorded } = model;
  const classification = objective === 'classification';
  const weight = given.classWeight ?? accepted(classWeight, recorded.classWeight);
  const resolved = {
    c1: needed('C1', '--c1', given.c1 ?? accepted(c1, recorded.c1)),
    c2: needed('C2', '--c2', given.c2 ?? accepted(c2, recorded.c2)),
    epsilon: classification
      ? 0
      : needed('epsilon', '--epsilon', given.epsilon ?? accepted(epsilon, recorded.epsilon)),
    // Models of earlier versions have none, and no loss that needs it.
    quantile: given.quantile ?? accepted(quantile, recorded.quantile) ?? MEDIAN,
    loss: given.loss ?? accepted(loss, recorded.loss) ?? defaultLoss(objective),
    classWeight: weight ?? 'none',
    probabilities: given.probabilities ?? accepted(probabilities, recorded.probabilities) ?? false,
    testFraction: given.testFraction,
    seed: given.seed ?? model.seed,
    gap: given.gap,
    passes: given.passes,
  };
  const fitting = unfitLoss(objective, resolved.loss);
  if (fitting !== undefined) throw settingError(OPTIONS, 'loss', fitting, resolved.loss);
  // Personal parts are those of mtl, whatever w was trained by.
  if (resolved.probabilities) checkProbabilities('mtl', objective);
  const unweighted =
    'the model does not record its class weight; all rows have equal weight (--class-weight)';
  return { resolved, notes: classification && weight === undefined ? [unweighted] : [] };
}

/** Why the w of other methods cannot be personalised. */
const REFUSALS: Readonly<Record<MethodName, string | undefined>> = {
  mtl: undefined,
  global: 'which was trained without a C2 for personal parts; give one with --c2',
  local: 'which has no shared part w; train with --method mtl',
  mocha: 'which has no shared part w; train with --method mtl',
  fedavg: 'whose w is not certified; train with --method mtl',
};

function checkMethod(method: MethodName, c2Given: number | undefined): void {
  const refusal = REFUSALS[method];
  if (refusal === undefined || (method === 'global' && c2Given !== undefined)) return;
  throw inputError(
    'NOT_PERSONALISABLE',
    `personalise: expected a model of method mtl, or of method global with --c2, got method ${method}, ${refusal}`,
  );
}

function needed(name: string, option: string, value: number | undefined): number {
  if (value !== undefined) return value;
  throw inputError(
    'MODEL_OPTION_MISSING',
    `personalise: expected ${name} among the options of the model, got none; give it with ${option}`,
  );
}
