/** What a file of predictions holds: the same columns in every format. */
import type { Prediction } from '../methods/predict.ts';

export interface PredictionColumn {
  readonly name: string;
  readonly value: (prediction: Prediction) => string | number;
}

const ALWAYS: readonly PredictionColumn[] = [
  { name: 'row', value: ({ row }) => row },
  { name: 'participant', value: ({ participant }) => participant },
  { name: 'prediction', value: ({ prediction }) => prediction },
  { name: 'decision', value: ({ decision }) => decision },
];

/** `labels`: of many classes, whose probabilities have a column each. */
export function predictionColumns(
  [first]: readonly Prediction[],
  labels: readonly string[],
): readonly PredictionColumn[] {
  if (first?.probability !== undefined)
    return [...ALWAYS, { name: 'probability', value: ({ probability }) => probability! }];
  if (!first?.probabilities) return ALWAYS;
  const each = labels.map((label, c) => ({
    name: `p:${label}`,
    value: ({ probabilities }: Prediction) => probabilities![c],
  }));
  return [...ALWAYS, ...each];
}
