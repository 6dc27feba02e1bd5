/** The model in use as the coordinator knows it is the one that participants predict with. */
import { describe, expect, test } from 'vitest';
import { type CoordinatorOptions, modelOf } from '../../src/coordinator/index.ts';
import { type Deed, Simulation } from '../../src/sim/index.ts';
import { AGGREGATIONS } from '../../src/solver/index.ts';
import { Bench, update } from '../helpers/coordinator-bench.ts';
import { planFor } from '../helpers/federation.ts';
import { runSecurely, securePlan } from '../helpers/secure-federation.ts';
import { smallHar, smallRegression } from '../helpers/tables.ts';

const HAR = smallHar(3, 4, 20);
const TRAIN = { rounds: 12, gap: 1e-4, passes: 5, c2: 0.5, testFraction: 0.25 } as const;

function runWith(options: Partial<CoordinatorOptions>, deeds: readonly Deed[] = []): Simulation {
  const { objective = 'classification' } = options;
  const table = objective === 'classification' ? HAR : smallRegression(2);
  return new Simulation(planFor(table, { ...TRAIN, objective }, { options, deeds })).run();
}

function furthest(a: Float64Array, b: Float64Array): number {
  expect(a.length).toBe(b.length);
  return a.reduce((worst, value, j) => Math.max(worst, Math.abs(value - b[j])), 0);
}

/** The largest difference to what participants have stored, in w and in their own parts. */
function differences(simulation: Simulation): { readonly w: number; readonly v: number } {
  const { w, v } = modelOf(simulation.coordinator.state!)!;
  const nodes = [...simulation.participants.values()];
  const models = nodes.map(({ id, disk }) => ({ id, c2: disk!.settings!.c2, ...disk!.model! }));
  return {
    w: Math.max(...models.map((model) => furthest(model.w, w))),
    v: Math.max(
      ...models.map((model) =>
        furthest(
          model.u!.map((value) => value / model.c2),
          v.get(model.id)!,
        ),
      ),
    ),
  };
}

describe('after a finished run', () => {
  test.each(
    AGGREGATIONS.flatMap((aggregation) =>
      (['classification', 'regression'] as const).map((objective) => [aggregation, objective] as const),
    ),
  )('w and v_k are those of every participant: %s, %s', (aggregation, objective) => {
    const simulation = runWith({ aggregation, objective });
    const { w, v } = differences(simulation);
    expect(Math.max(w, v)).toBeLessThanOrEqual(1e-12);
    const model = modelOf(simulation.coordinator.state!)!;
    // The paper's rule is shown as it is: the latest model, good or bad.
    expect(model.certified).toBe(aggregation !== 'sum');
    const { best, round } = simulation.coordinator.state!;
    expect(model.round).toBe(aggregation === 'sum' ? round : best!.round);
  });

  test('the best model is given, not the latest', () => {
    // The dual rises through worse models, and some rounds end in one.
    const last = Array.from({ length: 8 }, (_, i) => {
      const simulation = runWith({
        c1: 10,
        aggregation: 'line-search',
        stop: { gap: 0, rounds: i + 2, timeMs: 1e9, stall: 99 },
      });
      const { w, v } = differences(simulation);
      expect(Math.max(w, v)).toBeLessThanOrEqual(1e-12);
      return simulation.coordinator.state!;
    });
    const earlier = last.filter(({ best, round }) => best!.round < round);
    expect(earlier.length).toBeGreaterThan(0);
    for (const state of earlier) expect(modelOf(state)!.w).not.toEqual(state.aggregator!.w);
  });

  test('of MOCHA: w is 0 and v_k is the model', () => {
    const { coordinator, participants } = runWith({ aggregation: 'mocha' });
    const { w, v, certified } = modelOf(coordinator.state!)!;
    expect(certified).toBe(false);
    expect(w.every((value) => value === 0)).toBe(true);
    for (const { id, disk } of participants.values()) {
      expect(furthest(v.get(id)!, disk!.model!.w)).toBeLessThanOrEqual(1e-12);
      expect(v.get(id)!.some((value) => value !== 0)).toBe(true);
    }
  });

  test('under differential privacy: the noisy w and the parts that were told', () => {
    const dp = { clip: 0.5, noiseMultiplier: 1, epsilon: 100, delta: 1e-5 };
    const simulation = runWith({ aggregation: 'safe', dp });
    const { w, v } = differences(simulation);
    expect(Math.max(w, v)).toBeLessThanOrEqual(1e-12);
    expect(modelOf(simulation.coordinator.state!)!.certified).toBe(false);
  });

  test('where sums are secret: w, and nobody has a part', () => {
    const { coordinator, participants } = runSecurely(HAR, TRAIN);
    const { w, v, certified } = modelOf(coordinator.state!)!;
    expect(v.size).toBe(0);
    expect(certified).toBe(true);
    for (const { disk } of participants.values())
      expect(furthest(disk!.model!.w, w)).toBeLessThanOrEqual(1e-12);
  });

  test('with the paper’s masks: what was told is nobody’s part', () => {
    const mask = { kind: 'bernoulli', keep: 0.5, semantics: 'paper' } as const;
    expect(modelOf(runWith({ mask }).coordinator.state!)!.v.size).toBe(0);
  });
});

