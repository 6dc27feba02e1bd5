/** The thread that solves: the very results of a solve in this thread, within its budget, and stopped when asked. */
import { afterEach, describe, expect, test } from 'vitest';
import { stream } from '../../../src/base/random.ts';
import { TimedEffort } from '../../../src/client/row-work.ts';
import { makeHarLike } from '../../../src/data/generate-har.ts';
import { classificationTargets } from '../../../src/data/labels.ts';
import type { Table } from '../../../src/data/table.ts';
import { Arena } from '../../../src/math/arena.ts';
import { featureMoments, scaleRow, scalingFrom } from '../../../src/math/scaling.ts';
import { STOP_UP_TO, ThreadSolver } from '../../../src/node/client/thread-solver.ts';
import type { SolveRequest, SolveResult } from '../../../src/participant/effects.ts';
import { carryOut, type Effort, planned, toEnd } from '../../../src/participant/solve.ts';
import type { FederationSettings } from '../../../src/settings/wire.ts';
import { LocalSolve } from '../../../src/solver/local-solve.ts';
import { Shard } from '../../../src/solver/shard.ts';
import { norm } from '../../../src/solver/vector.ts';
import { useBuilt } from './helpers.ts';

useBuilt();

const SETTINGS: FederationSettings = {
  method: 'mtl',
  objective: 'classification',
  loss: 'hinge',
  training: 'answers',
  c1: 1,
  c2: 0.5,
  epsilon: 0,
  quantile: 0.5,
  classWeight: 'none',
  scale: 'standard',
  scaleTarget: 'standard',
  bias: true,
  features: 24,
  passes: 60,
  seed: 1,
  straggler: 'anytime',
  precision: 'f64',
  retryMs: 1000,
};

function problemOf(rows: number, features: number) {
  const table: Table = makeHarLike({ seed: 2, participants: 1, rowsPerParticipant: rows, features });
  const all = Uint32Array.from({ length: table.n }, (_, i) => i);
  const scaling = scalingFrom(featureMoments(table.x, features, all), 'standard');
  const { y } = classificationTargets(table);
  return { table, scaling, y, settings: { ...SETTINGS, features } };
}
type Problem = ReturnType<typeof problemOf>;

function shardOf({ table, scaling, y, settings }: Problem): Shard {
  const d = settings.features;
  const write = (i: number, row: Float32Array) => {
    scaleRow(table.x, i, scaling, row, 0);
    row[d] = 1;
  };
  return new Shard(new Arena(), settings, { n: table.n, d: d + 1, y, write });
}

function requestFor({ settings }: Problem, changes: Partial<SolveRequest> = {}): SolveRequest {
  const random = stream(7, 'w');
  return {
    round: 3,
    purpose: 'train',
    w: Float64Array.from({ length: settings.features + 1 }, () => 0.3 * random.normal()),
    committed: undefined,
    warm: undefined,
    sigma: 0,
    tolerance: 1e-6,
    passes: settings.passes,
    seed: 42,
    budgetMs: Number.POSITIVE_INFINITY,
    ...changes,
  };
}

const open: ThreadSolver[] = [];
afterEach(async () => {
  for (const solver of open.splice(0)) await solver.close();
});

/** A thread that is ready for requests. */
async function solverFor({ table, scaling, y, settings }: Problem, slowdown = 1) {
  const heard = { results: [] as SolveResult[], failures: [] as Error[], benchmarkMs: 0 };
  let next = () => {};
  const shape = { n: table.n, d: settings.features, slowdown };
  const cap = await new Promise<Float64Array>((resolve, reject) => {
    const solver = new ThreadSolver(
      { x: table.x.slice(), ...shape },
      {
        ready: (_moments, benchmarkMs) => {
          heard.benchmarkMs = benchmarkMs;
          solver.prepare(settings, scaling, y);
        },
        prepared: resolve,
        solved: (result) => {
          heard.results.push(result);
          next();
        },
        failed: (error) => {
          heard.failures.push(error as Error);
          reject(error);
          next();
        },
      },
    );
    open.push(solver);
  });
  const solver = open.at(-1)!;
  const answer = () =>
    new Promise<SolveResult>((resolve) => {
      next = () => resolve(heard.results.at(-1)!);
    });
  return { solver, heard, cap, answer };
}

/** Comes back when the thread has slept: it is woken, makes another pass and sleeps again. */
async function untilAsleep(solver: ThreadSolver): Promise<void> {
  const { orders } = solver as unknown as { orders: Int32Array };
  while (Atomics.notify(orders, STOP_UP_TO) === 0) await new Promise((resolve) => setImmediate(resolve));
}

