/** The encoding that follows from what is in the columns, and what cannot be encoded. */
import { inputError } from '../base/errors.ts';
import {
  type ColumnSummary,
  isPlain,
  knownRows,
  type LevelCounts,
  mergeSummaries,
  summarise,
} from './column-summary.ts';
import { dateAmong } from './dates.ts';
import { type ColumnCode, type Encoding, encode, featureNames, namedEncoding } from './encoding.ts';
import { notesOn } from './encoding-notes.ts';
import { count } from './memory.ts';
import { dropHint, shown } from './number.ts';
import { naturallySorted, rowsByParticipant } from './participants.ts';
import type { Table } from './table.ts';

/** Features of one column, at most. */
export const MOST_LEVELS = 100;
/** Levels that occur in so much of the rows are no categories, unless there are few rows. */
const DISTINCT_SHARE = 0.9;
const FEW_ROWS = 20;

export interface Encoded {
  /** Numeric features; the given table where it has nothing else. */
  readonly table: Table;
  readonly encoding: Encoding | undefined;
  /** What was made of which column, a sentence each. */
  readonly notes: readonly string[];
}

/** The table as numbers, by an encoding that is learnt from some of its rows: those of each participant, merged in order. */
export function encodeLearnt(table: Table, rows: Uint32Array, { rare }: { readonly rare: number }): Encoded {
  if (isPlain(table)) return { table, encoding: undefined, notes: [] };
  const summaries = rowsByParticipant(table, rows).map((own) => summarise(table, table.features.length, own));
  const columns = summaries.reduce(mergeSummaries);
  checkColumns(table, columns);
  const encoding = namedEncoding(table.features, codesFrom(columns, rare));
  checkEncoding(table.source, encoding);
  return { table: encode(table, encoding), encoding, notes: notesOn(table.features, columns, encoding) };
}

/** Levels in fewer than `rare` rows are pooled. */
export function codesFrom(columns: readonly ColumnSummary[], rare: number): ColumnCode[] {
  return columns.map((column) => {
    const missing = column.missing > 0;
    if (column.kind === 'number') return { kind: 'number', mean: column.mean, missing };
    const levels = naturallySorted(keptLevels(column, rare));
    return { kind: 'category', levels, other: levels.length < column.levels.size, missing };
  });
}

function keptLevels({ levels }: LevelCounts, rare: number): string[] {
  return [...levels].flatMap(([level, rows]) => (rows >= rare ? [level] : []));
}

/** Refuses what are no categories. */
export function checkColumns(
  { source, features }: Pick<Table, 'source' | 'features'>,
  columns: readonly ColumnSummary[],
): void {
  for (const [j, column] of columns.entries()) {
    if (column.kind === 'number') continue;
    const where = `${source}, column ${shown(features[j])}`;
    const date = dateAmong(column.levels.keys());
    if (date !== undefined) {
      throw inputError(
        'DATE_COLUMN',
        `${where}: expected numbers or categories, got dates such as ${shown(date)}; turn them into numbers (days since, hour of the day)${dropHint(features[j]).replace('; ', ', or ')}`,
      );
    }
    if (!isNearlyDistinct(column)) continue;
    throw inputError(
      'TOO_MANY_LEVELS',
      `${where}: expected categories, got ${count(column.levels.size)} different values in ${count(knownRows(column))} rows; ids and free text are no features${dropHint(features[j])}`,
    );
  }
}

/** Ids and free text. */
export function isNearlyDistinct(column: LevelCounts): boolean {
  const rows = knownRows(column);
  return rows >= FEW_ROWS && column.levels.size >= DISTINCT_SHARE * rows;
}

/** Refuses too many features of one column, and names that are not distinct. */
export function checkEncoding(source: string, encoding: Encoding): void {
  for (const column of encoding.columns) {
    if (column.kind === 'number' || column.levels.length <= MOST_LEVELS) continue;
    throw inputError(
      'TOO_MANY_LEVELS',
      `${source}, column ${shown(column.name)}: expected at most ${MOST_LEVELS} levels, got ${count(column.levels.length)}; a larger --rare pools more of them${dropHint(column.name).replace('; ', ', ')}`,
    );
  }
  const seen = new Set<string>();
  for (const name of featureNames(encoding)) {
    if (seen.has(name)) {
      throw inputError(
        'DUPLICATE_COLUMN',
        `${source}: expected distinct names of features, got ${shown(name)} as a column and as a level of another one; rename the column`,
      );
    }
    seen.add(name);
  }
}
