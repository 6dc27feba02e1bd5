import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  clipFactor,
  clipProposal,
  clipUpdate,
  scaledUpdate,
  updateNorm,
} from '../../../src/privacy/dp/index.ts';
import { Aggregator, commit, dot, examine, newMember, propose } from '../../../src/solver/index.ts';
import { makeProblem, problemShape, shardsOf } from '../../helpers/problems.ts';
import { updateOf } from './helpers.ts';

const vector = fc.array(fc.double({ min: -1e3, max: 1e3, noNaN: true }), { minLength: 1, maxLength: 30 });

describe('clipping', () => {
  test('bounds the norm, keeps the direction and leaves short updates alone', () => {
    fc.assert(
      fc.property(vector, fc.double({ min: 1e-3, max: 1e3, noNaN: true }), (values, clip) => {
        const before = updateOf(values);
        const { update, factor } = clipUpdate(before, clip);
        const norm = updateNorm(before);
        expect(updateNorm(update)).toBeLessThanOrEqual(clip * (1 + 1e-14));
        if (norm <= clip) expect(update).toBe(before);
        else expect(updateNorm(update)).toBeGreaterThan(clip * (1 - 1e-12));
        expect([...update.du]).toEqual(values.map((value) => factor * value));
        expect(update.duNorm2).toBeCloseTo(dot(update.du, update.du), 6);
      }),
    );
  });

  test('scales every scalar by its own power of the factor', () => {
    const half = scaledUpdate(updateOf([3, 4]), 0.5);
    expect(half).toEqual({ du: Float64Array.of(1.5, 2), ds: 0.35, uDotDu: -0.15, duNorm2: 6.25, s: 2 });
  });

  test('an update whose square overflows becomes nothing; one that is not finite is refused', () => {
    expect(clipUpdate(updateOf([1e200, -1e200]), 1).update.du).toEqual(Float64Array.of(0, -0));
    expect(() => clipUpdate(updateOf([1, Number.NaN]), 1)).toThrow(/expected a finite update/);
    expect(() => clipUpdate(updateOf([Number.POSITIVE_INFINITY]), 1)).toThrow(/expected a finite update/);
    for (const clip of [0, -1, Number.NaN, Number.POSITIVE_INFINITY])
      expect(() => clipFactor(1, clip)).toThrow(/expected a positive norm/);
  });

  test('a clipped proposal is feasible and both sides hold the same solution, on any problem', () => {
    fc.assert(
      fc.property(problemShape, fc.constantFrom(1e-3, 0.1, 0.5), (shape, share) => {
        const shards = shardsOf(makeProblem(shape));
        const aggregator = new Aggregator('safe', shape.d, shape.c2);
        const members = shards.map((shard, k) => {
          aggregator.join(k);
          const state = newMember(shard);
          examine(shard, state, aggregator.w);
          const options = { sigma: shards.length, tolerance: 1e-9, passes: 3, seed: k, atoms: 1 };
          const full = propose(shard, state, options);
          const clip = share * updateNorm(full.update) || 1;
          const clipped = clipProposal(shard, full, clip);
          expect(updateNorm(clipped.update)).toBeLessThanOrEqual(clip * (1 + 1e-14));
          // s is concave along the step: what is promised is at most what is kept.
          const kept = clipped.state.atoms[0].s - state.committed.s;
          expect(kept).toBeGreaterThanOrEqual(clipped.update.ds - 1e-12 * Math.abs(full.update.ds));
          if (shape.objective === 'classification') expect(kept).toBeCloseTo(clipped.update.ds, 10);
          return { clipped, shard };
        });
        const updates = members.map(({ clipped }, member) => ({ ...clipped.update, member }));
        const sum = new Float64Array(shape.d);
        for (const { member, weights } of aggregator.aggregate(updates)) {
          const { shard, clipped } = members[member];
          const { committed } = commit(shard, clipped.state, weights);
          for (let i = 0; i < shard.n; i++) {
            expect(committed.beta[i]).toBeGreaterThanOrEqual(shard.low[i]);
            expect(committed.beta[i]).toBeLessThanOrEqual(shard.high[i]);
          }
          const u = shard.combine(committed.beta);
          for (let j = 0; j < sum.length; j++) sum[j] += u[j];
        }
        const size = Math.max(1e-6, Math.sqrt(dot(sum, sum)));
        for (let j = 0; j < sum.length; j++)
          expect(Math.abs(aggregator.w[j] - sum[j])).toBeLessThan(1e-10 * size);
      }),
      { numRuns: 60 },
    );
  });
});
