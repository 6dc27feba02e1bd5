import { describe, expect, test } from 'vitest';
import { splitRows } from '../../src/data/split.ts';
import type { Table } from '../../src/data/table.ts';
import { train } from '../../src/methods/train.ts';
import { continued, type Grid, neighbour } from '../../src/methods/tune/grid.ts';
import { tune } from '../../src/methods/tune.ts';
import { smallHar, smallRegression, tableOf } from '../helpers/tables.ts';

const har = smallHar(2, 4, 40);
const grid = { c1: [0.01, 1, 10], c2: [0.1, 1], scale: ['standard'], classWeight: ['none'] } as const;

test('every point of the grid is in the table, best first, with progress counted', () => {
  const seen: number[] = [];
  const result = tune(
    har,
    { grid, metric: 'errorRate' },
    { onProgress: (done, total) => seen.push(done / total) },
  );
  expect(result.table.length).toBe(6);
  expect(seen.length).toBe(1 + 6 * 5);
  expect([seen[0], seen.at(-1)]).toEqual([0, 1]);
  for (let r = 1; r < 6; r++) expect(result.table[r].score).toBeGreaterThanOrEqual(result.table[r - 1].score);
  expect(result.best).toBe(result.table[0]);
  expect(result.table.map(({ folds }) => folds)).toEqual(Array(6).fill(5));
});

test('test rows have no say in the choice', () => {
  const { test: rows } = splitRows(har, { testFraction: 0.3, seed: 1 });
  const spoilt = new Set(rows);
  const other = {
    ...har,
    x: har.x.map((value, at) => (spoilt.has(Math.floor(at / har.features.length)) ? 1e6 - value : value)),
    targets: har.targets!.map((target, i) => (spoilt.has(i) ? (target === '1' ? '-1' : '1') : target)),
  };
  expect(JSON.stringify(tune(other, { grid }))).toBe(JSON.stringify(tune(har, { grid })));
});

test('warm starts along the path change the speed, not the scores', () => {
  const exact = { gap: 1e-7, rounds: 1000, passes: 1000 };
  const path = tune(har, { grid, ...exact });
  for (const { c1, c2, score } of path.table) {
    const alone = tune(har, { grid: { ...grid, c1: [c1!], c2: [c2!] }, ...exact });
    expect(alone.best.score).toBeCloseTo(score, 6);
  }
});

test('each method varies only what it has', () => {
  const small = { c1: [1], c2: [1], lambda: [1e-3], scale: ['standard'] } as const;
  expect(Object.keys(tune(har, { method: 'global', grid: small }).best)).not.toContain('c2');
  expect(tune(har, { method: 'mocha', grid: small, rounds: 10 }).best.lambda).toBe(1e-3);
  expect(tune(smallRegression(), { objective: 'regression', grid: small }).metric).toBe('rmse');
});

test('a bad grid is refused with the option named', () => {
  expect(() => tune(har, { grid: { c1: [-1] } })).toThrow(/--c1: expected numbers above 0, got -1/);
  expect(() => tune(smallRegression(), { objective: 'regression', grid: { epsilon: [-1] } })).toThrow(
    /--epsilon/,
  );
});

/** Classes by the first feature, noise on top; so many standard deviations up begins the positive one. */
function classes(from: number, noise = 0.5): Table {
  return tableOf({
    participants: 12,
    rows: 60,
    d: 4,
    target: (x, k) => (x[0] + (k % 3) * 0.3 * x[1] + noise * x[3] > from ? 1 : -1),
  });
}
const ONE = { c1: [1], c2: [1], scale: ['standard'] } as const;

describe('what is compared by', () => {
  test('the error rate where classes are even', () => {
    const { metric, metricReason, best } = tune(classes(0), { grid: ONE, folds: 2 });
    expect([metric, metricReason]).toEqual(['errorRate', 'the default for classification']);
    expect(best).not.toHaveProperty('classWeight');
  });

  test('balanced accuracy where they are uneven, and class weights are tried', () => {
    const { metric, metricReason, table } = tune(classes(1.8), { grid: ONE, folds: 2 });
    expect(metric).toBe('balancedAccuracy');
    expect(metricReason).toMatch(
      /^because classes are uneven: the rarer one has \d+(\.\d+)?% of the training rows/,
    );
    expect(table.map(({ classWeight }) => classWeight).sort()).toEqual(['balanced', 'none']);
  });

  test('balanced accuracy with balanced class weights, and they are not searched for', () => {
    const { metric, table } = tune(classes(0), { classWeight: 'balanced', grid: ONE, folds: 2 });
    expect([metric, table.length]).toEqual(['balancedAccuracy', 1]);
  });

  test('whatever is asked for', () => {
    const { metric, table } = tune(classes(1.8), { metric: 'errorRate', grid: ONE, folds: 2 });
    expect([metric, table.length]).toEqual(['errorRate', 1]);
  });

  test('with few positives in noise, the choice finds them where the error rate would not', () => {
    const rare = classes(2.2, 1.5);
    const { best } = tune(rare, { grid: { c1: [0.03, 0.3], c2: [3], scale: ['standard'] } });
    const byError = tune(rare, {
      metric: 'errorRate',
      grid: { c1: [0.03, 0.3], c2: [3], scale: ['standard'] },
    }).best;
    const accuracy = ({ c1, c2, classWeight = 'none' }: typeof best) =>
      train(rare, { c1: c1!, c2: c2!, classWeight }).mean.balancedAccuracy!;
    expect(accuracy(best)).toBeGreaterThan(accuracy(byError) + 0.05);
  });
});

