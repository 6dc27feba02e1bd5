/** The search of `train` without options: as good as a longer one within the noise, for every kind of problem, at a bounded cost. */
import { describe, expect, test } from 'vitest';
import { stream } from '../../src/base/random.ts';
import { makeRings } from '../../src/data/generate-rings.ts';
import { differentNumbers } from '../../src/data/labels.ts';
import { leaksIn } from '../../src/methods/leaks.ts';
import { train } from '../../src/methods/train.ts';
import { tune } from '../../src/methods/tune.ts';
import { LOSS_NAMES, LOSSES } from '../../src/settings/losses.ts';
import { weightedTable } from '../helpers/messy.ts';
import { manyClasses, smallHar, smallRegression, tableOf } from '../helpers/tables.ts';

/** 18 + 4 + 2 x 2 of the grid, four steps of at most 4 x 4, three epsilons or one class weight on three folds. */
const MOST_TRAININGS = 26 + 64 + 9;

describe('a quick search', () => {
  test.each(LOSS_NAMES)('finds options for the loss %s with a bounded number of trainings', (loss) => {
    const table = LOSSES[loss] === 'regression' ? smallRegression() : smallHar(3, 5, 60);
    const { best, folds, search, chosen } = tune(table, { loss, search: 'quick' });
    expect(best.folds).toBe(folds);
    expect(search.trainings).toBeLessThanOrEqual(MOST_TRAININGS);
    expect(train(table, chosen).options).toMatchObject({ loss, c1: best.c1, c2: best.c2 });
  });

  test.each([
    ['many classes', manyClasses(2, { participants: 4, rows: 60, d: 6, classes: 4 }), {}],
    ['weights, text and gaps', weightedTable(), {}],
    ['random features', makeRings({ participants: 4, rows: 80, seed: 1 }), { features: 'rff:32:0.5' }],
  ] as const)('is within the noise of the whole grid: %s', (_, table, given) => {
    const quick = tune(table, { ...given, search: 'quick' });
    // Scores on the same folds.
    const whole = tune(table, { ...given, search: 'grid', folds: 3 });
    const difference = Math.abs(quick.best.score - whole.best.score);
    expect(quick.metric).toBe(whole.metric);
    expect(difference).toBeLessThanOrEqual(2 * Math.max(whole.best.standardError, 0.005));
    expect(quick.search.trainings).toBeLessThan(whole.search.trainings / 2);
  });

  test('leaves its coarse grid where the best values lie beyond it', () => {
    const random = stream(4, 'noise');
    // Hardly anything to learn: the loss cannot weigh too little.
    const noisy = tableOf({
      participants: 4,
      rows: 60,
      d: 12,
      target: (x) => 0.3 * x[0] + 3 * random.normal(),
    });
    const { best, search } = tune(noisy, { search: 'quick' });
    expect(Math.min(best.c1!, 3 / best.c2!)).toBeLessThan(0.3);
    expect(search.widened).toBeGreaterThan(0);
  });
});

describe('numbers as targets', () => {
  const numbers = (count: number) => Array.from({ length: 3 * count }, (_, i) => String(i % count));

  test('are classes up to 20 different ones, however they are written', () => {
    expect(differentNumbers(numbers(20))).toBeUndefined();
    expect(differentNumbers(numbers(21))).toBe(21);
    expect(differentNumbers([...numbers(20), '0.0', '1e0', '+2'])).toBeUndefined();
    expect(differentNumbers([...numbers(30), 'unknown'])).toBeUndefined();
  });
});

describe('leaks', () => {
  const random = stream(7, 'leaks');
  const table = tableOf({ participants: 3, rows: 40, d: 4, target: () => random.normal() });
  const y = Float64Array.from(table.targets!, Number);
  const replaced = (j: number, value: (i: number) => number) => ({
    ...table,
    x: table.x.map((own, at) => (at % 4 === j ? value(Math.floor(at / 4)) : own)),
  });

  test('are features that explain most of a number, not noise', () => {
    expect(leaksIn(table, { y, classes: undefined })).toEqual([]);
    const told = replaced(2, (i) => 5 - y[i]);
    expect(leaksIn(told, { y, classes: undefined })).toEqual(['x3']);
  });

  test('are features of few values that decide the class, not constants and not counters', () => {
    const signs = y.map((value) => (value > 0 ? 1 : -1));
    const classes = { positive: '1', negative: '-1' };
    const codes = replaced(1, (i) => (signs[i] > 0 ? 7 : i % 3));
    expect(leaksIn(codes, { y: signs, classes })).toEqual(['x2']);
    expect(
      leaksIn(
        replaced(1, () => 3),
        { y: signs, classes },
      ),
    ).toEqual([]);
    expect(
      leaksIn(
        replaced(1, (i) => i),
        { y: signs, classes },
      ),
    ).toEqual([]);
  });
});
