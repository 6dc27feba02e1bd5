/**
 * Where the rows of tasks are, as plain data: which rows of a table, how they are scaled. From it anybody who has the
 * table's numbers, this thread or another, makes the tasks.
 */
// Not the whole of data/: threads load this file, and should be there soon.
import { type Scaling, scaleRow } from '../data/scale.ts';
import type { Task } from './method.ts';

/** One participant's training rows. */
export interface OwnRows extends Omit<Task, 'write'> {
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

/** A task writes its rows, scaled and with the bias, straight into kernel memory. */
export function taskOver({ x, scaling, bias }: Omit<PlacedRows, 'own'>, { places, ...task }: OwnRows): Task {
  const features = scaling.shift.length;
  return {
    ...task,
    write: (i, row) => {
      scaleRow(x, places[i], scaling, row, 0);
      if (bias) row[features] = 1;
    },
  };
}
