import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { stream } from '../../src/base/random.ts';
import { Arena } from '../../src/math/index.ts';
import { addScaled, dot, Shard } from '../../src/solver/index.ts';
import { makeProblem, problemShape, shardsOf, solvableShape } from '../helpers/problems.ts';
import { Rounds } from '../helpers/rounds.ts';

describe.each(['exact', 'line-search', 'safe'] as const)('%s', (rule) => {
  test('the dual never falls, on any problem, with any subset answering, after any number of passes', () => {
    fc.assert(
      fc.property(problemShape, fc.integer({ min: 1, max: 20 }), (shape, passes) => {
        const rounds = new Rounds(rule, shardsOf(makeProblem(shape)));
        const random = stream(shape.seed, 'answers');
        let { dual } = rounds.certify();
        for (let r = 0; r < 8; r++) {
          rounds.step(passes, 1e-9, () => random.uniform() < 0.6);
          const after = rounds.certify();
          expect(after.dual).toBeGreaterThanOrEqual(dual - 1e-9 * Math.max(1, Math.abs(dual)));
          expect(after.primal).toBeGreaterThanOrEqual(after.dual - 1e-9 * Math.abs(after.primal));
          dual = after.dual;
        }
      }),
      { numRuns: 150 },
    );
  });

  test('after every round w is the sum of the contributions and every beta is in its box', () => {
    fc.assert(
      fc.property(problemShape, (shape) => {
        const rounds = new Rounds(rule, shardsOf(makeProblem(shape)));
        const random = stream(shape.seed, 'answers');
        for (let r = 0; r < 6; r++) {
          rounds.step(5, 1e-9, () => random.uniform() < 0.7);
          const rest = rounds.aggregator.w.slice();
          for (const [k, shard] of rounds.shards.entries()) {
            const { beta, u } = rounds.members[k].committed;
            addScaled(rest, -1, shard.combine(beta));
            for (let i = 0; i < shard.n; i++) {
              expect(beta[i]).toBeGreaterThanOrEqual(shard.low[i]);
              expect(beta[i]).toBeLessThanOrEqual(shard.high[i]);
            }
            expect(u.length).toBe(shard.d);
          }
          const size = Math.sqrt(dot(rounds.aggregator.w, rounds.aggregator.w));
          expect(Math.sqrt(dot(rest, rest))).toBeLessThanOrEqual(1e-12 * Math.max(size, 1e-3));
        }
      }),
      { numRuns: 80 },
    );
  });

  test('the result does not depend on the order in which updates arrive', () => {
    const shape = {
      seed: 5,
      participants: 5,
      d: 12,
      mostRows: 20,
      objective: 'classification',
      c1: 1,
      c2: 1,
    } as const;
    const [a, b] = [0, 1].map((reversed) => {
      const rounds = new Rounds(rule, shardsOf(makeProblem({ ...shape, epsilon: 0, trouble: 'none' })));
      const { aggregate } = rounds.aggregator;
      rounds.aggregator.aggregate = (updates) =>
        aggregate.call(rounds.aggregator, reversed ? [...updates].reverse() : updates);
      for (let r = 0; r < 5; r++) rounds.step(4);
      return [...rounds.aggregator.w];
    });
    expect(b).toEqual(a);
  });
});

test('exact reaches a relative gap of 1e-6 on small problems', () => {
  fc.assert(
    fc.property(solvableShape, (shape) => {
      const rounds = new Rounds('exact', shardsOf(makeProblem(shape)));
      let gap = 1;
      for (let r = 0; r < 400 && gap > 1e-6; r++) {
        rounds.step(200, 1e-10);
        gap = rounds.certify().relativeGap;
      }
      expect(gap).toBeLessThanOrEqual(1e-6);
    }),
    { numRuns: 60 },
  );
});

test('exact gains at least as much as line search from the same updates', () => {
  fc.assert(
    fc.property(problemShape, (shape) => {
      const problem = makeProblem(shape);
      const [exact, search] = (['exact', 'line-search'] as const).map((rule) => {
        const rounds = new Rounds(rule, shardsOf(problem));
        // The same sigma for both, or they would not get the same updates.
        Object.defineProperty(rounds.aggregator, 'sigma', { value: 1, writable: true });
        rounds.step(50);
        return rounds.certify().dual;
      });
      expect(exact).toBeGreaterThanOrEqual(search - 1e-3 * Math.abs(search));
    }),
    { numRuns: 60 },
  );
});

test("the paper's rule, summing all updates, lets the dual fall when participants agree", () => {
  const arena = new Arena();
  const settings = { objective: 'classification', c1: 10, c2: 10, epsilon: 0 } as const;
  const input = {
    n: 2,
    d: 2,
    y: Float64Array.from([1, -1]),
    write: (i: number, row: Float32Array) => row.set(i ? [-1, 1] : [1, 1]),
  };
  const twins = Array.from({ length: 20 }, () => new Shard(arena, settings, input));
  const rounds = new Rounds('sum', twins);
  const before = rounds.certify().dual;
  rounds.step(50);
  expect(rounds.certify().dual).toBeLessThan(before);
  // The same updates under a safe rule: fine.
  const safe = new Rounds('safe', twins);
  safe.step(50);
  expect(safe.certify().dual).toBeGreaterThan(before);
});

test('sigma of exact starts at the number of participants and never rises', () => {
  const shape = {
    seed: 9,
    participants: 6,
    d: 30,
    mostRows: 30,
    objective: 'classification',
    c1: 1,
    c2: 1,
  } as const;
  const rounds = new Rounds('exact', shardsOf(makeProblem({ ...shape, epsilon: 0, trouble: 'none' })));
  let { sigma } = rounds.aggregator;
  expect(sigma).toBe(6);
  for (let r = 0; r < 10; r++) {
    rounds.step(20);
    expect(rounds.aggregator.sigma).toBeLessThanOrEqual(sigma);
    sigma = rounds.aggregator.sigma;
  }
  expect(sigma).toBeLessThan(6);
});
