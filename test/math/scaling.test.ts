import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { featureMoments, type Moments, mergeMoments, scaleRow, scalingFrom } from '../../src/math/scaling.ts';

const all = (n: number) => Uint32Array.from({ length: n }, (_, i) => i);

function moments(rows: readonly number[][]): Moments {
  return featureMoments(Float64Array.from(rows.flat()), rows[0].length, all(rows.length));
}

function expectClose(actual: Moments, expected: Moments, spread: number): void {
  expect(actual.count).toBe(expected.count);
  for (let j = 0; j < expected.mean.length; j++) {
    const size = Math.abs(expected.mean[j]) + spread;
    expect(Math.abs(actual.mean[j] - expected.mean[j])).toBeLessThanOrEqual(1e-12 * size);
    expect(Math.abs(actual.m2[j] - expected.m2[j])).toBeLessThanOrEqual(
      1e-12 * spread * spread * expected.count,
    );
  }
}

describe('moments', () => {
  const value = fc.double({ min: -100, max: 100, noNaN: true });
  const rows = fc.array(fc.tuple(value, value), { minLength: 2, maxLength: 60 });

  test('of the parts, merged in any order, are those of the whole', () => {
    fc.assert(
      fc.property(rows, fc.array(fc.nat(59), { maxLength: 5 }), fc.nat(), (rows, cuts, turn) => {
        const edges = [0, ...cuts.map((c) => c % rows.length), rows.length].sort((a, b) => a - b);
        const x = Float64Array.from(rows.flat());
        const parts = edges
          .slice(1)
          .map((end, p) => featureMoments(x, 2, all(rows.length).subarray(edges[p], end)));
        const turned = parts.map((_, p) => parts[(p + turn) % parts.length]);
        const whole = moments(rows);
        expectClose(parts.reduce(mergeMoments), whole, 100);
        expectClose(turned.reduce(mergeMoments), whole, 100);
        expectClose(turned.reduceRight(mergeMoments), whole, 100);
      }),
    );
  });

  test('stay accurate under an offset of 1e9', () => {
    // Multiples of 1/1024 are exact at 1e9, so both variances are the same number.
    const value = fc.integer({ min: -1024, max: 1024 }).map((v) => v / 1024);
    fc.assert(
      fc.property(fc.array(value, { minLength: 4, maxLength: 200 }), (values) => {
        const plain = moments(values.map((v) => [v]));
        const shifted = values.map((v) => [v + 1e9]);
        const half = values.length >> 1;
        const merged = mergeMoments(moments(shifted.slice(0, half)), moments(shifted.slice(half)));
        for (const far of [moments(shifted), merged]) {
          expect(Math.abs(far.m2[0] - plain.m2[0])).toBeLessThanOrEqual(1e-6 * (plain.m2[0] + 1e-3));
          expect(Math.abs(far.mean[0] - 1e9 - plain.mean[0])).toBeLessThanOrEqual(3e-7);
        }
      }),
    );
  });

  test('of no rows change nothing', () => {
    const some = moments([
      [1, 2],
      [3, 5],
    ]);
    const none = featureMoments(new Float64Array(0), 2, all(0));
    expect(mergeMoments(some, none)).toBe(some);
    expect(mergeMoments(none, some)).toBe(some);
  });
});

describe('scalingFrom', () => {
  const rows = [
    [1, 10, 0.1],
    [3, 30, 0.1],
    [5, 80, 0.1],
    [7, 0, 0.1],
  ];
  const x = Float64Array.from(rows.flat());

  function scaled(mode: 'standard' | 'center' | 'none'): number[][] {
    const scaling = scalingFrom(moments(rows), mode);
    const out = new Float64Array(12);
    for (let i = 0; i < 4; i++) scaleRow(x, i, scaling, out, 3 * i);
    return [0, 1, 2, 3].map((i) => [...out.subarray(3 * i, 3 * i + 3)]);
  }

  test('standard gives mean 0 and variance 1/d, and 0 for a feature without variance', () => {
    const result = scaled('standard');
    for (const j of [0, 1]) {
      const column = result.map((row) => row[j]);
      expect(column.reduce((sum, v) => sum + v, 0)).toBeCloseTo(0, 14);
      expect(column.reduce((sum, v) => sum + v * v, 0) / 4).toBeCloseTo(1 / 3, 14);
    }
    for (const row of result) expect(row[2] === 0).toBe(true);
  });

  test('center gives mean 0 and rows of root mean square length 1, by one factor', () => {
    const result = scaled('center');
    const squares = result.flat().reduce((sum, v) => sum + v * v, 0);
    expect(squares / 4).toBeCloseTo(1, 14);
    const { factor } = scalingFrom(moments(rows), 'center');
    expect(new Set(factor).size).toBe(1);
  });

  test('none changes nothing', () => {
    expect(scaled('none')).toEqual(rows);
  });

  test.each([0, 0.1, -1 / 3, 1e9 + 0.1, 1e-30, 2e38])('knows a constant %d for what it is', (constant) => {
    for (const n of [1, 7, 1000, 12_345]) {
      const parts = [moments(Array.from({ length: n }, () => [constant])), moments([[constant], [constant]])];
      const merged = parts.reduce(mergeMoments);
      expect(scalingFrom(merged, 'standard').factor[0]).toBe(0);
      expect(scalingFrom(merged, 'center').factor[0]).toBe(0);
    }
  });

  test('does not take a small variation on a large mean for a constant', () => {
    const small = moments([[1e9], [1e9 + 0.01]]);
    expect(scalingFrom(small, 'standard').factor[0]).toBeGreaterThan(100);
  });
});
