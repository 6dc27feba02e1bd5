/** Regression on targets that are far from 0: every method, and everything that is done with its model. */
import { describe, expect, test } from 'vitest';
import { stream } from '../../src/base/random.ts';
import type { Table } from '../../src/data/table.ts';
import { targetMoments, targetScalingFrom } from '../../src/math/target-scaling.ts';
import { evaluate } from '../../src/methods/evaluate.ts';
import { modelFromJson, modelToJson } from '../../src/methods/model.ts';
import { resolveOptions } from '../../src/methods/options.ts';
import { personalise } from '../../src/methods/personalise.ts';
import { predict } from '../../src/methods/predict.ts';
import { prepare } from '../../src/methods/prepare.ts';
import { train } from '../../src/methods/train.ts';
import { tune } from '../../src/methods/tune.ts';
import type { TrainOptions } from '../../src/settings/training.ts';
import { tableOf } from '../helpers/tables.ts';

/** Prices of houses: mean 305,000, standard deviation about 66,000, a tenth of the variance noise, other prices in every town. */
function housePrices(seed = 1): Table {
  const random = stream(seed, 'prices');
  const towns = Array.from({ length: 20 }, () => 0.3 * random.normal());
  return tableOf({
    participants: 20,
    rows: 40,
    d: 6,
    seed,
    target: (x, k) => {
      const worth = 0.8 * x[0] + 0.5 * x[1] - 0.3 * x[2] + towns[k] * x[3] + 0.2 * random.normal();
      return 305_000 + 66_000 * worth;
    },
  });
}

const HOUSES = housePrices();
const REGRESSION = { objective: 'regression' } as const;

describe('targets far from 0', () => {
  test('house prices: R2 of at least 0.9 with defaults, where targets as they are give less than nothing', () => {
    expect(train(HOUSES, REGRESSION).mean.r2).toBeGreaterThan(0.9);
    expect(train(HOUSES, { ...REGRESSION, scaleTarget: 'none' }).mean.r2).toBeLessThan(0);
  });

  test.each(['mtl', 'local', 'global', 'fedavg'] as const)('%s scales them', (method) => {
    const { mean, target } = train(HOUSES, { ...REGRESSION, method });
    expect(target!.shift).toBeGreaterThan(250_000);
    expect(mean.r2).toBeGreaterThan(method === 'mtl' || method === 'global' ? 0.8 : 0.6);
    expect(mean.rmse).toBeLessThan(45_000);
  });

  test('tune scores in the units of the target, with the scaling of each fold', () => {
    const options: TrainOptions = { ...REGRESSION, rounds: 30 };
    const { best } = tune(HOUSES, { ...options, folds: 3, grid: { c1: [1], c2: [1], scale: ['standard'] } });
    expect(best.score).toBeGreaterThan(5000);
    expect(best.score).toBeLessThan(30_000);
  });
});

describe('a training with scaled targets is one on standardised targets, with epsilon in the same units', () => {
  test.each([
    { method: 'mtl' },
    { method: 'mtl', aggregation: 'safe', rounds: 20 },
    { method: 'local' },
    { method: 'global' },
    { method: 'fedavg', rounds: 20 },
  ] as const)('%j, to the bit', (given) => {
    const options = { ...REGRESSION, ...given, epsilon: 3000 };
    const scaled = train(HOUSES, options);
    const { y, split } = prepare(HOUSES, resolveOptions(options, HOUSES));
    const { shift, scale } = scaled.target!;
    const pooled = targetScalingFrom(targetMoments(y, split.train));
    expect(Math.abs(shift / pooled.shift - 1)).toBeLessThan(1e-12);
    expect(Math.abs(scale / pooled.scale - 1)).toBeLessThan(1e-12);
    const table = { ...HOUSES, targets: Array.from(y, (value) => String((value - shift) / scale)) };
    const byHand = train(table, { ...options, epsilon: 3000 / scale, scaleTarget: 'none' });
    expect(scaled.history).toEqual(byHand.history);
    expect(scaled.model.w).toEqual(byHand.model.w);
    expect(scaled.model.personal).toEqual(byHand.model.personal);
    expect(scaled.mean.r2).toBeCloseTo(byHand.mean.r2!, 9);
    expect(scaled.mean.rmse! / (byHand.mean.rmse! * scale)).toBeCloseTo(1, 9);
  });
});

describe('the model', () => {
  const trained = train(HOUSES, REGRESSION);

  test('carries the scaling, and predicts in the units of the target', () => {
    const again = modelFromJson(modelToJson(trained.model), 'model.json');
    expect(again.target).toEqual(trained.target);
    for (const [i, { prediction, decision }] of predict(again, HOUSES).entries()) {
      expect(prediction).toBe(decision);
      expect(Math.abs(Number(prediction) - Number(HOUSES.targets![i]))).toBeLessThan(150_000);
    }
    expect(evaluate(again, HOUSES).mean.r2).toBeGreaterThan(0.9);
  });

  test('one of version 1 has targets as they are', () => {
    const { model } = train(HOUSES, { ...REGRESSION, scaleTarget: 'none', c1: 1000 });
    const file = { ...JSON.parse(modelToJson(model)), version: 1 };
    const again = modelFromJson(JSON.stringify(file), 'model.json');
    expect(again.target).toBeUndefined();
    expect(evaluate(again, HOUSES)).toEqual(evaluate(model, HOUSES));
  });

  test('a scale of 0 is refused', () => {
    const file = { ...JSON.parse(modelToJson(trained.model)), target: { shift: 1, scale: 0 } };
    expect(() => modelFromJson(JSON.stringify(file), 'model.json')).toThrow(/target.scale/);
  });

  test('is personalised with the scaling it has: on its own rows the parts stay what they are', () => {
    const whole = train(HOUSES, { ...REGRESSION, testFraction: 0, gap: 1e-9 });
    const { model } = personalise(whole.model, HOUSES, { gap: 1e-9 });
    for (const [id, v] of whole.model.personal)
      for (const [j, value] of v.entries()) expect(model.personal.get(id)![j]).toBeCloseTo(value, 3);
  });
});

test('classification is as ever: there is no target to scale', () => {
  const table = tableOf({ participants: 3, rows: 30, d: 3, target: (x) => (x[0] > 0 ? 'b' : 'a') });
  const { target, model } = train(table, {});
  expect([target, model.target]).toEqual([undefined, undefined]);
});
