/** A whole report as one page: no scripts, nothing loaded, so that it can be mailed, archived and printed. */
import { CHART_STYLE } from '../../charts/style.ts';
import { escaped, idOf, printable, element as tag } from '../../charts/svg.ts';
import { countLine, type Report } from './report.ts';
import { sectionHtml } from './section-html.ts';
import { PAGE_STYLE } from './style.ts';
import { type Anchors, verdictTable } from './verdict-table.ts';

export function reportHtml(report: Report): string {
  const takeId = uniqueIds();
  const anchors = report.sections.map(({ id }) => takeId(`section-${idOf(id)}`));
  const sections = new Map(report.sections.map(({ id }, s) => [id, anchors[s]]));
  const claims = new Map(report.verdicts.map(({ id }) => [id, takeId(`claim-${idOf(id)}`)]));
  const page = { takeId, verdicts: report.verdicts, claims };
  const body = [
    tag('h1', {}, escaped(report.title)),
    report.subtitle && tag('p', { class: 'subtitle' }, escaped(report.subtitle)),
    ...verdicts(report, claims, sections),
    contents(report, anchors),
    origin(report),
    ...report.sections.map((section, s) => sectionHtml(section, anchors[s], page)),
  ];
  return printable(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8" />
<meta name="viewport" content="width=device-width, initial-scale=1" />
<title>${escaped(report.title)}</title>
<style>${PAGE_STYLE}${CHART_STYLE}</style>
</head>
<body>
<main>
${body.filter((part) => part !== '').join('\n')}
</main>
</body>
</html>
`);
}

/** Ids that no other element of the page has: the second of a name gets a number. */
function uniqueIds() {
  const taken = new Set<string>();
  return (wanted: string): string => {
    let id = wanted;
    for (let n = 2; taken.has(id); n++) id = `${wanted}_n${n}`;
    taken.add(id);
    return id;
  };
}

function verdicts(report: Report, claims: Anchors, sections: Anchors): string[] {
  if (report.verdicts.length === 0) return [];
  return [
    tag('p', { class: 'count' }, `${escaped(countLine(report.verdicts))}.`),
    verdictTable(report.verdicts, claims, sections),
  ];
}

function contents({ sections }: Report, anchors: readonly string[]): string {
  if (sections.length < 2) return '';
  const items = sections.map(({ title, paper }, s) => {
    const place = paper && tag('span', { class: 'aside' }, ` ${escaped(paper)}`);
    return tag('li', {}, tag('a', { href: `#${anchors[s]}` }, escaped(title)), place);
  });
  const list = tag('ol', {}, items.join(''));
  return tag('nav', { 'aria-label': 'Contents' }, tag('h2', {}, 'Experiments'), list);
}

/** What it takes to get the same numbers again. */
function origin({ command, facts }: Report): string {
  if (command === '' && facts.length === 0) return '';
  const list = facts.map(([name, value]) =>
    tag('div', {}, tag('dt', {}, escaped(name)), tag('dd', {}, escaped(value))),
  );
  const again = command && tag('pre', {}, tag('code', {}, escaped(command)));
  const parts = [tag('h2', {}, 'How this report was made'), again, tag('dl', {}, list.join(''))];
  return tag('div', { class: 'origin' }, ...parts);
}
