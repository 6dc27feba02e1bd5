/** `mtl` on random problems: certificates against a written-out solver, the contract of the history, warm starts. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Arena } from '../../src/math/arena.ts';
import type { MethodInput, MethodSettings } from '../../src/methods/method.ts';
import { trainMtl } from '../../src/methods/mtl.ts';
import { Workspace } from '../../src/methods/workspace.ts';
import { dot, plusScaled } from '../../src/solver/vector.ts';
import {
  makeProblem,
  problemShape,
  type RandomProblem,
  randomVector,
  shardsOf,
  solvableShape,
} from '../helpers/problems.ts';
import { optimum } from '../helpers/reference.ts';

type Changes = Partial<MethodSettings> & Pick<MethodInput, 'sees' | 'warmStart' | 'onRound' | 'passesOf'>;

function run(problem: RandomProblem, { sees, warmStart, onRound, passesOf, ...changes }: Changes = {}) {
  // Rows that are scaled already, as a table of their own.
  const tasks = problem.inputs.map(({ n, d, y, weights, write }, k) => {
    const rows = Float32Array.from({ length: n * d }, () => 0);
    for (let i = 0; i < n; i++) write(i, rows.subarray(i * d, (i + 1) * d));
    const scaling = { shift: new Float64Array(d), factor: new Float64Array(d).fill(1) };
    const table = {
      x: Float64Array.from(rows),
      index: Uint32Array.from({ length: n }, (_, i) => i),
      scaling,
      map: undefined,
    };
    return { id: `${k}`, n, y, weights, table };
  });
  const settings: MethodSettings = {
    ...problem.settings,
    lambda: 0.001,
    aggregation: 'answers',
    passes: 500,
    rounds: 400,
    gap: 1e-6,
    seed: 1,
    ...changes,
  };
  const workspace = new Workspace(new Arena(), tasks, problem.d);
  return trainMtl({ workspace, settings, sees, warmStart, onRound, passesOf });
}

/** P of a model, from the rows. */
function primalOf(problem: RandomProblem, w: Float64Array, personal: (k: number) => Float64Array): number {
  let primal = dot(w, w) / 2;
  for (const [k, shard] of shardsOf(problem).entries()) {
    const v = personal(k);
    shard.load(shard.startingBeta(), plusScaled(w, 1, v));
    primal += shard.loss() + (problem.settings.c2 / 2) * dot(v, v);
  }
  return primal;
}

