import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { wordsOf } from '../helpers/shell.ts';
import { smallHar, smallRegression, tableOf } from '../helpers/tables.ts';
import { csvOf, run, runJson, Sandbox } from './helpers.ts';

const sandbox = new Sandbox();
const data = sandbox.write('har.csv', csvOf(smallHar(2, 3, 30)));
const QUICK = ['--c1', '1', '--c2', '1', '--scale', 'standard', '--folds', '2'];

test('tune prints one JSON document with the table and the choice', async () => {
  const { code, stdout } = await run([
    'tune',
    data,
    ...QUICK,
    '--c1',
    '1,10',
    '--class-weight',
    'none',
    '--json',
  ]);
  expect(code).toBe(0);
  const result = JSON.parse(stdout);
  expect(result.table.length).toBe(2);
  expect(result.best).toEqual(result.table[0]);
  expect(result.folds).toBe(2);
  expect(result.search).toEqual({ kind: 'halving', trainings: 4, widened: 0 });
});

test.each([
  [['--c1', '1,x'], /--c1: expected numbers above 0/],
  [['--epsilon', '-1'], /--epsilon: expected numbers of at least 0/],
  [['--class-weight', 'even'], /--class-weight: expected one of none, balanced, got even/],
  [['--scale', 'log'], /--scale: expected one of standard, center, none, got log/],
  [['--folds', '1'], /--folds: expected a whole number from 2 to 100, got 1/],
  [['--metric', 'f1'], /--metric: expected one of/],
  [['--search', 'random'], /--search: expected one of halving, grid, quick, got random/],
])('tune refuses %j with one sentence', async (options, sentence) => {
  const { code, stdout, stderr } = await run(['tune', data, ...options]);
  expect(code).toBe(2);
  expect(stdout).toBe('');
  expect(stderr).toMatch(sentence);
  expect(stderr.trim().split('\n').length).toBe(1);
});

/** What it prints at the end, run as a shell would. */
async function runNext(argv: readonly string[]) {
  const { code, stdout, stderr } = await run(argv);
  expect(code, stderr).toBe(0);
  const [, line] = /^Next +kindred (.*)$/m.exec(stdout)!;
  const words = wordsOf(line);
  return { words, trained: await runJson(...words) };
}

describe('the command that tune ends with', () => {
  /** Columns under other names, and one that gives the target away. */
  const table = smallHar(3, 4, 30);
  const [header, ...rows] = csvOf(table).trim().split('\n');
  const names = header.split(',').map((name) => ({ task: 'who', y: 'is sitting' })[name] ?? name);
  const at = header.split(',').indexOf('y');
  const leaky = [
    [...names, "the answer's copy"].join(','),
    ...rows.map((row) => `${row},${row.split(',')[at]}`),
  ].join('\n');
  const path = sandbox.write("some one's data.csv", `${leaky}\n`);
  const columns = ['--task', 'who', '--label', 'is sitting', '--drop', "the answer's copy"];

  test('trains on the same columns, objective, loss and split, with the choice', async () => {
    const settings = [
      '--positive',
      '1',
      '--class-weight',
      'balanced',
      '--no-bias',
      '--loss',
      'squared-hinge',
    ];
    const run = ['--seed', '5', '--test-fraction', '0.2', '--participants', '3', '--train-rows', '15'];
    const { trained } = await runNext([
      'tune',
      path,
      ...columns,
      ...settings,
      ...run,
      ...QUICK,
      '--c2',
      '0.3',
    ]);
    expect(trained.options).toMatchObject({
      ...{ method: 'mtl', objective: 'classification', loss: 'squared-hinge', positive: '1' },
      ...{ task: 'who', label: 'is sitting', drop: ["the answer's copy"] },
      ...{ c1: 1, c2: 0.3, scale: 'standard', classWeight: 'balanced', bias: false },
      ...{ seed: 5, testFraction: 0.2, participants: 3, trainRows: 15, gap: 1e-3 },
    });
    expect(trained.participants.length).toBe(3);
    // Without --drop the error would be 0: the column says it all.
    const direct = [...columns, ...settings, ...run, '--c1', '1', '--c2', '0.3'];
    expect(trained.mean).toEqual((await runJson('train', path, '--no-auto', ...direct)).mean);
  });

  test('has the objective and the epsilon of a regression', async () => {
    const file = sandbox.write('r.csv', csvOf(smallRegression()));
    const given = ['--objective', 'regression', '--epsilon', '0.01,0.4', '--method', 'global'];
    const { words, trained } = await runNext([
      'tune',
      file,
      ...given,
      '--c1',
      '1',
      '--scale',
      'center',
      '--folds',
      '2',
    ]);
    const chosen = Number(words[words.indexOf('--epsilon') + 1]);
    expect([0.01, 0.4]).toContain(chosen);
    expect(trained.options).toMatchObject({
      objective: 'regression',
      method: 'global',
      epsilon: chosen,
      scale: 'center',
    });
  });

  test('is in the JSON document, too', async () => {
    const { next } = await runJson<{ next: string }>(
      'tune',
      path,
      ...columns,
      ...QUICK,
      '--class-weight',
      'none',
    );
    expect(wordsOf(next).slice(0, 3)).toEqual(['kindred', 'train', path]);
    expect(wordsOf(next)).toContain("the answer's copy");
  });
});

