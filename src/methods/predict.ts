/** Predictions row by row, in the words of the training data. */
import { inputError } from '../base/errors.ts';
import { tableFrom, type Value } from '../data/arrays.ts';
import { categoryNames, columnNames } from '../data/encoding.ts';
import { classNames, headsOf, isMany } from '../data/labels.ts';
import type { Table } from '../data/table.ts';
import { decide, type Model, winnerOf } from '../solver/model.ts';
import { neededSigmoids, toProbabilities } from '../solver/probabilities.ts';
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
  /** Of two classes, if asked for: the probability of the positive one. */
  readonly probability?: number;
  /** Of many classes, if asked for: the probabilities of all, in the same order. */
  readonly probabilities?: readonly number[];
}

/** What `predict` may be asked for. */
export interface PredictOptions {
  /** With probabilities; refused where the model gives none. */
  readonly probabilities?: boolean | undefined;
  /** Two classes: the positive one from this probability on (default: from a decision above 0 on). */
  readonly threshold?: number | undefined;
}

/**
 * Rows of one participant, each with the columns that the model was trained on in their order: `model.features`, or those of
 * `model.encoding` where there was text or something missing.
 */
type PlainRows = readonly ArrayLike<Value>[];

/** Participants get their own model; those that the model does not know, the shared part. `participant`: whose rows arrays are. */
export function predict(
  model: Model,
  rows: Table | PlainRows,
  participant = '',
  options: PredictOptions = {},
): Prediction[] {
  if (isRows(rows))
    return rows.length === 0 ? [] : predict(model, tableOfRows(model, rows, participant), '', options);
  const table = rows;
  const decisions = decide(model, withFeaturesOf(model, table));
  const name = namesBy(model);
  const chances = chancesBy(model, options);
  return Array.from({ length: table.n }, (_, i) => {
    const id = table.participants[table.participantOf[i]];
    return { row: i + 1, participant: id, ...name(decisions, i), ...chances(id, decisions, i) };
  });
}

/** What a row's probabilities add to its prediction. */
function chancesBy(
  model: Model,
  { probabilities = false, threshold }: PredictOptions,
): (participant: string, decisions: Float64Array, i: number) => Partial<Prediction> {
  if (threshold !== undefined) checkThreshold(model, threshold);
  if (!probabilities && threshold === undefined) return () => ({});
  const sigmoids = neededSigmoids(model);
  const names = classNames(model.classes!);
  const heads = headsOf(model.classes);
  return (participant, decisions, i) => {
    const own = decisions.subarray(i * heads, (i + 1) * heads);
    const found = toProbabilities(sigmoids(participant), own);
    if (heads > 1) return { probabilities: [...found] };
    const [probability] = found;
    return {
      ...(threshold !== undefined && { prediction: names[Number(probability >= threshold)] }),
      ...(probabilities && { probability }),
    };
  };
}

function checkThreshold({ classes }: Model, threshold: number): void {
  if (!(threshold > 0 && threshold < 1))
    throw inputError('BAD_THRESHOLD', `threshold: expected a number above 0 and below 1, got ${threshold}`);
  if (!classes || isMany(classes))
    throw inputError(
      'BAD_THRESHOLD',
      `threshold: expected a model of two classes, got ${classes ? `${classes.labels.length} classes` : 'a regression'}`,
    );
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
