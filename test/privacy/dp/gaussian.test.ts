import { describe, expect, test } from 'vitest';
import { stream } from '../../../src/base/random.ts';
import { noiseDeviation, shareDeviation } from '../../../src/privacy/dp/gaussian.ts';
import { drawNoise, noiseOfShare } from '../../../src/privacy/dp/grid.ts';
import { fits, moments } from './helpers.ts';

describe('split noise', () => {
  const settings = { noiseMultiplier: 1.3, clip: 0.4 };
  const summed = (honest: number, counted: number) => {
    const total = new Float64Array(4000);
    for (let k = 0; k < counted; k++) {
      const order = noiseOfShare({ ...settings, epsilon: 1, delta: 1e-5, honest }, 4000, { scaleBits: 20 });
      const share = drawNoise(order, stream(honest, 'share', counted, k));
      for (let j = 0; j < total.length; j++) total[j] += share[j];
    }
    return total;
  };

  test.each([1, 2, 5, 17, 60])('%d shares sum to the variance that was asked for', (honest) => {
    expect(fits(summed(honest, honest), noiseDeviation(settings))).toBe(true);
  });

  test.each([
    [10, 30],
    [10, 6],
    [10, 1],
  ])('cut for %d, counted %d: the multiplier is the one that is stated', (honest, counted) => {
    const multiplier = settings.noiseMultiplier * Math.sqrt(counted / honest);
    const total = summed(honest, counted);
    expect(fits(total, multiplier * settings.clip)).toBe(true);
    // More participants than the minimum: more noise; dropouts below it: less.
    expect(moments(total).variance > noiseDeviation(settings) ** 2).toBe(counted > honest);
  });

  test('a share is smaller by the square root of the number', () => {
    expect(shareDeviation(settings, 25)).toBeCloseTo((1.3 * 0.4) / 5, 14);
  });
});

test('bad settings are refused', () => {
  expect(() => noiseDeviation({ noiseMultiplier: -1, clip: 1 })).toThrow(/expected a number >= 0, got -1/);
  expect(() => noiseDeviation({ noiseMultiplier: 1, clip: 0 })).toThrow(/expected a positive norm, got 0/);
  expect(() => shareDeviation({ noiseMultiplier: 1, clip: 1 }, 0)).toThrow(/expected an integer >= 1, got 0/);
});
