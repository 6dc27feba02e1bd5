import fc from 'fast-check';
import { expect, test } from 'vitest';
import { stream } from '../../src/base/random.ts';
import { Arena } from '../../src/math/arena.ts';
import { certificate } from '../../src/solver/certificate.ts';
import { LocalSolve } from '../../src/solver/local-solve.ts';
import { Shard } from '../../src/solver/shard.ts';
import { dot } from '../../src/solver/vector.ts';
import { makeProblem, problemShape, shardsOf, solvableShape } from '../helpers/problems.ts';

/** Repeats solves from exact margins, as the trainers do, until the gap of the plain problem is small. */
function solveAlone(shard: Shard, passes = 1000) {
  let beta = shard.startingBeta();
  for (let r = 0; ; r++) {
    const u = shard.combine(beta);
    shard.load(beta, u);
    const uNorm2 = dot(u, u);
    const proof = certificate(uNorm2, Number.POSITIVE_INFINITY, [
      { loss: shard.loss(), dualSum: shard.dualSum(beta), uNorm2 },
    ]);
    if (proof.relativeGap < 1e-9 || r === 50) return { proof, beta, u };
    new LocalSolve(shard, { sigma: 1, tolerance: 1e-12, seed: r }).runPasses(passes);
    beta = shard.beta;
  }
}

test('row form and Gram form solve the same problem', () => {
  fc.assert(
    fc.property(solvableShape, (shape) => {
      const problem = makeProblem({ ...shape, participants: 1 });
      const alone = { ...problem, settings: { ...problem.settings, c2: Number.POSITIVE_INFINITY } };
      const [rows, gram] = (['rows', 'gram'] as const).map((form) => solveAlone(shardsOf(alone, form)[0]));
      expect(Math.abs(rows.proof.primal - gram.proof.primal)).toBeLessThanOrEqual(
        1e-7 * rows.proof.primal + 1e-12,
      );
      for (let j = 0; j < problem.d; j++)
        expect(Math.abs(rows.u[j] - gram.u[j])).toBeLessThan(2e-3 * (1 + Math.abs(rows.u[j])));
    }),
    { numRuns: 60 },
  );
});

test('shrinking changes nothing about where a solve ends', () => {
  fc.assert(
    fc.property(solvableShape, (shape) => {
      const problem = makeProblem({ ...shape, participants: 1, mostRows: 30 });
      const alone = { ...problem, settings: { ...problem.settings, c2: Number.POSITIVE_INFINITY } };
      const shrunk = solveAlone(shardsOf(alone)[0]);
      // One pass per solve: every solve starts with all rows, so nothing is ever left out.
      const whole = shardsOf(alone)[0];
      let beta = whole.startingBeta();
      let done = false;
      for (let r = 0; r < 5000 && !done; r++) {
        whole.load(beta, whole.combine(beta));
        const solve = new LocalSolve(whole, { sigma: 1, tolerance: 1e-11, seed: r });
        solve.pass();
        beta = whole.beta;
        done = solve.done;
      }
      fc.pre(done);
      const u = whole.combine(beta);
      whole.load(beta, u);
      const primal = dot(u, u) / 2 + whole.loss();
      expect(Math.abs(primal - shrunk.proof.primal)).toBeLessThanOrEqual(1e-6 * primal + 1e-12);
    }),
    { numRuns: 40 },
  );
});

test('shrinking leaves rows out, and they come back before a solve is done', () => {
  const arena = new Arena();
  const n = 200;
  const settings = { objective: 'classification', c1: 1, c2: Number.POSITIVE_INFINITY, epsilon: 0 } as const;
  const y = Float64Array.from({ length: n }, (_, i) => (i % 2 ? 1 : -1));
  const shard = new Shard(arena, settings, {
    n,
    d: 3,
    y,
    write: (i, row) => row.set([y[i] * (i < 6 ? 0.1 : 5 + i / 20), Math.sin(i), 1]),
  });
  shard.load(shard.startingBeta(), new Float64Array(3));
  const solve = new LocalSolve(shard, { sigma: 1, tolerance: 1e-6, seed: 1 });
  const actives: number[] = [];
  while (!solve.done && solve.passes < 500) {
    actives.push(solve.activeRows);
    solve.pass();
  }
  expect(solve.done).toBe(true);
  expect(Math.min(...actives)).toBeLessThan(n / 2);
  expect(actives.at(-1)).toBe(n);
});

test.each([71, 128, 172, 296])(
  'a tolerance that rounding does not allow: rows that were left out come back all the same (%d)',
  (seed) => {
    const random = stream(seed, 'b');
    const [n, d] = [20 + random.below(200), 2 + random.below(40)];
    const y = Float64Array.from({ length: n }, () => (random.uniform() < 0.5 ? 1 : -1));
    const rows = Array.from(y, (side) =>
      Float32Array.from({ length: d }, () => (random.normal() + 0.3 * side) / Math.sqrt(d)),
    );
    const settings = { objective: 'classification', c1: 10, c2: 1, epsilon: 0 } as const;
    const input = { n, d, y, write: (i: number, row: Float32Array) => row.set(rows[i]) };
    const shard = new Shard(new Arena(), settings, input);
    shard.load(shard.startingBeta(), new Float64Array(d));
    new LocalSolve(shard, { sigma: 0, tolerance: 1e-12, seed: 1 }).runPasses(3000);
    const { beta } = shard;
    shard.load(beta, shard.combine(beta));
    for (const [i, margin] of shard.margins.entries()) {
      const wish = y[i] - margin;
      const free = wish > 0 ? beta[i] < shard.high[i] : beta[i] > shard.low[i];
      if (free) expect(Math.abs(wish)).toBeLessThan(1e-3);
    }
  },
);

