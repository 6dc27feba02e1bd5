/** kindred personalise: from a model and some labelled rows to a model that predict and evaluate take. */
import { beforeAll, describe, expect, test } from 'vitest';
import type { PersonaliseResult } from '../../src/methods/personalise.ts';
import type { Metrics } from '../../src/solver/metrics.ts';
import { csvOf, rowsOf, run, runJson, Sandbox, smallHar, smallRegression } from './helpers.ts';

const sandbox = new Sandbox();
const model = sandbox.path('model.json');
const mine = sandbox.path('mine.json');

type Document = Omit<PersonaliseResult, 'model'> & { method: string; objective: string };

/** Rows of the participants from place `from` on, before place `to`. */
function people(table: ReturnType<typeof smallHar>, from: number, to: number): string {
  const rows = [...table.participantOf.keys()].filter(
    (i) => table.participantOf[i] >= from && table.participantOf[i] < to,
  );
  return csvOf(rowsOf(table, Uint32Array.from(rows)));
}

const har = smallHar();
const known = sandbox.write('known.csv', people(har, 0, 3));
const newcomer = sandbox.write('newcomer.csv', people(har, 3, 4));
const all = sandbox.write('all.csv', csvOf(har));

beforeAll(async () => {
  const { code, stderr } = await run(['train', known, '--no-auto', '--model', model]);
  expect(code, stderr).toBe(0);
});

describe('for people', () => {
  test('it says who was added and replaced, how well, and what to do next', async () => {
    const { code, stdout, stderr } = await run([
      ...['personalise', '--model', model, all, '--out', mine],
      ...['--test-fraction', '0.3'],
    ]);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^Added +personal parts of 1 participant that was not in the model$/m);
    expect(stdout).toMatch(/^Replaced +personal parts of 3 participants that were in the model$/m);
    expect(stdout).toContain(`kindred predict --model ${mine} new.csv`);
    expect(stdout).toMatch(/participant +part +rows +value +w alone +gap +test rows +error/);
    expect(stdout).toContain('mean of w alone');
    for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(110);
  });

  test('without --out nothing is written, and it says so', async () => {
    const before = sandbox.list();
    const { code, stdout } = await run(['personalise', '--model', model, newcomer]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Not written .*--out/m);
    expect(sandbox.list()).toEqual(before);
  });
});

test('predict and evaluate take the model that it writes', async () => {
  await runJson('personalise', '--model', model, newcomer, '--out', mine);
  const newcomersOf = (path: string) => runJson<{ newcomers: string[] }>('evaluate', '--model', path, all);
  expect((await newcomersOf(model)).newcomers).toEqual(['4']);
  expect((await newcomersOf(mine)).newcomers).toEqual([]);
  const predicted = await runJson<{ servedByShared: number }>('predict', '--model', mine, newcomer);
  expect(predicted.servedByShared).toBe(0);
});

test('as JSON: what it solved and how well, the same bytes every time', async () => {
  const argv = ['personalise', '--model', model, newcomer, '--test-fraction', '0.5', '--c2', '0.5', '--json'];
  const [first, second] = [await run(argv), await run(argv)];
  expect(first).toEqual(second);
  const document = JSON.parse(first.stdout) as Document;
  expect(document).toMatchObject({ method: 'mtl', objective: 'classification', options: { c1: 1, c2: 0.5 } });
  const [person] = document.participants;
  const rows = har.participantOf.filter((k) => k === 3).length;
  expect(person).toMatchObject({ id: '4', part: 'added', rows, testRows: Math.round(rows / 2) });
  expect(person.relativeGap).toBeLessThanOrEqual(1e-6);
  expect(person.value).toBeLessThanOrEqual(person.valueOfShared);
  for (const mean of [document.mean, document.meanOfShared] as Metrics[])
    expect(mean.errorRate).toBeGreaterThanOrEqual(0);
  expect(document).not.toHaveProperty('model');
});

test('columns with other names are found again by predict', async () => {
  const [header, ...lines] = people(har, 3, 4).split('\n');
  const renamed = sandbox.write(
    'renamed.csv',
    [header.replace(/^task,y,/, 'person,sits,'), ...lines].join('\n'),
  );
  await runJson(
    'personalise',
    '--model',
    model,
    renamed,
    '--task',
    'person',
    '--label',
    'sits',
    '--out',
    mine,
  );
  const predicted = await runJson<{ servedByShared: number }>('predict', '--model', mine, renamed);
  expect(predicted.servedByShared).toBe(0);
});

test('regression', async () => {
  const table = smallRegression();
  const path = sandbox.path('regression.json');
  const others = sandbox.write('others.csv', people(table, 1, 3));
  await runJson('train', others, '--no-auto', '--objective', 'regression', '--model', path);
  const own = sandbox.write('own.csv', people(table, 0, 1));
  const document = await runJson<Document>('personalise', '--model', path, own, '--test-fraction', '0.5');
  expect(document.mean.r2!).toBeGreaterThan(document.meanOfShared.r2!);
  expect(document.participants[0].relativeGap).toBeLessThanOrEqual(1e-6);
});

test('a global model with --c2', async () => {
  const path = sandbox.path('global.json');
  await runJson('train', known, '--no-auto', '--method', 'global', '--model', path);
  const { participants } = await runJson<Document>('personalise', '--model', path, newcomer, '--c2', '1');
  expect(participants[0].part).toBe('added');
});

test('a gap that is not reached is a warning', async () => {
  const { code, stderr } = await run(['personalise', '--model', model, newcomer, '--gap', '0']);
  expect(code).toBe(0);
  expect(stderr).toMatch(
    /^kindred: warning: 1 of 1 personal parts did not reach the target gap of 0, the worst stopped at /,
  );
});
