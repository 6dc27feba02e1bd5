/** Options of a training, complete; the command line and the library go through the same check. */
import { inputError } from '../base/errors.ts';
import { differentNumbers, targetsOf } from '../data/labels.ts';
import { count } from '../data/memory.ts';
import { listed } from '../data/number.ts';
import type { Table } from '../data/table.ts';
import { defaultLoss, LOSSES, type LossName, type Objective, unfitLoss } from '../settings/losses.ts';
import { readSettings } from '../settings/objects.ts';
import { OPTIONS, settingError } from '../settings/refused.ts';
import { type TrainingValues, type TrainOptions, trainingKind } from '../settings/training.ts';
import type { MethodName } from '../solver/model.ts';

/** What a training runs with: complete and checked. */
export type ResolvedOptions = TrainingValues & { readonly loss: LossName; readonly objective: Objective };

type Labelled = Pick<Table, 'source' | 'targets' | 'lines'>;

export function resolveOptions(options: TrainOptions, table: Labelled): ResolvedOptions {
  return understood(options, table).resolved;
}

/** The objective may follow from the targets: then a note says so. */
export function understood(
  options: TrainOptions,
  table: Labelled,
): { readonly resolved: ResolvedOptions; readonly notes: readonly string[] } {
  const given = readSettings(trainingKind, options, OPTIONS);
  const implied = impliedObjective(given);
  if (implied) return { resolved: complete(given, implied), notes: [] };
  const numbers = differentNumbers(targetsOf(table));
  if (numbers === undefined) return { resolved: complete(given, 'classification'), notes: [] };
  const note = `${count(numbers)} different numbers: regression (--objective classification for classes)`;
  return { resolved: complete(given, 'regression'), notes: [note] };
}

/** With defaults, and checked as far as possible before there are any data. */
export function readOptions(options: TrainOptions): TrainingValues {
  const given = readSettings(trainingKind, options, OPTIONS);
  const objective = impliedObjective(given);
  if (objective) complete(given, objective);
  return given;
}

/** What the options say without the data. */
function impliedObjective({
  objective,
  loss,
  positive,
  probabilities,
}: TrainingValues): Objective | undefined {
  if (objective ?? loss) return objective ?? LOSSES[loss!];
  return positive !== undefined || probabilities ? 'classification' : undefined;
}

function complete(given: TrainingValues, objective: Objective): ResolvedOptions {
  const { method, loss = defaultLoss(objective) } = given;
  if (method === 'mocha' && objective === 'regression') {
    throw inputError(
      'BAD_OPTION',
      'option --method: mocha is defined for classification only, got --objective regression',
    );
  }
  const fitting = unfitLoss(objective, loss);
  if (fitting !== undefined) throw settingError(OPTIONS, 'loss', fitting, loss);
  if (given.probabilities) checkProbabilities(method, objective);
  return { ...given, objective, loss };
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
