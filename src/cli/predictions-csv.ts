/**
 * Predictions as CSV. A spreadsheet takes a text that begins with = + - @ for a formula and runs it; names of participants come from
 * others. Such a text gets an apostrophe before it, which spreadsheets take for "this is text". Numbers stay as they are.
 */
import { parseDecimal } from '../data/number.ts';
import type { Prediction } from '../methods/predict.ts';
import { PREDICTION_COLUMNS } from './prediction-columns.ts';

const CHUNK_CHARACTERS = 1 << 16;

/** Also their full-width forms, and white space that is cut off before the formula is read. */
const FORMULA = /^[\s]*[=+\-@\uff1d\uff0b\uff0d\uff20]|^[\t\r\n]/;

export function* predictionsCsv(predictions: readonly Prediction[]): Generator<string, void, undefined> {
  let chunk = `${PREDICTION_COLUMNS.map(({ name }) => cell(name)).join(',')}\n`;
  for (const prediction of predictions) {
    chunk += `${PREDICTION_COLUMNS.map(({ value }) => cell(String(value(prediction)))).join(',')}\n`;
    if (chunk.length < CHUNK_CHARACTERS) continue;
    yield chunk;
    chunk = '';
  }
  yield chunk;
}

function cell(text: string): string {
  const isNumber = !Number.isNaN(parseDecimal(text));
  const safe = !isNumber && FORMULA.test(text) ? `'${text}` : text;
  return /[",\r\n]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
