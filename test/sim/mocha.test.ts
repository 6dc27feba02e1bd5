import { describe, expect, test } from 'vitest';
import { train } from '../../src/methods/train.ts';
import { runScenario } from '../../src/sim/run.ts';
import { parseScenario, type ScenarioInput } from '../../src/sim/scenario.ts';
import { computeModel, generatedTable, planFrom } from '../../src/sim/scenario-plan.ts';
import { Simulation } from '../../src/sim/simulation.ts';

const given: ScenarioInput = {
  method: 'mocha',
  lambda: 0.01,
  data: { generator: 'har', participants: 5, rows: 40, features: 24 },
  passes: 30,
  gap: 1e-3,
  rounds: 120,
};

function prepared(changes: ScenarioInput = {}) {
  const scenario = parseScenario('here', { ...given, ...changes });
  const inputs = { source: 'here', table: generatedTable(scenario)!, compute: computeModel(scenario) };
  return { scenario, inputs };
}

function simulated(changes: ScenarioInput = {}): Simulation {
  const { scenario, inputs } = prepared(changes);
  return new Simulation(planFrom(scenario, inputs, 1)).run();
}

/** What was sent to each participant in the end. */
function finalModels({ participants }: Simulation): number[][] {
  return [...participants.values()].map(({ disk }) => [...disk!.model!.w]);
}

describe('mocha by messages', () => {
  test.each<ScenarioInput>([{}, { rounds: 30, lambda: 1e-3 }, { classWeight: 'balanced', rounds: 25 }])(
    'is the in-process trainer where everybody is waited for: %j',
    (changes) => {
      const { inputs } = prepared();
      const simulation = simulated(changes);
      const { passes, gap, rounds, lambda, classWeight } = { ...given, ...changes };
      const trained = train(inputs.table, { method: 'mocha', passes, gap, rounds, lambda, classWeight });
      const primals = simulation.rows.map((row) => row.primal);
      expect(primals).toEqual(trained.history.map((row) => row.primal));
      expect(simulation.rows.at(-1)!.certified).toBe(true);
      const models = [...trained.model.personal.values()].map((model) => [...model]);
      expect(finalModels(simulation)).toEqual(models);
    },
  );

  test('ends by its gap only when Omega has settled, and the onlooker measures the models', () => {
    const { scenario, inputs } = prepared();
    const { summary } = runScenario(scenario, inputs, { seed: 1, transcript: 'off' });
    const { mean, rounds } = train(inputs.table, {
      method: 'mocha',
      passes: 30,
      gap: 1e-3,
      rounds: 120,
      lambda: 0.01,
    });
    expect(summary.stopped).toBe('gap');
    expect(summary.certificate!.relativeGap).toBeLessThanOrEqual(1e-3);
    expect(summary.rounds.aggregated).toBe(rounds);
    expect(summary.metric!.mean).toBeCloseTo(mean.balancedAccuracy!, 12);
  });

  test.each([10, 60, 61, 150, 151, 231])(
    'goes on exactly after a crash of the coordinator in step %i',
    (step) => {
      const quiet = simulated({ retryMs: 200, patience: 1000, maxWaitMs: 1e6 });
      const crashed = simulated({
        retryMs: 200,
        patience: 1000,
        maxWaitMs: 1e6,
        crashes: [{ node: 'coordinator', step, afterEffects: step % 3, downMs: 500 }],
      });
      expect(crashed.over).toBe(true);
      expect(crashed.queue.now).toBeGreaterThan(quiet.queue.now);
      expect(crashed.coordinator.disk.run!.finish).toBe('gap');
      expect(finalModels(crashed)).toEqual(finalModels(quiet));
      expect(crashed.coordinator.disk.run!.combiner).toEqual(quiet.coordinator.disk.run!.combiner);
      expect(quiet.coordinator.disk.run!.combiner!.relations!.matrix.length).toBe(25);
    },
  );

  test('whoever is late keeps its part, and what the coordinator has of it is what it has itself', () => {
    const simulation = simulated({
      hardware: 'rising',
      waiting: { kind: 'fixed', ms: 6 },
      straggler: 'restart',
      rounds: 30,
    });
    const { rows, coordinator, participants } = simulation;
    expect(rows.some((row) => row.purpose === 'train' && row.responders.length < 5)).toBe(true);
    for (const { id, known } of coordinator.disk.members.values())
      expect([...(participants.get(id)!.disk!.committed?.u ?? known!.u)]).toEqual([...known!.u]);
    for (const { primal, dual, certified } of rows)
      if (certified) expect(primal).toBeGreaterThanOrEqual(dual - 1e-9);
  });

  test('takes a newcomer in and forgets a leaver', () => {
    const { rows, coordinator } = simulated({
      rounds: 60,
      gap: 0,
      startMs: { 3: 100 },
      deeds: [
        { atMs: 300, kind: 'leave', participant: '1' },
        { atMs: 400, kind: 'forget', participant: '1' },
      ],
    });
    const counts = rows.map((row) => row.responders.length);
    expect([counts[0], Math.max(...counts), counts.at(-1)]).toEqual([4, 5, 4]);
    expect(coordinator.disk.run!.combiner!.relations!.matrix.length).toBe(16);
    const last = rows.at(-1)!;
    expect(last.certified).toBe(true);
    expect(last.primal).toBeGreaterThanOrEqual(last.dual);
    expect(last.relativeGap).toBeLessThan(0.05);
  });
});

test.each<[ScenarioInput, RegExp]>([
  [{ ...given, objective: 'regression' }, /^here: method: expected a method other than mocha for regression/],
  [
    { method: 'mocha', data: { generator: 'regression' } },
    /^here: method: expected a method other than mocha/,
  ],
  [{ ...given, lambda: 0 }, /^here: lambda: expected a number above 0, got 0/],
  [{ aggregation: 'mocha' as never }, /^here: aggregation: expected one of answers, safe, sum, got/],
])('a scenario is refused: %j', (bad, sentence) => {
  expect(() => parseScenario('here', bad)).toThrow(sentence);
});
