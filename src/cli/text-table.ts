/** Tables and labelled lines for people: plain text, aligned by spaces. */
import { PLAIN, type Style } from './style.ts';

export interface Column {
  readonly title: string;
  readonly align: 'left' | 'right';
}

/** A longer text is cut: one long id must not push every other column off the screen. */
const WIDEST = 32;
const INDENT = '  ';

/** Lines of a table: a header and the rows, each cell given as text. */
export function textTable(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  style: Style = PLAIN,
): string[] {
  const cells = rows.map((row) => row.map(cut));
  const widths = columns.map(({ title }, c) =>
    Math.max(title.length, ...cells.map((row) => row[c]?.length ?? 0)),
  );
  const line = (row: readonly string[]) =>
    INDENT +
    columns
      .map(({ align }, c) => {
        const text = row[c] ?? '';
        return align === 'left' ? text.padEnd(widths[c]) : text.padStart(widths[c]);
      })
      .join('   ')
      .trimEnd();
  return [style.bold(line(columns.map(({ title }) => title))), ...cells.map(line)];
}

/** "Label         text", with the texts below each other. */
export function labelled(label: string, text: string, style: Style = PLAIN): string {
  return `${style.bold(label.padEnd(14))}${text}`;
}

/** A long sentence over several lines; the first begins with `first`, the others are indented as far. */
export function wrapped(first: string, text: string, width = 96): string[] {
  const lines: string[] = [];
  let line = first;
  for (const word of text.split(' ')) {
    if (line.trim() !== '' && line.length + word.length + 1 > width) {
      lines.push(line);
      line = ' '.repeat(first.length);
    }
    line += line.endsWith(' ') || line === '' ? word : ` ${word}`;
  }
  return [...lines, line];
}

function cut(text: string): string {
  return text.length > WIDEST ? `${text.slice(0, WIDEST - 3)}...` : text;
}
