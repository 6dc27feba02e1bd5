/** What every loss promises (losses/loss.ts), of all of them, by brute force. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Arena } from '../../src/math/arena.ts';
import { defaultLoss, LOSS_NAMES } from '../../src/settings/losses.ts';
import { certificate } from '../../src/solver/certificate.ts';
import { certifiedAnswer } from '../../src/solver/certified-answer.ts';
import type { LossShape } from '../../src/solver/losses/loss.ts';
import { LOSSES, lossOf } from '../../src/solver/losses/losses.ts';
import { newMember } from '../../src/solver/member.ts';
import { Shard } from '../../src/solver/shard.ts';
import { dot, norm } from '../../src/solver/vector.ts';
import { makeProblem, plainArena, problemShape, shardsOf, solvableShape } from '../helpers/problems.ts';
import { optimum } from '../helpers/reference.ts';
import { AnswerRounds } from '../helpers/rounds.ts';

test('an objective has a loss of its own, and names of others are taken as given', () => {
  expect(lossOf({ objective: 'classification' })).toBe(LOSSES.hinge);
  expect(lossOf({ objective: 'regression' })).toBe(LOSSES['epsilon-insensitive']);
  expect(lossOf({ objective: 'classification', loss: 'logistic' })).toBe(LOSSES.logistic);
  for (const name of LOSS_NAMES) {
    expect(LOSSES[name].classes).toBe(LOSSES[name].task === 'classification');
    expect(LOSSES[defaultLoss(LOSSES[name].task)].task).toBe(LOSSES[name].task);
  }
});

/** One-dimensional and concave: the best point of [low, high] by golden section. */
function maximiser(f: (b: number) => number, low: number, high: number): number {
  const ratio = (Math.sqrt(5) - 1) / 2;
  let [a, b] = [low, high];
  for (let k = 0; k < 120; k++) {
    const [c, d] = [b - ratio * (b - a), a + ratio * (b - a)];
    if (f(c) >= f(d)) b = d;
    else a = c;
  }
  return (a + b) / 2;
}

