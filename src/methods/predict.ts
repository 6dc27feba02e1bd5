/** Predictions row by row, in the words of the training data. */
import { inputError } from '../base/errors.ts';
import { tableFrom, type Value } from '../data/arrays.ts';
import { categoryNames, columnNames } from '../data/encoding.ts';
import { classNames, isMany } from '../data/labels.ts';
import type { Table } from '../data/table.ts';
import { decide, type Model, winnerOf } from '../solver/model.ts';
import { withFeaturesOf } from './model-rows.ts';

export interface Prediction {
  /** From 1 on, in the order of the table. */
  readonly row: number;
  readonly participant: string;
  /** The class as the training data write it, or the number. */
  readonly prediction: string | number;
  /** (w + v_k).x: its sign is the class, its size how sure. Of many classes that of the predicted one. For a regression the number itself. */
  readonly decision: number;
  /** Of many classes: those of all, in the order of `model.classes.labels`. */
  readonly decisions?: readonly number[];
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
  const decisions = decide(model, withFeaturesOf(model, table));
  const name = namesBy(model);
  return Array.from({ length: table.n }, (_, i) => ({
    row: i + 1,
    participant: table.participants[table.participantOf[i]],
    ...name(decisions, i),
  }));
}

/** What a row's decisions say, in the words of the training data. */
function namesBy({
  classes,
}: Model): (decisions: Float64Array, i: number) => Omit<Prediction, 'row' | 'participant'> {
  if (!classes) return (decisions, i) => ({ prediction: decisions[i], decision: decisions[i] });
  const names = classNames(classes);
  if (!isMany(classes)) {
    return (decisions, i) => ({ prediction: names[Number(decisions[i] > 0)], decision: decisions[i] });
  }
  const heads = names.length;
  return (decisions, i) => {
    const own = Array.from(decisions.subarray(i * heads, (i + 1) * heads));
    const winner = winnerOf(own, heads, 0);
    return { prediction: names[winner], decision: own[winner], decisions: own };
  };
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
  const categorical = encoding && categoryNames(encoding);
  return tableFrom([{ id: participant, x }], { features: columns, source: 'rows', categorical });
}
