/** A figure as one SVG document: title, legend, panels in a grid. */
import { document, element, escaped, text } from '../../sim/svg.ts';
import type { Figure } from './figure.ts';
import { drawLegend } from './legend.ts';
import { type DrawnPanel, drawPanels } from './panels.ts';
import { CHART_STYLE, SIZE } from './style.ts';
import { BOLD, idOf, printable, wrapped } from './words.ts';

const MARGIN = 20;
const GAP = { across: 26, down: 22 } as const;
const TITLE_LINE = 20;
const NOTE_LINE = 16;

/** The same figure gives the same bytes. What cannot be drawn is left out; a panel without data says so. */
export function drawFigure(figure: Figure): string {
  const panels = drawPanels(figure, figurePrefix(figure.id));
  const columns = Math.max(1, Math.min(figure.columns, panels.length));
  const cell = Math.max(336, ...panels.map(({ width }) => width));
  const inner = columns * cell + (columns - 1) * GAP.across;
  const parts: string[] = [];
  if (figure.caption !== '') parts.push(element('desc', {}, escaped(figure.caption)));
  let y = MARGIN;
  for (const words of wrapped(figure.title, inner, SIZE.heading * BOLD, 3)) {
    parts.push(text(MARGIN, y + 13, words, { class: 'kc-heading' }));
    y += TITLE_LINE;
  }
  const legend = drawLegend(figure, MARGIN, y + 6, inner);
  parts.push(...legend.parts);
  if (legend.height > 0) y += legend.height + 6;
  for (const words of wrapped(figure.spread ?? '', inner, SIZE.tick, 2)) {
    parts.push(text(MARGIN, y + 14, words, { class: 'kc-unit' }));
    y += NOTE_LINE;
  }
  const grid = inRows(panels, columns, cell, y + 14);
  parts.push(...grid.parts);
  return printable(document(inner + 2 * MARGIN, grid.bottom + MARGIN, figure.title, parts, CHART_STYLE));
}

/** What ids inside a figure begin with. */
export function figurePrefix(id: string): string {
  return `figure-${idOf(id)}`;
}

function inRows(panels: readonly DrawnPanel[], columns: number, cell: number, top: number) {
  const parts: string[] = [];
  let y = top;
  for (let first = 0; first < panels.length; first += columns) {
    const row = panels.slice(first, first + columns);
    for (const [c, panel] of row.entries()) {
      const transform = `translate(${MARGIN + c * (cell + GAP.across)} ${y})`;
      parts.push(element('g', { transform }, `\n${panel.content}\n`));
    }
    y += Math.max(...row.map(({ height }) => height)) + GAP.down;
  }
  return { parts, bottom: panels.length === 0 ? top : y - GAP.down };
}
