/** A solver that shares its thread: the very bits of a solve without a break, and open to orders between its slices. */
import { describe, expect, test } from 'vitest';
import type { Clock } from '../../src/base/ports.ts';
import { stream } from '../../src/base/random.ts';
import type { RowSolver } from '../../src/client/ports.ts';
import { RowWork } from '../../src/client/row-work.ts';
import { slicedSolver } from '../../src/client/sliced-solver.ts';
import { makeHarLike } from '../../src/data/generate-har.ts';
import { classificationTargets } from '../../src/data/labels.ts';
import { featureMoments, scalingFrom } from '../../src/math/scaling.ts';
import type { SolveRequest, SolveResult } from '../../src/participant/effects.ts';
import { toEnd } from '../../src/participant/solve.ts';
import type { FederationSettings } from '../../src/settings/wire.ts';

const FEATURES = 24;
const table = makeHarLike({ seed: 2, participants: 1, rowsPerParticipant: 200, features: FEATURES });
const rows = (slowdown = 1) => ({ x: table.x.slice(), n: table.n, d: FEATURES, slowdown });
const all = Uint32Array.from({ length: table.n }, (_, i) => i);
const scaling = scalingFrom(featureMoments(table.x, FEATURES, all), 'standard');
const { y } = classificationTargets(table);
const settings: FederationSettings = {
  ...{ method: 'mtl', objective: 'classification', loss: 'hinge', training: 'answers' },
  ...{ c1: 1, c2: 0.5, epsilon: 0, quantile: 0.5, classWeight: 'none' },
  ...{ scale: 'standard', scaleTarget: 'standard', bias: true, features: FEATURES },
  ...{ passes: 60, seed: 1, straggler: 'anytime', precision: 'f64', retryMs: 1000 },
};
const secret = () => stream(1, 'none');

function requestFor(changes: Partial<SolveRequest> = {}): SolveRequest {
  const random = stream(7, 'w');
  return {
    ...{ round: 3, purpose: 'train', committed: undefined, warm: undefined, sigma: 0 },
    w: Float64Array.from({ length: FEATURES + 1 }, () => 0.3 * random.normal()),
    ...{ tolerance: 1e-12, passes: 200, seed: 42, budgetMs: Number.POSITIVE_INFINITY },
    ...changes,
  };
}

/** Without a break, and without a clock. */
function solvedAtOnce(request: SolveRequest): SolveResult {
  const work = new RowWork(rows(), () => 0, secret);
  work.prepare(settings, scaling, y);
  const limits = { untilMs: Number.POSITIVE_INFINITY, isStopped: () => false, isDropped: () => false };
  return toEnd(work.solve(request, limits))!;
}

/** Every look at the clock takes a millisecond: a slice is a few passes. Turns and times come when the test says so. */
async function opened(slowdown = 1) {
  let nowMs = 0;
  const due: { atMs: number; run: () => void }[] = [];
  const clock: Clock = {
    now: () => nowMs++,
    at: (atMs, run) => {
      const timer = { atMs, run };
      due.push(timer);
      return () => void due.splice(due.indexOf(timer) >>> 0, 1);
    },
  };
  const turns: (() => void)[] = [];
  const results: SolveResult[] = [];
  const failures: unknown[] = [];
  let solver!: RowSolver;
  await new Promise<void>((resolve) => {
    const turn = () => new Promise<void>((next) => turns.push(next));
    solver = slicedSolver({ clock, secret, turn })(rows(slowdown), {
      ready: () => solver.prepare(settings, scaling, y),
      prepared: () => resolve(),
      solved: (result) => results.push(result),
      failed: (error) => failures.push(error),
    });
    due.pop()!.run();
  });
  /** Lets it go on, and comes back when it waits again. */
  const goOn = async () => {
    turns.pop()?.();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { solver, results, failures, turns, due, goOn };
}

function withoutTime({ computeMs: _, ...result }: SolveResult) {
  return result;
}

describe('a solver that shares its thread', () => {
  test('lets others in between passes, and gives the very result of a solve without a break', async () => {
    const { solver, results, turns, goOn } = await opened();
    for (const purpose of ['train', 'certify', 'personalise'] as const) {
      const request = requestFor({ purpose });
      solver.solve(request);
      let slices = 0;
      for (; turns.length > 0; slices++) await goOn();
      expect(slices).toBeGreaterThan(5);
      expect(withoutTime(results.pop()!)).toEqual(withoutTime(solvedAtOnce(request)));
    }
  });

  test('answers with what there is when interrupted between slices', async () => {
    const { solver, results, goOn } = await opened();
    solver.solve(requestFor());
    await goOn();
    solver.interrupt();
    await goOn();
    const [result] = results;
    expect(result.passes).toBeGreaterThan(0);
    expect(result.passes).toBeLessThan(200);
    expect(withoutTime(result)).toEqual(withoutTime(solvedAtOnce(requestFor({ passes: result.passes }))));
  });

  test('does not answer for what was cancelled, and what comes next is not touched by it', async () => {
    const { solver, results, turns, goOn } = await opened();
    solver.solve(requestFor({ seed: 1 }));
    await goOn();
    solver.cancel();
    const [abandoned] = turns.splice(0);
    const request = requestFor({ round: 4, seed: 2 });
    solver.solve(request);
    abandoned();
    while (turns.length > 0) await goOn();
    expect(results.map(withoutTime)).toEqual([withoutTime(solvedAtOnce(request))]);
  });

  test('pretends to be slow without holding up its thread, and wakes up to stop', async () => {
    const { solver, results, due, goOn } = await opened(1e6);
    solver.solve(requestFor());
    await goOn();
    expect(due).toHaveLength(1);
    expect(results).toEqual([]);
    solver.interrupt();
    await goOn();
    expect(results[0].passes).toBe(1);
    expect(due).toEqual([]);
  });

  test('keeps to its budget', async () => {
    const { solver, results, turns, goOn } = await opened();
    solver.solve(requestFor({ budgetMs: 60 }));
    while (turns.length > 0) await goOn();
    expect(results[0].passes).toBeLessThan(40);
  });

  test('says what went wrong', async () => {
    const { solver, failures, goOn } = await opened();
    solver.solve(requestFor({ w: undefined as unknown as Float64Array }));
    await goOn();
    expect(failures).toEqual([expect.any(TypeError)]);
  });

  test('after close nothing comes of it', async () => {
    const { solver, results, failures, turns, goOn } = await opened();
    solver.solve(requestFor());
    await goOn();
    await solver.close();
    while (turns.length > 0) await goOn();
    expect([results, failures]).toEqual([[], []]);
  });
});