test('a solve may be stopped after any pass: beta stays in its box and the dual has not fallen', () => {
  fc.assert(
    fc.property(problemShape, fc.integer({ min: 1, max: 4 }), (shape, passes) => {
      const [shard] = shardsOf(makeProblem({ ...shape, participants: 1, c2: 1 }));
      const start = shard.startingBeta();
      shard.load(start, new Float64Array(shard.d));
      new LocalSolve(shard, { sigma: 1, tolerance: 1e-9, seed: 3 }).runPasses(passes);
      const { beta } = shard;
      const value = (b: Float64Array) => shard.dualSum(b) - dot(shard.combine(b), shard.combine(b));
      expect(value(beta)).toBeGreaterThanOrEqual(value(start) - 1e-6 * (1 + Math.abs(value(start))));
      for (let i = 0; i < shard.n; i++)
        expect(beta[i] >= shard.low[i] && beta[i] <= shard.high[i]).toBe(true);
    }),
    { numRuns: 100 },
  );
});

test('a solve that is done has no row that could gain more than its tolerance, and most are done soon', () => {
  fc.assert(
    fc.property(solvableShape, fc.constantFrom(0.03, 1e-3), (shape, tolerance) => {
      const [shard] = shardsOf(makeProblem({ ...shape, participants: 1 }));
      const { c2 } = shard.settings;
      const { form, step } = shard.lossFunction;
      const epsilon = form === 'tube' ? shard.settings.epsilon : 0;
      shard.load(shard.startingBeta(), new Float64Array(shard.d));
      const solve = new LocalSolve(shard, { sigma: 0, tolerance, seed: shape.seed });
      solve.runPasses(20_000);
      expect(solve.done).toBe(true);
      const { beta } = shard;
      shard.load(
        beta,
        shard.combine(beta).map((value) => value / c2),
      );
      for (const [i, margin] of shard.margins.entries()) {
        const [y, cap, h] = [shard.y[i], shard.cap[i], shard.squaredNorms[i] / c2];
        if (h === 0) continue;
        // Rows moved after it was visited, each by less than the tolerance; and f32.
        const allowed = 2 * shard.n * tolerance;
        if (form === 'entropy') {
          const next = step({ y, cap, shape: shard.settings, beta: beta[i], margin, h });
          expect(Math.abs(next - beta[i]) * (h + 4 / cap)).toBeLessThan(allowed);
          continue;
        }
        const wish = y - margin - (form === 'ridge' ? beta[i] / (2 * cap) : 0);
        // How far the margin is from what the row's beta calls for.
        const up = beta[i] < shard.high[i] ? wish - (beta[i] >= 0 ? epsilon : -epsilon) : 0;
        const down = beta[i] > shard.low[i] ? -wish - (beta[i] <= 0 ? epsilon : -epsilon) : 0;
        expect(Math.max(up, down)).toBeLessThan(allowed);
      }
    }),
    { numRuns: 60 },
  );
});

test('one row, one feature: the closed form', () => {
  const arena = new Arena();
  const settings = { objective: 'classification', c1: 1, c2: Number.POSITIVE_INFINITY, epsilon: 0 } as const;
  const shard = new Shard(arena, settings, {
    n: 1,
    d: 1,
    y: Float64Array.of(1),
    write: (_, row) => row.set([2]),
  });
  // min w^2/2 + max(0, 1 - 2w): w = 1/2, beta = 1/4.
  const { beta, u } = solveAlone(shard);
  expect(beta[0]).toBeCloseTo(0.25, 12);
  expect(u[0]).toBeCloseTo(0.5, 12);
});

test('rows of all zeros leave no gap behind', () => {
  for (const objective of ['classification', 'regression'] as const) {
    const settings = {
      objective,
      c1: 2,
      c2: Number.POSITIVE_INFINITY,
      epsilon: objective === 'regression' ? 0.5 : 0,
    };
    const y = objective === 'regression' ? Float64Array.of(3, -0.2) : Float64Array.of(1, -1);
    const shard = new Shard(new Arena(), settings, { n: 2, d: 2, y, write: () => {} });
    const { proof } = solveAlone(shard);
    expect(proof.relativeGap).toBeLessThan(1e-12);
    expect(proof.primal).toBeCloseTo(objective === 'regression' ? 2 * 2.5 : 4, 12);
  }
});

test('a wide row (20,000 features) and a tall shard (100,000 rows) are solved', () => {
  const settings = { objective: 'classification', c1: 1, c2: Number.POSITIVE_INFINITY, epsilon: 0 } as const;
  for (const [n, d] of [
    [6, 20_000],
    [100_000, 2],
  ]) {
    const y = Float64Array.from({ length: n }, (_, i) => (i % 2 ? 1 : -1));
    const shard = new Shard(new Arena(), settings, {
      n,
      d,
      y,
      write: (i, row) => {
        for (let j = 0; j < d - 1; j++) row[j] = (y[i] * ((i * 7 + j) % 11) - 2) / d;
        row[d - 1] = 1;
      },
    });
    const { proof } = solveAlone(shard, 20);
    expect(proof.relativeGap).toBeLessThan(1e-3);
  }
});
