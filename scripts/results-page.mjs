/** Pages and figures of scripts/results-pages.mjs, from its cells. */
import { writeFileSync } from 'node:fs';
import { drawFigure } from '../dist/charts/draw.js';
import { COLOURS } from '../dist/charts/figure.js';

const FOLDER = new URL('../docs/results/', import.meta.url);
const NAMES = { errorRate: 'error, %', balancedAccuracy: 'balanced accuracy', rmse: 'RMSE', r2: 'R2' };
const FORMAT = {
  errorRate: (value) => (100 * value).toFixed(2),
  balancedAccuracy: (value) => value.toFixed(4),
  rmse: (value) => value.toFixed(4),
  r2: (value) => value.toFixed(4),
};
const SEEDS = 5;
const LESS_IS_BETTER = ['errorRate', 'rmse'];
const COLOUR_OF = { mtl: COLOURS.mtl, local: COLOURS.local, global: COLOURS.global, mocha: COLOURS.mocha };

/** `run`: cells, seeds, folds, testFraction. Data sets of which a cell is missing are left out. */
export function writePages(all, run) {
  for (const data of all) {
    const rows = data.ways.map((way) => ({
      way,
      cells: run.seeds.map((seed) => cellOf(data, way, seed, run)),
    }));
    if (rows.some(({ cells }) => cells.includes(undefined))) continue;
    writeFileSync(new URL(`${data.id}.md`, FOLDER), pageOf(data, rows, run));
    writeFileSync(new URL(`${data.id}.svg`, FOLDER), drawFigure(figureOf(data, rows, run)));
    console.log(`wrote docs/results/${data.id}.md`);
  }
}

function cellOf({ id }, { name, search }, seed, { cells, folds }) {
  return cells[`${id} | ${name} | ${seed} | ${search === 'halving' ? folds : search}`];
}

function pageOf(data, rows, run) {
  const [first, second] = data.metrics;
  return `${[
    `# ${data.title}`,
    `${data.about}. A quarter of everybody's rows for testing, seeds ${run.seeds.join(', ')}${fewer(run)}. Every method was tuned by the same search on training rows alone (\`kindred tune\`, ${run.folds} folds, at most ${run.rounds} rounds in every training), then trained with the choice. Written by \`scripts/results-pages.mjs\`, not by hand.`,
    `![${NAMES[first]} by method](${data.id}.svg)`,
    `## ${capital(NAMES[first])}`,
    seedTable(first, rows, run),
    differencesText(first, rows),
    `## ${capital(NAMES[second])}`,
    seedTable(second, rows, run),
    '## What was chosen',
    choiceTable(rows, run),
    '## Commands',
    commands(data, run),
  ].join('\n\n')}\n`;
}

function seedTable(metric, rows, { seeds }) {
  const lines = rows.map(({ way, cells }) => {
    const values = cells.map(({ mean }) => mean[metric]);
    const { mean, error } = estimate(values);
    return [
      `\`${way.name}\``,
      ...values.map(FORMAT[metric]),
      `**${FORMAT[metric](mean)}**`,
      FORMAT[metric](error),
    ];
  });
  return table([NAMES[metric], ...seeds.map((seed) => `seed ${seed}`), 'mean', 'standard error'], lines);
}

/** Plain `train` against the tuned mtl, seed by seed. */
function differencesText(metric, rows) {
  const valuesOf = (name) => rows.find(({ way }) => way.name === name).cells.map(({ mean }) => mean[metric]);
  const [plain, tuned] = [valuesOf('train without options'), valuesOf('mtl')];
  const sign = LESS_IS_BETTER.includes(metric) ? 1 : -1;
  const { mean, error } = estimate(plain.map((value, i) => sign * (value - tuned[i])));
  const [size, spread] = [Math.abs(mean), error].map(FORMAT[metric]);
  return `\`kindred train\` without options against the tuned \`mtl\`, paired by seed: ${size} ${mean > 0 ? 'worse' : 'better'} on average, standard error ${spread}.`;
}

function choiceTable(rows, { seeds }) {
  const lines = rows
    .filter(({ way }) => way.search !== 'none')
    .map(({ way, cells }) => [
      `\`${way.name}\``,
      ...cells.map(({ chosen }) => choiceText(chosen)),
      String(Math.round(estimate(cells.map(({ trainings }) => trainings)).mean)),
      estimate(cells.map(({ cpuSeconds }) => cpuSeconds)).mean.toFixed(1),
    ]);
  return table(['', ...seeds.map((seed) => `seed ${seed}`), 'trainings', 'CPU seconds'], lines);
}

function choiceText({ c1, c2, lambda, scale, epsilon, classWeight }) {
  const numbers = [c1, c2, lambda].filter((value) => value !== undefined).join(', ');
  const rest = [scale, epsilon, classWeight === 'balanced' ? classWeight : undefined];
  return [numbers, ...rest.filter((value) => value !== undefined)].join('; ');
}

function commands({ words, ways }, { folds, rounds, testFraction }) {
  const split = `--test-fraction ${testFraction} --seed 1`;
  return [
    ...ways.flatMap(({ options: { method, features }, search }) => {
      const map = features === undefined ? '' : ` --features ${features}`;
      if (search === 'none') return [`    kindred train ${words} --no-auto ${split}`];
      if (search === 'auto') return [`    kindred train ${words}${map} ${split}`];
      return [
        `    kindred tune ${words} --method ${method}${map} --folds ${folds} --rounds ${rounds} ${split}`,
      ];
    }),
    '',
    'The last line that `tune` prints is the training with its choice; here it was done without `--rounds`. Choices are C1, C2 (or lambda); scaling; epsilon or class weight.',
  ].join('\n');
}

function figureOf(data, rows, { seeds }) {
  const [metric] = data.metrics;
  const factor = metric === 'errorRate' ? 100 : 1;
  return {
    id: data.id,
    title: data.title,
    caption: `All methods tuned alike; ${seeds.length} seeds.`,
    columns: 1,
    spread: `whisker: standard error over ${seeds.length} seeds`,
    panels: [
      {
        kind: 'bars',
        title: '',
        y: { title: NAMES[metric], scale: scaleFor(rows.map(({ cells }) => cells[0].mean[metric])) },
        groups: rows.map(({ way, cells }) => {
          const { mean, error } = estimate(cells.map((cell) => factor * cell.mean[metric]));
          const colour = COLOUR_OF[way.options.method ?? 'mtl'] ?? COLOURS.paper;
          const bar = { name: way.name, colour, value: mean, low: mean - error, high: mean + error };
          return { name: way.name, bars: [bar] };
        }),
      },
    ],
  };
}

/** What a page says about fewer seeds than the others have. */
function fewer({ seeds }) {
  return seeds.length < SEEDS ? ` (not ${SEEDS} as on the other pages, to save time)` : '';
}

/** Values that differ much are seen on a logarithmic scale alone. */
function scaleFor(values) {
  return Math.min(...values) > 0 && Math.max(...values) > 5 * Math.min(...values) ? 'log' : 'linear';
}

function estimate(values) {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return { mean, error: Math.sqrt(squares / Math.max(1, values.length - 1) / values.length) };
}

function table(titles, rows) {
  return [titles, titles.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');
}

function capital(text) {
  return text[0].toUpperCase() + text.slice(1);
}
