/** Loss and method from the command line to the participants: train, simulate, serve and join come to the same. */
import { describe, expect, test } from 'vitest';
import { modelFromJson } from '../../src/methods/model.ts';
import { modelFromFolder } from '../../src/node/client/state-folder.ts';
import { LOSS_NAMES, LOSSES } from '../../src/settings/losses.ts';
import { serve } from '../helpers/serve.ts';
import { difference, useBuilt } from '../node/client/helpers.ts';
import { csvOf, run, runJson, Sandbox, smallHar, smallRegression } from './helpers.ts';

useBuilt();
const sandbox = new Sandbox();
const files = {
  classification: sandbox.write('har.csv', csvOf(smallHar())),
  regression: sandbox.write('regression.csv', csvOf(smallRegression())),
};

interface Simulated {
  readonly runs: readonly { readonly certificate: { readonly primal: number } }[];
}

describe.each(LOSS_NAMES)('--loss %s', (loss) => {
  const objective = LOSSES[loss];
  const model = sandbox.path(`${loss}.json`);
  const flags = ['--objective', objective, '--loss', loss, '--gap', '1e-4', '--test-fraction', '0'];

  test('train reaches the gap, and the model remembers the loss for personalise', async () => {
    const { options, certificate } = await runJson(
      'train',
      files[objective],
      '--no-auto',
      ...flags,
      '--model',
      model,
    );
    expect(options.loss).toBe(loss);
    expect(certificate!.relativeGap).toBeLessThanOrEqual(1e-4);
    expect(modelFromJson(sandbox.read(`${loss}.json`), 'it').options.loss).toBe(loss);
    const personal = await runJson('personalise', '--model', model, files[objective]);
    expect(personal.options.loss).toBe(loss);
  });

  test('simulate comes to the same certificate', async () => {
    const scenario = { data: files[objective], objective, loss, gap: 1e-4, testFraction: 0 };
    const path = sandbox.write(`${loss}-scenario.json`, JSON.stringify(scenario));
    const [{ certificate }] = (await runJson<Simulated>('simulate', path)).runs;
    const trained = await runJson('train', files[objective], '--no-auto', ...flags);
    expect(Math.abs(certificate.primal / trained.certificate!.primal - 1)).toBeLessThan(2e-4);
  });

  test('serve and join come to the same model', async () => {
    const store = sandbox.path(`${loss}.db`);
    const { participants } = await runJson(
      'train',
      files[objective],
      '--no-auto',
      ...flags,
      '--model',
      model,
    );
    const common = flags.slice(0, 6);
    const count = String(participants.length);
    const served = await serve(['--store', store, '--min-participants', count, ...common]);
    const ids = participants.map(({ id }: { id: string }) => id) as string[];
    const joining = ids.map((id) => {
      const state = sandbox.path(`${loss}-${id}`);
      return run(['join', served.url, '--data', files[objective], '--task', id, '--state', state]);
    });
    for (const { code, stderr } of await Promise.all(joining)) expect([code, stderr]).toEqual([0, '']);
    expect((await served.outcome).code).toBe(0);
    const trained = modelFromJson(sandbox.read(`${loss}.json`), 'it');
    for (const id of ids) {
      const { w, options, method } = modelFromFolder(sandbox.path(`${loss}-${id}`));
      expect({ method, loss: options.loss }).toEqual({ method: 'mtl', loss });
      expect(difference(w, trained.w)).toBeLessThan(1e-9);
    }
  }, 60_000);
});

test('a loss of the other objective is refused', async () => {
  const outcome = await run([
    'train',
    files.regression,
    '--no-auto',
    '--objective',
    'regression',
    '--loss',
    'logistic',
  ]);
  expect(outcome).toMatchObject({ code: 2, stdout: '' });
  expect(outcome.stderr).toBe(
    'kindred: option --loss: expected epsilon-insensitive, quantile for regression, got logistic [BAD_OPTION]\n',
  );
});

test.each(['global', 'mocha'] as const)(
  'serve --method %s: no personal part, and the model says so',
  async (method) => {
    const store = sandbox.path(`${method}.db`);
    const served = await serve([
      '--store',
      store,
      '--min-participants',
      '2',
      '--method',
      method,
      '--rounds',
      '300',
    ]);
    const joining = ['1', '2'].map((id) => {
      const state = sandbox.path(`${method}-${id}`);
      return run(['join', served.url, '--data', files.classification, '--task', id, '--state', state]);
    });
    for (const { code, stderr } of await Promise.all(joining)) expect([code, stderr]).toEqual([0, '']);
    await served.outcome;
    const models = ['1', '2'].map((id) => modelFromFolder(sandbox.path(`${method}-${id}`)));
    for (const [k, model] of models.entries()) {
      expect(model.method).toBe(method);
      expect(model.servesNewcomers).toBe(method === 'global');
      expect(model.personal.get(String(k + 1))!.every((value) => value === 0)).toBe(true);
    }
    // One model for all, or one for each.
    const [a, b] = models.map(({ w }) => w);
    expect(difference(a, b) < 1e-12).toBe(method === 'global');
  },
  60_000,
);
