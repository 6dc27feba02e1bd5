/** Predictions as CSV. */
import { cell } from '../data/csv-cell.ts';
import type { Prediction } from '../methods/predict.ts';
import type { PredictionColumn } from './prediction-columns.ts';

const CHUNK_CHARACTERS = 1 << 16;

export function* predictionsCsv(
  predictions: readonly Prediction[],
  columns: readonly PredictionColumn[],
): Generator<string, void, undefined> {
  let chunk = `${columns.map(({ name }) => cell(name)).join(',')}\n`;
  for (const prediction of predictions) {
    chunk += `${columns.map(({ value }) => cell(String(value(prediction)))).join(',')}\n`;
    if (chunk.length < CHUNK_CHARACTERS) continue;
    yield chunk;
    chunk = '';
  }
  yield chunk;
}
