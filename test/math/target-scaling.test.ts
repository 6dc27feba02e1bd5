/** Targets in units of their own spread: what participants merge is what the pooled rows give. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { mergeMoments } from '../../src/math/scaling.ts';
import {
  inTargetUnits,
  scaledTargets,
  targetMoments,
  targetScalingFrom,
  withScaledEpsilon,
} from '../../src/math/target-scaling.ts';

const everyRow = (n: number) => Uint32Array.from({ length: n }, (_, i) => i);
const scalingOf = (y: Float64Array) => targetScalingFrom(targetMoments(y, everyRow(y.length)));

/** Means up to a million standard deviations from 0. */
const targets = fc
  .record({
    centre: fc.double({ min: -1e6, max: 1e6, noNaN: true }),
    unit: fc.double({ min: 1, max: 1e5, noNaN: true }),
    parts: fc.array(fc.array(fc.double({ min: -1, max: 1, noNaN: true }), { minLength: 1, maxLength: 20 }), {
      minLength: 1,
      maxLength: 6,
    }),
  })
  .map(({ centre, unit, parts }) => parts.map((part) => Float64Array.from(part, (v) => centre + unit * v)));

test('[AGREE-2] the federated scaling of targets is that of the pooled rows, to 1e-12', () => {
  fc.assert(
    fc.property(targets, (parts) => {
      const pooled = Float64Array.from(parts.flatMap((part) => [...part]));
      const { shift, scale } = targetScalingFrom(
        parts.map((part) => targetMoments(part, everyRow(part.length))).reduce(mergeMoments),
      );
      const mean = pooled.reduce((sum, value) => sum + value, 0) / pooled.length;
      const size = Math.max(...pooled.map(Math.abs), 1);
      expect(Math.abs(shift - mean)).toBeLessThanOrEqual(1e-12 * size);
      const expected = scalingOf(pooled);
      expect(Math.abs(shift - expected.shift)).toBeLessThanOrEqual(1e-12 * size);
      // What tells constant targets from others is their spread against their size.
      if (expected.scale === 1 || scale === 1) return;
      expect(Math.abs(scale - expected.scale)).toBeLessThanOrEqual(1e-12 * size);
    }),
  );
});

test('scaled targets have mean 0 and standard deviation 1, and decisions come back in units of the target', () => {
  const y = Float64Array.from({ length: 500 }, (_, i) => 305_000 + 66_000 * Math.sin(i));
  const target = scalingOf(y);
  const scaled = scaledTargets(y, target);
  const { shift, scale } = scalingOf(scaled);
  expect(Math.abs(shift)).toBeLessThan(1e-13);
  expect(scale).toBeCloseTo(1, 13);
  for (const [i, value] of scaled.entries()) expect(inTargetUnits(value, target)).toBeCloseTo(y[i], 8);
  expect(withScaledEpsilon({ epsilon: 6600 }, target).epsilon).toBeCloseTo(6600 / target.scale, 15);
});

test('[AGREE-2] constant targets are centred, and divided by nothing', () => {
  for (const value of [0, 0.1, -7, 1e6]) {
    const target = scalingOf(new Float64Array(30).fill(value));
    expect(target.scale).toBe(1);
    expect(target.shift).toBeCloseTo(value, 9);
  }
});

test('none: targets, decisions and epsilon are as they are', () => {
  const y = Float64Array.of(3, 4);
  expect(scaledTargets(y, undefined)).toBe(y);
  expect(inTargetUnits(5, undefined)).toBe(5);
  expect(withScaledEpsilon({ epsilon: 0.5 }, undefined)).toEqual({ epsilon: 0.5 });
});
