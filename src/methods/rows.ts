/**
 * Where the rows of tasks are, as plain data: which rows of a table, how they are scaled. From it anybody who has the
 * table's numbers, this thread or another, makes the tasks.
 */
import type { Scaling } from '../math/scaling.ts';
import type { Task } from './method.ts';

/** One participant's training rows. */
export interface OwnRows extends Omit<Task, 'table'> {
  /** Their places in the table, n of them. */
  readonly places: Uint32Array;
}

export interface PlacedRows {
  /** All rows of the table, unscaled. */
  readonly x: Float64Array;
  readonly scaling: Scaling;
  /** Whether a constant column is appended. */
  readonly bias: boolean;
  readonly own: readonly OwnRows[];
}

/** Columns, with the bias. */
export function columnsOf({ scaling, bias }: Pick<PlacedRows, 'scaling' | 'bias'>): number {
  return scaling.shift.length + (bias ? 1 : 0);
}

/** Rows are scaled, and get the bias, on their way into kernel memory. */
export function taskOver(
  { x, scaling }: Pick<PlacedRows, 'x' | 'scaling'>,
  { places, ...task }: OwnRows,
): Task {
  return { ...task, table: { x, index: places, scaling } };
}
