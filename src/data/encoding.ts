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

/** How a column of numbers is encoded. */
export interface NumberCode {
  readonly kind: 'number';
  /** In place of what is missing. */
  readonly mean: number;
  /** Whether an indicator follows. */
  readonly missing: boolean;
}

/** How a text column is encoded. */
export interface CategoryCode {
  readonly kind: 'category';
  /** Each has a feature. */
  readonly levels: readonly string[];
  /** Whether all other levels together have one; without it they are zeros. */
  readonly other: boolean;
  /** Whether missing values have one; without it they are zeros. */
  readonly missing: boolean;
}

/** Of a column by its place: names of columns may stay private. */
export type ColumnCode = NumberCode | CategoryCode;
export type EncodedColumn = ColumnCode & { readonly name: string };

export interface Encoding {
  /** In the order of the table that it was learnt from. */
  readonly columns: readonly EncodedColumn[];
  /** Columns that a table does not have are missing in all of its rows, and others that it has are ignored; absent: such tables are refused. */
  readonly absent?: 'missing' | undefined;
}

/** A code, and which column of the rows it is for, where that is not the one in its place; -1: none, it is missing in all rows. */
export type PlacedCode = ColumnCode & { readonly at?: number };

/** Names of what has no level: a level that is called so has the same feature. */
export const OTHER = 'other';
export const MISSING = 'missing';

/** Of each of these columns its place among those that there are; -1: there is no such column. */
export function placesOf(columns: readonly string[], among: readonly string[]): number[] {
  const places = new Map(among.map((name, j) => [name, j]));
  return columns.map((name) => places.get(name) ?? -1);
}

/** For rows of other columns than the codes are of, or in another order. */
export function placedCodes(
  codes: readonly ColumnCode[],
  columns: readonly string[],
  among: readonly string[],
): PlacedCode[] {
  const places = placesOf(columns, among);
  return codes.map((code, j) => ({ ...code, at: places[j] }));
}

/** The same of an encoding, which knows its columns. */
export function placedNamed(encoding: Encoding, among: readonly string[]): PlacedCode[] {
  return placedCodes(encoding.columns, columnNames(encoding), among);
}

export function namedEncoding(names: readonly string[], codes: readonly ColumnCode[]): Encoding {
  return { columns: codes.map((code, j) => ({ name: names[j], ...code })) };
}

/** How many features a column becomes. */
export function featuresOfCode(code: ColumnCode): number {
  if (code.kind === 'number') return code.missing ? 2 : 1;
  return slotsOf(code).length;
}

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
export function slotsOf({ levels, other, missing }: CategoryCode): string[] {
  const slots = [...levels];
  if (other && !slots.includes(OTHER)) slots.push(OTHER);
  if (missing && !slots.includes(MISSING)) slots.push(MISSING);
  return slots;
}

/** Of a table whose columns are those of the encoding, in its order. */
export function encode(table: Table, encoding: Encoding): Table {
  const { levels, ...rest } = table;
  const wrong = encoding.columns.findIndex(({ kind }, j) => kind === 'number' && levels?.[j]);
  if (wrong >= 0) throw notNumbers(table, wrong);
  return { ...rest, features: featureNames(encoding), x: encodedRows(table, encoding.columns) };
}

/** Features of all rows, row by row. Text stands in columns of categories only. */
export function encodedRows(
  rows: Pick<Table, 'source' | 'n' | 'x' | 'levels'>,
  codes: readonly PlacedCode[],
): Float64Array {
  const from = rows.n > 0 ? rows.x.length / rows.n : 0;
  const d = codes.reduce((sum, code) => sum + featuresOfCode(code), 0);
  const out = allocateRows(rows.source, rows.n, d);
  let at = 0;
  for (const [j, code] of codes.entries()) {
    const place = { from, j: code.at ?? j, out, d, at };
    if (code.kind === 'number') encodeNumber(rows, code, place);
    else encodeCategory(rows, code, place);
    at += featuresOfCode(code);
  }
  return out;
}

/** From column j of `from` (-1: none), to columns of d from `at` on. */
interface Place {
  readonly from: number;
  readonly j: number;
  readonly out: Float64Array;
  readonly d: number;
  readonly at: number;
}

type Rows = Pick<Table, 'n' | 'x' | 'levels'>;

function encodeNumber({ n, x }: Rows, code: NumberCode, { from, j, out, d, at }: Place): void {
  for (let i = 0; i < n; i++) {
    const value = j < 0 ? Number.NaN : x[i * from + j];
    const isMissing = Number.isNaN(value);
    out[i * d + at] = isMissing ? code.mean : value;
    if (code.missing) out[i * d + at + 1] = isMissing ? 1 : 0;
  }
}

function encodeCategory({ n, x, levels }: Rows, code: CategoryCode, { from, j, out, d, at }: Place): void {
  const slots = new Map(slotsOf(code).map((slot, s) => [slot, s]));
  const other = slots.get(OTHER) ?? -1;
  const missing = slots.get(MISSING) ?? -1;
  // A level is found once, not for every row. Levels that are numbers may be written as numbers now.
  const known = levels?.[j]?.map((level) => slots.get(level) ?? other);
  const slotOf = (value: number) => (known ? known[value] : (slots.get(levelOf(value)) ?? other));
  for (let i = 0; i < n; i++) {
    const value = j < 0 ? Number.NaN : x[i * from + j];
    const slot = Number.isNaN(value) ? missing : slotOf(value);
    if (slot >= 0) out[i * d + at + slot] = 1;
  }
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
