/** F(w), the least cost of a participant's own part: what an answer says of it (answer.ts), held against a written-out solver. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Answer, answer, boundsOf } from '../../src/solver/answer.ts';
import { certifiedAnswer } from '../../src/solver/certified-answer.ts';
import type { Shard } from '../../src/solver/shard.ts';
import { dot, plusScaled } from '../../src/solver/vector.ts';
import { makeProblem, problemShape, randomVector, shardsOf, solvableShape } from '../helpers/problems.ts';
import { envelope } from '../helpers/reference.ts';

const sizes = fc.constantFrom(0, 0.1, 1, 10);

function cutAt({ u, scalars }: Pick<Answer, 'u' | 'scalars'>, c2: number, w: Float64Array): number {
  return boundsOf(scalars, c2).constant - dot(w, u);
}

/** Solved again from exact margins until nothing moves. */
function exactAnswer(shard: Shard, w: Float64Array): Answer {
  let given: Answer | undefined;
  for (let solve = 0; solve < 12; solve++)
    given = answer(shard, w, { sigma: 0, tolerance: 1e-12, passes: 1000, seed: solve }, given);
  return given!;
}

test('any answer, however short, exact or too careful, is a cut below F and a bound above it, at every w', () => {
  fc.assert(
    fc.property(
      problemShape,
      sizes,
      sizes,
      fc.integer({ min: 0, max: 30 }),
      fc.constantFrom(0, 0, 1, 5),
      (shape, near, far, passes, sigma) => {
        const problem = makeProblem({ ...shape, participants: 1 });
        const [shard] = shardsOf(problem);
        const { c2 } = problem.settings;
        const query = randomVector(problem.d, near, shape.seed, 'query');
        const w = plusScaled(query, 1, randomVector(problem.d, far, shape.seed, 'elsewhere'));
        const given = answer(shard, query, { sigma, passes, tolerance: 1e-9, seed: shape.seed });
        const { value } = boundsOf(given.scalars, c2);
        const here = envelope(problem, 0, query);
        const there = envelope(problem, 0, w);
        const apart = plusScaled(w, -1, query);
        const above = value - dot(given.u, apart) + (c2 / 2) * dot(apart, apart);
        const rounding = 1e-11 * (value + Math.abs(above) + Math.abs(cutAt(given, c2, w)) + 1e-3);
        expect(value).toBeGreaterThanOrEqual(here.dual - rounding);
        expect(cutAt(given, c2, query)).toBeLessThanOrEqual(here.primal + rounding);
        expect(above).toBeGreaterThanOrEqual(there.dual - rounding);
        expect(cutAt(given, c2, w)).toBeLessThanOrEqual(there.primal + rounding);
      },
    ),
    { numRuns: 150 },
  );
});

test('what an answer says of itself is so: beta in its box, u = sum beta x, norms and products', () => {
  fc.assert(
    fc.property(problemShape, sizes, fc.integer({ min: 0, max: 5 }), (shape, size, passes) => {
      const [shard] = shardsOf(makeProblem({ ...shape, participants: 1 }));
      const w = randomVector(shard.d, size, shape.seed, 'query');
      // A warm start from anywhere: also from outside the box.
      const warm = randomVector(shard.n, 3 * shard.settings.c1, shape.seed, 'warm');
      const {
        beta,
        u,
        scalars,
        passes: made,
      } = answer(shard, w, { sigma: 0, passes, tolerance: 1e-9, seed: 1 }, { beta: warm });
      expect(made).toBeLessThanOrEqual(passes);
      expect(beta.every((value, i) => value >= shard.low[i] && value <= shard.high[i])).toBe(true);
      expect(u).toEqual(shard.combine(beta));
      expect(scalars.uNorm2).toBe(dot(u, u));
      expect(scalars.wDotU).toBe(dot(w, u));
      expect(scalars.dualSum).toBe(shard.dualSum(beta));
      expect(scalars.loss).toBeGreaterThanOrEqual(0);
    }),
    { numRuns: 80 },
  );
});

