/** Predictions as CSV. */
import { cell } from '../data/csv-cell.ts';
import type { Prediction } from '../methods/predict.ts';

const CHUNK_CHARACTERS = 1 << 16;

export function* predictionsCsv(predictions: readonly Prediction[]): Generator<string, void, undefined> {
  let chunk = 'row,participant,prediction,decision\n';
  for (const { row, participant, prediction, decision } of predictions) {
    chunk += `${row},${cell(participant)},${cell(String(prediction))},${decision}\n`;
    if (chunk.length < CHUNK_CHARACTERS) continue;
    yield chunk;
    chunk = '';
  }
  yield chunk;
}
