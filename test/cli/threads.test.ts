import { expect, test } from 'vitest';
import { csvOf, run, runJson, Sandbox, smallHar } from './helpers.ts';

const sandbox = new Sandbox();
const data = sandbox.write('har.csv', csvOf(smallHar()));

test('train: the same document and the same model on any number of threads', async () => {
  const trained = async (threads: string) => {
    const model = `model-${threads}.json`;
    const { timing: _, ...document } = await runJson(
      'train',
      data,
      '--threads',
      threads,
      '--model',
      sandbox.path(model),
    );
    return { document: JSON.stringify(document), model: sandbox.read(model) };
  };
  const one = await trained('1');
  expect(await trained('2')).toEqual(one);
  expect(await trained('9')).toEqual(one);
  expect(one.document).not.toContain('threads');
});

test('tune: the same bytes on any number of threads', async () => {
  const tuned = (threads: string) =>
    run(['tune', data, '--c1', '0.3,3', '--c2', '1', '--folds', '2', '--threads', threads, '--json']);
  const one = await tuned('1');
  expect(one.code).toBe(0);
  expect(await tuned('2')).toEqual(one);
});
