/** A figure as one SVG document: title, legend, panels in a grid with plots of one size that line up beside each other. */

import { acrossHeight, acrossSheet } from './across-panel.ts';
import { drawHead, drawNoData, heightAbove, type Room, type Sheet } from './axes.ts';
import { barSheet } from './bar-panel.ts';
import type { Figure, Panel, SvgPanel } from './figure.ts';
import { heatSheet } from './heat-panel.ts';
import { drawLegend } from './legend.ts';
import { lineSheet } from './line-panel.ts';
import { CHART_STYLE, SIZE } from './style.ts';
import { document, element, escaped, idOf, text } from './svg.ts';
import { BOLD, wrapped } from './text-width.ts';
import { vectorSheet } from './vector-panel.ts';

const MARGIN = 20;
const GAP = { across: 26, down: 22 } as const;
const TITLE_LINE = 20;
const NOTE_LINE = 16;
const NARROWEST = 336;

/** Fewer columns, larger panels: text has the same size in all of them. */
const SIZES = {
  1: { width: 680, plotHeight: 300 },
  2: { width: 510, plotHeight: 230 },
  3: { width: NARROWEST, plotHeight: 190 },
} as const;

/** Alone in its row a finished document may take the whole width of the page. */
const WIDEST = 1040;

/** The same figure gives the same bytes. What cannot be drawn is left out; a panel without data says so. */
export function drawFigure(figure: Figure): string {
  const rows = inRows(drawPanels(figure, figurePrefix(figure.id)), figure.columns);
  const columns = Math.max(1, ...rows.map((row) => row.length));
  const cell = Math.max(NARROWEST, ...rows.flat().map(({ width }) => width));
  const inner = columns * cell + (columns - 1) * GAP.across;
  const parts = figure.caption === '' ? [] : [element('desc', {}, escaped(figure.caption))];
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
  y += 14;
  for (const [r, row] of rows.entries()) {
    if (r > 0) y += GAP.down;
    for (const [c, { content }] of row.entries()) {
      const transform = `translate(${MARGIN + c * (cell + GAP.across)} ${y})`;
      parts.push(element('g', { transform }, `\n${content}\n`));
    }
    y += heightOfRow(row);
  }
  return document(inner + 2 * MARGIN, y + MARGIN, figure.title, CHART_STYLE, parts);
}

export function figurePrefix(id: string): string {
  return `figure-${idOf(id)}`;
}

export function inRows<T>(panels: readonly T[], columns: number): T[][] {
  return Array.from({ length: Math.ceil(panels.length / columns) }, (_, r) =>
    panels.slice(r * columns, (r + 1) * columns),
  );
}

export function heightOfRow(row: readonly DrawnPanel[]): number {
  return Math.max(...row.map(({ height }) => height));
}

export interface DrawnPanel {
  readonly kind: Panel['kind'];
  readonly title: string;
  readonly width: number;
  readonly height: number;
  readonly content: string;
}

/** Each on its own sheet. All ids inside begin with `prefix`, which must be the figure's own. */
export function drawPanels(figure: Figure, prefix: string): DrawnPanel[] {
  const { width } = SIZES[figure.columns];
  const most = (row: number, heights: readonly number[]) => Math.max(...inRows(heights, figure.columns)[row]);
  const wanted = figure.panels.map((panel) => plotHeightOf(panel, SIZES[figure.columns].plotHeight));
  const heights = figure.panels.map((_, p) => most(Math.floor(p / figure.columns), wanted));
  const sheets = figure.panels.map((panel, p) => sheetOf(panel, width, heights[p]));
  const left = Math.max(4, ...sheets.map((sheet) => sheet?.left ?? 0));
  const tops = figure.panels.map(({ title }, p) =>
    sheets[p] ? heightAbove(width, title, sheets[p].unit) : 0,
  );
  const bottoms = sheets.map((sheet) => sheet?.bottom(left) ?? 0);
  return figure.panels.map((panel, p) => {
    // No id of a figure has "_p": panel 2 of figure "a" is not figure "a-2".
    const id = `${prefix}_p${p + 1}`;
    if (panel.kind === 'svg') return drawSvgPanel(panel, figure.columns === 1 ? WIDEST : width, id);
    const { kind, title } = panel;
    const { unit, draw } = sheets[p]!;
    const row = Math.floor(p / figure.columns);
    const plotHeight = heights[p];
    const room = { width, plotHeight, left, top: most(row, tops) };
    const content = [...drawHead(room, title, unit), ...(draw(room, id) ?? drawNoData(room))].join('\n');
    return { kind, title, width, height: room.top + plotHeight + most(row, bottoms), content };
  });
}

/** Rows of bars need their room, however many there are. */
function plotHeightOf(panel: Panel, usual: number): number {
  return panel.kind === 'across' ? acrossHeight(panel) : panel.kind === 'svg' ? 0 : usual;
}

/** Finished documents have their own measures and take no part in the common ones. */
function sheetOf(panel: Panel, width: number, plotHeight: number): Sheet | undefined {
  if (panel.kind === 'lines') return lineSheet(panel, width, plotHeight);
  if (panel.kind === 'across') return acrossSheet(panel, width, plotHeight);
  if (panel.kind === 'bars') return barSheet(panel, width, plotHeight);
  if (panel.kind === 'heat') return heatSheet(panel, width, plotHeight);
  return panel.kind === 'vectors' ? vectorSheet(panel) : undefined;
}

/** Made smaller when too wide, never larger. */
function drawSvgPanel({ kind, title, svg }: SvgPanel, widest: number, id: string): DrawnPanel {
  const inner = embedded(svg, id);
  const width = Math.ceil(Math.min(widest, Math.max(NARROWEST, inner?.width ?? 0)));
  const top = title === '' ? 0 : heightAbove(width, title);
  const room: Room = { width, left: 0, top, plotHeight: 80 };
  const scale = inner ? Math.min(1, width / inner.width) : 1;
  const transform = `translate(0 ${top}) scale(${Number(scale.toFixed(5))})`;
  const body = inner ? [element('g', { transform }, inner.content)] : drawNoData(room);
  const height = top + Math.ceil(inner ? inner.height * scale : room.plotHeight);
  return { kind, title, width, height, content: [...drawHead(room, title), ...body].join('\n') };
}

/**
 * A finished SVG document inside another one: its ids and its style sheet must not meet those of others. Undefined for what is not
 * an SVG document with a view box that begins at 0 0.
 */
function embedded(svg: string, id: string) {
  const root = svg.match(/<svg\b[^>]*\bviewBox="0 0 ([\d.]+) ([\d.]+)"[^>]*>([\s\S]*)<\/svg>\s*$/);
  const [width, height] = [Number(root?.[1]), Number(root?.[2])];
  if (!(width > 0 && height > 0 && width + height < 1e6)) return undefined;
  const body = root![3]
    .replace(/(\sid="|url\(#|href="#)/g, `$1${id}-`)
    .replace(/(<style[^>]*>)([\s\S]*?)(<\/style>)/g, (_, open, css, close) => open + scoped(css, id) + close);
  return { width, height, content: element('g', { id }, body) };
}

/** Every rule for the inside of that element only. Flat style sheets, as charts have them. */
function scoped(css: string, id: string): string {
  const inside = (selectors: string) => selectors.split(',').map((each) => `#${id} ${each.trim()}`);
  return css.replace(/([^{}]+)\{/g, (_, selectors: string) => `${inside(selectors).join(',')}{`);
}