describe('the thread', () => {
  test.each([
    ['answers, in the row form', 'answers', 40, 24],
    ['answers, in the Gram form', 'answers', 20, 24],
    ['steps, in the row form', 'steps', 40, 24],
    ['steps, in the Gram form', 'steps', 20, 24],
  ] as const)('gives the very result of a solve in this one: %s', async (_form, training, rows, features) => {
    const plain = problemOf(rows, features);
    const problem = { ...plain, settings: { ...plain.settings, training } };
    const shard = shardOf(problem);
    const { solver, cap, answer, heard } = await solverFor(problem);
    expect(cap).toEqual(shard.cap);
    expect(heard.benchmarkMs).toBeGreaterThan(0);
    let committed: SolveRequest['committed'];
    for (const purpose of ['train', 'certify', 'train', 'personalise'] as const) {
      const request = requestFor(problem, { purpose, committed });
      solver.solve(request);
      const { computeMs, ...result } = await answer();
      const secret = () => stream(1, 'none');
      const here = toEnd(carryOut(shard, request, problem.settings, planned(request.passes), secret));
      expect(result).toEqual(here);
      expect(computeMs).toBeGreaterThan(0);
      committed = result.solution;
    }
  });

  test('balances classes as the simulator does', async () => {
    const plain = problemOf(40, 24);
    const problem = { ...plain, settings: { ...plain.settings, classWeight: 'balanced' as const } };
    const { cap } = await solverFor(problem);
    expect(new Set(cap).size).toBe(2);
    expect(Math.max(...cap)).not.toBe(1);
  });

  test('is done within its budget, with less than the whole', async () => {
    const problem = problemOf(3000, 60);
    const { solver, answer } = await solverFor(problem, 20);
    const whole = requestFor(problem, { tolerance: 1e-12, passes: 100_000 });
    for (const budgetMs of [300, 30]) {
      const started = performance.now();
      solver.solve({ ...whole, budgetMs });
      const result = await answer();
      // Generous: other tests may be running.
      expect(performance.now() - started).toBeLessThan(10 * 300);
      expect(result.passes).toBeLessThan(whole.passes);
      expect(norm(result.solution.u)).toBeGreaterThan(0);
    }
  });

  test('a budget too short for a pass still gives part of one', async () => {
    const problem = problemOf(3000, 60);
    // A pass of half a millisecond becomes one of seconds.
    const { solver, answer } = await solverFor(problem, 5000);
    solver.solve(requestFor(problem, { budgetMs: 200 }));
    const { passes, solution } = await answer();
    expect(passes).toBe(0);
    const changed = solution.beta.filter((value) => value !== 0).length;
    expect(changed).toBeGreaterThan(0);
    expect(changed).toBeLessThan(3000);
  });

  test('answers at once when interrupted, also while it pretends to be slow', async () => {
    const problem = problemOf(300, 24);
    // A pass of microseconds is followed by a sleep of minutes.
    const { solver, answer, heard } = await solverFor(problem, 1e8);
    solver.solve(requestFor(problem));
    const answered = answer();
    await untilAsleep(solver);
    expect(heard.results).toHaveLength(0);
    solver.interrupt();
    const { passes, solution } = await answered;
    expect(passes).toBeGreaterThan(0);
    expect(norm(solution.u)).toBeGreaterThan(0);
  });

  test('is dropped at once when cancelled in its sleep', async () => {
    const problem = problemOf(300, 24);
    const { solver, answer, heard } = await solverFor(problem, 1e8);
    solver.solve(requestFor(problem));
    await untilAsleep(solver);
    solver.cancel();
    solver.solve(requestFor(problem, { round: 4, budgetMs: 0 }));
    expect((await answer()).round).toBe(4);
    expect(heard.results).toHaveLength(1);
  });

  test('does not answer for what was cancelled, and goes on with what comes next', async () => {
    const problem = problemOf(300, 24);
    const { solver, answer, heard } = await solverFor(problem, 1000);
    for (const round of [1, 2, 3]) {
      solver.solve(requestFor(problem, { round }));
      solver.cancel();
    }
    solver.solve(requestFor(problem, { round: 4, budgetMs: 0 }));
    expect((await answer()).round).toBe(4);
    expect(heard.results).toHaveLength(1);
  });

  test('that dies is a clear failure', async () => {
    const problem = problemOf(20, 24);
    const { solver, answer, heard } = await solverFor(problem);
    const told = answer();
    // A w of no length is a programmer's error: the thread throws.
    solver.solve(requestFor(problem, { w: undefined as unknown as Float64Array }));
    await told;
    expect(heard.failures[0]).toMatchObject({
      code: 'SOLVER_FAILED',
      kind: 'run',
      // What was thrown, by whom, and what it was doing.
      message: expect.stringMatching(
        /failed while solving for round \d+: TypeError: .+ \(at .+\.js:\d+:\d+\)/,
      ),
    });
  });
});

