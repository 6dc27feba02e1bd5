import { describe, expect, test } from 'vitest';
import {
  circleOf,
  defaultSecurity,
  graphParameters,
  logChoose,
  neighboursOf,
  rankOf,
  tailQuantile,
} from '../../../src/privacy/secure/graph.ts';
import { mustSend } from '../../../src/privacy/secure/roster.ts';
import { makeFederation, seededEntropy } from './helpers.ts';

const bits = { statisticalBits: 40, correctnessBits: 20 };

describe('parameters', () => {
  test.each([
    [3, 1 / 3, 0.2, 2, 2],
    [10, 1 / 3, 0.2, 9, 7],
    [30, 1 / 3, 0.2, 29, 20],
    [100, 1 / 3, 0.2, 99, 67],
    [100, 0.1, 0.1, 99, 90],
    [300, 0.05, 0.05, 56, 43],
    [1000, 0.05, 0.05, 76, 58],
    [10000, 0.05, 0.05, 90, 68],
    [300, 0.1, 0.1, 96, 72],
    [1000, 0.1, 0.1, 134, 99],
    [10000, 0.1, 0.1, 172, 126],
    [1000, 0.2, 0.1, 266, 178],
    [300, 1 / 3, 0.2, 299, 200],
    [1000, 1 / 3, 0.2, 962, 629],
  ])(
    '%i participants, dropout %f, corrupted %f: %i neighbours, threshold %i',
    (n, dropout, corrupted, k, t) => {
      const { neighbours, threshold } = graphParameters(n, { dropout, corrupted, ...bits });
      expect([neighbours, threshold]).toEqual([k, t]);
    },
  );

  test('what cannot be had is refused', () => {
    const ask = (n: number, dropout: number, corrupted: number) => () =>
      graphParameters(n, { dropout, corrupted, ...bits });
    expect(ask(3, 1 / 3, 1 / 3)).toThrow(/2 \(n - dropped\) > n \+ corrupted/);
    expect(ask(1000, 0.5, 0.1)).toThrow(/dropped/);
    expect(ask(1, 0, 0)).toThrow(/2 to 65535/);
    expect(ask(10, 1, 0)).toThrow(/below 1/);
    for (const n of [2, 3, 10, 100, 101, 1000])
      expect(graphParameters(n, defaultSecurity(n)).minimum).toBeGreaterThan(n / 2);
  });

  test('tails are those of counting', () => {
    // 4 marked among 10, 3 drawn: P[X > 2] = 4/120, P[X > 1] = 40/120.
    expect(Math.exp(logChoose(10, 3))).toBeCloseTo(120, 9);
    expect(tailQuantile(10, 4, 3, -Math.log2(0.3))).toBe(2);
    expect(tailQuantile(10, 4, 3, -Math.log2(0.34))).toBe(1);
    expect(tailQuantile(10, 4, 3, 5)).toBe(3);
    expect(tailQuantile(10, 0, 3, 40)).toBe(0);
  });
});

describe('the circle', () => {
  const seed = seededEntropy('graph')(32);

  test.each([
    [10, 9],
    [11, 10],
    [50, 8],
    [51, 20],
  ])('%i participants have %i neighbours each, mutually, and a rank with each', (n, k) => {
    const circle = circleOf(n, k, seed);
    for (let i = 0; i < n; i++) {
      const around = neighboursOf(circle, i);
      expect(around.length).toBe(k);
      expect(new Set(around).size).toBe(k);
      expect(around).not.toContain(i);
      expect(around.every((j) => neighboursOf(circle, j).includes(i))).toBe(true);
      const ranks = around.map((j) => rankOf(circle, i, j)).sort((a, b) => a - b);
      expect(ranks).toEqual(Array.from({ length: k }, (_, rank) => rank));
    }
  });

  test('another seed seats everybody elsewhere', () => {
    expect(circleOf(200, 10, seed).circle).not.toEqual(circleOf(200, 10, seededEntropy('other')(32)).circle);
  });
});

test('all but threshold - 1 neighbours are sent their share', () => {
  const { layout, neighbours } = makeFederation(10).coordinator;
  for (const [i, around] of neighbours.entries()) {
    expect(around.filter((j) => mustSend(layout, i, j)).length).toBe(9 - (layout.threshold - 1));
  }
});
