/** Probabilities from training to prediction. */
import { describe, expect, test } from 'vitest';
import { makeHarLike } from '../../src/data/generate-har.ts';
import { sigmoid } from '../../src/math/sigmoid.ts';
import { evaluate, type Tested } from '../../src/methods/evaluate.ts';
import { modelFromJson, modelToJson } from '../../src/methods/model.ts';
import { personalise } from '../../src/methods/personalise.ts';
import { predict } from '../../src/methods/predict.ts';
import { train } from '../../src/methods/train.ts';
import type { TrainOptions } from '../../src/settings/training.ts';
import { logLossOf } from '../../src/solver/chance-metrics.ts';
import { smallHar, smallRegression, tableOf } from '../helpers/tables.ts';

const har = makeHarLike({ participants: 6, rowsPerParticipant: 80, features: 24, seed: 2 });
/** Three classes: the largest of three features. */
const three = tableOf({
  ...{ participants: 4, rows: 60, d: 4, seed: 5 },
  target: (x) => ['high', 'low', 'medium'][x.indexOf(Math.max(...x.subarray(0, 3)))],
});
const OPTIONS = { probabilities: true, testFraction: 0.4 } as const;

function testedBy(table: typeof har, options: TrainOptions) {
  let tested: readonly Tested[] = [];
  const onTested = (rows: readonly Tested[]) => {
    tested = rows;
  };
  return { result: train(table, options, { onTested }), tested };
}

describe.each(['hinge', 'squared-hinge', 'logistic'] as const)('%s', (loss) => {
  test('calibrated probabilities of test rows are better than the sigmoid of the decision', () => {
    const { result, tested } = testedBy(har, { ...OPTIONS, loss });
    const { mean } = result;
    const plain = tested.map(({ y, decisions }) => logLossOf(y, decisions.map(sigmoid), 1));
    expect(mean.logLoss).toBeLessThan(plain.reduce((sum, one) => sum + one, 0) / plain.length);
    expect(mean.auc).toBeGreaterThan(0.8);
    expect(mean.brier).toBeLessThan(0.25);
  });

  test('of three classes they add up to 1, and the largest is mostly that of the prediction', () => {
    const { model } = train(three, { ...OPTIONS, loss });
    const predictions = predict(model, three, '', { probabilities: true });
    let same = 0;
    for (const { probabilities, prediction } of predictions) {
      expect(probabilities!.reduce((sum, one) => sum + one, 0)).toBeCloseTo(1, 12);
      const labels = ['high', 'low', 'medium'];
      if (labels[probabilities!.indexOf(Math.max(...probabilities!))] === prediction) same++;
    }
    expect(same / predictions.length).toBeGreaterThan(0.9);
    expect(evaluate(model, three).mean.logLoss).toBeLessThan(Math.log(3));
  });
});

test('within a participant a larger decision has a larger probability; the threshold decides by it', () => {
  const { model } = train(har, { ...OPTIONS, positive: '1' });
  const predictions = predict(model, har, '', { probabilities: true });
  for (const id of har.participants) {
    const own = predictions.filter(({ participant }) => participant === id);
    own.sort((a, b) => a.decision - b.decision);
    for (const [i, { probability }] of own.entries()) {
      expect(probability).toBeGreaterThanOrEqual(own[i - 1]?.probability ?? 0);
      expect(probability).toBeLessThanOrEqual(1);
    }
  }
  const strict = predict(model, har, '', { threshold: 0.9 });
  for (const [i, { prediction, decision, probability }] of strict.entries()) {
    expect(probability).toBeUndefined();
    expect(decision).toBe(predictions[i].decision);
    expect(prediction).toBe(predictions[i].probability! >= 0.9 ? '1' : '-1');
  }
  const positives = (all: typeof strict) => all.filter(({ prediction }) => prediction === '1').length;
  expect(positives(predict(model, har, '', { threshold: 0.01 }))).toBeGreaterThan(positives(strict));
});

