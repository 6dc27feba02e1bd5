/** Step by step: CoCoA+ (`safe`) and the paper's rule (`sum`). */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { stream } from '../../src/base/random.ts';
import { Arena } from '../../src/math/arena.ts';
import { AGGREGATIONS } from '../../src/settings/training.ts';
import { partOfStep, solutionOf } from '../../src/solver/member.ts';
import { Shard } from '../../src/solver/shard.ts';
import { SummedSteps } from '../../src/solver/summed-steps.ts';
import { addScaled, dot, norm } from '../../src/solver/vector.ts';
import { makeProblem, problemShape, shardsOf } from '../helpers/problems.ts';
import { optimum } from '../helpers/reference.ts';
import { Rounds } from '../helpers/rounds.ts';

test('there are three ways to aggregate, and the default is the first', () => {
  expect(AGGREGATIONS).toEqual(['answers', 'safe', 'sum']);
});

test('safe: the dual never falls, on any problem, with any subset answering, after any number of passes', () => {
  fc.assert(
    fc.property(problemShape, fc.integer({ min: 1, max: 20 }), (shape, passes) => {
      const rounds = new Rounds('safe', shardsOf(makeProblem(shape)));
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

describe.each(['safe', 'sum'] as const)('%s', (rule) => {
  test('after every round w is the sum of the contributions and every beta is in its box', () => {
    fc.assert(
      fc.property(problemShape, (shape) => {
        const rounds = new Rounds(rule, shardsOf(makeProblem(shape)));
        const random = stream(shape.seed, 'answers');
        for (let r = 0; r < 6; r++) {
          rounds.step(5, 1e-9, () => random.uniform() < 0.7);
          const rest = rounds.aggregator.w.slice();
          for (const [k, shard] of rounds.shards.entries()) {
            const { beta, u } = rounds.members[k];
            addScaled(rest, -1, shard.combine(beta));
            expect(beta.every((value, i) => value >= shard.low[i] && value <= shard.high[i])).toBe(true);
            expect(rounds.aggregator.modelOf(k)).toEqual(
              rounds.aggregator.w.map((value, j) => value + (1 / shard.settings.c2) * u[j]),
            );
          }
          expect(norm(rest)).toBeLessThanOrEqual(1e-12 * Math.max(norm(rounds.aggregator.w), 1e-3));
        }
      }),
      { numRuns: 80 },
    );
  });

  test('the bounds hold the optimum in every round', () => {
    fc.assert(
      fc.property(problemShape, (shape) => {
        const problem = makeProblem(shape);
        const truth = optimum(problem);
        const rounds = new Rounds(rule, shardsOf(problem));
        for (let r = 0; r < 4; r++) {
          rounds.step(10);
          const { primal, dual } = rounds.certify();
          expect(primal).toBeGreaterThanOrEqual(truth.dual * (1 - 1e-10) - 1e-12);
          expect(dual).toBeLessThanOrEqual(truth.primal * (1 + 1e-10) + 1e-12);
        }
      }),
      { numRuns: 30 },
    );
  });

  test('the result does not depend on the order in which steps arrive', () => {
    const shape = { seed: 5, participants: 5, d: 12, mostRows: 20, objective: 'classification' } as const;
    const problem = makeProblem({ ...shape, c1: 1, c2: 1, epsilon: 0, trouble: 'none' });
    const [a, b] = [false, true].map((reversed) => {
      const rounds = new Rounds(rule, shardsOf(problem));
      const { aggregate } = rounds.aggregator;
      rounds.aggregator.aggregate = (updates) =>
        aggregate.call(rounds.aggregator, reversed ? [...updates].reverse() : updates);
      for (let r = 0; r < 5; r++) rounds.step(4);
      return [...rounds.aggregator.w];
    });
    expect(b).toEqual(a);
  });

  test('forgetting a member takes its part out of w, and joining with a part puts it in', () => {
    const shape = { seed: 6, participants: 4, d: 7, mostRows: 12, objective: 'classification' } as const;
    const rounds = new Rounds(
      rule,
      shardsOf(makeProblem({ ...shape, c1: 1, c2: 1, epsilon: 0, trouble: 'none' })),
    );
    rounds.step(5);
    const { aggregator } = rounds;
    const whole = aggregator.w;
    const { u } = aggregator.members.get(2)!;
    aggregator.forget(2);
    expect(aggregator.sigma).toBe(rule === 'safe' ? 3 : 1);
    for (const [j, value] of aggregator.w.entries()) expect(value).toBeCloseTo(whole[j] - u[j], 12);
    aggregator.join(9, { u });
    for (const [j, value] of aggregator.w.entries()) expect(value).toBeCloseTo(whole[j], 12);
  });
});

test("the paper's rule, summing all steps, lets the dual fall when participants agree", () => {
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
  // The same steps under a safe rule: fine.
  const safe = new Rounds('safe', twins);
  safe.step(50);
  expect(safe.certify().dual).toBeGreaterThan(before);
});

test('a part of a step is feasible, u goes with its beta, and no part is worse than the chord', () => {
  fc.assert(
    fc.property(problemShape, fc.double({ min: 0, max: 1, noNaN: true }), (shape, c) => {
      const [shard] = shardsOf(makeProblem({ ...shape, participants: 1 }));
      const random = stream(shape.seed, 'betas');
      const feasible = () =>
        solutionOf(
          shard,
          Float64Array.from(shard.cap, (cap, i) => {
            const at = random.uniform();
            // Some boxes have one end.
            const [low, high] = [Math.max(shard.low[i], -5 * cap), Math.min(shard.high[i], 5 * cap)];
            return at < 0.2 ? low : at > 0.8 ? high : low + at * (high - low);
          }),
        );
      const [from, to] = [feasible(), feasible()];
      const part = partOfStep(shard, from, to, c);
      expect(part.beta.every((value, i) => value >= shard.low[i] && value <= shard.high[i])).toBe(true);
      const size = norm(from.u) + norm(to.u);
      for (const [j, value] of shard.combine(part.beta).entries())
        expect(Math.abs(value - part.u[j])).toBeLessThanOrEqual(1e-12 * size);
      const chord = from.s + c * (to.s - from.s);
      expect(part.s).toBeGreaterThanOrEqual(chord - 1e-12 * (Math.abs(from.s) + Math.abs(to.s)));
      expect(partOfStep(shard, from, to, 1)).toBe(to);
    }),
    { numRuns: 80 },
  );
});

test('where only sums of steps are seen w is their sum, and there is no certificate', () => {
  for (const rule of ['safe', 'sum'] as const) {
    const steps = new SummedSteps(rule, 2);
    for (let k = 0; k < 3; k++) steps.join();
    expect(steps.orderFor()).toEqual({ w: new Float64Array(2), sigma: rule === 'safe' ? 3 : 1 });
    steps.add(Float64Array.of(1, -2));
    steps.forget();
    steps.add(Float64Array.of(0.5, 0.25));
    expect(steps.orderFor()).toEqual({ w: Float64Array.of(1.5, -1.75), sigma: rule === 'safe' ? 2 : 1 });
    expect(steps.certificate().relativeGap).toBeNaN();
    const back = new SummedSteps(rule, 2);
    back.recall(steps.memory);
    expect(back.w).toEqual(steps.w);
    expect(dot(back.w, back.w)).toBeGreaterThan(0);
  }
});
