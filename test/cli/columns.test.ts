/** Columns as people bring them, from the command line: what became of them is said, and models take them again. */
import { expect, test } from 'vitest';
import { stream } from '../../src/base/random.ts';
import { serve } from '../helpers/serve.ts';
import { useBuilt } from '../node/client/helpers.ts';
import { run, runJson, Sandbox } from './helpers.ts';

useBuilt();
const sandbox = new Sandbox();

/** Rows of one participant with some of the columns age, color and size; every ninth age is missing. */
function rowsWith(seed: number, columns: readonly ('age' | 'color' | 'size')[]): string {
  const random = stream(seed, 'columns', 0, '');
  const lines = Array.from({ length: 40 }, (_, i) => {
    const [age, size] = [20 + random.below(60), random.normal()];
    const values = { age: i % 9 ? `${age}` : '', color: i % 3 ? 'red' : 'blue', size: size.toFixed(3) };
    return [...columns.map((name) => values[name]), age / 20 + size > 2.5 ? 'yes' : 'no'].join();
  });
  return `${[[...columns, 'y'].join(), ...lines].join('\n')}\n`;
}

/** As rows of two participants. */
function ofTwo(csv: string): string {
  const [header, ...lines] = csv.trim().split('\n');
  return `task,${header}\n${lines.map((line, i) => `${i % 2 ? 'a' : 'b'},${line}\n`).join('')}`;
}

test('predict says how many gaps it filled, and which levels and columns it did not know', async () => {
  const data = sandbox.write('all.csv', ofTwo(rowsWith(1, ['age', 'color', 'size'])));
  const model = sandbox.path('all.json');
  const trained = await run([
    'train',
    data,
    '--c1',
    '1',
    '--c2',
    '1',
    '--features',
    'rff:32',
    '--model',
    model,
  ]);
  expect([trained.code, trained.stdout]).toEqual([
    0,
    expect.stringMatching(/\nColumn +color: 2 levels as one-hot\n/),
  ]);
  const other = sandbox.write('other.csv', rowsWith(2, ['size', 'color', 'age']).replaceAll('red', 'pink'));
  const { stderr, stdout } = await run(['predict', '--model', model, other]);
  expect(stdout.trim().split('\n')).toHaveLength(41);
  expect(stderr.split('\n').slice(0, 2)).toEqual([
    'kindred: note: 5 missing values filled in as the model says',
    'kindred: note: 26 values of levels that training did not know (color=pink): taken as other, or as none',
  ]);
  expect(await runJson('predict', '--model', model, other)).toMatchObject({ gaps: 5, unknownLevels: 26 });
});

test('serve --columns union: join says what is missing and what became of columns, and its model reads its own file', async () => {
  const options = ['--store', sandbox.path('f.db'), '--min-participants', '2', '--columns', 'union'];
  const served = await serve([...options, '--features', 'rff:32']);
  const files = {
    ada: sandbox.write('ada.csv', rowsWith(3, ['age', 'size'])),
    ben: sandbox.write('ben.csv', rowsWith(4, ['color', 'size'])),
  };
  const joining = Object.entries(files).map(([name, file]) =>
    run(['join', served.url, '--data', file, '--task', 'all', '--name', name, '--state', sandbox.path(name)]),
  );
  const [ada, ben] = await Promise.all(joining);
  expect((await served.outcome).code).toBe(0);
  expect([ada.code, ada.stderr]).toEqual([0, 'kindred: note: no column "color" here: missing in all rows\n']);
  expect([ben.code, ben.stderr]).toEqual([0, 'kindred: note: no column "age" here: missing in all rows\n']);
  for (const { stdout } of [ada, ben])
    expect(stdout.split('\n').filter((line) => line.startsWith('Column'))).toEqual([
      'Column        age: gaps as the mean of all plus an indicator (age=missing)',
      'Column        color: 2 levels as one-hot, gaps as a level of their own',
    ]);
  for (const [name, file] of Object.entries(files)) {
    const { code, stdout } = await run(['predict', '--model', sandbox.path(name), file]);
    expect([code, stdout.trim().split('\n').length]).toEqual([0, 41]);
    const evaluated = await runJson<{ mean: { errorRate: number } }>(
      ...['evaluate', '--model', sandbox.path(name), file],
    );
    expect(evaluated.mean.errorRate).toBeLessThan(0.5);
  }
});