test('calibration changes no decision, and its file is read as it was written', () => {
  const plain = train(har, { testFraction: 0.4 });
  const { model, mean } = train(har, OPTIONS);
  expect(model.w).toEqual(plain.model.w);
  expect(mean.errorRate).toBe(plain.mean.errorRate);
  expect(plain.mean.logLoss).toBeUndefined();
  const text = modelToJson(model);
  const read = modelFromJson(text, 'model.json');
  expect(modelToJson(read)).toBe(text);
  expect(read.calibration).toEqual(model.calibration);
  const one = modelToJson({ ...model, calibration: { participants: new Map(), shared: [] } });
  expect(() => modelFromJson(one, 'model.json')).toThrow(/model.json: calibration.shared: expected/);
  const [a, b] = model.calibration!.shared.concat(model.calibration!.shared);
  const many = modelToJson({ ...model, calibration: { participants: new Map(), shared: [a, b] } });
  expect(() => modelFromJson(many, 'model.json')).toThrow(/calibration of "shared": expected 1 sigmoids/);
});

test('participants with few rows or one class stay close to everybody, and newcomers have their sigmoid', () => {
  const lonely = tableOf({
    ...{ participants: 3, rows: 40, d: 3, seed: 9 },
    target: (x, k) => (k === 2 ? 1 : x[0] > 0 ? 1 : -1),
  });
  const { model } = train(lonely, { ...OPTIONS, positive: '1', trainRows: { p1: 2 } });
  const { participants, shared } = model.calibration!;
  expect([...participants.keys()]).toEqual(['p0', 'p1', 'p2']);
  const [{ a, b }] = participants.get('p1')!;
  expect(Math.abs(a / shared[0].a - 1)).toBeLessThan(0.3);
  expect(Math.abs(b - shared[0].b)).toBeLessThan(0.7);
  const rows = [[1, 0, 0]];
  const [newcomer] = predict(model, rows, 'nobody', { probabilities: true });
  expect(newcomer.probability).toBe(sigmoid(shared[0].a * newcomer.decision + shared[0].b));
});

test('personalise calibrates new parts where the model is calibrated, and drops what no longer fits', () => {
  const { model } = train(har, OPTIONS);
  const later = makeHarLike({ participants: 8, rowsPerParticipant: 50, features: 24, seed: 3 });
  const { model: next, options } = personalise(model, later);
  expect(options.probabilities).toBe(true);
  expect([...next.calibration!.participants.keys()].sort()).toEqual(['1', '2', '3', '4', '5', '6', '7', '8']);
  expect(next.calibration!.shared).toEqual(model.calibration!.shared);
  expect(next.calibration!.participants.get('1')).not.toEqual(model.calibration!.participants.get('1'));
  const without = personalise(model, later, { probabilities: false }).model;
  expect([...without.calibration!.participants.keys()]).toEqual([]);
  const plain = train(har, { testFraction: 0 }).model;
  expect(personalise(plain, later).model.calibration).toBeUndefined();
  expect(personalise(plain, later, { probabilities: true }).model.calibration!.participants.size).toBe(8);
});

test('models of mapped features are calibrated as others are', () => {
  const { mean } = train(har, { ...OPTIONS, features: 'rff:64' });
  expect(mean.logLoss).toBeLessThan(Math.LN2);
});

test('local models are calibrated alone', () => {
  const { mean } = train(har, { ...OPTIONS, method: 'local' });
  expect(mean.logLoss).toBeLessThan(Math.LN2);
});

test('what gives no probabilities says what would', () => {
  const { model } = train(har, { testFraction: 0 });
  expect(() => predict(model, har, '', { probabilities: true })).toThrow(
    'model: expected one that gives probabilities, got one of loss hinge without calibration; train, join or personalise with --probabilities, or with --loss logistic',
  );
  expect(() => predict(model, har, '', { threshold: 0.3 })).toThrow(/expected one that gives probabilities/);
  const regression = smallRegression();
  const numbers = train(regression, { objective: 'regression', testFraction: 0 }).model;
  expect(() => predict(numbers, regression, '', { probabilities: true })).toThrow(/got a regression/);
  expect(() => predict(numbers, regression, '', { threshold: 0.3 })).toThrow(
    /threshold: expected a model of two/,
  );
  expect(() => train(regression, { objective: 'regression', probabilities: true })).toThrow(
    /--probabilities/,
  );
  expect(() => train(smallHar(), { method: 'mocha', probabilities: true })).toThrow(/--method mtl, local/);
  const many = train(three, OPTIONS).model;
  expect(() => predict(many, three, '', { threshold: 0.3 })).toThrow(/two classes, got 3 classes/);
  expect(() => predict(train(har, OPTIONS).model, har, '', { threshold: 1 })).toThrow(
    /threshold: expected a number/,
  );
});
