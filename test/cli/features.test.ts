/** Random features from the command line: a model that carries its map through every command that uses models. */
import { expect, test } from 'vitest';
import { modelFromJson } from '../../src/methods/model.ts';
import { modelFromFolder } from '../../src/node/client/state-folder.ts';
import { serve } from '../helpers/serve.ts';
import { difference, useBuilt } from '../node/client/helpers.ts';
import { run, runJson, Sandbox } from './helpers.ts';

useBuilt();
const sandbox = new Sandbox();

interface Result {
  readonly mean: { readonly errorRate: number };
}

test('rings are made, learnt, predicted and personalised', async () => {
  const data = sandbox.path('rings.csv');
  const model = sandbox.path('model.json');
  const made = await run(['data', 'make', 'rings', '--participants', '4', '--rows', '100', '--out', data]);
  expect(made.stdout).toContain(`train ${data} --features rff:128`);
  const linear = await runJson<Result>('train', data, '--no-auto');
  expect(linear.mean.errorRate).toBeGreaterThan(0.3);
  const options = ['--features', 'rff:64:0.5', '--c1', '3', '--test-fraction', '0', '--model', model];
  const trained = await run(['train', data, ...options]);
  expect(trained.stdout).toContain('rff:64:0.5 features');
  const evaluated = await runJson<Result>('evaluate', '--model', model, data);
  expect(evaluated.mean.errorRate).toBeLessThan(0.05);
  const predicted = await run(['predict', '--model', model, data]);
  expect(predicted.stdout.trim().split('\n')).toHaveLength(401);
  const personalised = await runJson<Result>('personalise', '--model', model, data, '--test-fraction', '0.3');
  expect(personalised.mean.errorRate).toBeLessThan(0.15);
});

test('simulations and tunings take the same words', async () => {
  const scenario = {
    data: { generator: 'rings', participants: 3, rows: 60 },
    features: 'rff:32',
    c1: 3,
    rounds: 10,
  };
  const file = sandbox.write('scenario.json', JSON.stringify(scenario));
  const { code, stdout } = await run(['simulate', file]);
  expect([code, stdout]).toEqual([
    0,
    expect.stringContaining('3 participants, 180 rows, 2 features (rings)'),
  ]);
  const data = sandbox.path('few.csv');
  await run(['data', 'make', 'rings', '--participants', '3', '--rows', '60', '--out', data]);
  const grid = ['--c1', '1,10', '--c2', '1', '--scale', 'standard', '--folds', '2', '--no-cache'];
  const tuned = await run(['tune', data, '--features', 'none,rff:32', ...grid]);
  expect(tuned.stdout).toMatch(/Choice .*--features rff:32\n/);
  expect(tuned.stdout).toMatch(/Next .* train .*--features rff:32/);
});

test('serve and join come to the model of train, map included', async () => {
  const data = sandbox.path('joined.csv');
  await run(['data', 'make', 'rings', '--participants', '3', '--rows', '40', '--out', data]);
  const problem = ['--features', 'rff:32:0.5', '--c1', '3', '--gap', '1e-4'];
  await run(['train', data, ...problem, '--test-fraction', '0', '--model', sandbox.path('joined.json')]);
  const served = await serve(['--store', sandbox.path('f.db'), '--min-participants', '3', ...problem]);
  const ids = ['1', '2', '3'];
  const joining = ids.map((id) =>
    run([
      ...['join', served.url, '--data', data, '--task', id],
      ...['--state', sandbox.path(`state-${id}`), '--probabilities'],
    ]),
  );
  for (const { code, stderr } of await Promise.all(joining)) expect([code, stderr]).toEqual([0, '']);
  expect((await served.outcome).code).toBe(0);
  const trained = modelFromJson(sandbox.read('joined.json'), 'it');
  for (const id of ids) {
    const { w, map } = modelFromFolder(sandbox.path(`state-${id}`));
    expect(map).toEqual(trained.map);
    expect(difference(w, trained.w)).toBeLessThan(1e-9);
  }
  const own = await run(['predict', '--model', sandbox.path('state-1'), data, '--probabilities']);
  expect([own.code, own.stdout]).toEqual([0, expect.stringContaining('probability')]);
});
