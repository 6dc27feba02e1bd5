/** The model in use as the coordinator knows it is the one that participants predict with. */
import { describe, expect, test } from 'vitest';
import type { CoordinatorOptions } from '../../src/coordinator/options.ts';
import { combinerOf, inquiryOf, modelOf, sharedPart } from '../../src/coordinator/training.ts';
import { AGGREGATIONS } from '../../src/settings/training.ts';
import type { Operation } from '../../src/sim/faults.ts';
import { Simulation } from '../../src/sim/simulation.ts';
import { Bench } from '../helpers/coordinator-bench.ts';
import { planFor } from '../helpers/federation.ts';
import { runSecurely, securePlan } from '../helpers/secure-federation.ts';
import { smallHar, smallRegression } from '../helpers/tables.ts';

const HAR = smallHar(3, 4, 20);
const TRAIN = { rounds: 12, gap: 1e-4, passes: 5, c2: 0.5, testFraction: 0.25 } as const;

function runWith(options: Partial<CoordinatorOptions>, deeds: readonly Operation[] = []): Simulation {
  const { objective = 'classification' } = options;
  const table = objective === 'classification' ? HAR : smallRegression(2);
  return new Simulation(planFor(table, { ...TRAIN, objective }, { options, deeds })).run();
}

function furthest(a: Float64Array, b: Float64Array): number {
  expect(a.length).toBe(b.length);
  return a.reduce((worst, value, j) => Math.max(worst, Math.abs(value - b[j])), 0);
}

/** The largest difference between w and what participants predict with. */
function difference(simulation: Simulation): number {
  const { w } = modelOf(simulation.coordinator.state!)!;
  return Math.max(...[...simulation.participants.values()].map(({ disk }) => furthest(disk!.model!.w, w)));
}

describe('after a finished run', () => {
  test.each(
    AGGREGATIONS.flatMap((aggregation) =>
      (['classification', 'regression'] as const).map((objective) => [aggregation, objective] as const),
    ),
  )('w is that of every participant, and v_k is known to itself alone: %s, %s', (aggregation, objective) => {
    const simulation = runWith({ aggregation, objective });
    expect(difference(simulation)).toBeLessThanOrEqual(1e-12);
    const model = modelOf(simulation.coordinator.state!)!;
    expect(model.v.size).toBe(0);
    for (const { disk } of simulation.participants.values())
      expect(disk!.model!.u!.some((value) => value !== 0)).toBe(true);
    // The paper's rule is shown as it is: the latest model, good or bad.
    expect(model.certified).toBe(aggregation !== 'sum');
    const { best, round } = simulation.coordinator.state!;
    expect(model.round).toBe(aggregation === 'sum' ? round : best!.round);
  });

  test.each(['answers', 'safe'] as const)('the best model is given, not the latest: %s', (aggregation) => {
    const last = Array.from({ length: 14 }, (_, i) => {
      const stop = { gap: 0, rounds: i + 2, timeMs: 1e9, stall: 99 };
      const simulation = runWith({ objective: 'regression', c1: 10, c2: 5, aggregation, stop });
      expect(difference(simulation)).toBeLessThanOrEqual(1e-12);
      const primals = simulation.rows.map(({ primal }) => primal);
      expect(primals.at(-1)).toBe(Math.min(...primals));
      return simulation.coordinator.state!;
    });
    const earlier = last.filter(({ best, round }) => best!.round < round);
    if (aggregation === 'answers') expect(earlier.length).toBeGreaterThan(0);
    for (const state of earlier)
      expect(modelOf(state)!.w).not.toEqual(inquiryOf(state)?.query ?? sharedPart(state));
  });

  test('of MOCHA: w is 0 and v_k is the model', () => {
    const { coordinator, participants } = runWith({ method: 'mocha' });
    const { w, v, certified } = modelOf(coordinator.state!)!;
    expect(certified).toBe(false);
    expect(w.every((value) => value === 0)).toBe(true);
    for (const { id, disk } of participants.values()) {
      expect(furthest(v.get(id)!, disk!.model!.w)).toBeLessThanOrEqual(1e-12);
      expect(v.get(id)!.some((value) => value !== 0)).toBe(true);
    }
  });

  test('under differential privacy: the noisy w', () => {
    const dp = { clip: 0.5, noiseMultiplier: 1, epsilon: 100, delta: 1e-5 };
    const simulation = runWith({ aggregation: 'safe', scale: 'none', dp });
    expect(difference(simulation)).toBeLessThanOrEqual(1e-12);
    expect(modelOf(simulation.coordinator.state!)!.certified).toBe(false);
  });

  test('where sums are secret: w, and nobody has a part', () => {
    const { coordinator, participants } = runSecurely(HAR, { ...TRAIN, aggregation: 'answers' });
    const { w, v, certified } = modelOf(coordinator.state!)!;
    expect(v.size).toBe(0);
    expect(certified).toBe(true);
    for (const { disk } of participants.values())
      expect(furthest(disk!.model!.w, w)).toBeLessThanOrEqual(1e-12);
  });
});

