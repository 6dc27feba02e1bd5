/** One row as somebody can change it, and what a model makes of it. */
import { KindredError } from '../../base/errors.ts';
import { tableFrom, type Value } from '../../data/arrays.ts';
import { categoryNames } from '../../data/encoding.ts';
import type { Table } from '../../data/table.ts';
import { explainRow, type RowExplanation } from '../../explain/explain-row.ts';
import { predict } from '../../methods/predict.ts';
import type { Model } from '../../solver/model.ts';
import { sharedPart } from './compare.ts';

/** By column, in the order of the table; null: not known. */
export type RowValues = readonly (number | string | null)[];

/** Row i, from 0 on, as it was read. */
export function valuesOf({ features, x, levels }: Table, i: number): RowValues {
  const d = features.length;
  return Array.from(x.subarray(i * d, (i + 1) * d), (value, j) =>
    Number.isNaN(value) ? null : (levels?.[j]?.[value] ?? value),
  );
}

export interface Tried {
  readonly own: string | number;
  /** What the shared model alone says; undefined: there is none. */
  readonly shared: string | number | undefined;
  /** Undefined: the model is not linear in its features. */
  readonly explained: RowExplanation | undefined;
}

/** Prediction for a row of one's own columns, and what speaks for it and against it. */
export function tryRow(model: Model, columns: readonly string[], values: RowValues): Tried {
  const [participant = ''] = model.personal.keys();
  const table = oneRow(model, columns, values, participant);
  const shared = sharedPart(model);
  return {
    own: predict(model, table)[0].prediction,
    shared: shared && predict(shared, table)[0].prediction,
    explained: explained(model, table),
  };
}

/** Categories stay categories, also where they look like numbers. */
function oneRow(model: Model, columns: readonly string[], values: RowValues, participant: string): Table {
  const x: Value[] = [...values];
  const categorical =
    model.encoding && categoryNames(model.encoding).filter((name) => columns.includes(name));
  const rule = categorical && categorical.length > 0 ? { categorical } : {};
  return tableFrom([{ id: participant, x }], { features: columns, source: 'row', ...rule });
}

function explained(model: Model, table: Table): RowExplanation | undefined {
  try {
    return explainRow(model, table, 1);
  } catch (error) {
    if (error instanceof KindredError && error.code === 'MODEL_NOT_LINEAR') return undefined;
    throw error;
  }
}
