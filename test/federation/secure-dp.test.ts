import { describe, expect, test } from 'vitest';
import { sharedPart } from '../../src/coordinator/training.ts';
import { makeHarLike } from '../../src/data/generate-har.ts';
import { epsilonOf } from '../../src/privacy/dp/accountant.ts';
import { parseScenario, type ScenarioInput } from '../../src/sim/scenario.ts';
import { computeModel, planFrom } from '../../src/sim/scenario-plan.ts';
import { Simulation } from '../../src/sim/simulation.ts';
import { addScaled, dot } from '../../src/solver/vector.ts';
import { gateOf } from '../helpers/gate.ts';

const table = makeHarLike({ participants: 8, rowsPerParticipant: 20, features: 40, seed: 4 });

function run(changes: ScenarioInput) {
  const scenario = parseScenario('test', {
    secure: true,
    scale: 'none',
    rounds: 12,
    passes: 10,
    c2: 0.1,
    ...changes,
  });
  const inputs = { source: 'test', table, compute: computeModel(scenario) };
  const plan = planFrom(scenario, inputs, 1);
  const simulation = new Simulation(plan).run();
  const { state } = simulation.coordinator;
  const noise = sharedPart(state!)!.slice();
  for (const { disk } of simulation.participants.values()) addScaled(noise, -1, disk!.committed!.u);
  return { simulation, state: state!, noise, dp: plan.options.dp! };
}

test.each([0.5, 3, 12])(
  'participants put the noise on a secret sum, at least as much as is paid for: z = %f',
  (noiseMultiplier) => {
    const clip = 0.05;
    const { noise, state, dp } = run({ dp: { clip, noiseMultiplier } });
    // 8 people, of whom 3 may be counted on: dropouts of a third and a fifth working for the coordinator.
    expect(dp.honest).toBe(3);
    const rounds = state.aggregated;
    expect(rounds).toBe(12);
    const variance = dot(noise, noise) / noise.length;
    const wanted = rounds * (noiseMultiplier * clip) ** 2 * (8 / 3);
    // 41 numbers: a chi-square within four deviations.
    expect(Math.abs(variance / wanted - 1)).toBeLessThan(4 * Math.sqrt(2 / noise.length));
  },
);

test('steps are clipped, no scalar is told, and nothing is certified', () => {
  const { simulation } = run({ dp: { clip: 0.01, noiseMultiplier: 1 } });
  for (const row of simulation.rows) expect(row.certified).toBe(false);
  for (const { disk } of simulation.participants.values()) {
    const { u } = disk!.committed!;
    expect(Math.sqrt(dot(u, u))).toBeLessThanOrEqual(12 * 0.01);
    expect(Math.sqrt(dot(u, u))).toBeGreaterThan(0.01);
  }
});

test('training ends before the budget would be exceeded', () => {
  const { state } = run({ dp: { clip: 0.05, noiseMultiplier: 6, epsilon: 1.4 } });
  expect(state.finish).toBe('budget');
  expect(state.aggregated).toBeGreaterThan(1);
  expect(state.aggregated).toBeLessThan(12);
  expect(state.budget!.spent.epsilon).toBeLessThanOrEqual(1.4);
});

test('the noise is all that is between w and the sum of everybody: with next to none they are equal', () => {
  const [clip, noiseMultiplier] = [0.05, 1e-6];
  const { noise, state } = run({ dp: { clip, noiseMultiplier } });
  const deviation = noiseMultiplier * clip * Math.sqrt(12 * (8 / 3));
  expect(Math.hypot(...sharedPart(state)!)).toBeGreaterThan(1e5 * deviation);
  for (const value of noise) expect(Math.abs(value)).toBeLessThan(6 * deviation);
});

describe('[DP-5] noise is accounted for those who were summed', () => {
  /** Eight people of whom one may work for the coordinator; one of them never answers. */
  function planWith(honest: number) {
    const scenario = parseScenario('test', {
      ...{ secure: { dropout: 0.3, corrupted: 0.2 }, scale: 'none', rounds: 4, passes: 5, c2: 0.1 },
      dp: { clip: 0.05, noiseMultiplier: 6 },
      ...{
        waiting: { kind: 'fixed', ms: 50 },
        retryMs: 20,
        maxWaitMs: 200,
        minParticipants: 8,
        patience: 100,
      },
    });
    const plan = planFrom(scenario, { source: 'test', table, compute: computeModel(scenario) }, 1);
    const { dp } = plan.options;
    return { ...plan, options: { ...plan.options, dp: { ...dp!, honest } } };
  }

  /** `silent`: nothing of it that would go into a sum arrives. */
  function withSilent(plan: ReturnType<typeof planWith>, silent: readonly string[]): Simulation {
    const simulation = new Simulation(plan);
    const gate = gateOf(simulation.coordinator);
    const take = gate.take.bind(gate);
    gate.take = (input) => {
      const isLost =
        input.type === 'message' && silent.includes(input.from) && input.message.kind === 'masked';
      if (!isLost) take(input);
    };
    return simulation;
  }

  test('everybody: a sum costs what its noise is worth, which is more than was promised', () => {
    const { state, dp } = run({ rounds: 5, dp: { clip: 0.05, noiseMultiplier: 6 } });
    const noiseMultiplier = 6 * Math.sqrt((8 - 1) / dp.honest!);
    const spent = epsilonOf({ noiseMultiplier, samplingRate: 1 }, dp.delta, 5);
    expect(state.budget!.spent.epsilon).toBeCloseTo(spent, 9);
  });

  test('one drops out, and the rest still carry what was promised: it costs more than with everybody', () => {
    const { state } = withSilent(planWith(6), ['3']).run().coordinator;
    expect(state!.aggregated).toBe(4);
    const spent = epsilonOf({ noiseMultiplier: 6, samplingRate: 1 }, 1e-5, 4);
    expect(state!.budget!.spent.epsilon).toBeCloseTo(spent, 9);
  });

  test('too few for the promised noise: no sum is opened, nothing is spent, w stays', () => {
    const { coordinator, rows } = withSilent(planWith(7), ['3']).run();
    expect(rows.length).toBeGreaterThan(0);
    for (const { outcome } of rows) expect(outcome).toBe('abandoned');
    expect(coordinator.state!.budget!.rounds).toBe(0);
    expect(sharedPart(coordinator.state!)!.every((value) => value === 0)).toBe(true);
  });

  test('a coordinator that would open it all the same gets no help from the participants', () => {
    const simulation = withSilent(planWith(7), ['3']);
    const attested: unknown[] = [];
    const gate = gateOf(simulation.coordinator);
    const take = gate.take.bind(gate);
    gate.take = (input) => {
      // Participants were sent 7; the coordinator is content with any number.
      const { state } = simulation.coordinator;
      if (state?.trainer) Object.assign(state.options.dp!, { honest: 1 });
      if (input.type === 'message' && input.message.kind === 'attested') attested.push(input);
      take(input);
    };
    simulation.run();
    expect(attested).toEqual([]);
    expect(simulation.coordinator.state!.aggregated).toBe(0);
  });
});
