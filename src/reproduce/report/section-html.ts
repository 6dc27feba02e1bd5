/** One experiment: what it is about, which claims hang on it, its figures, tables and files. */
import { type DrawnPanel, drawPanels, figurePrefix, heightOfRow, inRows } from '../../charts/draw.ts';
import type { Figure } from '../../charts/figure.ts';
import { drawSwatch, type LegendEntry, legendOf, SWATCH } from '../../charts/legend.ts';
import { escaped, element as tag } from '../../charts/svg.ts';
import type { Section, Table, VerdictRow } from './report.ts';
import { type Anchors, pill } from './verdict-table.ts';

interface Page {
  readonly takeId: (wanted: string) => string;
  readonly verdicts: readonly VerdictRow[];
  readonly claims: Anchors;
}

export function sectionHtml(section: Section, anchor: string, page: Page): string {
  const parts = [
    tag('h2', {}, escaped(section.title)),
    section.paper && tag('p', { class: 'paper' }, `Paper: ${escaped(section.paper)}`),
    claims(section, page),
    ...section.text.map((words) => tag('p', {}, escaped(words))),
    ...section.figures.map((figure) => figureHtml(figure, page.takeId(figurePrefix(figure.id)))),
    ...section.tables.map(tableHtml),
    files(section.files),
  ];
  return tag('section', { id: anchor }, `\n${parts.filter((part) => part !== '').join('\n')}\n`);
}

function claims(section: Section, { verdicts, claims }: Page): string {
  const items = verdicts
    .filter(({ experiments }) => experiments.includes(section.id))
    .map(({ id, claim, verdict }) => {
      const link = tag('a', { href: `#${claims.get(id)}` }, escaped(id));
      return tag('li', {}, pill(verdict), ' ', tag('span', {}, link, ` ${escaped(claim)}`));
    });
  return items.length === 0 ? '' : tag('ul', { class: 'decides' }, items.join(''));
}

function tableHtml({ title, columns, rows }: Table): string {
  const sides = columns.map((_, c) => (isNumeric(rows.map((row) => row[c])) ? 'number' : undefined));
  const head = columns.map((name, c) => tag('th', { scope: 'col', class: sides[c] }, escaped(name)));
  const body = rows.map((row) =>
    tag('tr', {}, columns.map((_, c) => tag('td', { class: sides[c] }, escaped(row[c] ?? ''))).join('')),
  );
  const parts = [
    tag('caption', {}, escaped(title)),
    tag('thead', {}, tag('tr', {}, head.join(''))),
    tag('tbody', {}, `\n${body.join('\n')}\n`),
  ];
  return tag('div', { class: 'scroll' }, tag('table', {}, ...parts));
}

/** Numbers stand on the right, one below the other. */
function isNumeric(cells: readonly (string | undefined)[]): boolean {
  const filled = cells.filter((cell): cell is string => cell !== undefined && /[^\s–—-]/.test(cell));
  return filled.length > 0 && filled.every((cell) => /^[\s<>≤≥≈~(]*[-−+±]?\.?\d/.test(cell));
}

/** Relative, and never anything but a file name: a colon in it starts no other protocol. */
function files(names: readonly string[]): string {
  if (names.length === 0) return '';
  const links = names.map((name) =>
    tag('a', { href: `./${name.split('/').map(quoted).join('/')}` }, escaped(name)),
  );
  return tag('p', { class: 'files' }, `Numbers: ${links.join(' · ')}`);
}

function quoted(part: string): string {
  return encodeURIComponent(part.replace(/\p{Cs}/gu, ''));
}

/**
 * What goes on one printed page: two rows of panels, which are made smaller there, but less of a single column, which is
 * not. What is higher may as well begin on the page before.
 */
const PAGE_HEIGHT = { 1: 570, 2: 700, 3: 700 } as const;

/**
 * Title and legend are HTML and each panel is an SVG of its own, so that on a narrow page the panels stand below each
 * other and stay legible.
 */
function figureHtml(figure: Figure, id: string): string {
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
