/** Test results beyond the table of participants: further metrics in one line, and the classes where there are many. */
import type { Evaluation } from '../methods/evaluate.ts';
import type { Metrics } from '../solver/metrics.ts';
import type { Layout } from './layout.ts';
import { count, decimals, percent, significant } from './number-text.ts';

const NAMES: readonly (readonly [keyof Metrics, string, (value: number) => string])[] = [
  ['auc', 'ROC AUC', decimals],
  ['macroF1', 'macro F1', decimals],
  ['logLoss', 'log loss', decimals],
  ['brier', 'Brier score', decimals],
  ['mae', 'mean absolute error', significant],
  ['pinball', 'pinball loss', significant],
  ['coverage', 'targets below', percent],
];

const MOST_CLASSES = 20;

export function qualityLines(
  { mean, perClass }: Pick<Evaluation, 'mean' | 'perClass'>,
  layout: Layout,
): string[] {
  const parts = NAMES.flatMap(([key, name, text]) => {
    const value = mean[key];
    return value === undefined ? [] : [`${name} ${text(value)}`];
  });
  return [
    ...(parts.length === 0 ? [] : [layout.line('Quality', `${parts.join(', ')} (means over participants)`)]),
    ...classTable(perClass ?? [], layout),
  ];
}

/** Of two classes the table of participants says it all. */
function classTable(classes: NonNullable<Evaluation['perClass']>, layout: Layout): string[] {
  if (classes.length < 3) return [];
  const shown = classes.slice(0, MOST_CLASSES);
  const more = classes.length - shown.length;
  return [
    '',
    ...layout.table(
      ['<class', 'test rows', 'predicted', 'precision', 'recall', 'F1'],
      shown.map(({ label, rows, predicted, precision, recall, f1 }) => [
        label,
        count(rows),
        count(predicted),
        ...[precision, recall, f1].map((value) => decimals(value)),
      ]),
    ),
    ...(more > 0 ? [`  and ${count(more)} more (--json has all)`] : []),
  ];
}
