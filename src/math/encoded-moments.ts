/**
 * Moments of features that columns become, from what is known of the columns alone: whoever has the summaries needs neither the rows nor a
 * second round of questions. To rounding they are the moments of the encoded rows.
 */
import type { ColumnSummary, LevelCounts } from '../data/column-summary.ts';
import {
  type CategoryCode,
  type ColumnCode,
  featuresOfCode,
  MISSING,
  OTHER,
  slotsOf,
} from '../data/encoding.ts';
import type { Moments } from './scaling.ts';

/** Of so many rows. */
export function encodedMoments(
  codes: readonly ColumnCode[],
  columns: readonly ColumnSummary[],
  count: number,
): Moments {
  const d = codes.reduce((sum, code) => sum + featuresOfCode(code), 0);
  const mean = new Float64Array(d);
  const m2 = new Float64Array(d);
  let at = 0;
  const put = (average: number, squares: number) => {
    mean[at] = average;
    m2[at++] = squares;
  };
  /** A feature that is 1 in so many rows. */
  const putShare = (rows: number) => put(rows / count, (rows * (count - rows)) / count);
  for (const [j, code] of codes.entries()) {
    const column = columns[j];
    if (code.kind === 'category') {
      for (const rows of rowsOfSlots(code, column as LevelCounts, count)) putShare(rows);
      continue;
    }
    const known = column as Exclude<ColumnSummary, LevelCounts>;
    const delta = code.mean - known.mean;
    const share = column.missing / count;
    put(known.mean + delta * share, known.m2 + delta * delta * known.count * share);
    if (code.missing) putShare(column.missing);
  }
  return { count, mean, m2 };
}

function rowsOfSlots(code: CategoryCode, { levels, missing }: LevelCounts, count: number): number[] {
  const slots = slotsOf(code);
  const named = slots.map((slot) => levels.get(slot) ?? 0);
  const others = count - missing - named.reduce((sum, rows) => sum + rows, 0);
  return slots.map((slot, s) => named[s] + (slot === OTHER ? others : 0) + (slot === MISSING ? missing : 0));
}
