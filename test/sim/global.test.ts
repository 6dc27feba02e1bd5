import { expect, test } from 'vitest';
import { train } from '../../src/methods/train.ts';
import { runScenario } from '../../src/sim/run.ts';
import { parseScenario } from '../../src/sim/scenario.ts';
import { computeModel, generatedTable, planFrom } from '../../src/sim/scenario-plan.ts';

const given = {
  method: 'global',
  data: { generator: 'har', participants: 5, rows: 40, features: 20 },
  hardware: 'rising',
  gap: 1e-5,
  rounds: 50,
};
const scenario = parseScenario('here', given);
const inputs = { source: 'here', table: generatedTable(scenario)!, compute: computeModel(scenario) };

test('the global method is one node with all the rows and all the hardware', () => {
  const { participants } = planFrom(scenario, inputs, 1);
  expect(participants.length).toBe(1);
  expect(participants[0].hardware).toBeCloseTo(1 + 3.25 + 5.5 + 7.75 + 10, 12);
  expect(participants[0].profile.rows).toBe(participants[0].y.length);
});

test('it finds the global model, and serves every participant with it', () => {
  const { summary, rows } = runScenario(scenario, inputs, { seed: 1, transcript: 'off' });
  const { certificate, mean } = train(inputs.table, {
    method: 'global',
    gap: 1e-5,
    rounds: 500,
    testFraction: 0.3,
  });
  expect(Math.abs(summary.certificate!.primal / certificate!.primal - 1)).toBeLessThan(1e-4);
  expect(Object.keys(rows.at(-1)!.metric.participants).length).toBe(5);
  expect(summary.metric!.mean).toBeCloseTo(mean.balancedAccuracy!, 1);
});

test('faults at participants make no sense there, and are refused', () => {
  const broken = parseScenario('here', { ...given, crashes: [{ node: '1', step: 2 }] });
  expect(() => planFrom(broken, inputs, 1)).toThrow(/crashes: expected none with the global method/);
});
