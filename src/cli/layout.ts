/** Results of commands: one JSON document, or text for people with labelled lines and tables aligned by spaces. */
import { type Io, writeJson } from './io.ts';
import { printable, printableStyled } from './printable.ts';

/** A longer text is cut: one long id must not push every other column off the screen. */
const WIDEST = 32;

export interface Layout {
  bold(text: string): string;
  dim(text: string): string;
  /** "Label         text", with the texts below each other. */
  line(label: string, text: string): string;
  /** A header and the rows. Columns are aligned to the right, those whose title begins with "<" to the left. */
  table(titles: readonly string[], rows: readonly (readonly string[])[]): string[];
}

/** Bold and dim where a terminal shows them; https://no-color.org: any value but the empty one asks for none. */
export function layoutFor({ stdout, env }: Pick<Io, 'stdout' | 'env'>): Layout {
  const isStyled = stdout.isTerminal && !env.NO_COLOR && env.TERM !== 'dumb';
  const styled = (code: number) => (text: string) => (isStyled ? `\x1b[${code}m${text}\x1b[22m` : text);
  const bold = styled(1);
  return {
    bold,
    dim: styled(2),
    line: (label, text) => `${bold(label.padEnd(14))}${text}`,
    table: (titles, rows) => {
      const [header, ...lines] = aligned(titles, rows);
      return [bold(header), ...lines];
    },
  };
}

function aligned(columns: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const titles = columns.map((title) => title.replace(/^</, ''));
  const cells = [titles, ...rows.map((row) => row.map((text) => cut(printable(text))))];
  const widths = titles.map((_, c) => Math.max(...cells.map((row) => row[c]?.length ?? 0)));
  const padded = (text: string, c: number) =>
    columns[c].startsWith('<') ? text.padEnd(widths[c]) : text.padStart(widths[c]);
  return cells.map((row) => `  ${titles.map((_, c) => padded(row[c] ?? '', c)).join('   ')}`.trimEnd());
}

function cut(text: string): string {
  return text.length > WIDEST ? `${text.slice(0, WIDEST - 3)}...` : text;
}

export async function writeResult(
  io: Io,
  { json }: { readonly json?: true },
  document: unknown,
  lines: (layout: Layout) => readonly string[],
): Promise<void> {
  if (json) await writeJson(io, document);
  else await writeLines(io, lines(layoutFor(io)));
}

export async function writeLines(io: Io, lines: readonly string[]): Promise<void> {
  await io.stdout.write(`${lines.map(printableStyled).join('\n')}\n`);
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
