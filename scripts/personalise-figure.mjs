/**
 * Draws docs/results/personalise.svg: what a few labelled rows are worth to people who were not there when w was trained.
 *
 *     npm run build && node scripts/personalise-figure.mjs uci-har.csv.gz --drop activity
 *
 * w is trained on the rows of the first 20 people. Each of the others labels 5 to 100 rows, drawn at random, and is tested on all the
 * rows that it did not label. The numbers go to docs/results/personalise.csv and, as a table, to the terminal.
 */
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { evaluate, personalise, readTable, train } from 'kindred';
import { stream } from '../dist/base/random.js';
import { drawFigure } from '../dist/charts/draw.js';
import { COLOURS } from '../dist/charts/figure.js';
import { featuresOf, rowsByParticipant } from '../dist/data/participants.js';
import { estimate } from '../dist/reproduce/statistics.js';

const TRAINED = 20;
const LABELLED = [5, 10, 20, 50, 100];
const DRAWS = 5;
const [C1, C2] = [10, 1];
const WAYS = [
  { name: 'personalised', colour: COLOURS.mtl },
  { name: 'w alone', colour: COLOURS.global },
  { name: 'own rows alone', colour: COLOURS.local },
];

const table = await read();
const groups = rowsByParticipant(table);
const { model } = train(rowsOf(groups.slice(0, TRAINED).flatMap((rows) => [...rows])), {
  c1: C1,
  c2: C2,
  testFraction: 0,
});
// For w = 0 the best personal part is a person's own SVM, in the same scaling.
const nobody = { ...model, w: new Float64Array(model.w.length), personal: new Map() };
const shared = { ...model, personal: new Map() };
const newcomers = table.participants.slice(TRAINED);
const results = LABELLED.map(measure);
const folder = new URL('../docs/results/', import.meta.url);
writeFileSync(new URL('personalise.svg', folder), drawFigure(figureOf(results)));
writeFileSync(new URL('personalise.csv', folder), csvOf(results));
printTable(results);

async function read() {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: { drop: { type: 'string' } },
  });
  if (positionals.length !== 1) {
    console.error('usage: node scripts/personalise-figure.mjs <data.csv or .csv.gz> [--drop a,b]');
    process.exit(2);
  }
  const [path] = positionals;
  return readTable(path, { drop: values.drop?.split(',') ?? [] });
}

/** Mean error over the newcomers, by way, and how often somebody is served worse than by w alone. */
function measure(labelled) {
  const draws = Array.from({ length: DRAWS }, (_, draw) => {
    const orders = newcomers.map((id, k) => shuffled(groups[TRAINED + k], draw + 1, id));
    const own = rowsOf(orders.flatMap((order) => [...order.slice(0, labelled)]));
    const rest = rowsOf(orders.flatMap((order) => [...order.slice(labelled)]));
    const models = [personalise(model, own).model, shared, personalise(nobody, own).model];
    return models.map((used) => evaluate(used, rest).participants.map(({ errorRate }) => 100 * errorRate));
  });
  const mean = (values) => estimate(values).mean;
  const worse = draws.map(([mine, ofShared]) => mean(mine.map((error, k) => Number(error > ofShared[k]))));
  return {
    rows: labelled,
    ways: WAYS.map((_, way) => estimate(draws.map((errors) => mean(errors[way])))),
    worse: 100 * mean(worse),
  };
}

/** Fewer labels are the first of more: the curve compares amounts, not draws. */
function shuffled(rows, seed, participant) {
  const order = rows.slice();
  stream(seed, 'labelled rows', 0, participant).shuffle(order);
  return order;
}

function rowsOf(rows) {
  const present = [...new Set(rows.map((i) => table.participantOf[i]))].sort((a, b) => a - b);
  return {
    ...table,
    n: rows.length,
    x: featuresOf(table, rows),
    participants: present.map((k) => table.participants[k]),
    participantOf: Uint32Array.from(rows, (i) => present.indexOf(table.participantOf[i])),
    targets: rows.map((i) => table.targets[i]),
    lines: undefined,
  };
}

function figureOf(all) {
  const panel = (title, ways) => ({
    kind: 'bars',
    title,
    y: { title: 'error on rows they did not label, %', scale: 'linear', low: 0 },
    groups: all.map((result) => ({
      name: `${result.rows} rows`,
      bars: ways.map((way) => {
        const { mean, low, high } = result.ways[way];
        return { name: WAYS[way].name, colour: WAYS[way].colour, value: mean, low, high };
      }),
    })),
  });
  return {
    id: 'personalise',
    title: `What labelled rows are worth to ${newcomers.length} newcomers`,
    caption:
      'Personalising w pays from 20 labelled rows on. Without w, 100 labelled rows do about as well as w with none.',
    columns: 2,
    spread: `whisker: 95% interval of the mean over ${DRAWS} draws of the labelled rows`,
    panels: [panel('all three', [0, 1, 2]), panel('a closer look at the two with w', [0, 1])],
  };
}

function csvOf(all) {
  const lines = all.flatMap(({ rows, ways }) =>
    ways.map(({ mean, low, high }, way) =>
      [rows, WAYS[way].name, ...[mean, low, high].map(digits)].join(','),
    ),
  );
  return ['labelled rows,model,mean error %,low,high', ...lines].map((line) => `${line}\n`).join('');
}

function digits(value) {
  return value.toFixed(3);
}

function printTable(all) {
  const columns = ['labelled rows', ...WAYS.map(({ name }) => name), 'people served worse than by w alone'];
  console.log(`| ${columns.join(' | ')} |`);
  console.log(`| ${columns.map(() => '---').join(' | ')} |`);
  for (const { rows, ways, worse } of all) {
    const errors = ways.map(
      ({ mean, low, high }) => `${mean.toFixed(1)}% [${low.toFixed(1)}, ${high.toFixed(1)}]`,
    );
    console.log(`| ${[rows, ...errors, `${worse.toFixed(0)}%`].join(' | ')} |`);
  }
}
