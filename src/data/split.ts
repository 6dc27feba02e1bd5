/**
 * Which rows train and which test. Every participant is split by itself, from a stream that bears its id: adding,
 * removing or reordering other participants changes nothing for it.
 */
import { inputError } from '../base/errors.ts';
import { stream } from '../base/random.ts';
import { rowsByParticipant } from './participants.ts';
import type { Table } from './table.ts';

type Grouped = Pick<Table, 'participants' | 'participantOf'>;

/** Row indices of a table, ascending. */
export interface Split {
  readonly train: Uint32Array;
  readonly test: Uint32Array;
}

interface SplitOptions {
  /** Share of each participant's rows to test on, from 0 up to, but not including, 1. */
  readonly testFraction: number;
  readonly seed: number;
  /** Train on so many rows at the most: of everybody, or of those named. Test rows are the same whatever it is. */
  readonly trainRows?: TrainRows | undefined;
}

type TrainRows = number | Readonly<Record<string, number>>;

interface FoldOptions {
  readonly seed: number;
  /** Number of folds (default 5). */
  readonly folds?: number;
  /** Only these rows take part: the training rows, when testing comes later (default all). */
  readonly rows?: Uint32Array;
}

export function splitRows(table: Grouped, options: SplitOptions): Split {
  const { testFraction, seed } = options;
  if (!(testFraction >= 0 && testFraction < 1)) {
    throw inputError(
      'TEST_FRACTION',
      `test fraction: expected a number of at least 0 and below 1, got ${testFraction}`,
    );
  }
  const [TRAIN, TEST, UNUSED] = [0, 1, 2];
  const use = new Uint8Array(table.participantOf.length).fill(TRAIN);
  for (const [k, rows] of rowsByParticipant(table).entries()) {
    // Someone without a training row would have no model of its own.
    const tested = Math.min(Math.round(testFraction * rows.length), rows.length - 1);
    const order = shuffled(rows, seed, 'split', table.participants[k]);
    const trained = mostTrainRows(options.trainRows, table.participants[k]);
    for (const [i, row] of order.entries()) {
      if (i < tested) use[row] = TEST;
      else if (i >= tested + trained) use[row] = UNUSED;
    }
  }
  return {
    train: rowsWhere(use, (what) => what === TRAIN),
    test: rowsWhere(use, (what) => what === TEST),
  };
}

function mostTrainRows(trainRows: TrainRows | undefined, participant: string): number {
  const most = typeof trainRows === 'object' ? trainRows[participant] : trainRows;
  return most ?? Number.POSITIVE_INFINITY;
}

/**
 * k folds inside each participant, for cross-validation. A participant with fewer rows than folds is tested in as many
 * folds as it has rows and trains with all of them in the others; one with a single row only ever trains.
 */
export function foldsOf(table: Grouped, options: FoldOptions): Split[] {
  const { seed, folds = 5, rows } = options;
  if (!(Number.isInteger(folds) && folds >= 2 && folds <= 100)) {
    throw inputError('FOLDS', `folds: expected a whole number from 2 to 100, got ${folds}`);
  }
  const trainOnly = 254;
  const foldOf = new Uint8Array(table.participantOf.length).fill(255);
  for (const [k, own] of rowsByParticipant(table, rows).entries()) {
    const order = shuffled(own, seed, 'folds', table.participants[k]);
    // Starting at a fold of its own keeps many small participants from all landing in the first fold.
    const first = stream(seed, 'first fold', 0, table.participants[k]).below(folds);
    for (const [i, row] of order.entries()) foldOf[row] = own.length === 1 ? trainOnly : (first + i) % folds;
  }
  return Array.from({ length: folds }, (_, fold) => ({
    train: rowsWhere(foldOf, (f) => f !== fold && f !== 255),
    test: rowsWhere(foldOf, (f) => f === fold),
  }));
}

function shuffled(rows: Uint32Array, seed: number, purpose: string, participant: string): Uint32Array {
  const order = rows.slice();
  stream(seed, purpose, 0, participant).shuffle(order);
  return order;
}

function rowsWhere(mark: Uint8Array, holds: (mark: number) => boolean): Uint32Array {
  const rows = new Uint32Array(mark.length);
  let n = 0;
  for (let i = 0; i < mark.length; i++) if (holds(mark[i])) rows[n++] = i;
  return rows.slice(0, n);
}
