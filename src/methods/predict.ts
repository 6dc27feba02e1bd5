/** Predictions row by row, in the words of the training data. */
import { inputError } from '../base/errors.ts';
import { tableFrom, type Value } from '../data/arrays.ts';
import { columnNames } from '../data/encoding.ts';
import type { Table } from '../data/table.ts';
import { decide, type Model } from '../solver/model.ts';
import { withFeaturesOf } from './model-rows.ts';

export interface Prediction {
  /** From 1 on, in the order of the table. */
  readonly row: number;
  readonly participant: string;
  /** The class as the training data write it, or the number. */
  readonly prediction: string | number;
  /** (w + v_k).x: its sign is the class, its size how sure. For a regression the number itself. */
  readonly decision: number;
}

/**
 * Rows of one participant, each with the columns that the model was trained on in their order: `model.features`, or those of
 * `model.encoding` where there was text or something missing.
 */
type PlainRows = readonly ArrayLike<Value>[];

/** Participants get their own model; those that the model does not know, the shared part. `participant`: whose rows arrays are. */
export function predict(model: Model, rows: Table | PlainRows, participant = ''): Prediction[] {
  if (isRows(rows)) return rows.length === 0 ? [] : predict(model, tableOfRows(model, rows, participant));
  const table = rows;
  const { classes } = model;
  // One against the rest: the rest has no name of its own.
  const negative = classes && (classes.negative ?? `not ${classes.positive}`);
  return Array.from(decide(model, withFeaturesOf(model, table)), (decision, i) => ({
    row: i + 1,
    participant: table.participants[table.participantOf[i]],
    prediction: classes ? (decision > 0 ? classes.positive : negative!) : decision,
    decision,
  }));
}

function isRows(rows: Table | PlainRows): rows is PlainRows {
  return Array.isArray(rows);
}

function tableOfRows({ features, encoding }: Model, rows: PlainRows, participant: string): Table {
  const columns = encoding ? columnNames(encoding) : features;
  const d = columns.length;
  const x: Value[] = [];
  for (const [i, row] of rows.entries()) {
    if (row?.length !== d) {
      const got = row?.length === undefined ? String(row) : `${row.length} values`;
      throw inputError(
        'ARRAY_SHAPE',
        `rows[${i}]: expected the ${d} columns of the model in their order (model.${encoding ? 'encoding' : 'features'}), got ${got}`,
      );
    }
    for (let j = 0; j < d; j++) x.push(row[j]);
  }
  return tableFrom([{ id: participant, x }], { features: columns, source: 'rows' });
}