describe.each([
  { aggregation: 'answers', sees: 'single answers', gap: 1e-6 },
  { aggregation: 'answers', sees: 'sums', gap: 1e-6 },
  { aggregation: 'safe', sees: undefined, gap: 1e-2 },
] as const)('$aggregation, $sees', ({ gap, ...how }) => {
  test('the certificate holds the optimum, and the model in use is as good as it says', () => {
    fc.assert(
      fc.property(solvableShape, (shape) => {
        fc.pre(how.aggregation === 'answers' || shape.c2 <= 1);
        const problem = makeProblem(shape);
        const rounds = how.aggregation === 'safe' ? 2000 : 400;
        const { certificate, w, v, stopped, conservation } = run(problem, { ...how, gap, rounds });
        const { primal, dual, relativeGap } = certificate!;
        const truth = optimum(problem);
        const rounding = 1e-9 * primal + 1e-12;
        expect([stopped, relativeGap <= gap]).toEqual(['gap', true]);
        expect(conservation!.relativeError).toBeLessThan(1e-11);
        expect(truth.primal).toBeGreaterThanOrEqual(dual - rounding);
        expect(primal).toBeGreaterThanOrEqual(truth.dual - rounding);
        expect(Math.abs(primalOf(problem, w, (k) => v[k]) - primal)).toBeLessThanOrEqual(rounding);
      }),
      { numRuns: 25 },
    );
  });

  test('the history: a row for every round, the model in use never worse, the bound never lower', () => {
    fc.assert(
      fc.property(
        problemShape,
        fc.constantFrom(1, 3, 50),
        fc.integer({ min: 1, max: 9 }),
        (shape, passes, rounds) => {
          const problem = makeProblem(shape);
          const seen: unknown[] = [];
          const result = run(problem, {
            ...how,
            passes,
            rounds,
            gap: 1e-9,
            onRound: ({ row, w, personal }) => {
              seen.push(row);
              const primal = primalOf(problem, w, personal);
              expect(Math.abs(primal - row.primal)).toBeLessThanOrEqual(1e-9 * primal + 1e-12);
            },
          });
          const { history, certificate } = result;
          const first = how.aggregation === 'answers' ? 1 : 0;
          expect(seen).toEqual(history);
          expect(history.map(({ round }) => round)).toEqual(history.map((_, r) => first + r));
          expect(history.at(-1)).toEqual({ round: result.rounds, ...certificate });
          expect(result.rounds <= rounds).toBe(true);
          expect(result.stopped).toBe(certificate!.relativeGap <= 1e-9 ? 'gap' : 'rounds');
          for (let r = 1; r < history.length; r++) {
            expect(history[r].primal).toBeLessThanOrEqual(history[r - 1].primal);
            const before = history[r - 1].dual!;
            expect(history[r].dual!).toBeGreaterThanOrEqual(before - 1e-9 * Math.max(1, Math.abs(before)));
          }
        },
      ),
      { numRuns: 25 },
    );
  });

  test('a training ends the same from any start: its own duals, those of another C1, or nonsense', () => {
    fc.assert(
      fc.property(solvableShape, (shape) => {
        fc.pre(how.aggregation === 'answers' || shape.c2 <= 1);
        const problem = makeProblem(shape);
        const rounds = how.aggregation === 'safe' ? 2000 : 400;
        const cold = run(problem, { ...how, gap, rounds });
        const near = run(problem, { ...how, gap, rounds, c1: 0.7 * shape.c1 });
        const nonsense = {
          duals: problem.inputs.map(({ n }, k) => randomVector(n, 5 * shape.c1, shape.seed + k, 'nonsense')),
          w: randomVector(problem.d, 10, shape.seed, 'nonsense'),
        };
        for (const { duals, w } of [cold, near, nonsense]) {
          const warm = run(problem, { ...how, gap, rounds, warmStart: { w, duals: duals! } });
          expect(warm.stopped).toBe('gap');
          expect(warm.conservation!.relativeError).toBeLessThan(1e-11);
          const most = 2 * gap * cold.certificate!.primal + 1e-9;
          expect(Math.abs(warm.certificate!.primal - cold.certificate!.primal)).toBeLessThanOrEqual(most);
        }
      }),
      { numRuns: 12 },
    );
  });
});

test('from where a training has ended the next one has hardly anything to do, and from nearby less', () => {
  const shape = { participants: 6, d: 20, mostRows: 30, objective: 'classification', epsilon: 0 } as const;
  for (const c2 of [0.1, 1, 10, 100]) {
    const total = { cold: 0, same: 0, near: 0 };
    for (let seed = 1; seed < 6; seed++) {
      const problem = makeProblem({ ...shape, seed, c1: 10, c2, trouble: 'none' });
      const from = ({ duals, w }: ReturnType<typeof run>) =>
        run(problem, { gap: 1e-3, warmStart: { w, duals: duals! } }).rounds;
      const cold = run(problem, { gap: 1e-3 });
      total.cold += cold.rounds;
      total.same += from(cold);
      total.near += from(run(problem, { gap: 1e-3, c1: 7 }));
    }
    expect(total.same).toBeLessThan(0.5 * total.cold);
    expect(total.near).toBeLessThan(0.9 * total.cold);
  }
});

test('nodes that make few passes do not keep a training from ending', () => {
  const shape = { seed: 4, participants: 6, d: 12, mostRows: 30, objective: 'classification' } as const;
  const problem = makeProblem({ ...shape, c1: 1, c2: 1, epsilon: 0, trouble: 'none' });
  const asked: [number, number][] = [];
  const { stopped, passes, rounds } = run(problem, {
    gap: 1e-3,
    passesOf: (task, round) => {
      asked.push([task, round]);
      return task % 2 ? 1 : 100;
    },
  });
  expect(stopped).toBe('gap');
  expect(passes).toBeLessThanOrEqual(rounds * 303);
  // Rounds are counted from 1 here, too.
  expect(asked.slice(0, 6)).toEqual([0, 1, 2, 3, 4, 5].map((task) => [task, 1]));
  expect(asked.at(-1)).toEqual([5, rounds]);
});
