/**
 * Writes docs/results/<data>.md: all methods on one data set, tuned alike, over five seeds, beside `kindred train` without options.
 *
 *     npm run build && node scripts/results-pages.mjs --data <folder> --cache <folder> [--only har,rings] [--seeds 1,2,3,4,5] [--folds 3]
 *
 * <data> holds uci-har.csv.gz and parkinsons.csv.gz; the other data sets are generated. Every cell (data, method, seed) is a search on training rows and a training with its
 * choice. Finished cells are kept in cells.json in the cache folder: who is interrupted goes on from there, and pages are written from what there is.
 */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { makeHarLike } from '../dist/data/generate-har.js';
import { makeRegression } from '../dist/data/generate-regression.js';
import { makeRings } from '../dist/data/generate-rings.js';
import { autoSearch } from '../dist/methods/auto.js';
import { readTable } from '../dist/node/files/read-table.js';
import { trainOnThreads } from '../dist/node/threads/training-pool.js';
import { tuneOnThreads } from '../dist/node/threads/tuning-pool.js';
import { writePages } from './results-page.mjs';

const { values: flags } = parseArgs({
  options: {
    data: { type: 'string', default: '.' },
    cache: { type: 'string' },
    only: { type: 'string' },
    seeds: { type: 'string', default: '1,2,3,4,5' },
    folds: { type: 'string', default: '3' },
    threads: { type: 'string', default: '2' },
  },
});
if (flags.cache === undefined) {
  console.error(
    'usage: node scripts/results-pages.mjs --data <folder> --cache <folder> [--only a,b] [--seeds 1,2]',
  );
  process.exit(2);
}
const SEEDS = flags.seeds.split(',').map(Number);
const [FOLDS, THREADS] = [Number(flags.folds), Number(flags.threads)];
const TEST_FRACTION = 0.25;

const file = (name, columns) => () => readTable(join(flags.data, name), columns);
const DATA = {
  'uci-har-sitting': {
    title: 'Reconstructed UCI HAR: is this person sitting?',
    about: '30 people, 10,299 rows, 561 features; 17% of the rows are sitting',
    read: file('uci-har.csv.gz', { drop: ['activity'] }),
    words: 'uci-har.csv.gz --drop activity',
    metrics: ['balancedAccuracy', 'errorRate'],
  },
  'uci-har-activities': {
    title: 'Reconstructed UCI HAR: six activities',
    about: '30 people, 10,299 rows, 561 features, six classes, a head for each',
    read: file('uci-har.csv.gz', { label: 'activity', drop: ['y'] }),
    words: 'uci-har.csv.gz --label activity --drop y',
    metrics: ['errorRate', 'balancedAccuracy'],
  },
  parkinsons: {
    title: 'Parkinsons telemonitoring: total UPDRS',
    about:
      '42 people, 5,875 rows, 19 features; motor_updrs, which the total contains, is left out. Scores were interpolated between few visits and the time is a feature (x3): with rows split at random this is interpolation, at which random features are nearly exact',
    read: file('parkinsons.csv.gz', { drop: ['motor_updrs'] }),
    words: 'parkinsons.csv.gz --drop motor_updrs',
    metrics: ['rmse', 'r2'],
    map: 'rff:512',
  },
  har: {
    title: 'Generated HAR-like data',
    about:
      '20 people, 6,985 rows, 561 features; 17% of the rows are positive (`kindred data make har --out har.csv`)',
    read: () => makeHarLike({}),
    words: 'har.csv',
    metrics: ['balancedAccuracy', 'errorRate'],
  },
  regression: {
    title: 'Generated regression, diverse participants',
    about:
      '20 participants, 4,000 rows, 200 features (`kindred data make regression --heterogeneity diverse --out regression.csv`)',
    read: () => makeRegression({ heterogeneity: 'diverse' }),
    words: 'regression.csv',
    metrics: ['rmse', 'r2'],
  },
  rings: {
    title: 'Generated rings',
    about:
      '20 participants, 4,000 rows, 2 features: classes that no plane separates (`kindred data make rings --out rings.csv`)',
    read: () => makeRings({ participants: 20, rows: 200, seed: 1 }),
    words: 'rings.csv',
    metrics: ['errorRate', 'balancedAccuracy'],
    map: 'rff:512',
  },
};

