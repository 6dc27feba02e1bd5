/** `kindred train` without options: what it finds by itself, and what it leaves as it was given. */
import { describe, expect, test } from 'vitest';
import { makeHarLike } from '../../src/data/generate-har.ts';
import { makeRegression } from '../../src/data/generate-regression.ts';
import { csvOf, run, runJson, Sandbox, smallHar, type TrainDocument } from './helpers.ts';

interface AutoDocument extends TrainDocument {
  readonly auto?: { metric?: string; candidates?: number; trainings?: number; skipped?: string };
  readonly notes: readonly string[];
  readonly leaks: readonly string[];
}

const sandbox = new Sandbox();
const har = makeHarLike({ participants: 5, rowsPerParticipant: 80, features: 24 });
const harCsv = sandbox.write('har.csv', csvOf(har));
const regression = makeRegression({ tasks: 4, rows: 60, features: 6, heterogeneity: 'diverse' });
const regressionCsv = sandbox.write('regression.csv', csvOf(regression));
const train = (...argv: string[]) => runJson<AutoDocument>('train', ...argv);

describe('train without C1 and C2', () => {
  test('searches on training rows, and says how to repeat its training without the search, to the bit', async () => {
    const { stdout } = await run(['train', harCsv]);
    const [, repeat] = /^Auto .*; to repeat without them: (.*)$/m.exec(stdout)!;
    expect(repeat).toMatch(/--c1 \S+ --c2 \S+ .*--scale \w+/);
    const { auto, timing: _, ...found } = await train(harCsv);
    const { timing: __, ...repeated } = await train(harCsv, ...repeat.split(' '));
    expect(repeated).toEqual(found);
    expect(auto).toEqual({
      metric: 'balancedAccuracy',
      candidates: expect.any(Number),
      trainings: expect.any(Number),
    });
    expect(auto!.trainings).toBeLessThan(90);
    expect(JSON.stringify(found.options)).not.toBe(
      JSON.stringify((await train(harCsv, '--no-auto')).options),
    );
  });

  test('finds the same with any number of threads, and every time', async () => {
    const { timing: _, ...one } = await train(harCsv, '--threads', '1');
    const { timing: __, ...two } = await train(harCsv, '--threads', '2');
    expect(two).toEqual(one);
  });

  test('is no worse than the defaults on data where those are poor', async () => {
    const table = makeRegression({ tasks: 8, rows: 60, features: 60, heterogeneity: 'diverse' });
    const path = sandbox.write('wide.csv', csvOf(table));
    const [found, plain] = [await train(path), await train(path, '--no-auto')];
    expect(found.mean.rmse!).toBeLessThan(plain.mean.rmse!);
  });

  test('leaves alone what is given beside them', async () => {
    const { options } = await train(harCsv, '--scale', 'none', '--class-weight', 'none', '--gap', '0.01');
    expect(options).toMatchObject({ scale: 'none', classWeight: 'none', gap: 0.01 });
    const { options: wide } = await train(regressionCsv, '--epsilon', '0.7');
    expect(wide).toMatchObject({ epsilon: 0.7, objective: 'regression' });
  });

  test('looks for lambda with mocha, and for C1 alone with local', async () => {
    const mocha = await train(harCsv, '--method', 'mocha', '--rounds', '20');
    expect(mocha.options).toMatchObject({ c1: 1, c2: 1 });
    const text = (await run(['train', harCsv, '--method', 'mocha', '--rounds', '20'])).stdout;
    expect(text).toContain(`--lambda ${mocha.options.lambda} `);
    expect((await run(['train', harCsv, '--method', 'local'])).stdout).not.toMatch(/^Auto.*--c2/m);
  });

  test('uses the defaults, and says so, where rows are too few', async () => {
    const few = sandbox.write('few.csv', csvOf(smallHar()).split('\n').slice(0, 101).join('\n'));
    const { auto, options } = await train(few);
    expect(auto!.skipped).toMatch(/at least 100 training rows .*, got 7\d$/);
    expect(options).toMatchObject({ c1: 1, c2: 1, scale: 'standard' });
    expect((await run(['train', few])).stdout).toMatch(/^Auto .*defaults are used$/m);
  });
});

