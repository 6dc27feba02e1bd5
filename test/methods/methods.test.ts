import { describe, expect, test } from 'vitest';
import { train } from '../../src/methods/train.ts';
import { LOSS_NAMES } from '../../src/settings/losses.ts';
import { AGGREGATIONS, METHODS } from '../../src/settings/training.ts';
import { LOSSES } from '../../src/solver/losses/losses.ts';
import type { MethodName, Model } from '../../src/solver/model.ts';
import { dot } from '../../src/solver/vector.ts';
import { smallHar, smallRegression, tableOf } from '../helpers/tables.ts';

const har = smallHar();
const certified: readonly MethodName[] = ['mtl', 'local', 'global'];

describe.each(certified)('%s', (method) => {
  test.each(LOSS_NAMES)('is certified to 1e-6 with the loss %s', (loss) => {
    const { task: objective, classes } = LOSSES[loss];
    const table = classes ? har : smallRegression();
    const result = train(table, { method, objective, loss, gap: 1e-6, rounds: 500, passes: 500 });
    expect(result.stopped).toBe('gap');
    expect(result.certificate!.relativeGap).toBeLessThanOrEqual(1e-6);
    expect(result.certificate!.primal).toBeGreaterThanOrEqual(result.certificate!.dual);
  });

  test('the dual rises from round to round', () => {
    const { history } = train(har, { method, gap: 1e-5, passes: 3 });
    expect(history.length).toBeGreaterThan(3);
    for (let r = 1; r < history.length; r++) {
      expect(history[r].dual!).toBeGreaterThanOrEqual(
        history[r - 1].dual! - 1e-9 * Math.abs(history[r].dual!),
      );
    }
  });
});

test.each(METHODS)('%s gives the same bytes for the same seed and other bytes for another', (method) => {
  const run = (seed: number) => JSON.stringify(train(har, { method, seed, rounds: 20 }));
  expect(run(1)).toBe(run(1));
  expect(run(2)).not.toBe(run(1));
});

/** |w - C2 sum_k v_k|^2 of the model in use. */
function imbalance2({ w, personal }: Model, c2: number): number {
  const rest = w.slice();
  for (const v of personal.values()) for (let j = 0; j < rest.length; j++) rest[j] -= c2 * v[j];
  return dot(rest, rest);
}

test.each(AGGREGATIONS)(
  '%s conserves: what the coordinator holds is the sum of the contributions',
  (aggregation) => {
    for (const c2 of [0.05, 1, 30]) {
      for (const rounds of [1, 3, 40]) {
        const { conservation, model, certificate, participants } = train(har, { aggregation, c2, rounds });
        expect(conservation!.relativeError).toBeLessThan(1e-12);
        if (aggregation !== 'answers') {
          // Step by step w is C2 times the sum of the personal parts in every round.
          expect(imbalance2(model, c2)).toBeLessThan(1e-20 * (1 + dot(model.w, model.w)));
        } else {
          // w - C2 sum v is the gradient of P, which has the Lipschitz constant 1 + K C2: no more than the gap allows.
          const { primal, dual } = certificate!;
          const most = 2 * (1 + participants.length * c2) * (primal - dual);
          if (rounds > 1) expect(imbalance2(model, c2)).toBeLessThan(1.1 * most);
        }
      }
    }
  },
);

test('with a huge C2 everybody gets the global model', () => {
  const options = { gap: 1e-6, rounds: 3000, passes: 500 } as const;
  const global = train(har, { ...options, method: 'global' });
  const mtl = train(har, { ...options, gap: 1e-4, c2: 1e5 });
  expect(mtl.certificate!.primal).toBeCloseTo(global.certificate!.primal, 1);
  expect(Math.abs(mtl.certificate!.primal / global.certificate!.primal - 1)).toBeLessThan(1e-3);
});

test('with a tiny C2 everybody is alone', () => {
  // w costs 1/C2 times as much as a personal part, so all of P is C2 times the local problem with C1 / C2.
  const c2 = 1e-3;
  const local = train(har, { method: 'local', c1: 1, gap: 1e-5, rounds: 2000, passes: 2000 });
  const mtl = train(har, { c1: c2, c2, gap: 1e-4, rounds: 2000, passes: 2000 });
  expect(Math.abs(mtl.certificate!.primal / (c2 * local.certificate!.primal) - 1)).toBeLessThan(0.01);
});

test('mtl beats local and global where people are alike but not the same', () => {
  const table = smallHar(3, 8, 60);
  const [mtl, local, global] = (['mtl', 'local', 'global'] as const).map(
    (method) => train(table, { method, c1: 3, c2: 0.5 }).mean.balancedAccuracy!,
  );
  expect(mtl).toBeGreaterThan(local);
  expect(mtl).toBeGreaterThan(global);
});

