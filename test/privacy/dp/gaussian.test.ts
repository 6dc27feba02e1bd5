import { describe, expect, test } from 'vitest';
import { stream } from '../../../src/base/random.ts';
import { gaussianNoise, noiseDeviation, shareDeviation } from '../../../src/privacy/dp/gaussian.ts';
import { fits, kolmogorovSmirnov, moments, normalCdf } from './helpers.ts';

describe.each([
  [0.3, 0.5],
  [0.8, 1],
  [1.7, 1],
  [4, 2.5],
  [25, 0.1],
])('noise multiplier %f, clip %f', (noiseMultiplier, clip) => {
  const deviation = noiseMultiplier * clip;
  const n = 20_000;
  const noise = gaussianNoise(n, noiseDeviation({ noiseMultiplier, clip }), stream(3, 'noise', 0, deviation));

  test('mean and variance are those of N(0, (z clip)^2), not of z squared', () => {
    expect(fits(noise, deviation)).toBe(true);
    expect(fits(noise, noiseMultiplier ** 2 * clip)).toBe(false);
    expect(fits(noise, deviation * 1.1)).toBe(false);
  });

  test('the whole distribution is normal (Kolmogorov-Smirnov), and would not pass for one 10% wider', () => {
    expect(kolmogorovSmirnov(noise, (x) => normalCdf(x / deviation))).toBeLessThan(1.95);
    expect(kolmogorovSmirnov(noise, (x) => normalCdf(x / (1.1 * deviation)))).toBeGreaterThan(1.95);
  });

  test.each([
    [1, 0.3173],
    [2, 0.0455],
    [3, 0.0027],
  ])('the share beyond %d deviations is %f', (k, expected) => {
    const beyond = noise.filter((x) => Math.abs(x) > k * deviation).length;
    expect(Math.abs(beyond - n * expected)).toBeLessThan(4 * Math.sqrt(n * expected) + 1);
  });
});

test('noise is linear in the multiplier and in the clip norm: the same stream, scaled', () => {
  const of = (noiseMultiplier: number, clip: number) =>
    gaussianNoise(50, noiseDeviation({ noiseMultiplier, clip }), stream(1, 'linear'));
  const unit = of(1, 1);
  for (const [z, clip] of [
    [0.25, 1],
    [3, 1],
    [1, 7],
    [3, 7],
  ])
    for (const [j, x] of of(z, clip).entries()) expect(x).toBeCloseTo(z * clip * unit[j], 10);
});

describe('split noise', () => {
  const settings = { noiseMultiplier: 1.3, clip: 0.4 };
  const summed = (honest: number, counted: number) => {
    const total = new Float64Array(4000);
    for (let k = 0; k < counted; k++) {
      const deviation = shareDeviation(settings, honest);
      const share = gaussianNoise(4000, deviation, stream(honest, 'share', counted, k));
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
  expect(gaussianNoise(3, 0, stream(1, 'none')).every((x) => x === 0)).toBe(true);
});
