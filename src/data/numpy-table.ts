/**
 * Tables from NumPy arrays. An array of two dimensions (.npy) has columns c1, c2, ... as a text file without a header. Several named
 * arrays with as many rows each (.npz) stand side by side: one of one dimension is a column of its name, one of two dimensions called
 * X has the columns X1, X2, ...
 */
import { inputError } from '../base/errors.ts';
import { planColumns } from './columns.ts';
import { count } from './memory.ts';
import { badShape, type NumpyArray, parseNpy } from './npy.ts';
import { listed } from './number.ts';
import type { Table, TableColumns } from './table.ts';
import { columnNumbers } from './text-format.ts';
import { type Take, tableFromColumns } from './typed-columns.ts';

export interface NamedArray {
  readonly name: string;
  readonly bytes: Uint8Array;
}

interface NumpyColumn {
  readonly name: string;
  readonly array: NumpyArray;
  /** Its place in the array. */
  readonly place: number;
}

export function readNpy(
  bytes: Uint8Array,
  source: string,
  columns: TableColumns,
  limitBytes: number,
): Promise<Table> {
  const array = parseNpy(bytes, source);
  if (array.columns === undefined) throw badShape(source, [array.rows]);
  const all = columnNumbers(array.columns).map((name, place) => ({ name, array, place }));
  return tableOf(all, array.rows, source, columns, limitBytes);
}

export function readNpyArrays(
  arrays: readonly NamedArray[],
  source: string,
  columns: TableColumns,
  limitBytes: number,
): Promise<Table> {
  if (arrays.length === 0) throw inputError('NPZ_EMPTY', `${source}: expected NumPy arrays (.npy), got none`);
  const [first] = arrays;
  if (arrays.length === 1) return readNpy(first.bytes, `${source} (${first.name})`, columns, limitBytes);
  const parsed = arrays.map(({ name, bytes }) => ({ name, array: parseNpy(bytes, `${source} (${name})`) }));
  const [{ array }] = parsed;
  if (parsed.some((other) => other.array.rows !== array.rows)) {
    const rows = parsed.map((other) => `${other.name} with ${count(other.array.rows)}`);
    throw inputError('NPZ_ROWS', `${source}: expected arrays with as many rows each, got ${listed(rows)}`);
  }
  return tableOf(parsed.flatMap(columnsOf), array.rows, source, columns, limitBytes);
}

function columnsOf({ name, array }: { name: string; array: NumpyArray }): NumpyColumn[] {
  if (array.columns === undefined) return [{ name, array, place: 0 }];
  return Array.from({ length: array.columns }, (_, place) => ({ name: `${name}${place + 1}`, array, place }));
}

function tableOf(
  all: readonly NumpyColumn[],
  n: number,
  source: string,
  columns: TableColumns,
  limitBytes: number,
): Promise<Table> {
  const names = all.map(({ name }) => name);
  const plan = planColumns(names, columns, source);
  const read = (column: number, take: Take) => {
    const { array, place } = all[column];
    for (let row = 0; row < n; row++) take(row, array.value(row, place));
  };
  return tableFromColumns({ source, n, plan, columns, limitBytes, read });
}
