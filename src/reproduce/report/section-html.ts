/** One experiment: what it is about, which claims hang on it, its figures, tables and files. */
import { escaped, element as tag } from '../../charts/svg.ts';
import { figureHtml } from './figure-html.ts';
import type { Ids } from './ids.ts';
import type { Section, Table, VerdictRow } from './report.ts';
import { type Anchors, pill } from './verdict-table.ts';

interface Page {
  readonly ids: Ids;
  readonly sections: Anchors;
  readonly verdicts: readonly VerdictRow[];
  readonly claims: Anchors;
}

export function sectionHtml(section: Section, anchor: string, page: Page): string {
  const parts = [
    tag('h2', {}, escaped(section.title)),
    section.paper && tag('p', { class: 'paper' }, `Paper: ${escaped(section.paper)}`),
    claims(section, page),
    ...section.text.map((words) => tag('p', {}, escaped(words))),
    ...section.figures.map((figure) => figureHtml(figure, page.ids)),
    ...section.tables.map(tableHtml),
    files(section.files),
  ];
  return tag('section', { id: anchor }, `\n${parts.filter((part) => part !== '').join('\n')}\n`);
}

function claims(section: Section, { verdicts, claims }: Page): string {
  const items = verdicts
    .filter(({ experiments }) => experiments.includes(section.id))
    .map(({ id, claim, verdict }) =>
      tag(
        'li',
        {},
        pill(verdict),
        ' ',
        tag('span', {}, tag('a', { href: `#${claims.get(id)}` }, escaped(id)), ` ${escaped(claim)}`),
      ),
    );
  return items.length === 0 ? '' : tag('ul', { class: 'decides' }, items.join(''));
}

function tableHtml({ title, columns, rows }: Table): string {
  const sides = columns.map((_, c) => (isNumeric(rows.map((row) => row[c])) ? 'number' : undefined));
  const head = columns.map((name, c) => tag('th', { scope: 'col', class: sides[c] }, escaped(name)));
  const body = rows.map((row) =>
    tag('tr', {}, columns.map((_, c) => tag('td', { class: sides[c] }, escaped(row[c] ?? ''))).join('')),
  );
  const table = tag(
    'table',
    {},
    tag('caption', {}, escaped(title)),
    tag('thead', {}, tag('tr', {}, head.join(''))),
    tag('tbody', {}, `\n${body.join('\n')}\n`),
  );
  return tag('div', { class: 'scroll' }, table);
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
