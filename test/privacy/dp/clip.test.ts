import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { clipFactor, clippedStep } from '../../../src/privacy/dp/clip.ts';
import { examine, newMember, propose } from '../../../src/solver/member.ts';
import { norm, plusScaled } from '../../../src/solver/vector.ts';
import { makeProblem, problemShape, shardsOf } from '../../helpers/problems.ts';

const length = fc.double({ min: 0, max: 1e300, noNaN: true });

describe('clipping', () => {
  test('bounds the norm and leaves what is shorter alone', () => {
    fc.assert(
      fc.property(length, fc.double({ min: 1e-3, max: 1e3, noNaN: true }), (size, clip) => {
        const factor = clipFactor(size, clip);
        expect(factor * size).toBeLessThanOrEqual(clip * (1 + 1e-14));
        if (size <= clip) expect(factor).toBe(1);
        else expect(factor * size).toBeGreaterThan(clip * (1 - 1e-14));
      }),
    );
  });

  test('a norm that overflows leaves nothing; one that is no number is refused', () => {
    expect(clipFactor(Number.POSITIVE_INFINITY, 1)).toBe(0);
    expect(() => clipFactor(Number.NaN, 1)).toThrow(/expected a norm/);
    for (const clip of [0, -1, Number.NaN, Number.POSITIVE_INFINITY])
      expect(() => clipFactor(1, clip)).toThrow(/expected a positive norm/);
  });

  test('a clipped step is short, points the same way, stays in the box, and its u is that of its duals', () => {
    fc.assert(
      fc.property(problemShape, fc.constantFrom(1e-3, 0.1, 0.5, 1), (shape, share) => {
        const shards = shardsOf(makeProblem(shape));
        const w = new Float64Array(shape.d);
        for (const [k, shard] of shards.entries()) {
          const from = newMember(shard);
          examine(shard, from, w);
          const { solution } = propose(shard, { sigma: shards.length, tolerance: 1e-9, passes: 3, seed: k });
          const whole = plusScaled(solution.u, -1, from.u);
          const clip = share * norm(whole) || 1;
          const clipped = clippedStep(shard, from, solution, clip);
          const du = plusScaled(clipped.u, -1, from.u);
          const size = norm(whole) || 1;
          // Norms of differences: the parts that cancel leave rounding.
          const rounding = 1e-12 * (size + norm(from.u));
          expect(norm(du)).toBeLessThanOrEqual(clip + rounding);
          for (const [j, value] of whole.entries())
            expect(Math.abs(du[j] - Math.min(1, share) * value)).toBeLessThanOrEqual(1e-10 * size + rounding);
          const u = shard.combine(clipped.beta);
          for (let j = 0; j < u.length; j++)
            expect(Math.abs(u[j] - clipped.u[j])).toBeLessThanOrEqual(1e-10 * Math.max(1e-6, norm(u)));
          for (let i = 0; i < shard.n; i++) {
            expect(clipped.beta[i]).toBeGreaterThanOrEqual(shard.low[i]);
            expect(clipped.beta[i]).toBeLessThanOrEqual(shard.high[i]);
          }
          // s is concave along the step, linear for classification.
          const promised = from.s + (norm(du) / size) * (solution.s - from.s);
          expect(clipped.s).toBeGreaterThanOrEqual(promised - 1e-9 * (1 + Math.abs(solution.s)));
        }
      }),
      { numRuns: 60 },
    );
  });
});
