import { describe, expect, test } from 'vitest';
import { stream } from '../../../src/base/random.ts';
import { discreteNoise, gridShare } from '../../../src/privacy/dp/discrete-gaussian.ts';
import { fits, kolmogorovSmirnov, normalCdf } from './helpers.ts';

/** Pr[X = x] of N_Z(0, s^2) for |x| <= reach, straight from the definition. */
function masses(s: number, reach: number): number[] {
  const weights = Array.from({ length: 2 * reach + 1 }, (_, i) =>
    Math.exp(-((i - reach) ** 2) / (2 * s * s)),
  );
  const total = weights.reduce((a, b) => a + b, 0);
  return weights.map((weight) => weight / total);
}

function chiSquare(samples: BigInt64Array, s: number): { statistic: number; freedom: number } {
  const reach = 12 * s;
  const seen = new Float64Array(2 * reach + 1);
  for (const x of samples) seen[Number(x) + reach]++;
  // Cells with few expected counts go into one.
  let statistic = 0;
  let freedom = 0;
  let [restSeen, restExpected] = [0, 0];
  for (const [i, mass] of masses(s, reach).entries()) {
    const expected = mass * samples.length;
    if (expected < 10) {
      restSeen += seen[i];
      restExpected += expected;
    } else {
      statistic += (seen[i] - expected) ** 2 / expected;
      freedom++;
    }
  }
  return { statistic: statistic + (restSeen - restExpected) ** 2 / restExpected, freedom };
}

describe.each([1, 2, 5, 13])('discrete Gaussian of deviation %d', (s) => {
  const samples = discreteNoise(20_000, s, stream(4, 'discrete', s));

  test('has exactly the probabilities of the definition (chi-square), and not those of a neighbour', () => {
    const { statistic, freedom } = chiSquare(samples, s);
    const limit = (dof: number) => dof + 4 * Math.sqrt(2 * dof);
    expect(statistic).toBeLessThan(limit(freedom));
    const wider = chiSquare(samples, s + 1);
    expect(wider.statistic).toBeGreaterThan(limit(wider.freedom));
  });
});

test.each([300, 70_000, 2 ** 40])('deviation %d: the normal distribution, in steps', (s) => {
  const samples = Float64Array.from(discreteNoise(6000, s, stream(5, 'wide', s)), Number);
  expect(fits(samples, s)).toBe(true);
  expect(kolmogorovSmirnov(samples, (x) => normalCdf(x / s))).toBeLessThan(1.95);
});

test.each([1, 4, 12])('%d shares on the grid sum to at least the variance that was asked for', (honest) => {
  const settings = { noiseMultiplier: 0.9, clip: 1.5 };
  const share = gridShare(settings, honest, 16);
  expect(share / 2 ** 16).toBeGreaterThanOrEqual((0.9 * 1.5) / Math.sqrt(honest));
  expect(share / 2 ** 16).toBeLessThan((0.9 * 1.5) / Math.sqrt(honest) + 2 ** -15);
  const total = new Float64Array(2000);
  for (let k = 0; k < honest; k++) {
    const noise = discreteNoise(2000, share, stream(6, 'grid', honest, k));
    for (let j = 0; j < total.length; j++) total[j] += Number(noise[j]) / 2 ** 16;
  }
  expect(fits(total, 0.9 * 1.5)).toBe(true);
});

test('a grid too coarse for the noise is refused', () => {
  expect(() => gridShare({ noiseMultiplier: 1, clip: 1 }, 100, 4)).toThrow(
    /expected a deviation of 4 to 2\^46/,
  );
  expect(() => gridShare({ noiseMultiplier: 0, clip: 1 }, 1, 20)).toThrow(/got 0/);
});
