import { expect, test } from 'vitest';
import { splitRows } from '../../src/data/split.ts';
import { tune } from '../../src/methods/tune.ts';
import { smallHar, smallRegression } from '../helpers/tables.ts';

const har = smallHar(2, 4, 40);
const grid = { c1: [0.01, 1, 10], c2: [0.1, 1], scale: ['standard'] } as const;

test('every point of the grid is in the table, best first, with progress counted', () => {
  const seen: number[] = [];
  const result = tune(har, { grid }, { onProgress: (done, total) => seen.push(done / total) });
  expect(result.table.length).toBe(6);
  expect(seen.length).toBe(6 * 5);
  expect(seen.at(-1)).toBe(1);
  for (let r = 1; r < 6; r++) expect(result.table[r].score).toBeGreaterThanOrEqual(result.table[r - 1].score);
  expect(result.best).toBe(result.table[0]);
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
  const path = tune(har, { grid, gap: 1e-7, rounds: 1000, passes: 1000 });
  for (const { c1, c2, score } of path.table) {
    const alone = tune(har, {
      grid: { c1: [c1!], c2: [c2!], scale: ['standard'] },
      gap: 1e-7,
      rounds: 1000,
      passes: 1000,
    });
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
});
