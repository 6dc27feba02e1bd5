/**
 * Puts the outcome of `kindred reproduce` into docs/results/: figures, and a page with verdicts, captions and numbers.
 *
 *   node scripts/results.mjs <folder of reproduce> <name> "<what the data are>"
 */
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const [from, name, about] = process.argv.slice(2);
if (!about) {
  console.error('usage: node scripts/results.mjs <folder of reproduce> <name> "<what the data are>"');
  process.exit(2);
}
const to = fileURLToPath(new URL(`../docs/results/${name}`, import.meta.url));
rmSync(to, { recursive: true, force: true });
mkdirSync(join(to, 'figures'), { recursive: true });
for (const file of readdirSync(join(from, 'figures')))
  copyFileSync(join(from, 'figures', file), join(to, 'figures', file));

const ORDER = [
  'cls-all',
  'cls-stragglers',
  'cls-hardware',
  'reg-same',
  'reg-data',
  'reg-both',
  'mask-bernoulli',
  'mask-beta',
  'data-deficit',
  'newcomer',
  'timing',
  'complexity',
  'sequence',
  'masking-geometry',
  'loss',
];
const sections = ORDER.map((id) => JSON.parse(readFileSync(join(from, 'data', `${id}.json`), 'utf8')));
const cell = (text) => String(text).replaceAll('|', '\\|').replaceAll('\n', '<br>');
const tableText = ({ title, columns, rows }) =>
  [
    `**${title}**`,
    '',
    `| ${columns.map(cell).join(' | ')} |`,
    `|${' --- |'.repeat(columns.length)}`,
    ...rows.map((row) => `| ${row.map(cell).join(' | ')} |`),
    '',
  ].join('\n');
const page = [
  `# The paper on ${about}`,
  '',
  `    ${sections[0].command.replace('node bin/kindred.js', 'kindred')}`,
  '',
  'Written by the program (`scripts/results.mjs`), not by hand.',
  '',
  readFileSync(join(from, 'verdicts.md'), 'utf8').trim(),
  '',
  ...sections.flatMap(({ title, figures, tables }) => [
    `## ${title}`,
    '',
    ...figures.flatMap(({ id, title: words, caption }) => [
      `![${words}](figures/${id}.svg)`,
      '',
      `*${caption}*`,
      '',
    ]),
    ...tables.map(tableText),
  ]),
];
writeFileSync(join(to, 'README.md'), `${page.join('\n').trim()}\n`);
