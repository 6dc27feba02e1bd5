import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { stream } from '../../../src/base/random.ts';
import {
  boundNorms,
  boundNormsRobustly,
  type Change,
  robustBound,
} from '../../../src/privacy/defence/norm-bound.ts';
import { norm } from '../../../src/solver/vector.ts';
import { changeOf, honestChange, randomVector, scaled } from './helpers.ts';

const length = ({ du }: Change) => norm(du);
const of = (...norms: number[]) => norms.map((norm, k) => changeOf(k, Float64Array.of(norm, 0)));

/** As both sides take it: the share of every change that its verdict leaves. */
function taken(changes: readonly Change[]): Change[] {
  const factors = boundNormsRobustly(changes).map(({ factor }) => factor);
  return changes.flatMap(({ member, du }, i) =>
    factors[i] > 0 ? [changeOf(member, scaled(factors[i], du))] : [],
  );
}

function sumOf(changes: readonly Change[]): Float64Array {
  const sum = new Float64Array(changes[0].du.length);
  for (const { du } of changes) for (let j = 0; j < sum.length; j++) sum[j] += du[j];
  return sum;
}

function distance(a: Float64Array, b: Float64Array): number {
  return Math.hypot(...a.map((value, j) => value - b[j]));
}

describe('a fixed bound', () => {
  test('clips or refuses what is over it, as asked, and says why', () => {
    const clipped = boundNorms(of(1, 4), 2, 'clip');
    expect(clipped).toEqual([
      { member: 0, norm: 1, factor: 1, why: 'within bound' },
      { member: 1, norm: 4, factor: 0.5, why: 'over bound' },
    ]);
    expect(boundNorms(of(1, 4), 2, 'refuse').map(({ factor }) => factor)).toEqual([1, 0]);
  });

  test('a change that is not finite, or whose square is not, is refused', () => {
    const nan = changeOf(0, Float64Array.of(1, Number.NaN));
    const infinite = changeOf(1, Float64Array.of(Number.POSITIVE_INFINITY, 0));
    const huge = changeOf(2, Float64Array.of(1e200, 1e200));
    const verdicts = boundNorms([nan, infinite, huge], 10, 'clip');
    expect(verdicts.map(({ factor, why }) => ({ factor, why }))).toEqual(
      Array.from({ length: 3 }, () => ({ factor: 0, why: 'not finite' })),
    );
  });
});

describe('the robust bound', () => {
  test('is the factor times a norm of the round, the lower one of two in the middle', () => {
    expect(robustBound(of(1, 2, 3), { factor: 1 })).toBe(2);
    expect(robustBound(of(1, 2, 3, 1e9), { factor: 1 })).toBe(2);
    expect(robustBound(of(5, 1e9))).toBe(10);
    expect(robustBound(of(1, 2, 3, 4, 5), { factor: 3, quantile: 0.75 })).toBe(12);
    expect(robustBound(of(0, 0, 0, 4), { factor: 1 })).toBe(4);
    expect(robustBound(of(0, 0))).toBe(0);
    expect(boundNormsRobustly(of(0, 0)).map(({ factor }) => factor)).toEqual([1, 1]);
  });

  test('one poisoned change moves the sum by a bounded amount, however large it is', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 1e6 }),
        fc.integer({ min: 2, max: 15 }),
        fc.constantFrom(1, 10, 1e3, 1e9, 1e100, 1e200),
        (seed, honestCount, size) => {
          const honest = Array.from({ length: honestCount }, (_, k) => honestChange(seed, 0, k, 12, 1));
          const poison = changeOf(99, scaled(size, randomVector(12, stream(seed, 'poison'))));
          const attacked = taken([...honest, poison]);
          const largest = Math.max(...honest.map(length));
          const theirs = attacked.filter(({ member }) => member === 99);
          for (const { du } of theirs) expect(norm(du)).toBeLessThanOrEqual(2 * largest * (1 + 1e-12));
          // Nor does it push the honest ones out: the bound stays among twice the honest norms.
          const bound = robustBound([...honest, poison]);
          expect(bound).toBeGreaterThanOrEqual(2 * Math.min(...honest.map(length), length(poison)));
          expect(bound).toBeLessThanOrEqual(2 * largest);
          const influence = distance(sumOf(attacked), sumOf(taken(honest)));
          // Its own clipped step, and the change it makes to the clipping of the others.
          expect(influence).toBeLessThanOrEqual((2 + honestCount) * largest);
        },
      ),
    );
  });

  test('holds with any minority of liars, and not beyond', () => {
    const honest = Array.from({ length: 6 }, (_, k) => honestChange(1, 0, k, 12, 1));
    const largest = Math.max(...honest.map(length));
    const liars = (n: number) => Array.from({ length: n }, (_, k) => changeOf(50 + k, Float64Array.of(1e9)));
    expect(robustBound([...honest, ...liars(5)])).toBeLessThanOrEqual(2 * largest);
    expect(robustBound([...honest, ...liars(7)])).toBeGreaterThan(1e9);
  });

  test('honest changes of like size are left alone', () => {
    const honest = Array.from({ length: 10 }, (_, k) => honestChange(2, 0, k, 30, 0.5));
    const untouched = boundNormsRobustly(honest).filter(({ factor }) => factor === 1);
    expect(untouched.length).toBeGreaterThanOrEqual(8);
  });

  test('bad options are refused', () => {
    expect(() => robustBound(of(1), { quantile: 2 })).toThrow(/expected a number in \[0, 1\], got 2/);
    expect(() => robustBound(of(1), { factor: 0 })).toThrow(/expected a positive number, got 0/);
  });
});
