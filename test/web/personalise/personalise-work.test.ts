/** The worker's part of the page, against the library's own functions on the same rows. */
import { describe, expect, test } from 'vitest';
import { makeHarLike } from '../../../src/data/generate-har.ts';
import { makeMotion } from '../../../src/data/generate-motion.ts';
import { makeRegression } from '../../../src/data/generate-regression.ts';
import { rowsOfParticipant, selectRows } from '../../../src/data/participants.ts';
import type { Table } from '../../../src/data/table.ts';
import { writeCsv } from '../../../src/data/write-csv.ts';
import { modelFromJson, modelToJson } from '../../../src/methods/model.ts';
import { personalise } from '../../../src/methods/personalise.ts';
import { train } from '../../../src/methods/train.ts';
import { choicesFor, type ModelNote } from '../../../src/web/personalise/model-choices.ts';
import { personaliseWork } from '../../../src/web/personalise/personalise-work.ts';

const file = (table: Table) => new Blob([...writeCsv(table)]);
const modelFile = (model: Parameters<typeof modelToJson>[0]) => new Blob([modelToJson(model)]);

async function opened(work: ReturnType<typeof personaliseWork>, model: Blob, rows: Blob) {
  const note = await work.openModel(model, 'model.json');
  return { note, choices: choicesFor(await work.preview(rows, 'rows.csv'), note) };
}

async function fitted(model: Blob, rows: Blob, changes: object = {}) {
  const work = personaliseWork();
  const { note, choices } = await opened(work, model, rows);
  const request = {
    file: rows,
    name: 'rows.csv',
    choices,
    participant: 'me',
    testFraction: 0.3,
    c2: undefined,
  };
  return { work, note, result: await work.fit({ ...request, ...changes }) };
}

describe('personalising in the page', () => {
  test('gives the model that the library gives, bit by bit', async () => {
    const all = makeMotion({ participants: 6, takes: 2 });
    const { model } = train(makeMotion({ participants: 5, takes: 2 }), { testFraction: 0 });
    const mine = rowsOfParticipant(all, '6')!;
    const { work, note, result } = await fitted(modelFile(model), file(mine));
    const wanted = personalise(model, mine, { testFraction: 0.3 });
    expect(result).toMatchObject({ metric: 'balancedAccuracy', testRows: wanted.participants[0].testRows });
    expect([result.own, result.shared]).toEqual([
      wanted.mean.balancedAccuracy,
      wanted.meanOfShared.balancedAccuracy,
    ]);
    expect(modelFromJson(work.modelFile(), 'x').personal.get('6')).toEqual(wanted.model.personal.get('6'));
    expect(note).toMatchObject({ objective: 'classification', people: ['1', '2', '3', '4', '5'] });
    expect(note.classes).toEqual(['shaking', 'sitting', 'standing', 'walking']);
  });

  test('everybody at once, one of them, or all rows as one person', async () => {
    const table = makeHarLike({ participants: 3, rowsPerParticipant: 60, features: 8 });
    const model = modelFile(train(table, { testFraction: 0 }).model);
    const everybody = await fitted(model, file(table));
    expect(everybody.result.people.map(({ id, part }) => [id, part])).toEqual([
      ['1', 'replaced'],
      ['2', 'replaced'],
      ['3', 'replaced'],
    ]);
    const { choices } = await opened(everybody.work, model, file(table));
    const one = await fitted(model, file(table), { choices: { ...choices, own: '2' } });
    expect(one.result.people.map(({ id }) => id)).toEqual(['2']);
    expect(one.result.own).toBe(everybody.result.people[1].own);
    const drop = ['task'];
    const me = await fitted(model, file(table), { choices: { ...choices, task: undefined, drop } });
    expect(me.result.people).toMatchObject([{ id: 'me', part: 'added', rows: table.n }]);
  });

  test('regression: errors, changed weights, and predictions as numbers', async () => {
    const table = makeRegression({ tasks: 4, rows: 60, features: 5, heterogeneity: 'diverse' });
    const model = train(table, { objective: 'regression', testFraction: 0 }).model;
    const { work, result } = await fitted(modelFile(model), file(rowsOfParticipant(table, '4')!));
    expect(result.metric).toBe('rmse');
    expect(result.own!).toBeLessThan(result.shared!);
    const rows = work.predictions('4');
    expect(rows).toHaveLength(result.testRows);
    expect(rows.every(({ own, shared }) => typeof own === 'number' && own !== shared)).toBe(true);
    const changes = work.changes('4');
    expect(changes).toMatchObject({ kind: 'weights', heads: [{ class: undefined }] });
  });

  test('a row can be tried as it is, and otherwise', async () => {
    const table = makeMotion({ participants: 5, takes: 2, seed: 4 });
    const model = train(table, { testFraction: 0 }).model;
    const { work } = await fitted(modelFile(model), file(rowsOfParticipant(table, '2')!));
    const [first] = work.predictions('2');
    const values = work.rowValues(first.place);
    const tried = work.tryRow('2', values);
    expect([tried.own, tried.shared]).toEqual([first.own, first.shared]);
    expect(tried.explained!.prediction).toBe(first.own);
    const other = work.tryRow(
      '2',
      values.map((value) => 10 * (value as number)),
    );
    expect(other.explained!.decision).not.toBe(tried.explained!.decision);
  });

  test('one class only is said, with whose rows', async () => {
    const table = makeMotion({ participants: 4, takes: 2 });
    const model = train(table, { testFraction: 0 }).model;
    const mine = rowsOfParticipant(table, '4')!;
    const seated = selectRows(
      mine,
      mine.targets!.flatMap((target, i) => (target === 'sitting' ? [i] : [])),
    );
    const { result } = await fitted(modelFile(model), file(seated));
    expect(result.oneClass).toEqual([{ id: '4', class: 'sitting' }]);
    expect((await fitted(modelFile(model), file(mine))).result.oneClass).toEqual([]);
  });

  test('a model of random features has no weights of single columns', async () => {
    const table = makeHarLike({ participants: 3, rowsPerParticipant: 40, features: 4 });
    const model = train(table, { features: 'rff:32', testFraction: 0 }).model;
    const { work } = await fitted(modelFile(model), file(rowsOfParticipant(table, '1')!));
    expect(work.changes('1')).toEqual({ kind: 'not linear' });
  });

  test('files that are no models, and models that cannot be personalised', async () => {
    const work = personaliseWork();
    const open = (text: string) => work.openModel(new Blob([text]), 'x.json');
    await expect(open('a,b\n1,2\n')).rejects.toMatchObject({ code: 'MODEL_NOT_JSON' });
    await expect(open('{"a": 1}')).rejects.toMatchObject({ code: 'MODEL_FORMAT' });
    const table = makeHarLike({ participants: 2, rowsPerParticipant: 40, features: 4 });
    const local = modelFile(train(table, { method: 'local', testFraction: 0 }).model);
    await expect(fitted(local, file(table))).rejects.toMatchObject({ code: 'NOT_PERSONALISABLE' });
    const shared = modelFile(train(table, { method: 'global', testFraction: 0 }).model);
    await expect(fitted(shared, file(table))).rejects.toMatchObject({ code: 'NOT_PERSONALISABLE' });
    expect((await fitted(shared, file(table), { c2: 1 })).result.people).toHaveLength(2);
  });

  test('the example: a newcomer that the shared model serves badly', async () => {
    const work = personaliseWork();
    const { model, rows } = work.example();
    const { result, note } = await fitted(model, rows);
    expect((note as ModelNote).people).toHaveLength(16);
    expect(result.own! - result.shared!).toBeGreaterThan(0.1);
  });
});
