/**
 * From columns as they are to numeric features: gaps are filled with the mean of all, and where training rows have gaps an indicator
 * tells (`age=missing`); of a text column each level is a feature of its own, 0 or 1 (`color=red`), rare ones together (`color=other`).
 * Part of a model. Solver, scaling and kernels see the features alone.
 */
import { inputError } from '../base/errors.ts';
import { allocateRows } from './memory.ts';
import { shown } from './number.ts';
import { placeOf, type Table } from './table.ts';
import { levelOf } from './text-columns.ts';

export interface EncodedNumber {
  readonly name: string;
  readonly kind: 'number';
  /** In place of what is missing. */
  readonly mean: number;
  /** Whether an indicator follows. */
  readonly missing: boolean;
}

export interface EncodedCategory {
  readonly name: string;
  readonly kind: 'category';
  /** Each has a feature. */
  readonly levels: readonly string[];
  /** Whether all other levels together have one; without it they are zeros. */
  readonly other: boolean;
  /** Whether missing values have one; without it they are zeros. */
  readonly missing: boolean;
}

export type EncodedColumn = EncodedNumber | EncodedCategory;

export interface Encoding {
  /** In the order of the table that it was learnt from. */
  readonly columns: readonly EncodedColumn[];
}

/** Names of what has no level: a level that is called so has the same feature. */
export const OTHER = 'other';
export const MISSING = 'missing';

/** Raw columns, in order. */
export function columnNames({ columns }: Encoding): string[] {
  return columns.map(({ name }) => name);
}

/** Raw columns that hold categories. */
export function categoryNames({ columns }: Encoding): string[] {
  return columns.flatMap(({ kind, name }) => (kind === 'category' ? [name] : []));
}

/** Names of the features, in order. */
export function featureNames({ columns }: Encoding): string[] {
  return columns.flatMap((column) =>
    column.kind === 'number'
      ? [column.name, ...(column.missing ? [`${column.name}=${MISSING}`] : [])]
      : slotsOf(column).map((slot) => `${column.name}=${slot}`),
  );
}

/** What of a category has a feature, in order. */
export function slotsOf({ levels, other, missing }: EncodedCategory): string[] {
  const slots = [...levels];
  if (other && !slots.includes(OTHER)) slots.push(OTHER);
  if (missing && !slots.includes(MISSING)) slots.push(MISSING);
  return slots;
}

/** Of a table whose columns are those of the encoding, in its order. */
export function encode(table: Table, encoding: Encoding): Table {
  const { n, source } = table;
  const features = featureNames(encoding);
  const x = allocateRows(source, n, features.length);
  let at = 0;
  for (const [j, column] of encoding.columns.entries()) {
    at +=
      column.kind === 'number'
        ? encodeNumber(table, j, column, { x, d: features.length, at })
        : encodeCategory(table, j, column, { x, d: features.length, at });
  }
  const { levels: _, ...rest } = table;
  return { ...rest, features, x };
}

/** n x d, from column `at` on. */
interface Target {
  readonly x: Float64Array;
  readonly d: number;
  readonly at: number;
}

/** How many features were written. */
function encodeNumber(table: Table, j: number, column: EncodedNumber, { x, d, at }: Target): number {
  if (table.levels?.[j]) throw notNumbers(table, j);
  const from = table.features.length;
  for (let i = 0; i < table.n; i++) {
    const value = table.x[i * from + j];
    const isMissing = Number.isNaN(value);
    x[i * d + at] = isMissing ? column.mean : value;
    if (column.missing) x[i * d + at + 1] = isMissing ? 1 : 0;
  }
  return column.missing ? 2 : 1;
}

function encodeCategory(table: Table, j: number, column: EncodedCategory, { x, d, at }: Target): number {
  const from = table.features.length;
  const slots = slotsOf(column);
  const place = new Map(slots.map((slot, s) => [slot, s]));
  const other = column.other ? place.get(OTHER)! : -1;
  const missing = column.missing ? place.get(MISSING)! : -1;
  // A level is found once, not for every row. Levels that are numbers may be written as numbers now.
  const levels = table.levels?.[j]?.map((level) => place.get(level) ?? other);
  const slotOf = (value: number) => (levels ? levels[value] : (place.get(levelOf(value)) ?? other));
  for (let i = 0; i < table.n; i++) {
    const value = table.x[i * from + j];
    const slot = Number.isNaN(value) ? missing : slotOf(value);
    if (slot >= 0) x[i * d + at + slot] = 1;
  }
  return slots.length;
}

function notNumbers(table: Table, j: number): Error {
  const { features, levels, x } = table;
  const d = features.length;
  let i = 0;
  while (Number.isNaN(x[i * d + j]) && i < table.n - 1) i++;
  const got = levels![j]![x[i * d + j]] ?? '';
  return inputError(
    'NOT_A_NUMBER',
    `${table.source} ${placeOf(table, i)}, column ${shown(features[j])}: expected a number as in training, got ${shown(got)}`,
  );
}
