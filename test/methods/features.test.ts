/** Random features with every method: what linear models cannot learn, and what every part of the library makes of them. */
import { describe, expect, test } from 'vitest';
import { makeRings } from '../../src/data/generate-rings.ts';
import type { Table } from '../../src/data/table.ts';
import { evaluate } from '../../src/methods/evaluate.ts';
import { personalise } from '../../src/methods/personalise.ts';
import { predict } from '../../src/methods/predict.ts';
import { train } from '../../src/methods/train.ts';
import { tune } from '../../src/methods/tune.ts';
import { smallHar, smallRegression, tableOf } from '../helpers/tables.ts';

const rings = makeRings({ participants: 6, rows: 100 });

describe('rings, which no plane separates', () => {
  test.each(['mtl', 'local', 'global', 'mocha', 'fedavg'] as const)('%s', (method) => {
    const options = { method, c1: 3, rounds: 60 } as const;
    const linear = train(rings, options).mean.errorRate!;
    const mapped = train(rings, { ...options, features: 'rff:128' }).mean.errorRate!;
    expect(linear).toBeGreaterThan(0.35);
    // One model for all cannot know where each participant's rings are.
    expect(mapped).toBeLessThan(method === 'global' || method === 'fedavg' ? 0.3 : 0.08);
  });

  test('more features are no worse', () => {
    const errors = [4, 16, 64].map(
      (count) => train(rings, { features: `rff:${count}`, c1: 3 }).mean.errorRate!,
    );
    expect(errors[1]).toBeLessThan(errors[0]);
    expect(errors[2]).toBeLessThan(errors[1] + 0.01);
  });
});

test('three classes in rings of their own are three heads over the same mapped rows', () => {
  const table = tableOf({
    participants: 4,
    rows: 150,
    d: 2,
    target: (x) => ['near', 'middle', 'far'][Math.min(2, Math.floor((x[0] ** 2 + x[1] ** 2) / 1.2))],
  });
  const options = { features: 'rff:64', c1: 10 } as const;
  const { model, mean } = train(table, options);
  expect(model.w).toHaveLength(3 * 65);
  expect(mean.errorRate!).toBeLessThan(0.5 * train(table, { c1: 10 }).mean.errorRate!);
});

test('a curve is learnt by a regression', () => {
  const table = tableOf({ participants: 3, rows: 80, d: 1, target: (x, k) => Math.sin(3 * x[0]) + k });
  const options = { objective: 'regression', c1: 30, epsilon: 0.01 } as const;
  expect(train(table, options).mean.r2!).toBeLessThan(0.3);
  expect(train(table, { ...options, features: 'rff:64:3' }).mean.r2!).toBeGreaterThan(0.9);
});

test('certificate and conservation are those of the mapped problem', () => {
  for (const [table, objective] of [
    [rings, 'classification'],
    [smallRegression(), 'regression'],
  ] as const) {
    const { certificate, conservation } = train(table, { objective, features: 'rff:48', gap: 1e-6 });
    expect(certificate!.relativeGap).toBeGreaterThanOrEqual(0);
    expect(certificate!.relativeGap).toBeLessThanOrEqual(1e-6);
    expect(conservation!.relativeError).toBeLessThan(1e-12);
  }
});

test('a newcomer is served by the shared part, and better by its own', () => {
  const few = train(rings, { participants: 5, features: 'rff:128', c1: 3 }).model;
  const newcomer = rowsOf(rings, 5);
  const { meanOfShared, mean, model } = personalise(few, newcomer, { testFraction: 0.5 });
  expect(mean.errorRate!).toBeLessThan(meanOfShared.errorRate!);
  expect(model.map).toEqual(few.map);
  expect(evaluate(model, newcomer).mean.errorRate!).toBeLessThan(0.1);
  const predicted = predict(model, newcomer);
  expect(predict(model, [newcomer.x.subarray(0, 2)], '6')[0].decision).toBe(predicted[0].decision);
});

test('tune searches C1 and C2 for the map that is given, and says so in what it chose', () => {
  const result = tune(rings, { features: 'rff:32', folds: 3, grid: { c1: [1, 10], c2: [1] } });
  expect(result.best.score).toBeLessThan(0.1);
  expect(result.chosen).toMatchObject({ features: 'rff:32' });
});

test('a map of more features than it can take is refused', () => {
  const d = 3000;
  const table = tableOf({ participants: 2, rows: 4, d, target: (x) => (x[0] > 0 ? 1 : -1) });
  expect(() => train(table, { features: 'rff:65536' })).toThrow(
    /option --features: expected a map of at most 2048 features with a count of 65536, got 3000/,
  );
});

test('seeds draw other features, none leaves all as it was', () => {
  const har = smallHar();
  const w = (seed: number) => train(har, { seed, features: 'rff:16', testFraction: 0 }).model.w;
  expect(w(1)).toEqual(w(1));
  expect(w(1)).not.toEqual(w(2));
  expect(train(har, { features: 'none' }).model.w).toEqual(train(har).model.w);
});

function rowsOf(table: Table, k: number): Table {
  const rows = [...table.participantOf.keys()].filter((i) => table.participantOf[i] === k);
  const d = table.features.length;
  return {
    ...table,
    n: rows.length,
    x: Float64Array.from(rows.flatMap((i) => [...table.x.subarray(i * d, (i + 1) * d)])),
    participants: [table.participants[k]],
    participantOf: new Uint32Array(rows.length),
    targets: rows.map((i) => table.targets![i]),
  };
}

test('tune chooses among features, and what it chose can be trained', () => {
  const features = ['none', 'rff:32:0.5', 'rff:8'];
  const result = tune(rings, { folds: 3, grid: { c1: [1, 10], c2: [1], scale: ['standard'], features } });
  expect(new Set(result.table.map((row) => row.features))).toEqual(new Set(features));
  expect(result.chosen.features).toBe('rff:32:0.5');
  expect(train(rings, result.chosen).mean.errorRate!).toBeLessThan(0.08);
  expect(() => tune(rings, { grid: { features: ['rff:7'] } })).toThrow(
    /option --features: expected none, rff/,
  );
});
