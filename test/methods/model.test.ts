import { expect, test } from 'vitest';
import { modelFromJson, modelToJson } from '../../src/methods/model.ts';
import { train } from '../../src/methods/train.ts';
import { decide, modelFor } from '../../src/solver/model.ts';
import { smallHar, smallRegression } from '../helpers/tables.ts';

const har = smallHar();

test('a model comes back from its file as it was, to the last bit', () => {
  const three = { ...har, targets: har.targets!.map((text, i) => (i % 3 === 0 ? 'other' : text)) };
  for (const table of [har, three, smallRegression()]) {
    const objective = table === har || table === three ? 'classification' : 'regression';
    const { model } = train(table, { objective, rounds: 20 });
    const back = modelFromJson(modelToJson(model), 'm.json');
    expect(back.w).toEqual(model.w);
    expect([...back.personal]).toEqual([...model.personal]);
    expect(back.scaling).toEqual(model.scaling);
    expect(back.certificate).toEqual(model.certificate);
    expect(modelToJson(back)).toBe(modelToJson(model));
    expect(decide(back, table)).toEqual(decide(model, table));
  }
});

test('a model of random features comes back with its map, and predicts alike', () => {
  const { model } = train(har, { features: 'rff:30:0.5', seed: 9, rounds: 20 });
  expect(model.map).toEqual({ kind: 'rff', count: 30, gamma: 0.5, seed: 9 });
  expect(model.w).toHaveLength(31);
  const json = modelToJson(model);
  const back = modelFromJson(json, 'm.json');
  expect(modelToJson(back)).toBe(json);
  expect(decide(back, har)).toEqual(decide(model, har));
  const otherSeed = modelFromJson(json.replace('"gamma":0.5,"seed":9', '"gamma":0.5,"seed":8'), 'm.json');
  expect(decide(otherSeed, har)).not.toEqual(decide(model, har));
  const withoutMap = JSON.stringify({ ...JSON.parse(json), map: undefined });
  expect(() => modelFromJson(withoutMap, 'm.json')).toThrow(/m.json: w: expected 25 numbers, got 31/);
  const odd = json.replace('"count":30', '"count":31');
  expect(() => modelFromJson(odd, 'm.json')).toThrow(/map.count: expected an even number/);
});

test('decisions are (w + v_k) . scaled row, with the bias', () => {
  const { model } = train(har, { rounds: 20 });
  const d = har.features.length;
  const i = 17;
  const id = har.participants[har.participantOf[i]];
  const z = modelFor(model, id);
  let expected = z[d];
  for (let j = 0; j < d; j++) {
    expected += (har.x[i * d + j] - model.scaling.shift[j]) * model.scaling.factor[j] * z[j];
  }
  expect(decide(model, har, [i])[0]).toBeCloseTo(expected, 12);
});

test('someone new is served by w, unless the method has no shared part', () => {
  const shared = train(har, { rounds: 20 }).model;
  expect(modelFor(shared, 'nobody knows me')).toBe(shared.w);
  const alone = train(har, { method: 'local', rounds: 20 }).model;
  expect(() => modelFor(alone, 'nobody knows me')).toThrow(/no shared part/);
});

test('predictions without bias and without scaling are plain products', () => {
  const { model } = train(har, { bias: false, scale: 'none', rounds: 20 });
  expect(model.w.length).toBe(har.features.length);
  expect(decide(model, har).every(Number.isFinite)).toBe(true);
});