test('an exact answer is F(w), its cut touches F at the query, and finite differences of F are -u', () => {
  fc.assert(
    fc.property(solvableShape, sizes, (shape, size) => {
      const problem = makeProblem({ ...shape, participants: 1 });
      const [shard] = shardsOf(problem);
      const { c2 } = problem.settings;
      const w = randomVector(problem.d, size, shape.seed, 'query');
      const given = exactAnswer(shard, w);
      const { value } = boundsOf(given.scalars, c2);
      const scale = 1e-7 * value + 1e-10;
      expect(value - cutAt(given, c2, w)).toBeLessThanOrEqual(scale);
      const here = envelope(problem, 0, w);
      expect(here.primal - here.dual).toBeLessThanOrEqual(scale);
      expect(Math.abs(value - here.primal)).toBeLessThanOrEqual(2 * scale);
      // F is convex and its gradient has the Lipschitz constant C2: between two points it leaves the tangent by C2 h^2 / 2 at most.
      const step = 0.01 / Math.sqrt(c2);
      const direction = randomVector(problem.d, 1, shape.seed, 'direction');
      const slack = (c2 / 2) * step ** 2 * dot(direction, direction);
      for (const h of [step, -step]) {
        const there = envelope(problem, 0, plusScaled(w, h, direction));
        const tangent = value - h * dot(given.u, direction);
        expect(there.primal).toBeGreaterThanOrEqual(tangent - 3 * scale);
        expect(there.dual).toBeLessThanOrEqual(tangent + slack + 3 * scale);
      }
    }),
    { numRuns: 80 },
  );
});

test('a participant whose boxes are tiny reaches them: no move is too small to be made', () => {
  // C1 |x|^2 / C2 is far below the tolerance, so that every move is.
  const shape = {
    seed: 3,
    participants: 1,
    d: 8,
    mostRows: 25,
    objective: 'classification',
    epsilon: 0,
  } as const;
  for (const form of ['rows', 'gram'] as const) {
    const problem = makeProblem({ ...shape, c1: 1e-4, c2: 1000, trouble: 'none' });
    const [shard] = shardsOf(problem, form);
    const w = new Float64Array(shard.d);
    const { beta, passes } = answer(shard, w, { sigma: 0, tolerance: 0.01, passes: 100, seed: 1 });
    // At w = 0 every row wants the end of its box.
    expect([...beta]).toEqual([...shard.y].map((y) => y * 1e-4));
    expect(passes).toBeLessThanOrEqual(2);
  }
});

test('a certified answer lies between its bounds, reaches its gap, and is never worse than w alone', () => {
  fc.assert(
    fc.property(solvableShape, sizes, (shape, size) => {
      const problem = makeProblem({ ...shape, participants: 1 });
      const [shard] = shardsOf(problem);
      const w = randomVector(problem.d, size, shape.seed, 'query');
      const options = { gap: 1e-6, passes: 20_000, seedOf: (solve: number) => solve };
      const { certificate, u } = certifiedAnswer(shard, w, options);
      const truth = envelope(problem, 0, w);
      const rounding = 1e-10 * (certificate.primal + 1e-3);
      expect(certificate.relativeGap).toBeLessThanOrEqual(1e-6);
      expect(certificate.primal).toBeGreaterThanOrEqual(truth.dual - rounding);
      expect(certificate.dual).toBeLessThanOrEqual(truth.primal + rounding);
      const cost = (own: Float64Array) => {
        shard.load(shard.startingBeta(), plusScaled(w, 1 / shard.settings.c2, own));
        return shard.loss() + dot(own, own) / (2 * shard.settings.c2);
      };
      expect(cost(u)).toBeLessThanOrEqual(cost(new Float64Array(shard.d)));
      expect(cost(u)).toBeCloseTo(certificate.primal, 9);
    }),
    { numRuns: 60 },
  );
});
