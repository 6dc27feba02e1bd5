/**
 * LIBLINEAR text models, for `liblinear-predict` and everything else that reads them: a header, then one line for each feature with a weight for
 * each class. The bias is one more feature, which predict appends. Labels are whole numbers and there are no comments: classes with other names are
 * numbered from 1 in the order of their index, and a second file has the names, that of label n on line n.
 * Of two classes there is one weight, for the first label. https://www.csie.ntu.edu.tw/~cjlin/liblinear (linear.cpp, save_model)
 */
import { inputError } from '../base/errors.ts';
import type { LossName } from '../settings/losses.ts';
import type { Exported, ExportedFile } from './exported.ts';

const SOLVERS: Readonly<Record<LossName, string>> = {
  hinge: 'L2R_L1LOSS_SVC_DUAL',
  'squared-hinge': 'L2R_L2LOSS_SVC_DUAL',
  logistic: 'L2R_LR',
  'epsilon-insensitive': 'L2R_L1LOSS_SVR_DUAL',
  // LIBLINEAR cannot train it; its predictions are those of any regression.
  quantile: 'L2R_L1LOSS_SVR_DUAL',
};

/** Labels are C ints, written the way that C writes them. */
const INT = /^(?:0|-?[1-9]\d{0,8})$/;

export function liblinearFiles({ models, classes, features, loss }: Exported): ExportedFile[] {
  if (models.length > 1)
    throw inputError(
      'EXPORT_ONE_MODEL',
      `export: a LIBLINEAR file holds one model, got ${models.length}; choose --participant <id>, --shared for the shared part, or --each for a file each`,
    );
  const [{ heads }] = models;
  const labels = classes && numbersOf(classes);
  // The first label is that of the positive side.
  const order = labels && (heads.length === 1 ? [labels[1], labels[0]] : labels);
  const weights = features.map((_, j) => heads.map(({ coef }) => coef[j]));
  const lines = [
    `solver_type ${SOLVERS[loss]}`,
    `nr_class ${order?.length ?? 2}`,
    ...(order ? [`label ${order.join(' ')}`] : []),
    ...[`nr_feature ${features.length}`, 'bias 1', 'w'],
    ...[...weights, heads.map(({ intercept }) => intercept)].map((row) => `${row.join(' ')} `),
  ];
  const files = [{ suffix: '', text: `${lines.join('\n')}\n` }];
  if (classes && labels !== classes) files.push({ suffix: '.labels', text: namesFile(classes) });
  return files.map(({ suffix, text }) => ({ suffix, bytes: new TextEncoder().encode(text) }));
}

function numbersOf(classes: readonly string[]): readonly string[] {
  return classes.every((name) => INT.test(name)) ? classes : classes.map((_, index) => String(index + 1));
}

/** One name on each line, whatever is in it. */
function namesFile(classes: readonly string[]): string {
  return classes.map((name) => `${name.replace(/\s+/g, ' ')}\n`).join('');
}
