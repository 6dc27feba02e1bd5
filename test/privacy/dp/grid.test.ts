/** Steps, sums and noise on one grid: exact norms, whole numbers, and the deviation that was asked for. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { stream } from '../../../src/base/random.ts';
import { drawNoise, gridBits, isOnGrid, noiseOfSum, stepOnGrid } from '../../../src/privacy/dp/grid.ts';
import { norm } from '../../../src/solver/vector.ts';
import { fits, kolmogorovSmirnov, normalCdf } from './helpers.ts';

const settings = (clip: number, noiseMultiplier: number) => ({
  clip,
  noiseMultiplier,
  epsilon: 1,
  delta: 1e-5,
});

/** |steps|^2 in whole numbers. */
const exactNorm2 = (u: Float64Array, bits: number) =>
  u.reduce((sum, value) => sum + BigInt(value * 2 ** bits) ** 2n, 0n);

describe('a step on the grid', () => {
  test('[DP-4] is at most the clip norm in exact arithmetic, and loses at most a step of the grid in an entry', () => {
    const size = fc.double({ min: 1e-6, max: 1e3, noNaN: true });
    fc.assert(
      fc.property(size, fc.nat(1000), fc.double({ min: 0.01, max: 1000, noNaN: true }), (clip, seed, far) => {
        const bits = gridBits(settings(clip, 3));
        const random = stream(seed, 'step');
        const direction = Float64Array.from({ length: 60 }, () => random.normal());
        const du = direction.map((value) => (value / norm(direction)) * far * clip);
        const step = stepOnGrid(du, clip, bits);
        expect(isOnGrid(step, bits, 1)).toBe(true);
        expect(exactNorm2(step, bits) <= BigInt(Math.floor(clip * 2 ** bits)) ** 2n).toBe(true);
        const factor = Math.min(1, 1 / far);
        for (const [j, value] of step.entries())
          expect(Math.abs(value - factor * du[j])).toBeLessThanOrEqual(2 ** -bits + 1e-9 * clip);
      }),
    );
  });

  test('one whose norm is the clip norm but for the last bit is not longer than it', () => {
    for (let seed = 0; seed < 200; seed++) {
      const random = stream(seed, 'edge');
      const du = Float64Array.from({ length: 9 }, () => Math.round(random.normal() * 50) / 2 ** 10);
      const clip = norm(du) || 1;
      const bits = gridBits(settings(clip, 1));
      expect(exactNorm2(stepOnGrid(du, clip, bits), bits) <= BigInt(Math.floor(clip * 2 ** bits)) ** 2n).toBe(
        true,
      );
    }
  });
});

test.each([
  [0.0005, 300],
  [0.01, 7.3],
  [1, 1],
  [250, 0.4],
  [0.05, 1e-6],
])(
  'clip %f, multiplier %f: steps keep their entries, noise its deviation, and sums of thousands are exact',
  (clip, z) => {
    const bits = gridBits(settings(clip, z));
    // An entry of a step that has 600 equal ones.
    expect((clip / Math.sqrt(600)) * 2 ** bits).toBeGreaterThan(1e4);
    const { deviation } = noiseOfSum(settings(clip, z), 1);
    expect(deviation).toBeGreaterThanOrEqual(z * clip * 2 ** bits);
    expect(deviation).toBeLessThan(z * clip * 2 ** bits * 1.01);
    // 1,000 participants and 1,000 rounds of whole steps.
    if (z >= 0.1) expect(1e6 * clip * 2 ** bits).toBeLessThan(2 ** 52);
  },
);

test.each([
  [0.3, 0.5],
  [0.8, 1],
  [25, 0.1],
])('multiplier %f, clip %f: the noise of a sum is that of N(0, (z clip)^2), not of z squared', (z, clip) => {
  const order = noiseOfSum(settings(clip, z), 20_000);
  const noise = drawNoise(order, stream(3, 'noise', 0, z));
  const deviation = z * clip;
  expect(isOnGrid(noise, order.bits, 1)).toBe(true);
  expect(fits(noise, deviation)).toBe(true);
  expect(fits(noise, z ** 2 * clip)).toBe(false);
  expect(fits(noise, deviation * 1.1)).toBe(false);
  expect(kolmogorovSmirnov(noise, (x) => normalCdf(x / deviation))).toBeLessThan(1.95);
  expect(kolmogorovSmirnov(noise, (x) => normalCdf(x / (1.1 * deviation)))).toBeGreaterThan(1.95);
});
