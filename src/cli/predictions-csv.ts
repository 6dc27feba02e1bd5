/**
 * Predictions as CSV. A spreadsheet takes a text that begins with = + - @ for a formula and runs it; names of participants come from
 * others. Such a text gets an apostrophe before it, which spreadsheets take for "this is text". Numbers stay as they are.
 */
import { parseDecimal } from '../data/number.ts';
import type { Prediction } from '../methods/predict.ts';

const CHUNK_CHARACTERS = 1 << 16;

/** Also their full-width forms, and white space that is cut off before the formula is read. */
const FORMULA = /^[\s]*[=+\-@\uff1d\uff0b\uff0d\uff20]|^[\t\r\n]/;

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

function cell(text: string): string {
  const isNumber = !Number.isNaN(parseDecimal(text));
  const safe = !isNumber && FORMULA.test(text) ? `'${text}` : text;
  return /[",\r\n]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
