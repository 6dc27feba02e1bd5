/** Options of a training, complete; the command line and the library go through the same check. */
import { inputError } from '../base/errors.ts';
import { defaultLoss, type LossName, unfitLoss } from '../settings/losses.ts';
import { readSettings } from '../settings/objects.ts';
import { OPTIONS, settingError } from '../settings/refused.ts';
import { type TrainingValues, type TrainOptions, trainingKind } from '../settings/training.ts';

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
  return { ...given, loss };
}