test('before the first round there is none, and the scaling comes with it', () => {
  const bench = new Bench();
  expect(modelOf(bench.state)).toBeUndefined();
  bench.gather('a', 'b');
  const model = modelOf(bench.state)!;
  expect(model).toMatchObject({ round: 1, certified: false, scaling: bench.state.scaling });
  expect([...model.w]).toEqual([0, 0]);
});

describe('nobody changes w, a query, a u or a model in place', () => {
  const dp = { clip: 0.5, noiseMultiplier: 1, epsilon: 100, delta: 1e-5 };
  const plans = {
    ...Object.fromEntries(AGGREGATIONS.map((aggregation) => [aggregation, { aggregation }])),
    mocha: { method: 'mocha' },
    'with noise': { aggregation: 'safe', scale: 'none', dp },
    'of sums': { secure: true },
  } as const satisfies Record<string, object>;

  test.each(Object.entries(plans))('%s', (_, options) => {
    const deeds: Operation[] = [{ atMs: 40, kind: 'forget', participant: '4' }];
    const plan =
      'secure' in options
        ? securePlan(HAR, { ...TRAIN, aggregation: 'answers' })
        : planFor(HAR, TRAIN, { options, deeds });
    const simulation = new Simulation(plan);
    const kept: { readonly array: Float64Array; readonly copy: Float64Array }[] = [];
    simulation.onRow = () => {
      const state = simulation.coordinator.state!;
      const combiner = combinerOf(state);
      const inquiry = inquiryOf(state);
      const models = combiner ? [...state.members.values()].map(({ index }) => combiner.modelOf(index)) : [];
      const parts = [...(combiner?.members.values() ?? [])].map(({ u }) => u);
      const own = [...state.members.values()].flatMap(({ index }) => inquiry?.contributionOf(index) ?? []);
      const totals = inquiry ? [inquiry.query, inquiry.u] : [];
      for (const array of [sharedPart(state)!, ...models, ...parts, ...own, ...totals])
        kept.push({ array, copy: array.slice() });
    };
    simulation.run();
    expect(kept.length).toBeGreaterThan(20);
    for (const { array, copy } of kept) expect(array).toEqual(copy);
  });
});

test('after a crash the model is the one before it, and as certain', () => {
  const bench = new Bench({ stop: { gap: 0, rounds: 99, timeMs: 1e9, stall: 99 } });
  bench.gather('a', 'b');
  for (let round = 1; round <= 3; round++) {
    bench.answer('a', 'b');
    bench.tell({ type: 'summed' });
  }
  const before = modelOf(bench.state)!;
  expect(before.certified).toBe(true);
  bench.crashAndRestart();
  expect(modelOf(bench.state)).toEqual(before);
});

test('with steps the latest model is given after a crash, for certain only when it is known again', () => {
  const crashes = [{ node: 'coordinator', step: 40, afterEffects: 9, downMs: 5 }];
  const options = { aggregation: 'safe', retryMs: 50, maxWaitMs: 500 } as const;
  const simulation = new Simulation(planFor(HAR, TRAIN, { options, crashes }));
  const { coordinator } = simulation;
  const start = coordinator.start.bind(coordinator);
  let looked = 0;
  coordinator.start = () => {
    start();
    if (simulation.queue.now === 0) return;
    looked++;
    const model = modelOf(coordinator.state!)!;
    expect(model.certified).toBe(false);
    expect(model.w).toEqual(combinerOf(coordinator.state!)!.w);
  };
  simulation.run();
  expect(looked).toBe(1);
  expect(modelOf(coordinator.state!)!.certified).toBe(true);
});

test('whoever is forgotten is in no sum any more, and the model goes on serving until there is a better one', () => {
  const simulation = runWith({}, [
    { atMs: 60, kind: 'forget', participant: '2' },
    { atMs: 60, kind: 'finish' },
  ]);
  const { state } = simulation.coordinator;
  expect(state).toMatchObject({ phase: 'finished', best: undefined });
  expect(state!.aggregated).toBeGreaterThan(0);
  const model = modelOf(state!)!;
  expect(model.certified).toBe(false);
  const { u } = inquiryOf(state!)!;
  const sum = new Float64Array(u.length);
  for (const id of ['1', '3', '4'])
    for (const [j, value] of simulation.participants.get(id)!.disk!.committed!.u.entries()) sum[j] += value;
  expect(furthest(sum, u)).toBeLessThanOrEqual(1e-12);
  for (const id of ['1', '3', '4'])
    expect(furthest(simulation.participants.get(id)!.disk!.model!.w, model.w)).toBeLessThanOrEqual(1e-12);
});
