/** Predictions row by row, in the words of the training data. */
import type { Table } from '../data/table.ts';
import type { Model } from '../solver/model.ts';

export interface Prediction {
  /** From 1 on, in the order of the data. */
  readonly row: number;
  readonly participant: string;
  /** The class as the training data write it, or the number. */
  readonly prediction: string | number;
  /** (w + v_k).x: its sign is the class, its size how sure. */
  readonly decision: number;
}

const CHUNK_CHARACTERS = 1 << 16;

export function predictionsOf(model: Model, table: Table, decisions: Float64Array): Prediction[] {
  const { classes } = model;
  // One against the rest: the rest has no name of its own.
  const negative = classes && (classes.negative ?? `not ${classes.positive}`);
  return Array.from(decisions, (decision, i) => ({
    row: i + 1,
    participant: table.participants[table.participantOf[i]],
    prediction: classes ? (decision > 0 ? classes.positive : negative!) : decision,
    decision,
  }));
}

export function* predictionsCsv(predictions: readonly Prediction[]): Generator<string, void, undefined> {
  let chunk = 'row,participant,prediction,decision\n';
  for (const { row, participant, prediction, decision } of predictions) {
    chunk += `${row},${field(participant)},${field(String(prediction))},${decision}\n`;
    if (chunk.length < CHUNK_CHARACTERS) continue;
    yield chunk;
    chunk = '';
  }
  yield chunk;
}

function field(text: string): string {
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
