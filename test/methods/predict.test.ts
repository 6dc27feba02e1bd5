import { expect, test } from 'vitest';
import { tableFrom } from '../../src/data/arrays.ts';
import { selectFeatures } from '../../src/data/select-features.ts';
import { evaluate } from '../../src/methods/evaluate.ts';
import { personalise } from '../../src/methods/personalise.ts';
import { predict } from '../../src/methods/predict.ts';
import { train } from '../../src/methods/train.ts';
import { decide } from '../../src/solver/model.ts';
import { smallHar, smallRegression } from '../helpers/tables.ts';

const har = smallHar();
const { model } = train(har, { positive: '1', rounds: 20 });

test('a class in the words of the data, a number for regression, and the decision behind it', () => {
  const decisions = decide(model, har);
  const predictions = predict(model, har);
  expect(predictions.map(({ decision }) => decision)).toEqual([...decisions]);
  for (const { row, participant, prediction, decision } of predictions) {
    expect(prediction).toBe(decision > 0 ? '1' : '-1');
    expect(participant).toBe(har.participants[har.participantOf[row - 1]]);
  }
  const regression = smallRegression();
  const [first] = predict(train(regression, { objective: 'regression', rounds: 20 }).model, regression);
  expect(first).toEqual({ row: 1, participant: '1', prediction: first.decision, decision: first.decision });
});

test('one against the rest: the rest is called so', () => {
  const table = tableFrom([{ id: 'a', x: [1, 2, 8, 9], y: ['x', 'y', 'z', 'z'] }]);
  const one = train(table, { positive: 'z', testFraction: 0, c1: 100 }).model;
  expect(new Set(predict(one, table).map(({ prediction }) => prediction))).toEqual(new Set(['z', 'not z']));
});

test('rows as arrays are predicted as the same rows of a table, for a participant or for nobody', () => {
  const d = har.features.length;
  const rowsOf = (who: string) =>
    Array.from({ length: har.n }, (_, i) => i)
      .filter((i) => har.participants[har.participantOf[i]] === who)
      .map((i) => har.x.subarray(i * d, (i + 1) * d));
  const expected = predict(model, har).filter(({ participant }) => participant === '2');
  const got = predict(model, rowsOf('2'), '2');
  expect(got.map(({ decision }) => decision)).toEqual(expected.map(({ decision }) => decision));
  expect(got.map(({ row }) => row)).toEqual(got.map((_, i) => i + 1));
  // Plain arrays of numbers, and the shared part for whoever is not named.
  const plain = rowsOf('2').map((row) => [...row]);
  expect(predict(model, plain, '2')).toEqual(got);
  const shared = predict(model, plain);
  expect(shared[0]).toMatchObject({ row: 1, participant: '' });
  expect(shared.map(({ decision }) => decision)).not.toEqual(got.map(({ decision }) => decision));
  expect(predict(model, plain, 'nobody').map(({ decision }) => decision)).toEqual(
    shared.map(({ decision }) => decision),
  );
  expect(predict(model, [])).toEqual([]);
});

test('rows of another length and values that are no numbers are refused by their place', () => {
  const d = har.features.length;
  const row = [...har.x.subarray(0, d)];
  expect(() => predict(model, [row, row.slice(1)], '1')).toThrow(
    /rows\[1\]: expected the \d+ columns .* got \d+ values/,
  );
  expect(() => predict(model, [row, row.with(2, Number.POSITIVE_INFINITY)], '1')).toThrow(
    /row 2, feature 3: expected a finite number/,
  );
  const { model: local } = train(har, { method: 'local', positive: '1', rounds: 5 });
  expect(() => predict(local, [row], 'nobody')).toThrow(/"nobody" is not in the model/);
});

test('features are found by name: another order changes nothing, other features are refused', () => {
  const order = har.features.map((_, j) => har.features.length - 1 - j);
  const turned = selectFeatures(har, order);
  expect(predict(model, turned)).toEqual(predict(model, har));
  expect(evaluate(model, turned)).toEqual(evaluate(model, har));
  expect(personalise(model, turned).participants).toEqual(personalise(model, har).participants);
  expect(() => predict(model, selectFeatures(har, order.slice(1)))).toThrow(/missing/);
  expect(() => evaluate(model, { ...har, features: ['other', ...har.features.slice(1)] })).toThrow(/"other"/);
});
