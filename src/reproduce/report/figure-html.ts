/**
 * A figure inside a page: title and legend are HTML and each panel is an SVG of its own, so that on a narrow page the
 * panels stand below each other and stay legible.
 */
import { type DrawnPanel, drawPanels, figurePrefix, heightOfRow, inRows } from '../../charts/draw.ts';
import type { Figure } from '../../charts/figure.ts';
import { drawSwatch, type LegendEntry, legendOf, SWATCH } from '../../charts/legend.ts';
import { escaped, element as tag } from '../../charts/svg.ts';
import type { Ids } from './ids.ts';

/**
 * What goes on one printed page: two rows of panels, which are made smaller there, but less of a single column, which is
 * not. What is higher may as well begin on the page before.
 */
const PAGE_HEIGHT = { 1: 570, 2: 700, 3: 700 } as const;

export function figureHtml(figure: Figure, ids: Ids): string {
  const id = ids.take(figurePrefix(figure.id));
  const panels = drawPanels(figure, id);
  const legend = legendOf(figure).map(legendItem).join('');
  const rows = inRows(panels, figure.columns);
  const height = rows.reduce((sum, row) => sum + heightOfRow(row), 0);
  const caption = [
    escaped(figure.caption),
    figure.spread && tag('span', { class: 'spread' }, escaped(sentence(figure.spread))),
  ];
  return tag(
    'figure',
    { id, class: height > PAGE_HEIGHT[figure.columns] ? 'long' : undefined },
    tag('div', { class: 'figure-title' }, escaped(figure.title)),
    legend === '' ? '' : tag('ul', { class: 'legend' }, legend),
    tag(
      'div',
      { class: `panels columns-${figure.columns}${rows.length > 1 ? ' rows' : ''}` },
      `\n${panels.map(panelSvg).join('\n')}\n`,
    ),
    tag('figcaption', {}, caption.filter((part) => part).join(' ')),
  );
}

function panelSvg({ kind, title, width, height, content }: DrawnPanel): string {
  const size = { width, height, viewBox: `0 0 ${width} ${height}` };
  const svg = tag('svg', { ...size, role: 'img', 'aria-label': title || 'chart' }, `\n${content}\n`);
  return tag('div', { class: kind === 'svg' ? 'panel finished' : 'panel' }, svg);
}

function legendItem(entry: LegendEntry): string {
  const swatch = tag('svg', { ...SWATCH, 'aria-hidden': 'true' }, drawSwatch(entry, 0, SWATCH.height / 2));
  return tag('li', {}, swatch, escaped(entry.name));
}

function sentence(words: string): string {
  const whole = words.charAt(0).toUpperCase() + words.slice(1);
  return /[.!?]$/.test(whole) ? whole : `${whole}.`;
}
