import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { reportHtml } from '../../src/reproduce/report/html.ts';
import { verdictMarkdown } from '../../src/reproduce/report/markdown.ts';
import type { Report } from '../../src/reproduce/report/report.ts';
import { badNumbers, fault, idsOf, targetsOf } from '../charts/markup.ts';
import { anyFigure, chart, figureOf, linePanel } from '../charts/samples.ts';

const nasty = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.constantFrom('a|b', '<i>&"', 'x\ny', '', '../a b.csv', 'javascript:alert(1)', '</style><script>'),
);
const row = fc.record({
  id: nasty,
  section: nasty,
  claim: nasty,
  rule: nasty,
  measured: fc.array(nasty, { maxLength: 3 }),
  confidence: nasty,
  verdict: fc.constantFrom('holds' as const, 'holds in part' as const, 'does not hold' as const),
  experiments: fc.array(nasty, { maxLength: 3 }),
  note: fc.option(nasty, { nil: undefined }),
});
const table = fc.record({
  title: nasty,
  columns: fc.array(nasty, { maxLength: 3 }),
  rows: fc.array(fc.array(nasty, { maxLength: 4 }), { maxLength: 3 }),
});
const section = fc.record({
  id: nasty,
  title: nasty,
  paper: nasty,
  text: fc.array(nasty, { maxLength: 2 }),
  figures: fc.array(anyFigure, { maxLength: 2 }),
  tables: fc.array(table, { maxLength: 2 }),
  files: fc.array(nasty, { maxLength: 2 }),
});
const anyReport: fc.Arbitrary<Report> = fc.record({
  title: nasty,
  subtitle: nasty,
  command: nasty,
  facts: fc.array(fc.tuple(nasty, nasty), { maxLength: 3 }),
  verdicts: fc.array(row, { maxLength: 4 }),
  sections: fc.array(section, { maxLength: 3 }),
});

const verdict = {
  id: 'C1',
  section: '7.1',
  claim: 'a < b & "c"',
  rule: 'p | q',
  measured: ['0.9'],
  confidence: '95%',
  verdict: 'holds',
  experiments: ['first', 'absent'],
} as const;

function report(more: Partial<Report> = {}): Report {
  const figure = figureOf(linePanel([{ points: [{ x: 0, y: 1 }] }]), {
    kind: 'svg',
    title: '',
    svg: chart(),
  });
  const one = {
    title: 'One',
    paper: '7.1',
    text: ['words'],
    figures: [figure],
    tables: [],
    files: ['a b#c.csv'],
  };
  const sections = ['first', 'second'].map((id) => ({ ...one, id }));
  return { title: 'T', subtitle: 'S', command: 'run', facts: [], verdicts: [verdict], sections, ...more };
}

describe('the page', () => {
  test('of any report is well formed, has each id once, points only at ids it has, the same each time', () => {
    fc.assert(
      fc.property(anyReport, (any) => {
        const html = reportHtml(any);
        expect(fault(html)).toBeUndefined();
        expect(badNumbers(html)).toEqual([]);
        const ids = idsOf(html);
        expect(new Set(ids).size).toBe(ids.length);
        for (const target of targetsOf(html)) expect(ids).toContain(target);
        expect(reportHtml(structuredClone(any))).toBe(html);
      }),
      { numRuns: 200 },
    );
  });

  test('needs no script and nothing from elsewhere, whatever is in it', () => {
    fc.assert(
      fc.property(anyReport, (any) => {
        const html = reportHtml(any);
        expect(html).not.toMatch(/<script|<link|<img|<iframe|@import|\ssrc=/i);
        for (const [, href] of html.matchAll(/\shref="([^"]*)"/g)) expect(href).toMatch(/^(#|\.\/)/);
      }),
    );
  });

  test('shows the count and the verdicts before everything else', () => {
    const html = reportHtml(report());
    const places = [
      '1 claim: 1 hold, 0 hold in part, 0 do not hold',
      'class="verdicts"',
      '<nav',
      '<section',
    ].map((each) => html.indexOf(each));
    expect(places).not.toContain(-1);
    expect(places).toEqual([...places].sort((a, b) => a - b));
  });

  test('links a verdict to its sections and back, and only names a section that is not there', () => {
    const html = reportHtml(report());
    expect(html).toContain('<a href="#section-first">first</a>, absent');
    expect(html.match(/href="#claim-C1"/g)).toHaveLength(1);
    expect(html).toContain('<span aria-hidden="true">✓</span> holds');
  });

  test('gives two figures of the same name different ids', () => {
    const ids = idsOf(reportHtml(report())).filter((id) => id.startsWith('figure-'));
    expect(ids.slice(0, 4)).toEqual(['figure-f', 'figure-f_p1', 'figure-f_p2', 'figure-f_p2-m']);
    expect(ids.slice(4)).toEqual(ids.slice(0, 4).map((id) => id.replace('figure-f', 'figure-f_n2')));
  });

  test('quotes file names, sets numbers on the right and escapes all words', () => {
    const table = {
      title: 'N',
      columns: ['who', 'much'],
      rows: [
        ['a<', '−0.5'],
        ['b', '3 ± 1'],
      ],
    };
    const [first] = report().sections;
    const html = reportHtml(report({ sections: [{ ...first, tables: [table] }] }));
    expect(html).toContain('href="./a%20b%23c.csv"');
    expect(html).toContain('<td class="number">−0.5</td>');
    expect(html).toContain('<td>a&lt;</td>');
    expect(html).toContain('a &lt; b &amp; &quot;c&quot;');
  });
});

describe('the Markdown table', () => {
  test('has one line for each verdict and as many cells in each, whatever is in them', () => {
    fc.assert(
      fc.property(fc.array(row, { maxLength: 5 }), (rows) => {
        const lines = verdictMarkdown(rows).trimEnd().split('\n').slice(2);
        expect(lines).toHaveLength(rows.length + 2);
        // A backslash takes the next letter with it: what remains are the borders.
        for (const line of lines) expect(line.replace(/\\./gu, '').match(/\|/g)).toHaveLength(8);
      }),
    );
  });

  test('escapes pipes and tags', () => {
    expect(verdictMarkdown([verdict])).toContain('| a &lt; b &amp; "c" | p \\| q |');
  });
});
