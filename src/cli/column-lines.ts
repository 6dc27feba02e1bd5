/** What was made of columns with text or gaps, in the reports of `train` and `join`. */
import type { Layout } from './layout.ts';
import { count } from './number-text.ts';

/** A wide table has many such columns. */
const FEW_COLUMNS = 8;

/** `rest`: the option that shows all of them; undefined: all are shown. */
export function columnLines(
  columns: readonly string[],
  rest: string | undefined,
  { line }: Pick<Layout, 'line'>,
): string[] {
  const most = rest === undefined ? columns.length : FEW_COLUMNS;
  const more = columns.length - most;
  const shown = columns.slice(0, most).map((sentence) => line('Column', sentence.replace(/^column /, '')));
  return more > 0
    ? [...shown, line('', `and ${count(more)} more columns with text or gaps (${rest})`)]
    : shown;
}
