import { describe, expect, test } from 'vitest';
import { train } from '../../src/methods/train.ts';
import { jsonLines } from '../../src/sim/observe.ts';
import { runScenario } from '../../src/sim/run.ts';
import { parseScenario, type ScenarioInput } from '../../src/sim/scenario.ts';
import { computeModel, generatedTable, planFrom } from '../../src/sim/scenario-plan.ts';

const given: ScenarioInput = {
  method: 'local',
  data: { generator: 'har', participants: 5, rows: 40, features: 20 },
  hardware: 'rising',
  gap: 1e-3,
  passes: 10,
};

function prepared(changes: ScenarioInput = {}) {
  const scenario = parseScenario('here', { ...given, ...changes });
  const inputs = { source: 'here', table: generatedTable(scenario)!, compute: computeModel(scenario) };
  return { scenario, inputs };
}

function run(changes: ScenarioInput = {}) {
  const { scenario, inputs } = prepared(changes);
  return { ...runScenario(scenario, inputs, { seed: 1, transcript: 'on' }), inputs };
}

describe('the local method', () => {
  test.each<ScenarioInput>([
    {},
    { classWeight: 'balanced' },
    { data: { generator: 'regression', participants: 4, rows: 40, features: 8 } },
  ])('reaches the optimum of the in-process trainer: %j', (changes) => {
    const { summary, inputs } = run({ ...changes, gap: 1e-5, passes: 100 });
    const regression = changes.data !== undefined;
    const trained = train(inputs.table, {
      method: 'local',
      objective: regression ? 'regression' : 'classification',
      classWeight: changes.classWeight,
      gap: 1e-5,
    });
    expect(summary.stopped).toBe('gap');
    expect(Math.abs(summary.certificate!.primal / trained.certificate!.primal - 1)).toBeLessThan(1e-4);
    const wanted = regression ? trained.mean.r2! : trained.mean.balancedAccuracy!;
    expect(Math.abs(summary.metric!.mean! - wanted)).toBeLessThan(0.02);
  });

  test('is certified to the gap, as the in-process trainer is', () => {
    const { summary, inputs } = run();
    const { certificate, mean } = train(inputs.table, { method: 'local', gap: 1e-3 });
    expect(summary.certificate!.certified).toBe(true);
    expect(summary.certificate!.relativeGap).toBeLessThanOrEqual(1e-3);
    expect(summary.certificate!.primal).toBeGreaterThanOrEqual(certificate!.dual);
    expect(certificate!.primal).toBeGreaterThanOrEqual(summary.certificate!.dual);
    expect(Math.abs(summary.metric!.mean! - mean.balancedAccuracy!)).toBeLessThan(0.02);
  });

  test('has a row for each round of each participant, in the order of time, about everybody', () => {
    const { rows, summary } = run();
    const answered = summary.participants.map((participant) => participant.answered);
    expect(rows.length).toBe(answered.reduce((a, b) => a + b));
    expect(summary.rounds.aggregated).toBe(Math.max(...answered) - 1);
    for (const [r, row] of rows.entries()) {
      expect(row).toMatchObject({ responders: 1, active: 5, bytesUp: 0, bytesDown: 0, certified: true });
      expect(Object.keys(row.metric.participants)).toEqual(['1', '2', '3', '4', '5']);
      expect(row.atMs).toBeGreaterThanOrEqual(rows[r - 1]?.atMs ?? 0);
      expect(row.dual).toBeGreaterThanOrEqual((rows[r - 1]?.dual ?? 0) - 1e-9);
    }
    expect(summary.virtualMs).toBe(rows.at(-1)!.atMs);
  });

  test('begins with the model 0 for all but the one who was first', () => {
    const { rows } = run({ classWeight: 'balanced' });
    // Of a model 0 all decisions are -1: right for one class of two, or all right where there is only that one. The
    // strongest is the first to close a round.
    const { 5: first, ...others } = rows[0].metric.participants;
    expect(Object.values(others)).toEqual([0.5, 1, 0.5, 0.5]);
    expect(first).toBeGreaterThan(0.5);
    expect(rows[0].dual).toBe(0);
  });

  test('knows no network: the same with any link and any summation', () => {
    const { rows } = run({ link: { delayMs: 50, jitterMs: 20, loss: 0.3 }, summationMs: 100 });
    expect(rows).toEqual(run().rows);
  });

  test('is the same for the same seed, and reports its rows as it goes', () => {
    const { scenario, inputs } = prepared();
    const reported: unknown[] = [];
    const request = { seed: 1, transcript: 'off' } as const;
    const { rows } = runScenario(scenario, inputs, request, (row) => reported.push(row));
    expect(reported).toEqual(rows);
    expect([...jsonLines(rows)]).toEqual([...jsonLines(run().rows)]);
    expect(run().transcript).toEqual([]);
  });

  test('says why it stopped, where not everybody reached the gap', () => {
    expect(run({ rounds: 1, gap: 1e-9 }).summary.stopped).toBe('rounds');
  });
});

test.each<[ScenarioInput, RegExp]>([
  [{ crashes: [{ node: '1', step: 2 }] }, /here: crashes: expected none with the local method, .* got 1/],
  [{ deeds: [{ atMs: 3, kind: 'finish' }] }, /here: deeds: expected none with the local method/],
  [
    { partitions: [{ fromMs: 0, toMs: 9, participants: ['2'] }] },
    /here: partitions: expected none with the local method/,
  ],
])('faults make no sense there, and are refused: %j', (bad, sentence) => {
  const { scenario, inputs } = prepared(bad);
  expect(() => planFrom(scenario, inputs, 1)).toThrow(sentence);
});