test('before the first round there is none, and the scaling comes with it', () => {
  const bench = new Bench();
  expect(modelOf(bench.state)).toBeUndefined();
  bench.gather('a', 'b');
  const model = modelOf(bench.state)!;
  expect(model).toMatchObject({ round: 1, certified: false, scaling: bench.state.scaling });
  expect([...model.v.keys()]).toEqual(['a', 'b']);
});

describe('no combiner changes w, a u or a model in place', () => {
  const dp = { clip: 0.5, noiseMultiplier: 1, epsilon: 100, delta: 1e-5 };
  const plans = {
    ...Object.fromEntries(
      [...AGGREGATIONS, 'mocha' as const].map((aggregation) => [aggregation, { aggregation }]),
    ),
    'with noise': { aggregation: 'safe', dp },
    'of sums': { secure: true },
  } as const satisfies Record<string, object>;

  test.each(Object.entries(plans))('%s', (_, options) => {
    const deeds: Deed[] = [{ atMs: 40, kind: 'forget', participant: '4' }];
    const plan = 'secure' in options ? securePlan(HAR, TRAIN) : planFor(HAR, TRAIN, { options, deeds });
    const simulation = new Simulation(plan);
    const kept: { readonly array: Float64Array; readonly copy: Float64Array }[] = [];
    simulation.onRow = () => {
      const { members, aggregator } = simulation.coordinator.state!;
      const models = [...members.values()].map(({ index }) => aggregator!.modelOf(index));
      const parts = [...aggregator!.members.values()].map(({ u }) => u);
      for (const array of [aggregator!.w, ...models, ...parts]) kept.push({ array, copy: array.slice() });
    };
    simulation.run();
    expect(kept.length).toBeGreaterThan(20);
    for (const { array, copy } of kept) expect(array).toEqual(copy);
  });
});

test('a kept model does not change when training goes on', () => {
  const bench = new Bench();
  bench.gather('a', 'b');
  for (const id of ['a', 'b']) bench.say(id, update(1, 0));
  bench.tell({ type: 'summed' });
  // The first look is at w = 0, before the updates of its round are taken.
  const model = modelOf(bench.state)!;
  expect(model).toMatchObject({ round: 1, certified: true });
  expect([...model.w, ...model.v.get('a')!]).toEqual([0, 0, 0, 0]);
  expect(bench.state.aggregator!.w.some((value) => value !== 0)).toBe(true);
});

test('after a crash the latest model is given, for certain only when it is known again', () => {
  const bench = new Bench();
  bench.gather('a', 'b');
  for (const id of ['a', 'b']) bench.say(id, update(1, 0));
  bench.tell({ type: 'summed' });
  bench.crashAndRestart();
  expect(bench.state.best).toBeDefined();
  const model = modelOf(bench.state)!;
  expect(model).toMatchObject({ round: 2, certified: false });
  expect(model.w).toEqual(bench.state.aggregator!.w);
});

test('whoever is forgotten is in no model any more, nor in the one that participants are told to use', () => {
  const simulation = runWith({}, [
    { atMs: 60, kind: 'forget', participant: '2' },
    { atMs: 60, kind: 'finish' },
  ]);
  const { state } = simulation.coordinator;
  expect(state).toMatchObject({ phase: 'finished', best: undefined });
  expect(state!.aggregated).toBeGreaterThan(0);
  const model = modelOf(state!)!;
  // It has come again, as somebody who has contributed nothing.
  expect(model.v.get('2')!.every((value) => value === 0)).toBe(true);
  const c2 = state!.options.c2;
  const sum = model.w.map((_, j) => c2 * [...model.v.values()].reduce((total, v) => total + v[j], 0));
  expect(furthest(sum, model.w)).toBeLessThanOrEqual(1e-12);
  for (const id of ['1', '3', '4'])
    expect(furthest(simulation.participants.get(id)!.disk!.model!.w, model.w)).toBeLessThanOrEqual(1e-12);
});
