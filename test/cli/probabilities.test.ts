/** Probabilities, metrics and figures from the command line. */
import { readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { Prediction } from '../../src/methods/predict.ts';
import type { ClassResult, Confusion } from '../../src/solver/confusion.ts';
import { serve } from '../helpers/serve.ts';
import { tableOf } from '../helpers/tables.ts';
import { useBuilt } from '../node/client/helpers.ts';
import { csvOf, run, runJson, Sandbox, smallHar, smallRegression } from './helpers.ts';

useBuilt();
const sandbox = new Sandbox();
const table = smallHar();
const har = sandbox.write('har.csv', csvOf(table));
const regression = sandbox.write('regression.csv', csvOf(smallRegression()));
const three = sandbox.write(
  'three.csv',
  csvOf(
    tableOf({
      ...{ participants: 3, rows: 40, d: 4, seed: 5 },
      target: (x) => ['a', '=b', 'c d'][x.indexOf(Math.max(...x.subarray(0, 3)))],
    }),
  ),
);

interface Measured {
  readonly participants: readonly { readonly testRows: number }[];
  readonly mean: Record<string, number>;
  readonly confusion: Confusion;
  readonly perClass: readonly ClassResult[];
}

describe('two classes', () => {
  const model = sandbox.path('two.json');
  const train = ['train', har, '--no-auto', '--positive', '1', '--probabilities', '--model', model];

  test('train reports AUC, log loss and Brier score, in words and as JSON, with the confusion matrix', async () => {
    const { mean, confusion, perClass, participants } = await runJson<Measured>(...train);
    const tested = participants.reduce((sum, { testRows }) => sum + testRows, 0);
    expect(Object.keys(mean)).toEqual([
      'errorRate',
      'balancedAccuracy',
      'macroF1',
      'auc',
      'logLoss',
      'brier',
    ]);
    expect(confusion.labels).toEqual(['-1', '1']);
    expect(confusion.counts.flat().reduce((sum, count) => sum + count, 0)).toBe(tested);
    expect(perClass.map(({ label, rows }) => [label, rows])).toEqual([
      ['-1', confusion.counts[0][0] + confusion.counts[0][1]],
      ['1', confusion.counts[1][0] + confusion.counts[1][1]],
    ]);
    const { stdout } = await run(train);
    expect(stdout).toMatch(
      /Quality +ROC AUC \d\.\d{4}, macro F1 \d\.\d{4}, log loss \d\.\d{4}, Brier score \d\.\d{4} \(means over participants\)/,
    );
  });

  test('predict --probabilities adds a column, and --threshold decides by it', async () => {
    await run(train);
    const plain = await run(['predict', '--model', model, har]);
    expect(plain.stdout.split('\n')[0]).toBe('row,participant,prediction,decision');
    const { stdout } = await run(['predict', '--model', model, har, '--probabilities', '--threshold', '0.8']);
    const [header, ...lines] = stdout.trimEnd().split('\n');
    expect(header).toBe('row,participant,prediction,decision,probability');
    for (const line of lines) {
      const [, , prediction, , probability] = line.split(',');
      expect(prediction).toBe(Number(probability) >= 0.8 ? '1' : '-1');
    }
    const document = await runJson<{ predictions: Prediction[] }>(
      ...['predict', '--model', model, har, '--probabilities'],
    );
    expect(document.predictions[0].probability).toBe(Number(lines[0].split(',')[4]));
  });

  test('evaluate measures the same model on any rows', async () => {
    await run(train);
    const { mean, confusion } = await runJson<Measured>('evaluate', '--model', model, har);
    expect(mean.logLoss).toBeGreaterThan(0);
    expect(confusion.counts.flat().reduce((sum, count) => sum + count, 0)).toBe(table.n);
  });
});

describe('many classes', () => {
  const model = sandbox.path('three.json');

  test('train lists the classes; predict has a column for each, safe for spreadsheets', async () => {
    const { stdout } = await run(['train', three, '--no-auto', '--probabilities', '--model', model]);
    expect(stdout).toMatch(/class +test rows +predicted +precision +recall +F1/);
    const predicted = await run(['predict', '--model', model, three, '--probabilities']);
    const [header, first] = predicted.stdout.split('\n');
    expect(header).toBe('row,participant,prediction,decision,p:=b,p:a,p:c d');
    const chances = first.split(',').slice(4).map(Number);
    expect(chances.reduce((sum, one) => sum + one, 0)).toBeCloseTo(1, 12);
    const json = await runJson<{ predictions: Prediction[] }>(
      ...['predict', '--model', model, three, '--probabilities'],
    );
    expect(json.predictions[0].probabilities).toEqual(chances);
  });

  test('--figures writes figures that are XML, with their numbers', async () => {
    const folder = sandbox.path('figures');
    const outcome = await run([
      'train',
      three,
      '--no-auto',
      '--probabilities',
      '--figures',
      folder,
      '--model',
      model,
    ]);
    expect([outcome.code, outcome.stderr]).toEqual([0, '']);
    const names = ['calibration', 'confusion', 'roc'];
    expect(readdirSync(folder).sort()).toEqual(names.flatMap((name) => [`${name}.csv`, `${name}.svg`]));
    for (const name of names) expect(sandbox.read(`figures/${name}.svg`)).toMatch(/^<svg [\s\S]*<\/svg>\n$/);
    const { confusion } = await runJson<Measured>('train', three);
    const cells = sandbox.read('figures/confusion.csv').trimEnd().split('\r\n').slice(1);
    expect(cells.map((line) => Number(line.split(',')[4]))).toEqual(confusion.counts.flat());
    const evaluated = await run(['evaluate', '--model', model, three, '--figures', sandbox.path('later')]);
    expect(evaluated.stdout).toContain('later/confusion.svg');
  });
});

test('a quantile has its loss and its coverage, and no figures', async () => {
  const folder = sandbox.path('none');
  const argv = [
    'train',
    regression,
    '--no-auto',
    '--objective',
    'regression',
    '--loss',
    'quantile',
    '--quantile',
    '0.9',
  ];
  const { mean } = await runJson<Measured>(...argv, '--figures', folder);
  expect(Object.keys(mean)).toEqual(['r2', 'rmse', 'mae', 'pinball', 'coverage']);
  expect(mean.coverage).toBeGreaterThan(0.6);
  expect(readdirSync(folder)).toEqual([]);
  const { stdout } = await run(argv);
  expect(stdout).toContain('quantile loss, quantile = 0.9');
  expect(stdout).toMatch(/pinball loss [\d.e-]+, targets below \d+\.\d\d%/);
});

test('join --probabilities calibrates inside the participant, for predict with its state', async () => {
  const served = await serve([
    '--store',
    sandbox.path('join.db'),
    '--min-participants',
    '4',
    '--positive',
    '1',
  ]);
  const joining = ['1', '2', '3', '4'].map((id) =>
    run([
      ...['join', served.url, '--data', har, '--task', id, '--state', sandbox.path(`join-${id}`), '--json'],
      ...(id === '4' ? [] : ['--probabilities']),
      ...['--test-fraction', '0.3'],
    ]),
  );
  const outcomes = await Promise.all(joining);
  for (const { code } of outcomes) expect(code).toBe(0);
  expect((await served.outcome).code).toBe(0);
  const [first, , , last] = outcomes.map(({ stdout }) => JSON.parse(stdout));
  expect(first.calibration).toHaveLength(1);
  expect(first.calibration[0].a).toBeGreaterThan(0);
  expect(first.test.logLoss).toBeGreaterThan(0);
  expect(last).not.toHaveProperty('calibration');
  expect(last.test).not.toHaveProperty('logLoss');
  const predict = (id: string) =>
    run(['predict', '--model', sandbox.path(`join-${id}`), har, '--probabilities']);
  expect((await predict('1')).stdout).toContain('decision,probability\n');
  expect((await predict('4')).stderr).toContain('NO_PROBABILITIES');
}, 60_000);

test('join --probabilities with many classes and mapped features has a sigmoid for each head', async () => {
  const served = await serve([
    ...['--store', sandbox.path('many.db'), '--min-participants', '3', '--features', 'rff:32'],
  ]);
  const outcomes = await Promise.all(
    ['p0', 'p1', 'p2'].map((id) =>
      run([
        ...['join', served.url, '--data', three, '--task', id, '--state', sandbox.path(`many-${id}`)],
        ...['--probabilities', '--json'],
      ]),
    ),
  );
  for (const { code, stdout } of outcomes)
    expect([code, JSON.parse(stdout).calibration.length]).toEqual([0, 3]);
  await served.outcome;
  const { stdout } = await run(['predict', '--model', sandbox.path('many-p1'), three, '--probabilities']);
  expect(stdout.split('\n')[0]).toMatch(/^row,participant,prediction,decision,p:.*,p:.*,p:/);
}, 60_000);
