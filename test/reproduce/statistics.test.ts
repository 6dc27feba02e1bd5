import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { stream } from '../../src/base/random.ts';
import { alike, atLeast, atMost, greater, verdictOf } from '../../src/reproduce/claims/claim.ts';
import { areaUnder, averaged, largestDrop, timeTo, valueAt } from '../../src/reproduce/curves.ts';
import { compare, estimate, powerLaw, relativeFit } from '../../src/reproduce/statistics.ts';

describe('estimates', () => {
  test('a 95% interval covers the mean in about 95% of samples, however few there are', () => {
    for (const count of [2, 3, 5, 12]) {
      const random = stream(3, 'coverage', count);
      let covered = 0;
      for (let trial = 0; trial < 4000; trial++) {
        const { low, high } = estimate(Array.from({ length: count }, () => 7 + 2 * random.normal()));
        if (low <= 7 && high >= 7) covered++;
      }
      expect(Math.abs(covered / 4000 - 0.95)).toBeLessThan(0.015);
    }
  });

  test('pairs show what means alone would hide', () => {
    const base = [0.2, 0.5, 0.9, 0.4];
    const better = base.map((value, i) => value + 0.01 + 0.001 * i);
    expect(compare(better, base).says).toBe('greater');
    expect(compare(base, better).says).toBe('smaller');
    expect(compare([0.5], [0.1]).says).toBe('no clear difference');
  });

  test('a power law and a linear form are found again', () => {
    const points = [1, 2, 5, 9].map((x) => ({ x, y: 3 * x ** 1.5 }));
    expect(powerLaw(points).exponent).toBeCloseTo(1.5, 10);
    const shapes = [10, 20, 50].flatMap((n) => [3, 9, 27].map((d) => [n, d]));
    const columns = [shapes.map(([n, d]) => n * d), shapes.map(([, d]) => d), shapes.map(([n]) => n)];
    const y = shapes.map(([n, d]) => 2 * n * d + 5 * d + 7 * n);
    expect(relativeFit(columns, y).map((value) => Math.round(value * 1e6) / 1e6)).toEqual([2, 5, 7]);
  });
});

describe('curves', () => {
  const curve = { atMs: [10, 20, 40], metric: [0.6, 0.9, 0.8] };

  test('a value holds until the next', () => {
    expect([5, 10, 19, 20, 39, 1000].map((ms) => valueAt(curve, ms))).toEqual([
      undefined,
      0.6,
      0.6,
      0.9,
      0.9,
      0.8,
    ]);
  });

  test('what is asked of them', () => {
    expect(timeTo(curve, 0.7)).toBe(20);
    expect(timeTo(curve, 0.95)).toBe(Number.POSITIVE_INFINITY);
    expect(largestDrop(curve)).toBeCloseTo(0.1, 12);
    expect(areaUnder(curve, 40, 0.5)).toBeCloseTo(0.25 * 0.5 + 0.25 * 0.6 + 0.5 * 0.9, 2);
  });

  test('an average lies between the curves, and its interval holds it', () => {
    const metrics = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 3, maxLength: 3 });
    fc.assert(
      fc.property(fc.array(metrics, { minLength: 2, maxLength: 5 }), (list) => {
        const curves = list.map((metric) => ({ atMs: [10, 20, 40], metric }));
        for (const { x, y, low, high } of averaged(curves, 60)) {
          const values = curves.map((c) => valueAt(c, x * 1000 + 1e-9)!);
          expect(y).toBeGreaterThanOrEqual(Math.min(...values) - 1e-12);
          expect(y).toBeLessThanOrEqual(Math.max(...values) + 1e-12);
          expect(low!).toBeLessThanOrEqual(y);
          expect(high!).toBeGreaterThanOrEqual(y);
        }
      }),
    );
  });
});

describe('verdicts', () => {
  const yes = greater(['a', [0.9, 0.91, 0.92]], ['b', [0.8, 0.81, 0.82]]);
  const no = greater(['b', [0.8, 0.81, 0.82]], ['a', [0.9, 0.91, 0.92]]);
  const unsettled = greater(['a', [0.9, 0.5, 0.95]], ['b', [0.8, 0.81, 0.6]]);

  test('parts say what the repeats settle', () => {
    expect([yes.says, no.says, unsettled.says]).toEqual(['yes', 'no', 'leans to yes']);
    expect(atMost('x', [0.1, 0.11, 0.12], 0.2).says).toBe('yes');
    expect(atLeast('x', [0.1, 0.11, 0.12], 0.2).says).toBe('no');
    expect(alike(['a', [0.5, 0.51, 0.52]], ['b', [0.5, 0.511, 0.519]], 0.01).says).toBe('yes');
    expect(alike(['a', [0.5, 0.51, 0.52]], ['b', [0.6, 0.611, 0.619]], 0.01).says).toBe('no');
  });

  test('all yes holds, none does not, the rest in part', () => {
    expect(verdictOf([yes, yes])).toBe('holds');
    expect(verdictOf([no, no])).toBe('does not hold');
    expect(verdictOf([yes, no])).toBe('holds in part');
    expect(verdictOf([unsettled, no])).toBe('holds in part');
  });
});