test('mocha: the dual rises while Omega stands, and unrelated tasks are told apart from related ones', () => {
  const table = tableOf({
    participants: 4,
    rows: 60,
    d: 6,
    target: (x, k) => (x[k < 2 ? 0 : 1] > 0 ? 1 : -1),
  });
  const { history, certificate, mean } = train(table, { method: 'mocha', lambda: 0.01, rounds: 200 });
  expect(certificate!.relativeGap).toBeLessThan(1e-2);
  expect(mean.errorRate!).toBeLessThan(0.1);
  // Omega changes only when the gap has come down, so a round never loses much of the dual.
  for (const row of history) expect(row.primal).toBeGreaterThanOrEqual(row.dual! - 1e-9);
});

test('fedavg gets near the optimum of the same primal', () => {
  for (const loss of LOSS_NAMES) {
    const { task: objective, classes } = LOSSES[loss];
    const table = classes ? har : smallRegression();
    const optimum = train(table, { objective, loss, gap: 1e-4, rounds: 500 }).certificate!.primal;
    const { history } = train(table, { method: 'fedavg', objective, loss, rounds: 300 });
    const reached = history.at(-1)!.primal;
    expect(reached).toBeGreaterThanOrEqual(optimum * (1 - 1e-4));
    expect(reached).toBeLessThan(optimum * 1.25);
  }
});

test('regression explains held-out values', () => {
  for (const method of ['mtl', 'local', 'global', 'fedavg'] as const) {
    const { mean } = train(smallRegression(), { method, objective: 'regression', c1: 10, epsilon: 0.05 });
    expect(mean.r2!).toBeGreaterThan(method === 'global' ? 0.3 : 0.6);
    expect(mean.rmse!).toBeGreaterThan(0);
    expect(mean.errorRate).toBeUndefined();
  }
});

test('a thousand participants train in one process', () => {
  const table = tableOf({ participants: 1000, rows: 4, d: 5, target: (x) => (x[0] + x[1] > 0 ? 1 : -1) });
  const result = train(table, { testFraction: 0.25, rounds: 100 });
  expect(result.participants.length).toBe(1000);
  expect(result.certificate!.relativeGap).toBeLessThanOrEqual(1e-3);
  expect(result.conservation!.relativeError).toBeLessThan(1e-12);
});

test('one row each, one class each, constant features: nothing falls over', () => {
  const lone = tableOf({ participants: 4, rows: 1, d: 3, target: (_, k) => (k % 2 ? 'yes' : 'no') });
  const flat = { ...lone, x: new Float64Array(lone.x.length).fill(7) };
  for (const table of [lone, flat]) {
    for (const method of METHODS) {
      const result = train(table, { method, rounds: 50 });
      expect(result.participants.every((participant) => participant.testRows === 0)).toBe(true);
      for (const value of result.model.w) expect(Number.isFinite(value)).toBe(true);
    }
  }
});

test('balanced weights raise the recall of a rare class', () => {
  const table = tableOf({
    participants: 3,
    rows: 120,
    d: 4,
    target: (x) => (x[0] + 1.5 * x[1] * x[2] > 2 ? 1 : -1),
  });
  const accuracy = (classWeight: 'none' | 'balanced') => train(table, { classWeight }).mean.balancedAccuracy!;
  expect(accuracy('balanced')).toBeGreaterThan(accuracy('none') + 0.05);
});

test.each(['answers', 'safe'] as const)('%s: the model in use never gets worse', (aggregation) => {
  for (const passes of [1, 3, 30]) {
    const { history } = train(smallHar(5, 6, 30), {
      aggregation,
      passes,
      c1: 10,
      c2: 3,
      gap: 1e-5,
      rounds: 60,
    });
    for (let r = 1; r < history.length; r++) {
      expect(history[r].primal).toBeLessThanOrEqual(history[r - 1].primal);
      expect(history[r].dual!).toBeGreaterThanOrEqual(
        history[r - 1].dual! - 1e-9 * Math.abs(history[r].dual!),
      );
      expect(history[r].relativeGap!).toBeLessThanOrEqual(history[r - 1].relativeGap! + 1e-12);
    }
  }
});

test('a tiny C1 with a large C2: every box is smaller than any tolerance, and training ends at once', () => {
  const tiny = { c1: 1e-4, c2: 1000 } as const;
  for (const [table, objective] of [
    [har, 'classification'],
    [smallRegression(), 'regression'],
  ] as const) {
    const { rounds, stopped, certificate } = train(table, { ...tiny, objective });
    expect(stopped).toBe('gap');
    expect(rounds).toBeLessThanOrEqual(4);
    expect(certificate!.relativeGap).toBeLessThanOrEqual(1e-3);
  }
});

test.each(['exact', 'line-search', 'SAFE', 7])(
  'aggregation %s is refused with those that there are',
  (rule) => {
    expect(() => train(har, { aggregation: rule as 'safe' })).toThrow(
      new RegExp(`^option --aggregation: expected one of answers, safe, sum, got ${rule}$`),
    );
  },
);
