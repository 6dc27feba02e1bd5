import { describe, expect, test } from 'vitest';
import { drawPassMs } from '../../src/sim/compute.ts';
import { runScenario } from '../../src/sim/run.ts';
import { parseScenario } from '../../src/sim/scenario.ts';
import { computeModel, generatedTable } from '../../src/sim/scenario-plan.ts';
import { answeredBy, normalBelow, waitingTime } from '../../src/sim/waiting-time.ts';

const devices = Array.from({ length: 20 }, (_, k) => ({
  rows: 200 + 7 * k,
  columns: 101,
  hardware: 1 + (9 * k) / 19,
}));

test('the normal distribution is that of another erfc', () => {
  for (const [x, p] of [
    [0, 0.5],
    [1, 0.8413447460685429],
    [-1.959963984540054, 0.025],
    [2.999, 0.9986456634662729],
    [3.5, 0.9997673709209645],
    [-6, 9.865876450377012e-10],
  ])
    expect(Math.abs(normalBelow(x) - p)).toBeLessThan(1e-13);
});

describe.each([0.05, 0.2, 0.8])('with a spread of %d', (spread) => {
  const model = { fixedMs: 1, perValueMs: 0.001, spread };
  test.each([0.75, 0.45, 0.25, 0.2, 0.1])(
    'a share of %d answers by the computed time, by Monte Carlo',
    (share) => {
      const passes = 5;
      const wait = waitingTime(share, model, passes, devices);
      const rounds = 1500;
      let answered = 0;
      for (let round = 1; round <= rounds; round++) {
        for (const [k, { rows, columns, hardware }] of devices.entries()) {
          const draw = { seed: 7, round, id: String(k) };
          if (passes * drawPassMs(model, rows, columns, hardware, draw) <= wait) answered++;
        }
      }
      const observed = answered / (rounds * devices.length);
      // Four standard deviations of the mean of so many draws.
      expect(Math.abs(observed - share)).toBeLessThan(4 * Math.sqrt(0.25 / (rounds * devices.length)));
    },
  );
});

test('without spread it is a step', () => {
  const model = { fixedMs: 2, perValueMs: 0, spread: 0 };
  const device = { rows: 10, columns: 10, hardware: 2 };
  expect([answeredBy(4.99, model, 5, device), answeredBy(5, model, 5, device)]).toEqual([0, 1]);
  expect(waitingTime(0.5, model, 5, [device])).toBeCloseTo(5, 9);
});

test('the share of a simulated run is the wanted one, where solves are not over early', () => {
  const scenario = parseScenario('s.json', {
    data: { generator: 'har', participants: 20, rows: 60, features: 40 },
    responders: 0.45,
    straggler: 'restart',
    passes: 3,
    rounds: 100,
    gap: 0,
  });
  const inputs = { source: 's.json', table: generatedTable(scenario)!, compute: computeModel(scenario) };
  const { summary } = runScenario(scenario, inputs, { seed: 1, transcript: 'off' });
  expect(Math.abs(summary.responders.observed - 0.45)).toBeLessThan(0.05);
  expect(summary.certificate?.certified).toBe(true);
});
