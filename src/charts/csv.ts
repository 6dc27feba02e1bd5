/** The numbers behind a figure in long form, one row for each point: for any other plotting tool, and to check. */
import type { Figure, Panel } from './figure.ts';

const COLUMNS = ['figure', 'panel', 'series', 'x', 'y', 'low', 'high'] as const;

/**
 * In panels of groups and rows x is the name of the group or row, in tables of colours the series is the name of the row and x that of the column; of an arrow there are
 * two rows, from and to. Panels that were drawn
 * elsewhere have no numbers. RFC 4180: lines end in CRLF, fields are quoted where they must be.
 */
export function curvesCsv(figure: Figure): string {
  const rows = figure.panels.flatMap((panel) =>
    rowsOf(panel).map((row) => [figure.id, panel.title, ...row].map(field).join(',')),
  );
  return [COLUMNS.join(','), ...rows].map((row) => `${row}\r\n`).join('');
}

type Value = string | number | undefined;

function rowsOf(panel: Panel): Value[][] {
  switch (panel.kind) {
    case 'lines':
      return panel.series.flatMap(({ name, points }) =>
        points.map(({ x, y, low, high }) => [name, x, y, low, high]),
      );
    case 'bars':
      return panel.groups.flatMap((group) =>
        group.bars.map(({ name, value, low, high }) => [name, group.name, value, low, high]),
      );
    case 'across':
      return panel.rows.flatMap(({ name: row, bars, mark }) => [
        ...bars.map(({ name, value, low, high }) => [name, row, value, low, high]),
        ...(mark === undefined ? [] : [[panel.markName, row, mark, undefined, undefined]]),
      ]);
    case 'vectors':
      return panel.arrows.flatMap(({ name, from, to }) =>
        [from, to].map(([x, y]): Value[] => [name, x, y, undefined, undefined]),
      );
    case 'heat':
      return panel.cells.flatMap((row, r) =>
        row.map(({ value }, c): Value[] => [panel.rows.names[r], panel.columns.names[c], value]),
      );
    case 'svg':
      return [];
  }
}

export function quoted(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Numbers in the fewest digits that give the same number again; what is no number stays empty. */
function field(value: Value): string {
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : '';
  return quoted(value ?? '');
}
