/** The first thing a reader sees: each claim, what was measured, the verdict. */
import { escaped, element as tag } from '../../charts/svg.ts';
import { SIGNS, type Verdict, type VerdictRow } from './report.ts';

/** Where a section or a verdict stands in the page, by its id. */
export type Anchors = ReadonlyMap<string, string>;

const COLUMNS = ['Claim of the paper', 'Holds if', 'Measured', 'Verdict'] as const;
const KINDS: Readonly<Record<Verdict, string>> = {
  holds: 'yes',
  'holds in part': 'part',
  'does not hold': 'no',
};

export function pill(verdict: Verdict): string {
  const sign = tag('span', { 'aria-hidden': 'true' }, SIGNS[verdict]);
  return tag('span', { class: `pill ${KINDS[verdict]}` }, sign, ` ${escaped(verdict)}`);
}

export function verdictTable(verdicts: readonly VerdictRow[], own: Anchors, sections: Anchors): string {
  const head = COLUMNS.map((name) => tag('th', { scope: 'col' }, escaped(name))).join('');
  // Rows of the same id would share an anchor: the last one has it.
  const last = new Map(verdicts.map((row) => [row.id, row]));
  const rows = verdicts.map((row) =>
    tag(
      'tr',
      { id: last.get(row.id) === row ? own.get(row.id) : undefined },
      cell('', claim(row)),
      cell(COLUMNS[1], escaped(row.rule)),
      cell(COLUMNS[2], measured(row)),
      cell('', pill(row.verdict), links(row, sections)),
    ),
  );
  const widths = ['c1', 'c2', 'c3', 'c4'].map((name) => `<col class="${name}" />`).join('');
  return tag(
    'table',
    { class: 'verdicts' },
    tag('colgroup', {}, widths),
    tag('thead', {}, tag('tr', {}, head)),
    tag('tbody', {}, `\n${rows.join('\n')}\n`),
  );
}

/** On a narrow page the head row is gone, and each cell names its column. */
function cell(name: string, ...content: string[]): string {
  return tag('td', { 'data-name': name || undefined }, ...content);
}

function claim(row: VerdictRow): string {
  return [
    tag('div', { class: 'claim' }, tag('b', {}, escaped(row.id)), ` ${escaped(row.claim)}`),
    tag('div', { class: 'aside' }, escaped(row.section)),
  ].join('');
}

function measured(row: VerdictRow): string {
  return [
    ...row.measured.map((part) => tag('div', {}, escaped(part))),
    row.confidence && tag('div', { class: 'aside' }, escaped(row.confidence)),
    row.note && tag('div', { class: 'note' }, escaped(row.note)),
  ].join('');
}

function links({ experiments }: VerdictRow, sections: Anchors): string {
  const list = experiments.map((name) => {
    const anchor = sections.get(name);
    return anchor ? tag('a', { href: `#${anchor}` }, escaped(name)) : escaped(name);
  });
  return list.length === 0 ? '' : tag('div', { class: 'aside' }, list.join(', '));
}
