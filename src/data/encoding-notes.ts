/** What was made of which column, in words. */
import { type ColumnSummary, knownRows, type LevelCounts } from './column-summary.ts';
import { type CategoryCode, type EncodedColumn, type Encoding, MISSING, OTHER } from './encoding.ts';
import { count } from './memory.ts';

/** Of columns with text or gaps, a sentence each, with what is known of all rows. */
export function notesOn(
  names: readonly string[],
  columns: readonly ColumnSummary[],
  { columns: encoded }: Encoding,
): string[] {
  return columns.flatMap((column, j) => {
    const as = encoded[j];
    if (column.kind === 'text') return [`column ${names[j]}: ${categoryNote(column, as as CategoryCode)}`];
    if (column.missing === 0) return [];
    const share = percentText(column.missing / (column.missing + column.count));
    return [`column ${names[j]}: ${share} missing, mean of all plus an indicator (${names[j]}=${MISSING})`];
  });
}

function categoryNote(column: LevelCounts, as: CategoryCode): string {
  const { levels, missing } = column;
  const rows = missing + knownRows(column);
  const pooled = levels.size - as.levels.length;
  const rest = pooled > 0 ? `, ${count(pooled)} rare ${pooled === 1 ? 'one' : 'ones'} as ${OTHER}` : '';
  const gaps = missing > 0 ? `, ${percentText(missing / rows)} missing as a level of its own` : '';
  return `${levelsText(as)}${rest}${gaps}`;
}

function percentText(share: number): string {
  return `${Number((100 * share).toPrecision(2))}%`;
}

/** The same where others' rows are not known: what was agreed on. */
export function agreedNotes({ columns }: Encoding): string[] {
  return columns.flatMap((column) => {
    const note = agreedNote(column);
    return note === undefined ? [] : [`column ${column.name}: ${note}`];
  });
}

function agreedNote(column: EncodedColumn): string | undefined {
  if (column.kind === 'number')
    return column.missing
      ? `gaps as the mean of all plus an indicator (${column.name}=${MISSING})`
      : undefined;
  const others = column.other ? `, all others as ${OTHER}` : '';
  const gaps = column.missing ? ', gaps as a level of their own' : '';
  return `${levelsText(column)}${others}${gaps}`;
}

function levelsText({ levels }: CategoryCode): string {
  return `${count(levels.length)} ${levels.length === 1 ? 'level' : 'levels'} as one-hot`;
}