describe('a timed effort', () => {
  /** Passes take as long as they are said to. */
  function clock(rowMs: { now: number }) {
    const state = { now: 0, slept: 0 };
    const now = () => state.now;
    const rest = (ms: number) => {
      state.now += ms;
      state.slept += ms;
    };
    const slow = (shard: Shard): LocalSolve => {
      const solve = new LocalSolve(shard, { sigma: 3, tolerance: 1e-9, seed: 1 });
      const pass = solve.pass.bind(solve);
      solve.pass = () => {
        state.now += rowMs.now * solve.activeRows;
        pass();
      };
      const part = solve.partOfPass.bind(solve);
      solve.partOfPass = (rows) => {
        state.now += rowMs.now * rows;
        part(rows);
      };
      return solve;
    };
    return { state, now, rest, slow };
  }

  function run(effortOf: (effort: TimedEffort) => Effort, slowdown = 1) {
    const problem = problemOf(60, 24);
    const shard = shardOf(problem);
    shard.load(new Float64Array(shard.n), new Float64Array(25));
    const { state, now, rest, slow } = clock({ now: 0.5 });
    const solve = slow(shard);
    toEnd(effortOf(new TimedEffort(now, slowdown, 0.5 * slowdown))(solve, 50), rest);
    return { solve, shard, state };
  }

  test('without a deadline is the whole solve', () => {
    const { shard, solve } = run((effort) =>
      effort.within({ untilMs: Number.POSITIVE_INFINITY, isStopped: () => false }),
    );
    const other = run(() => planned(50));
    expect(solve.passes).toBe(other.solve.passes);
    expect(shard.beta).toEqual(other.shard.beta);
  });

  test('makes the passes that fit, and the rows of one more', () => {
    const other = run(() => planned(2, 20));
    // A row takes 0.5 ms.
    const untilMs = 0.5 * (2 * other.shard.n + 20) + 0.1;
    const { shard, solve } = run((effort) => effort.within({ untilMs, isStopped: () => false }));
    expect(solve.passes).toBe(2);
    expect(shard.beta).toEqual(other.shard.beta);
  });

  test('counts what it pretends', () => {
    const { n } = problemOf(60, 24).table;
    // Two passes without the pretence, none of the second with it.
    const untilMs = n + 0.5;
    const { solve, state } = run((effort) => effort.within({ untilMs, isStopped: () => false }), 2);
    expect(solve.passes).toBe(1);
    expect(state.slept).toBeCloseTo(0.5 * n);
  });

  test('stops between passes', () => {
    let left = 3;
    const { solve } = run((effort) =>
      effort.within({ untilMs: Number.POSITIVE_INFINITY, isStopped: () => left-- === 0 }),
    );
    expect(solve.passes).toBe(3);
  });

  test('does not pretend beyond the deadline', () => {
    const { n } = problemOf(60, 24).table;
    const { now, rest, state, slow } = clock({ now: 0.5 });
    const shard = shardOf(problemOf(60, 24));
    shard.load(new Float64Array(n), new Float64Array(25));
    // It takes itself for a hundred times as fast as it is.
    const effort = new TimedEffort(now, 4, 0.02).within({ untilMs: n, isStopped: () => false });
    toEnd(effort(slow(shard), 50), rest);
    expect(state.now).toBe(n);
  });

  test('gets over a pass that was slow by accident', () => {
    const problem = problemOf(60, 24);
    const { n } = problem.table;
    const shard = shardOf(problem);
    const rowMs = { now: 100 };
    const { now, slow } = clock(rowMs);
    const effort = new TimedEffort(now, 1, 0.5);
    const passes = () => {
      shard.load(new Float64Array(n), new Float64Array(25));
      const solve = slow(shard);
      toEnd(effort.within({ untilMs: now() + 3 * 0.5 * n, isStopped: () => false })(solve, 50));
      return solve.passes;
    };
    expect(passes()).toBe(1);
    rowMs.now = 0.5;
    // At first not a single row seems to fit; then some do, and show how fast they are.
    expect(Array.from({ length: 6 }, passes)).toEqual([0, 0, 3, 3, 3, 3]);
  });

  test('does nothing once the time is over', () => {
    const { solve, shard } = run((effort) => effort.within({ untilMs: -1, isStopped: () => false }));
    expect(solve.passes).toBe(0);
    expect(shard.beta.every((value) => value === 0)).toBe(true);
  });
});