describe('halving', () => {
  const noisy = classes(0, 1.5);

  test('chooses as the whole grid does, within the noise, with far fewer trainings', () => {
    const short = tune(noisy, { method: 'mtl' });
    const whole = tune(noisy, { method: 'mtl', search: 'grid' });
    expect(whole.search.trainings).toBe(72 * 5);
    expect(short.search.trainings).toBeLessThan(0.6 * whole.search.trainings);
    const same = whole.table.find(
      ({ scale, c1, c2 }) => scale === short.best.scale && c1 === short.best.c1 && c2 === short.best.c2,
    );
    // A choice beyond the grid has no counterpart in it.
    const score = same?.score ?? short.best.score;
    expect(score - whole.best.score).toBeLessThan(whole.best.standardError);
  });

  test('who was dropped comes after all who went through all folds', () => {
    const { table } = tune(noisy, {});
    const folds = table.map((row) => row.folds);
    expect(folds[0]).toBe(5);
    expect(folds).toEqual([...folds].sort((a, b) => b - a));
    expect(folds.at(-1)).toBe(1);
  });

  test('one participant gives no ground to drop anybody for being worse', () => {
    const alone = tune(
      { ...noisy, participants: ['a'], participantOf: new Uint32Array(noisy.n) },
      { method: 'local' },
    );
    expect(alone.table.filter(({ folds }) => folds === 5).length).toBeGreaterThanOrEqual(6);
  });
});

describe('ranges', () => {
  test('are continued where the best is at their end and nobody has given them', () => {
    // Without noise and with one model for all, the larger C2 the better.
    const same = tableOf({ participants: 8, rows: 12, d: 6, target: (x) => x[0] + x[1] - x[2] });
    const { search, best, edges } = tune(same, { objective: 'regression', epsilon: 0.01, folds: 3 });
    expect(search.widened).toBeGreaterThan(0);
    expect(Math.max(best.c1! / 100, best.c2! / 10)).toBeGreaterThan(1);
    for (const { value, from, to } of edges) expect([from, to]).toContain(value);
  });

  test('stay as they are where somebody has given them', () => {
    const { search, edges, best } = tune(har, { grid: { ...grid, c1: [1e-6, 1e-5] } });
    expect(search.widened).toBe(0);
    expect(edges.find(({ name }) => name === 'c1')).toMatchObject({ value: best.c1, from: 1e-6, to: 1e-5 });
  });

  test('go on in steps of about 3', () => {
    expect([0.03, 0.1, 0.5, 10, 30].map((value) => neighbour(value, 'largest'))).toEqual([
      0.1, 0.3, 1, 30, 100,
    ]);
    expect([0.03, 0.1, 0.5, 10, 30].map((value) => neighbour(value, 'least'))).toEqual([
      0.01, 0.03, 0.3, 3, 10,
    ]);
    const from = { c1: [1, 3], c2: [0.1, 0.3] } as unknown as Grid;
    const edges = [
      { name: 'c1', value: 3, side: 'largest', from: 1, to: 3 },
      { name: 'c2', value: 0.1, side: 'least', from: 0.1, to: 0.3 },
    ] as const;
    expect(continued(from, edges)).toMatchObject({ c1: [1, 3, 10, 30], c2: [0.01, 0.03, 0.1, 0.3] });
  });
});

describe('epsilon', () => {
  const regression = smallRegression();

  test('is tried at the winner, with values that follow the spread of the target', () => {
    const { table, options } = tune(regression, { objective: 'regression', grid: ONE, folds: 2 });
    expect(table.length).toBe(4);
    expect(options.epsilon).toBe(0.1);
    const thousandfold = { ...regression, targets: regression.targets!.map((y) => String(Number(y) / 1000)) };
    const small = tune(thousandfold, { objective: 'regression', grid: ONE, folds: 2 });
    expect(Math.max(...small.table.map(({ epsilon }) => epsilon!))).toBeLessThan(0.01);
  });

  test('that is given is used as it is', () => {
    const { table, options } = tune(regression, {
      objective: 'regression',
      epsilon: 0.7,
      grid: ONE,
      folds: 2,
    });
    expect([table.length, options.epsilon]).toEqual([1, 0.7]);
  });
});