describe.each(LOSS_NAMES)('%s', (name) => {
  const loss = LOSSES[name];
  const row = fc.record({
    y: loss.classes ? fc.constantFrom(-1, 1) : fc.double({ min: -5, max: 5, noNaN: true }),
    cap: fc.constantFrom(1e-4, 0.3, 1, 7, 1000),
    shape: fc.record({
      epsilon: loss.classes ? fc.constant(0) : fc.constantFrom(0, 0.1, 2),
      quantile: fc.constantFrom(0.02, 0.5, 0.9),
    }),
    a: fc.double({ min: -30, max: 30, noNaN: true }),
    /** Where in the box. */
    at: fc.double({ min: 0, max: 1, noNaN: true }),
  });

  /** A box without an end is cut off where its rows are on the wrong side by hundreds. */
  function boxFor(y: number, cap: number, shape: LossShape): { low: number; high: number } {
    const { low, high } = loss.box(y, cap, shape);
    return { low: Math.max(low, -1000 * cap), high: Math.min(high, 1000 * cap) };
  }

  function between(y: number, cap: number, at: number, shape: LossShape): number {
    const { low, high } = boxFor(y, cap, shape);
    return at < 0.1 ? low : at > 0.9 ? high : low + at * (high - low);
  }

  test('value and s are a Fenchel pair: C loss + beta a is never below s, and s is its least value', () => {
    fc.assert(
      fc.property(row, ({ y, cap, shape, a, at }) => {
        const beta = between(y, cap, at, shape);
        const s = loss.conjugate(y, beta, cap, shape);
        const sum = (m: number) => cap * loss.value(y, m, shape) + beta * m;
        const scale = cap * (1 + loss.value(y, a, shape)) + Math.abs(beta * a) + Math.abs(s);
        expect(sum(a)).toBeGreaterThanOrEqual(s - 1e-13 * scale);
        const least = sum(maximiser((m) => -sum(m), -1200, 1200));
        expect(least - s).toBeLessThanOrEqual(1e-6 * (cap + Math.abs(s)));
      }),
      { numRuns: 300 },
    );
  });

  test('the subgradient is in the box, and closes the pair', () => {
    fc.assert(
      fc.property(row, ({ y, cap, shape, a }) => {
        const beta = loss.subgradient(y, a, cap, shape);
        const { low, high } = loss.box(y, cap, shape);
        expect(beta >= low && beta <= high).toBe(true);
        const s = loss.conjugate(y, beta, cap, shape);
        const sum = cap * loss.value(y, a, shape) + beta * a;
        const scale = cap * loss.value(y, a, shape) + Math.abs(beta * a) + Math.abs(s);
        expect(Math.abs(sum - s)).toBeLessThanOrEqual(1e-12 * (scale + cap));
      }),
      { numRuns: 300 },
    );
  });

  test('the subgradient is minus C times the slope of the loss, which rises no faster than its curvature', () => {
    fc.assert(
      fc.property(row, fc.double({ min: 1e-3, max: 3, noNaN: true }), ({ y, cap, shape, a }, apart) => {
        const [here, there] = [a, a + apart].map((m) => loss.value(y, m, shape));
        const [from, to] = [a, a + apart].map((m) => loss.subgradient(y, m, cap, shape));
        const slope = (cap * (there - here)) / apart;
        const rounding = (1e-9 * cap * (1 + here + there)) / apart;
        // Convex: the chord is between the slopes of its ends.
        expect(-from).toBeLessThanOrEqual(slope + rounding);
        expect(-to).toBeGreaterThanOrEqual(slope - rounding);
        if (loss.curvature > 0)
          expect(from - to).toBeLessThanOrEqual(loss.curvature * cap * apart + rounding);
      }),
      { numRuns: 300 },
    );
  });

  test('s is within its bounds, and at most C times the loss at 0', () => {
    fc.assert(
      fc.property(row, ({ y, cap, shape, at }) => {
        const s = loss.conjugate(y, between(y, cap, at, shape), cap, shape);
        const { least, most } = loss.dualRange;
        expect(s).toBeGreaterThanOrEqual(least * cap);
        expect(s).toBeLessThanOrEqual(cap * loss.value(y, 0, shape) * (1 + 1e-12));
        if (loss.classes) expect(loss.value(y, 0, shape)).toBeCloseTo(most, 15);
      }),
    );
  });

  test("a step ends at the maximum of the row's problem, found by brute force", () => {
    const h = fc.constantFrom(1e-6, 0.01, 1, 50, 1e4);
    fc.assert(
      fc.property(row, h, ({ y, cap, shape, a, at }, h) => {
        const beta = between(y, cap, at, shape);
        const problem = (b: number) =>
          loss.conjugate(y, b, cap, shape) - a * (b - beta) - (h / 2) * (b - beta) ** 2;
        const found = loss.step({ y, cap, shape, beta, margin: a, h });
        const { low, high } = loss.box(y, cap, shape);
        expect(found >= low && found <= high).toBe(true);
        // What lies behind a cut-off end is better than the end only where the step found it.
        const { low: from, high: to } = boxFor(y, cap, shape);
        const by = problem(maximiser(problem, from, to));
        const scale = Math.abs(by) + cap * (1 + Math.abs(a)) + h * (Math.abs(beta) + Math.abs(found)) ** 2;
        expect(problem(found)).toBeGreaterThanOrEqual(by - 1e-12 * scale);
      }),
      { numRuns: 500 },
    );
  });

  test('a step from where a step ended stays there', () => {
    fc.assert(
      fc.property(row, fc.constantFrom(0.01, 1, 50), ({ y, cap, shape, a, at }, h) => {
        const beta = between(y, cap, at, shape);
        const once = loss.step({ y, cap, shape, beta, margin: a, h });
        const margin = a + h * (once - beta);
        const twice = loss.step({ y, cap, shape, beta: once, margin, h });
        expect(Math.abs(twice - once)).toBeLessThanOrEqual(1e-11 * (cap + Math.abs(beta) + Math.abs(once)));
      }),
    );
  });

  const ofThis = solvableShape.map((shape) => ({ ...shape, loss: name, objective: loss.task }));

  test('federated rounds reach the optimum of an independent solver, certified, and w is the sum of the answers', () => {
    fc.assert(
      fc.property(ofThis, fc.constantFrom('single answers', 'sums'), (shape, sees) => {
        // Coordinate ascent on two lines takes long beyond.
        fc.pre(shape.c1 * (1 + 1 / shape.c2) <= 5);
        const problem = makeProblem(shape);
        const truth = optimum(problem);
        const rounds = new AnswerRounds(shardsOf(problem), { sees, claims: 'trusted' });
        let standing = rounds.step();
        while (standing.relativeGap > 1e-6 && rounds.round < 200) {
          standing = rounds.step();
          expect(standing.primal).toBeGreaterThanOrEqual(standing.dual * (1 - 1e-9) - 1e-12);
        }
        const scale = 1e-10 * (Math.abs(truth.primal) + 1e-3);
        expect(standing.relativeGap).toBeLessThanOrEqual(1e-6);
        expect(standing.primal).toBeGreaterThanOrEqual(truth.dual - scale);
        expect(standing.dual).toBeLessThanOrEqual(truth.primal + scale);
        const { u } = rounds.inquiry;
        const rest = u.map((value, j) => value - rounds.sum[j]);
        expect(norm(rest)).toBeLessThanOrEqual(1e-12 * (rounds.largest + 1e-3));
      }),
      { numRuns: 25 },
    );
  });

  test('one model alone reaches a relative gap of 1e-6, in the row form and in the Gram form', () => {
    fc.assert(
      fc.property(ofThis, (shape) => {
        const problem = makeProblem({ ...shape, participants: 1 });
        for (const form of ['rows', 'gram'] as const) {
          const [shard] = shardsOf(problem, form);
          const options = { gap: 1e-6, passes: 50_000, seedOf: (solve: number) => solve };
          const { certificate: proof } = certifiedAnswer(shard, new Float64Array(shard.d), options);
          expect(proof.relativeGap).toBeLessThanOrEqual(1e-6);
        }
      }),
      { numRuns: 25 },
    );
  });

  test('a warm start under another C1 is in the new box, and its certificate holds', () => {
    fc.assert(
      fc.property(problemShape, fc.constantFrom(0.01, 0.5, 3, 100), (shape, factor) => {
        const problem = makeProblem({ ...shape, loss: name, objective: loss.task, participants: 1 });
        const [shard] = shardsOf(problem, 'auto', plainArena());
        const { c2 } = shard.settings;
        const { beta } = newMember(
          shard,
          shard.y.map((y, i) => loss.subgradient(y, 0.3, shard.cap[i], shard.settings)),
        );
        shard.retarget({ ...shard.settings, c1: shard.settings.c1 * factor });
        const warm = newMember(shard, beta);
        expect(warm.beta.every((value, i) => value >= shard.low[i] && value <= shard.high[i])).toBe(true);
        shard.load(
          warm.beta,
          warm.u.map((value) => value * (1 + 1 / c2)),
        );
        const scalars = { loss: shard.loss(), dualSum: warm.s, uNorm2: dot(warm.u, warm.u) };
        const { primal, dual } = certificate(scalars.uNorm2, c2, [scalars]);
        expect(primal).toBeGreaterThanOrEqual(dual - 1e-9 * (Math.abs(primal) + Math.abs(dual)));
      }),
    );
  });
});

