import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Arena } from '../../src/math/index.ts';
import { certificate, dot, LocalSolve, Shard } from '../../src/solver/index.ts';
import { makeProblem, problemShape, shardsOf, solvableShape } from '../helpers/problems.ts';
import { Rounds } from '../helpers/rounds.ts';

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

/**
 * The joint problem in plain f64, with no kernels, no rounds, no shrinking: w and v_k written out, one row after the
 * other. Slow and obvious.
 */
function slowReference(problem: ReturnType<typeof makeProblem>): { primal: number; dual: number } {
  const { settings, d, inputs } = problem;
  const w = new Float64Array(d);
  const v = inputs.map(() => new Float64Array(d));
  const rows = inputs.map((input) =>
    Array.from({ length: input.n }, (_, i) => {
      const row = new Float32Array(d);
      input.write(i, row);
      return row;
    }),
  );
  const beta = inputs.map((input) => new Float64Array(input.n));
  const step = 1 + 1 / settings.c2;
  for (let pass = 0; pass < 4000; pass++) {
    let moved = 0;
    for (const [k, input] of inputs.entries()) {
      for (let i = 0; i < input.n; i++) {
        const x = rows[k][i];
        let a = 0;
        let norm = 0;
        for (let j = 0; j < d; j++) {
          a += x[j] * (w[j] + v[k][j]);
          norm += x[j] * x[j];
        }
        if (norm === 0) continue;
        const h = norm * step;
        let t = beta[k][i] + (input.y[i] - a) / h;
        t = Math.sign(t) * Math.max(0, Math.abs(t) - settings.epsilon / h);
        const cap = settings.c1 * (input.weights?.[i] ?? 1);
        const [low, high] =
          settings.objective === 'regression' ? [-cap, cap] : input.y[i] > 0 ? [0, cap] : [-cap, 0];
        const next = Math.min(high, Math.max(low, t));
        const delta = next - beta[k][i];
        beta[k][i] = next;
        for (let j = 0; j < d; j++) {
          w[j] += delta * x[j];
          v[k][j] += (delta * x[j]) / settings.c2;
        }
        moved = Math.max(moved, Math.abs(delta) * h);
      }
    }
    if (moved < 1e-11) break;
  }
  let primal = dot(w, w) / 2;
  let dual = -primal;
  for (const [k, input] of inputs.entries()) {
    dual -= (settings.c2 / 2) * dot(v[k], v[k]);
    primal += (settings.c2 / 2) * dot(v[k], v[k]);
    for (let i = 0; i < input.n; i++) {
      let a = 0;
      for (let j = 0; j < d; j++) a += rows[k][i][j] * (w[j] + v[k][j]);
      const loss =
        settings.objective === 'regression'
          ? Math.abs(a - input.y[i]) - settings.epsilon
          : 1 - input.y[i] * a;
      const cap = settings.c1 * (input.weights?.[i] ?? 1);
      primal += cap * Math.max(0, loss);
      dual += input.y[i] * beta[k][i] - settings.epsilon * Math.abs(beta[k][i]);
      // A row of zeros adds the same to both sides.
      if (rows[k][i].every((value) => value === 0)) dual += cap * Math.max(0, loss);
    }
  }
  return { primal, dual };
}

test('rounds and a slow written-out solver find the same optimum', () => {
  fc.assert(
    fc.property(solvableShape, (shape) => {
      const problem = makeProblem(shape);
      const rounds = new Rounds('exact', shardsOf(problem));
      for (let r = 0; r < 300 && rounds.certify().relativeGap > 1e-6; r++) rounds.step(200, 1e-10);
      const ours = rounds.certify();
      const slow = slowReference(problem);
      const tiny = 1e-9 * ours.primal + 1e-12;
      expect(ours.relativeGap).toBeLessThanOrEqual(1e-6);
      // Both intervals [dual, primal] hold the optimum, so they overlap; and theirs is not so wide as to say nothing.
      expect(slow.primal).toBeGreaterThanOrEqual(ours.dual - tiny);
      expect(ours.primal).toBeGreaterThanOrEqual(slow.dual - tiny);
      expect(slow.primal - slow.dual).toBeLessThan(0.02 * slow.primal + 1e-9);
    }),
    { numRuns: 40 },
  );
});

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