describe('train with C1, C2 or lambda', () => {
  test.each([
    { argv: ['--c1', '3'], options: { c1: 3, c2: 1, scale: 'standard' } },
    { argv: ['--c2', '3'], options: { c1: 1, c2: 3, scale: 'standard' } },
    { argv: ['--lambda', '0.1'], options: { lambda: 0.1, c1: 1 } },
    { argv: ['--no-auto'], options: { c1: 1, c2: 1 } },
  ])('$argv: exactly those', async ({ argv, options }) => {
    const document = await train(harCsv, ...argv);
    expect(document.auto).toBeUndefined();
    expect(document.options).toMatchObject(options);
  });

  test('--auto --c1 3 looks for the others', async () => {
    const { auto, options } = await train(harCsv, '--auto', '--c1', '3');
    expect(auto!.trainings).toBeGreaterThan(0);
    expect(options.c1).toBe(3);
  });
});

describe('the objective', () => {
  test('is regression for more than 20 different numbers, and a note says so', async () => {
    const { objective, notes } = await train(regressionCsv, '--no-auto');
    expect(objective).toBe('regression');
    expect(notes).toEqual(['240 different numbers: regression (--objective classification for classes)']);
    expect((await train(regressionCsv, '--no-auto', '--objective', 'regression')).notes).toEqual([]);
    const { stderr } = await run(['train', regressionCsv, '--objective', 'classification']);
    expect(stderr).toContain('[TOO_MANY_CLASSES]');
  });

  test('follows from the loss and from --positive', async () => {
    const { stderr } = await run(['train', regressionCsv, '--loss', 'hinge']);
    expect(stderr).toContain('[TOO_MANY_CLASSES]');
    expect((await train(harCsv, '--no-auto', '--loss', 'epsilon-insensitive')).objective).toBe('regression');
    const target = regression.targets![0];
    expect((await train(regressionCsv, '--no-auto', '--positive', target)).objective).toBe('classification');
  });
});

describe('a feature that gives the target away', () => {
  const withColumn = (table: typeof har, value: (i: number) => number) => {
    const [head, ...lines] = csvOf(table).trim().split('\n');
    return [`${head},told`, ...lines.map((line, i) => `${line},${value(i)}`)].join('\n');
  };
  const classes = withColumn(har, (i) => (har.targets![i] === '1' ? 4 : 1 + (i % 3)));
  const numbers = withColumn(regression, (i) => 3 - 2 * Number(regression.targets![i]) + (i % 2) / 8);

  test.each([
    ['classes', classes],
    ['numbers', numbers],
  ])('is warned of, with --drop: %s', async (name, text) => {
    const path = sandbox.write(`${name}.csv`, text);
    const { stdout, stderr } = await run(['train', path, '--no-auto', '--json']);
    expect(JSON.parse(stdout).leaks).toEqual(['told']);
    expect(stderr).toMatch(/^kindred: warning: feature told alone tells the target; .* --drop told$/m);
    const { stderr: tuned } = await run([
      'tune',
      path,
      '--c1',
      '1',
      '--c2',
      '1',
      '--folds',
      '2',
      '--no-cache',
    ]);
    expect(tuned).toContain('--drop told');
  });

  test('is not seen where there is none', async () => {
    expect((await train(harCsv, '--no-auto')).leaks).toEqual([]);
    expect((await train(regressionCsv, '--no-auto')).leaks).toEqual([]);
  });
});

test('data make har --target activity has the same rows, and six activities to tell apart', async () => {
  const size = ['--participants', '4', '--rows', '60', '--features', '20'];
  const made = async (...more: string[]) => (await run(['data', 'make', 'har', ...size, ...more])).stdout;
  const rows = (text: string) => text.trim().split('\n').slice(1);
  const split = (text: string) => rows(text).map((line) => line.split(','));
  const [sitting, activities] = [split(await made()), split(await made('--target', 'activity'))];
  for (const [i, [task, y, ...x]] of activities.entries()) {
    expect([task, y === 'sitting' ? '1' : '-1', ...x]).toEqual(sitting[i]);
  }
  expect(new Set(activities.map(([, y]) => y)).size).toBe(6);
  const path = sandbox.write('activities.csv', await made('--target', 'activity'));
  expect((await train(path)).notes[0]).toMatch(/^6 classes/);
});
