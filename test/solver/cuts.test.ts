/** The lower bound from cuts (cuts.ts), on cuts that are answers of random problems. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { stream } from '../../src/base/random.ts';
import { answer, boundsOf } from '../../src/solver/answer.ts';
import { CUTS_KEPT, type Cut, LowerBound } from '../../src/solver/cuts.ts';
import { addScaled, dot } from '../../src/solver/vector.ts';
import { makeProblem, type ProblemShape, problemShape, randomVector, shardsOf } from '../helpers/problems.ts';
import { envelope, primalAt } from '../helpers/reference.ts';

/** A primal value that is not in the way. */
const FAR = 1e3;

interface OwnedCut extends Cut {
  readonly member: number;
}

/** Answers to random queries, some of them cut short. */
function cutsOf(shape: ProblemShape, rounds: number): { cuts: OwnedCut[]; c2: number; d: number } {
  const problem = makeProblem(shape);
  const random = stream(shape.seed, 'cuts');
  const shards = shardsOf(problem);
  const cuts = Array.from({ length: rounds }, (_, r) => {
    const w = randomVector(problem.d, random.uniform() * 3, shape.seed + r, 'query');
    return shards.map((shard, member) => {
      const passes = 1 + random.below(20);
      const { u, scalars } = answer(shard, w, { sigma: 0, tolerance: 1e-9, passes, seed: r });
      return { member, u, s: scalars.dualSum };
    });
  });
  return { cuts: cuts.flat(), c2: problem.settings.c2, d: problem.d };
}

const few = problemShape.map((shape) => ({ ...shape, participants: Math.min(4, shape.participants) }));

test('D never falls as cuts are added, and is never above P(w)', () => {
  fc.assert(
    fc.property(few, fc.integer({ min: 1, max: 12 }), (shape, rounds) => {
      const problem = makeProblem(shape);
      const { cuts, c2, d } = cutsOf(shape, rounds);
      const lower = new LowerBound(d);
      let dual = Number.NEGATIVE_INFINITY;
      for (const { member, ...cut } of cuts) {
        lower.add(member, cut, 1 / c2);
        const raised = lower.raise(FAR);
        expect(raised).toBeGreaterThanOrEqual(dual - 1e-13 * Math.abs(dual));
        dual = raised;
      }
      for (const [size, purpose] of [
        [0, 'a'],
        [1, 'b'],
        [5, 'c'],
      ] as const) {
        const w = randomVector(d, size, shape.seed, purpose);
        const { primal } = primalAt(problem, w);
        expect(dual).toBeLessThanOrEqual(primal * (1 + 1e-11) + 1e-12);
      }
      // Where the model of P has its minimum P is at least the model.
      expect(dual).toBeLessThanOrEqual(primalAt(problem, lower.point).primal * (1 + 1e-11) + 1e-12);
    }),
    { numRuns: 60 },
  );
});

test('no convex combination of the kept cuts gives more than D', () => {
  fc.assert(
    fc.property(few, fc.integer({ min: 1, max: CUTS_KEPT }), fc.nat(), (shape, rounds, seed) => {
      const { cuts, c2, d } = cutsOf(shape, rounds);
      const lower = new LowerBound(d);
      for (const { member, ...cut } of cuts) lower.add(member, cut, 1 / c2);
      // Told that nothing is left to gain it goes on to rounding.
      let dual = 0;
      for (let r = 0; r < 20; r++) dual = lower.raise(dual);
      const random = stream(seed, 'weights');
      for (let attempt = 0; attempt < 10; attempt++) {
        const all = new Float64Array(d);
        let value = 0;
        for (let member = 0; member < shape.participants; member++) {
          const own = cuts.filter((cut) => cut.member === member);
          // The cut F >= 0 is one of them: the weights need not add up to 1. Squared, so that few cuts have most of it.
          const raw = own.map(() => random.uniform() ** (2 * attempt));
          const total = raw.reduce((sum, weight) => sum + weight, 0) / (attempt % 2 ? 1 : random.uniform());
          const u = new Float64Array(d);
          for (const [i, cut] of own.entries()) {
            addScaled(u, raw[i] / total, cut.u);
            value += (raw[i] / total) * cut.s;
          }
          value -= dot(u, u) / (2 * c2);
          addScaled(all, 1, u);
        }
        value -= dot(all, all) / 2;
        expect(dual).toBeGreaterThanOrEqual(value - 1e-6 * (Math.abs(value) + Math.abs(dual)) - 1e-12);
      }
    }),
    { numRuns: 80 },
  );
});

