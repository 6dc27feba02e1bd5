import type { TextFormat } from './text-format.ts';

/**
 * A table of rows as read: which participant each row belongs to, its target as text, its features as numbers or text, with gaps where a
 * value is not known. Every reader ends here; encoding (encoding.ts), labels, split and scaling go on from here.
 */
export interface Table {
  /** What errors call it: a file name, or the name of a generator. */
  readonly source: string;
  /** Names of the d features. */
  readonly features: readonly string[];
  /** Number of rows. */
  readonly n: number;
  /**
   * n x d, row by row; NaN where a value is missing. Double precision: scaling may have to remove a large mean. Of a text column: places in
   * its `levels`.
   */
  readonly x: Float64Array;
  /** For each feature: the distinct texts of a text column, in natural order; undefined for numbers. Absent: all are numbers. */
  readonly levels?: readonly (readonly string[] | undefined)[] | undefined;
  /** Distinct participants, in natural order (numbers by value, then text). */
  readonly participants: readonly string[];
  /** n indices into `participants`. */
  readonly participantOf: Uint32Array;
  /** n targets as text, exactly as written; undefined where the table has no target column (prediction). */
  readonly targets: readonly string[] | undefined;
  /** n weights of at least 0, as written; absent: all rows weigh the same. */
  readonly weights?: Float64Array | undefined;
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
  /** Column with the weight of each row, no feature then. Ignored when predicting. */
  readonly weight?: string | undefined;
  /** What happens to missing values of features (default: mean, they are kept for the encoding to fill). */
  readonly missing?: MissingRule | undefined;
  /** What happens to text among the features (default: auto, it is kept); or columns whose values are categories even if they are numbers. */
  readonly categorical?: CategoricalRule | undefined;
  /** What users call the option for the participant column, for errors (default: --task). */
  readonly taskOption?: string | undefined;
}

export type MissingRule = 'mean' | 'refuse';
export type CategoricalRule = 'auto' | 'refuse' | readonly string[];

/** "line 12" or "row 12": where row i stands, for errors. */
export function placeOf(table: Pick<Table, 'lines'>, i: number): string {
  return table.lines ? `line ${table.lines[i]}` : `row ${i + 1}`;
}
