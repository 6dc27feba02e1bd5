/** Options of a training, complete; the command line and the library go through the same check. */
import { inputError } from '../base/errors.ts';
import { listed } from '../data/number.ts';
import { defaultLoss, type LossName, type Objective, unfitLoss } from '../settings/losses.ts';
import { readSettings } from '../settings/objects.ts';
import { OPTIONS, settingError } from '../settings/refused.ts';
import { type TrainingValues, type TrainOptions, trainingKind } from '../settings/training.ts';
import type { MethodName } from '../solver/model.ts';

/** What a training runs with: complete and checked. */
export type ResolvedOptions = TrainingValues & { readonly loss: LossName };

export function resolveOptions(options: TrainOptions): ResolvedOptions {
  const given = readSettings(trainingKind, options, OPTIONS);
  const { method, objective, loss = defaultLoss(objective) } = given;
  if (method === 'mocha' && objective === 'regression') {
    throw inputError(
      'BAD_OPTION',
      'option --method: mocha is defined for classification only, got --objective regression',
    );
  }
  const fitting = unfitLoss(objective, loss);
  if (fitting !== undefined) throw settingError(OPTIONS, 'loss', fitting, loss);
  if (given.probabilities) checkProbabilities(method, objective);
  return { ...given, loss };
}

/** Methods whose personal parts can be fitted again without some rows, as calibration needs it (calibrate.ts). */
const CALIBRATED_METHODS: readonly MethodName[] = ['mtl', 'local'];

export function checkProbabilities(method: MethodName, objective: Objective): void {
  if (objective === 'regression')
    throw inputError(
      'BAD_OPTION',
      'option --probabilities: expected classification, got --objective regression; --loss quantile learns quantiles of the target',
    );
  if (!CALIBRATED_METHODS.includes(method))
    throw inputError(
      'BAD_OPTION',
      `option --probabilities: expected --method ${listed(CALIBRATED_METHODS)}, got ${method}; --loss logistic gives probabilities without it`,
    );
}
