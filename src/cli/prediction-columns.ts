/** What a file of predictions holds: the same columns in every format. */
import type { Prediction } from '../methods/predict.ts';

export interface PredictionColumn {
  readonly name: string;
  readonly value: (prediction: Prediction) => string | number;
}

export const PREDICTION_COLUMNS: readonly PredictionColumn[] = [
  { name: 'row', value: ({ row }) => row },
  { name: 'participant', value: ({ participant }) => participant },
  { name: 'prediction', value: ({ prediction }) => prediction },
  { name: 'decision', value: ({ decision }) => decision },
];