/** What is compared. `search`: how C1, C2 and the like are found. */
function waysOf({ metrics, map }) {
  const isRegression = metrics.includes('rmse');
  return [
    { name: 'mtl', options: { method: 'mtl' }, search: 'halving' },
    ...(map ? [{ name: `mtl, ${map}`, options: { method: 'mtl', features: map }, search: 'halving' }] : []),
    { name: 'local', options: { method: 'local' }, search: 'halving' },
    { name: 'global', options: { method: 'global' }, search: 'halving' },
    ...(isRegression ? [] : [{ name: 'mocha', options: { method: 'mocha' }, search: 'halving' }]),
    { name: 'fedavg', options: { method: 'fedavg' }, search: 'halving' },
    { name: 'train without options', options: {}, search: 'auto' },
    ...(map ? [{ name: `train --features ${map}`, options: { features: map }, search: 'auto' }] : []),
    { name: 'train --no-auto', options: {}, search: 'none' },
  ];
}

async function measure(table, { options, search }, seed) {
  const given = { ...options, seed, testFraction: TEST_FRACTION };
  const before = process.cpuUsage();
  const found = await searched(table, given, search);
  const { user, system } = process.cpuUsage(before);
  const { mean, certificate } = await trainOnThreads(1, table, {
    ...given,
    ...found?.chosen,
  });
  const { c1, c2, lambda, scale, epsilon, classWeight } = found?.chosen ?? {};
  return {
    ...{
      mean,
      relativeGap: certificate?.relativeGap,
      chosen: { c1, c2, lambda, scale, epsilon, classWeight },
    },
    ...{ metric: found?.metric, trainings: found?.search.trainings ?? 0, cpuSeconds: (user + system) / 1e6 },
  };
}

function searched(table, given, search) {
  if (search === 'none') return undefined;
  const options = search === 'auto' ? autoSearch(given) : { ...given, search, folds: FOLDS };
  return tuneOnThreads(THREADS, table, options);
}

mkdirSync(flags.cache, { recursive: true });
const path = join(flags.cache, 'cells.json');
const cells = readCells();
const wanted = Object.entries(DATA).filter(([id]) => flags.only?.split(',').includes(id) ?? true);
const tables = new Map();
// Seed by seed: an interrupted run has compared all methods on the same rows.
for (const seed of SEEDS) {
  for (const [id, data] of wanted) {
    for (const way of waysOf(data)) {
      const key = `${id} | ${way.name} | ${seed} | ${way.search === 'halving' ? FOLDS : way.search}`;
      if (cells[key]) continue;
      if (!tables.has(id)) tables.set(id, await data.read());
      const started = performance.now();
      cells[key] = await measure(tables.get(id), way, seed);
      store();
      const { mean, cpuSeconds } = cells[key];
      const shown = data.metrics.map((name) => `${name} ${mean[name]?.toFixed(4)}`).join(', ');
      const seconds = ((performance.now() - started) / 1000).toFixed(1);
      console.log(`${key}: ${shown} (${seconds} s, ${cpuSeconds.toFixed(1)} s of CPU to search)`);
    }
  }
}
writePages(
  wanted.map(([id, data]) => ({ id, ...data, ways: waysOf(data) })),
  { cells, seeds: SEEDS, folds: FOLDS, testFraction: TEST_FRACTION },
);

function readCells() {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    if (error.code === 'ENOENT') return {};
    throw error;
  }
}

function store() {
  writeFileSync(`${path}.new`, JSON.stringify(cells));
  renameSync(`${path}.new`, path);
}