test('a choice at the edge of what was given is a warning, and in the document', async () => {
  const { stdout, stderr } = await run(['tune', data, ...QUICK, '--c1', '1e-6,1e-5', '--json']);
  const { best, edges } = JSON.parse(stdout);
  expect(edges).toEqual([
    { name: 'c1', value: best.c1, side: best.c1 === 1e-5 ? 'largest' : 'least', from: 1e-6, to: 1e-5 },
  ]);
  expect(stderr).toMatch(
    /^kindred: warning: C1 = \S+ is at the edge of the grid \(0\.000001 to 0\.00001\); .*try --c1 /,
  );
});

test('the report says what was compared by, and why', async () => {
  const rare = tableOf({ participants: 3, rows: 60, d: 4, target: ([x]) => (x > 1.3 ? 1 : -1) });
  const { stdout } = await run(['tune', sandbox.write('rare.csv', csvOf(rare)), ...QUICK]);
  expect(stdout).toMatch(/^Metric +balancedAccuracy, because classes are uneven: the rarer one has \d+% of/m);
  const asked = await run(['tune', data, ...QUICK, '--metric', 'errorRate']);
  expect(asked.stdout).toMatch(/^Metric +errorRate, as asked for \(--metric\)$/m);
});

test('remaining time is shown before the first training is done', async () => {
  const shown: string[] = [];
  let now = 0;
  const stderr = { isTerminal: true, write: (text: string) => void shown.push(text) };
  const { code } = await run(['tune', data, ...QUICK], { stderr, now: () => (now += 3000) });
  expect(code).toBe(0);
  expect(shown[0]).toMatch(/tune: 0 of about \d+ trainings, about \d+ s left/);
});

describe('the cache', () => {
  const many = ['tune', data, '--c1', '0.1,1,10', '--c2', '0.1,1', '--scale', 'standard', '--folds', '2'];

  test('of --cache stays, and a second run takes its results from there', async () => {
    const cache = join(sandbox.folder, 'kept');
    const first = await run([...many, '--cache', cache, '--json']);
    const [own] = readdirSync(cache);
    expect(readdirSync(join(cache, own)).length).toBeGreaterThan(0);
    expect(await run([...many, '--cache', cache, '--json'])).toEqual(first);
    expect(readdirSync(cache)).toEqual([own]);
    expect((await run([...many, '--no-cache', '--json'])).stdout).toEqual(first.stdout);
  });

  test('of the user is empty again when tune has ended, and is not made without a home', async () => {
    const env = { XDG_CACHE_HOME: join(sandbox.folder, 'cache') };
    expect((await run([...many, '--json'], { env })).code).toBe(0);
    expect(readdirSync(join(env.XDG_CACHE_HOME, 'kindred'))).toEqual([]);
    const home = join(sandbox.folder, 'other');
    await run([...many, '--no-cache', '--json'], { env: { HOME: home } });
    expect(existsSync(home)).toBe(false);
  });
});
