import { expect, test } from 'vitest';
import { sharedPart } from '../../src/coordinator/training.ts';
import { makeHarLike } from '../../src/data/generate-har.ts';
import { parseScenario, type ScenarioInput } from '../../src/sim/scenario.ts';
import { computeModel, planFrom } from '../../src/sim/scenario-plan.ts';
import { Simulation } from '../../src/sim/simulation.ts';
import { addScaled, dot } from '../../src/solver/vector.ts';

const table = makeHarLike({ participants: 8, rowsPerParticipant: 20, features: 40, seed: 4 });

function run(changes: ScenarioInput) {
  const scenario = parseScenario('test', { secure: true, rounds: 12, passes: 10, c2: 0.1, ...changes });
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
  const { state } = run({ dp: { clip: 0.05, noiseMultiplier: 6, epsilon: 2.5 } });
  expect(state.finish).toBe('budget');
  expect(state.aggregated).toBeGreaterThan(1);
  expect(state.aggregated).toBeLessThan(12);
  expect(state.budget!.spent.epsilon).toBeLessThanOrEqual(2.5);
});

test('the noise is all that is between w and the sum of everybody: with next to none they are equal', () => {
  const [clip, noiseMultiplier] = [0.05, 1e-6];
  const { noise, state } = run({ dp: { clip, noiseMultiplier } });
  const deviation = noiseMultiplier * clip * Math.sqrt(12 * (8 / 3));
  expect(Math.hypot(...sharedPart(state)!)).toBeGreaterThan(1e5 * deviation);
  for (const value of noise) expect(Math.abs(value)).toBeLessThan(6 * deviation);
});