test('with nothing but a bias the quantile loss learns the empirical quantile, as far as C1 outweighs the regularisation', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: -20, max: 20 }), { minLength: 1, maxLength: 40 }),
      fc.constantFrom(0.1, 0.25, 0.5, 0.9),
      (targets, quantile) => {
        const y = Float64Array.from(targets, (value) => value / 10);
        const n = y.length;
        const problem = { objective: 'regression', loss: 'quantile', epsilon: 0, quantile } as const;
        const settings = { ...problem, c1: 25, c2: 1 };
        const shard = new Shard(new Arena(), settings, { n, d: 1, y, write: (_, row) => row.fill(1) });
        const options = { gap: 1e-7, passes: 100_000, seedOf: (solve: number) => solve };
        const { u } = certifiedAnswer(shard, new Float64Array(1), options);
        const [a] = u;
        // The definition of a quantile, but for |a| / C1 rows: a^2 / 2 pulls as much as these do.
        const [near, pull] = [1e-3, Math.abs(a) / settings.c1 + 1e-6];
        expect(y.filter((value) => value < a - near).length).toBeLessThanOrEqual(quantile * n + pull);
        expect(y.filter((value) => value > a + near).length).toBeLessThanOrEqual((1 - quantile) * n + pull);
      },
    ),
  );
});
