import type { TextFormat } from './text-format.ts';

/**
 * A table of rows as read: which participant each row belongs to, its target as text, its features as numbers.
 * Every reader ends here; labels, split and scaling go on from here.
 */
export interface Table {
  /** What errors call it: a file name, or the name of a generator. */
  readonly source: string;
  /** Names of the d features. */
  readonly features: readonly string[];
  /** Number of rows. */
  readonly n: number;
  /** n x d, row by row. Double precision: scaling may have to remove a large mean. */
  readonly x: Float64Array;
  /** Distinct participants, in natural order (numbers by value, then text). */
  readonly participants: readonly string[];
  /** n indices into `participants`. */
  readonly participantOf: Uint32Array;
  /** n targets as text, exactly as written; undefined where the table has no target column (prediction). */
  readonly targets: readonly string[] | undefined;
  /** Line of each row in a text source, for errors; undefined where there are no lines. */
  readonly lines: Uint32Array | undefined;
}

/** Which columns mean what, and how a text file is written. Column names are exact. */
export interface TableColumns extends TextFormat {
  /** Participant column. */
  readonly task: string;
  /** Target column. */
  readonly label: string;
  /** Columns to leave out. */
  readonly drop: readonly string[];
  /**
   * `task and label` when training and evaluating; `label` where all rows are one participant's; `neither` when predicting. What
   * is not needed is used where present.
   */
  readonly need: 'task and label' | 'label' | 'neither';
  /** What users call the option for the participant column, for errors (default: --task). */
  readonly taskOption?: string | undefined;
}

/** "line 12" or "row 12": where row i stands, for errors. */
export function placeOf(table: Pick<Table, 'lines'>, i: number): string {
  return table.lines ? `line ${table.lines[i]}` : `row ${i + 1}`;
}