test('the value of a block at w is below F, at least that of its last cut, and 0 for nobody', () => {
  fc.assert(
    fc.property(few, fc.integer({ min: 1, max: 9 }), fc.boolean(), (shape, rounds, raise) => {
      const problem = makeProblem(shape);
      const { cuts, c2, d } = cutsOf(shape, rounds);
      const lower = new LowerBound(d);
      const w = randomVector(d, 2, shape.seed, 'elsewhere');
      for (const { member, ...cut } of cuts) {
        lower.add(member, cut, 1 / c2);
        if (raise) lower.raise(FAR);
        const own = boundsOf({ loss: 0, wDotU: 0, dualSum: cut.s, uNorm2: dot(cut.u, cut.u) }, c2);
        const value = lower.valueAt(member, w);
        const rounding = 1e-11 * (Math.abs(own.constant) + 1);
        expect(value).toBeGreaterThanOrEqual(own.constant - dot(w, cut.u) - rounding);
        expect(value).toBeLessThanOrEqual(envelope(problem, member, w).primal + rounding);
      }
      expect(lower.valueAt(99, w)).toBe(0);
    }),
    { numRuns: 40 },
  );
});

test('a frozen block counts by its cut alone; a dropped one as if it had never been there', () => {
  fc.assert(
    fc.property(few, fc.integer({ min: 1, max: 6 }), (shape, rounds) => {
      const { cuts, c2, d } = cutsOf({ ...shape, participants: shape.participants + 1 }, rounds);
      const [all, others] = [new LowerBound(d), new LowerBound(d)];
      for (const { member, ...cut } of cuts) {
        all.add(member, cut, 1 / c2);
        if (member !== 0) others.add(member, cut, 1 / c2);
      }
      const frozen = cuts[0];
      all.raise(FAR);
      all.freeze(0, frozen, 1 / c2);
      const w = randomVector(d, 2, shape.seed, 'elsewhere');
      const constant = frozen.s - dot(frozen.u, frozen.u) / (2 * c2);
      expect(all.valueAt(0, w)).toBeCloseTo(constant - dot(frozen.u, w), 10);
      // Alone its part of D is fixed: 1/2 |w|^2 + constant - w.u is least at w = u.
      const alone = new LowerBound(d);
      alone.add(0, cuts.at(-1)!, 1 / c2);
      alone.freeze(0, frozen, 1 / c2);
      expect(alone.raise(FAR)).toBeCloseTo(constant - dot(frozen.u, frozen.u) / 2, 10);
      expect(alone.point).toEqual(frozen.u);
      alone.drop(0);
      expect(alone.isEmpty).toBe(true);
      const [fresh, reference] = [new LowerBound(d), others];
      for (const { member, ...cut } of cuts) fresh.add(member, cut, 1 / c2);
      fresh.drop(0);
      expect(fresh.raise(1e9)).toBe(reference.raise(1e9));
      expect(fresh.point).toEqual(reference.point);
    }),
    { numRuns: 60 },
  );
});

test('the order in which blocks were added does not matter', () => {
  fc.assert(
    fc.property(few, fc.integer({ min: 1, max: 9 }), (shape, rounds) => {
      const { cuts, c2, d } = cutsOf(shape, rounds);
      const [a, b] = [cuts, [...cuts].sort((x, y) => y.member - x.member)].map((list) => {
        const lower = new LowerBound(d);
        for (const { member, ...cut } of list) lower.add(member, cut, 1 / c2);
        return [lower.raise(FAR), ...lower.point];
      });
      expect(b).toEqual(a);
    }),
    { numRuns: 30 },
  );
});
