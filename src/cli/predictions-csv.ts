/** Predictions as CSV. */
import { cell } from '../data/csv-cell.ts';
import type { Prediction } from '../methods/predict.ts';

const CHUNK_CHARACTERS = 1 << 16;

/** `labels`: of many classes, whose probabilities have a column each. */
export function* predictionsCsv(
  predictions: readonly Prediction[],
  labels: readonly string[] = [],
): Generator<string, void, undefined> {
  let chunk = `${['row', 'participant', 'prediction', 'decision', ...chanceColumns(predictions, labels)].join(',')}\n`;
  for (const { row, participant, prediction, decision, probability, probabilities = [] } of predictions) {
    const chances = probability === undefined ? probabilities : [probability];
    chunk += `${[row, cell(participant), cell(String(prediction)), decision, ...chances].join(',')}\n`;
    if (chunk.length < CHUNK_CHARACTERS) continue;
    yield chunk;
    chunk = '';
  }
  yield chunk;
}

function chanceColumns([first]: readonly Prediction[], labels: readonly string[]): string[] {
  if (first?.probability !== undefined) return ['probability'];
  return first?.probabilities ? labels.map((label) => cell(`p:${label}`)) : [];
}
