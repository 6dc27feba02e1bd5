/** Test metrics that participants report: what is measured, what is shown of it, and that nothing of training depends on it. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { RoundRow } from '../../src/coordinator/round-row.ts';
import { reportSums, testEntries } from '../../src/protocol/summed-reports.ts';
import type { RoundTests } from '../../src/protocol/test-reports.ts';
import { simulate } from '../../src/sim/run.ts';
import { parseScenario, type ScenarioInput } from '../../src/sim/scenario.ts';
import { computeModel, generatedTable, planFrom, type ScenarioPlan } from '../../src/sim/scenario-plan.ts';
import { Simulation } from '../../src/sim/simulation.ts';
import { Bench, sentTo } from '../helpers/coordinator-bench.ts';
import { ParticipantBench } from '../helpers/participant-bench.ts';
import { manyClasses } from '../helpers/tables.ts';

const data = { generator: 'har', participants: 6, rows: 40, features: 12 } as const;
const values = { generator: 'regression', participants: 5, rows: 40, features: 8 } as const;
const COARSE = 2 ** -10;

function planOf(given: ScenarioInput): ScenarioPlan {
  const scenario = parseScenario('s.json', { data, reportTests: true, ...given });
  const inputs = { source: 's.json', table: generatedTable(scenario)!, compute: computeModel(scenario) };
  return planFrom(scenario, inputs, 1);
}

/** Only so many of the participants report. */
function withReports(plan: ScenarioPlan, count: number): ScenarioPlan {
  const participants = plan.participants.map((one, k) => (k < count ? one : { ...one, tests: undefined }));
  return { ...plan, participants };
}

const testsIn = (rows: readonly Pick<RoundRow, 'tests'>[]) => rows.map(({ tests }) => tests ?? null);

describe('single reports', () => {
  test('[TESTS-1] own models and the shared part, of the query that was answered: as an onlooker measures them', () => {
    const { rows } = simulate({ data, rounds: 1, reportTests: true });
    const [{ tests, metric }] = rows;
    expect(tests).toMatchObject({ metric: 'balancedAccuracy', participants: 6 });
    expect(tests!.own.mean).toBeCloseTo(metric.mean!, 12);
    expect(tests!.own.worst).toBeCloseTo(metric.worst!, 12);
    const accuracies = Object.values(metric.participants);
    const variance = accuracies.reduce((sum, one) => sum + (one - metric.mean!) ** 2, 0) / accuracies.length;
    expect(tests!.own.spread).toBeCloseTo(Math.sqrt(variance), 12);
    // The first query is 0, which says -1 to all rows.
    expect(tests!.shared).toEqual({ mean: 0.5, spread: 0, worst: 0.5 });
  });

  test.each<[string, ScenarioInput, RoundTests['metric']]>([
    ['two classes', { data }, 'balancedAccuracy'],
    ['values', { data: values }, 'rmse'],
    ['values as they are', { data: values, scaleTarget: 'none' }, 'rmse'],
    ['steps', { data, aggregation: 'safe', rounds: 30 }, 'balancedAccuracy'],
    ['a mask', { data, mask: { kind: 'bernoulli', keep: 0.7 } }, 'balancedAccuracy'],
    ['a map', { data: { generator: 'rings' }, features: 'rff:64', rounds: 8 }, 'balancedAccuracy'],
  ])(
    '%s: personal models get better than the shared part, and training is the same to the bit',
    (_, given, metric) => {
      const { rows } = simulate({ ...given, reportTests: true });
      const silent = simulate(given).rows;
      const numbers = (all: typeof rows) =>
        all.map(({ primal, dual, relativeGap }) => [primal, dual, relativeGap]);
      expect(numbers(rows)).toEqual(numbers(silent));
      expect(testsIn(silent).every((tests) => tests === null)).toBe(true);
      expect(rows.at(-1)!.bytesUp).toBeGreaterThan(silent.at(-1)!.bytesUp);
      const { own, shared, ...rest } = rows.at(-1)!.tests!;
      const { participants } = given.data as { participants?: number };
      expect(rest).toEqual({ metric, participants: participants ?? 20 });
      const better = (a: number, b: number) => (metric === 'rmse' ? a <= b : a >= b);
      expect(better(own.mean, shared!.mean)).toBe(true);
      expect(better(own.mean, rows[0].tests!.own.mean) || own.mean === rows[0].tests!.own.mean).toBe(true);
      for (const { mean, spread, worst } of [own, shared!]) {
        expect(better(mean, worst!)).toBe(true);
        expect(spread).toBeGreaterThanOrEqual(0);
      }
    },
  );

  test('many classes: the balanced accuracy over all of them', () => {
    const { rows } = simulate({ rounds: 1, reportTests: true }, { table: manyClasses(3) });
    expect(rows[0].tests!.own.mean).toBeCloseTo(rows[0].metric.mean!, 12);
    // All decisions are 0: everything is the first of three classes.
    expect(rows[0].tests!.shared!.mean).toBeLessThan(0.5);
  });

  test('[TESTS-1] MOCHA has no shared part', () => {
    const { rows } = simulate({ data, method: 'mocha', rounds: 3, reportTests: true });
    expect(rows.at(-1)!.tests).toMatchObject({ participants: 6, shared: null });
  });

  test('[TESTS-4] one report is its own mean and worst; nobody else is asked for one', () => {
    const { rows } = new Simulation(withReports(planOf({ rounds: 2 }), 1)).run();
    const { own, participants } = rows.at(-1)!.tests!;
    expect(participants).toBe(1);
    expect(own).toEqual({ mean: own.worst, spread: 0, worst: own.worst });
  });
});

describe('what cannot be', () => {
  const answered = (tests: { own: number; shared: number | undefined }, options = {}) => {
    const bench = new Bench(options);
    bench.gather('a', 'b');
    const effects = bench.say('a', { ...bench.answerOf('a'), tests });
    return { bench, replies: sentTo(effects, 'a') };
  };

  test.each([
    { own: 1.01, shared: 0.5 },
    { own: 0.5, shared: -1e-9 },
    { own: 1e300, shared: 0 },
    { own: Number.NaN, shared: 0.5 },
    { own: 0.5, shared: Number.POSITIVE_INFINITY },
  ])('[TESTS-2] an accuracy such as %j is refused, and the round goes on without it', (tests) => {
    const { bench, replies } = answered(tests);
    expect(replies).toMatchObject([{ kind: 'reject', code: 'INFEASIBLE' }]);
    expect(bench.state.members.get('a')).toMatchObject({ answered: false, tests: undefined });
    bench.answer('b');
    const row = bench.tell({ type: 'summed' }).find((effect) => effect.type === 'row');
    expect(row).toMatchObject({ row: { responders: ['b'], tests: null } });
  });

  test('[TESTS-2] errors may be large, not absurd; one that is plausible is kept, and seen in the round', () => {
    const options = {
      objective: 'regression',
      loss: 'epsilon-insensitive',
      scale: 'none',
      scaleTarget: 'none',
    } as const;
    expect(answered({ own: 1e31, shared: 2 }, options).replies).toMatchObject([{ code: 'INFEASIBLE' }]);
    const { bench, replies } = answered({ own: 0.75, shared: 1 });
    expect(replies).toEqual([]);
    expect(bench.state.members.get('a')).toMatchObject({ tests: { own: 0.75, shared: 1 } });
    bench.answer('b');
    const row = bench.tell({ type: 'summed' }).find((effect) => effect.type === 'row');
    expect(row).toMatchObject({ row: { tests: { participants: 1, own: { mean: 0.75, worst: 0.75 } } } });
  });

  test('[TESTS-5] who reports does not take part under differential privacy, and says so', () => {
    const dp = { clip: 1, noiseMultiplier: 1, epsilon: 3, delta: 1e-5 };
    const one = new ParticipantBench({ dp, training: 'steps', scale: 'none' }, { reportsTests: true });
    one.start();
    expect(one.welcome('not yet')).toMatchObject([
      { kind: 'fault', code: 'WRONG_OPTIONS' },
      { kind: 'leave' },
    ]);
    expect(one.state.refusal).toMatchObject({ code: 'REPORT_NOT_PRIVATE' });
    expect(one.state.refusal!.message).toContain('join without --report-tests');
  });

  test('[TESTS-2] with dp they are refused; a scenario with both is, too', () => {
    const dp = { clip: 1, noiseMultiplier: 1, epsilon: 30, delta: 1e-5 };
    expect(() => parseScenario('s.json', { dp, scale: 'none', reportTests: true })).toThrow(
      's.json: reportTests: expected false with dp, under which nothing of tests is sent, got true',
    );
    const options = { dp, aggregation: 'safe', scale: 'none', classes: ['-1', '1'] } as const;
    expect(answered({ own: 0.5, shared: 0.5 }, options).replies).toMatchObject([
      { code: 'INFEASIBLE', message: 'answer: expected no tests with dp, got some' },
    ]);
  });
});

describe('sums of reports', () => {
  test.each([
    ['two classes', { data }],
    ['values', { data: values }],
  ] as const)(
    '[TESTS-3] %s: mean and spread of all without a single value, near those of single reports',
    (_, given) => {
      const plain = simulate({ ...given, rounds: 3, reportTests: true }).rows[0].tests!;
      const run = simulate({ ...given, rounds: 3, reportTests: true, secure: {} });
      const { tests } = run.rows[0];
      const { participants } = given.data;
      expect(tests).toMatchObject({ metric: plain.metric, participants });
      for (const model of ['own', 'shared'] as const) {
        const [sum, single] = [tests![model]!, plain[model]!];
        expect(sum.worst).toBeNull();
        const unit = plain.metric === 'rmse' ? 5 * single.mean : 1;
        expect(Math.abs(sum.mean - single.mean)).toBeLessThan(COARSE * unit + 1e-2 * single.spread + 1e-9);
        expect(Math.abs(sum.spread - single.spread)).toBeLessThan(5 * COARSE * unit + 1e-2 * single.spread);
      }
      const silent = simulate({ ...given, rounds: 3, secure: {} }).rows;
      expect(run.rows.map(({ primal, dual }) => [primal, dual])).toEqual(
        silent.map(({ primal, dual }) => [primal, dual]),
      );
      expect(testsIn(silent)).toEqual(silent.map(() => null));
    },
  );

  test.each([
    [2, null],
    [3, 3],
    [5, 5],
  ])('[TESTS-4] %d reports among six in a secure sum: %s are shown', (count, shown) => {
    const { rows } = new Simulation(withReports(planOf({ rounds: 2, secure: {} }), count)).run();
    expect(testsIn(rows).map((tests) => tests?.participants ?? null)).toEqual(rows.map(() => shown));
  });

  const accuracy = fc.double({ min: 0, max: 1, noNaN: true });
  const classes = {
    objective: 'classification',
    secure: { limit: 2 ** 22, scaleBits: 30 },
    target: undefined,
  } as const;
  const summed = (reports: readonly { own: number; shared: number }[], settings = classes) => {
    const sum = new Float64Array(5);
    for (const report of reports)
      for (const [j, value] of testEntries(report, settings).entries()) sum[j] += value;
    return sum;
  };

  test('[TESTS-3] any accuracies: what comes out of the sums is what went in, to the coarse grid', () => {
    const reports = fc.array(fc.record({ own: accuracy, shared: accuracy }), { minLength: 1, maxLength: 50 });
    fc.assert(
      fc.property(reports, (all) => {
        const { own } = reportSums(summed(all), all.length, classes)!;
        const mean = all.reduce((sum, one) => sum + one.own, 0) / all.length;
        const spread = Math.sqrt(all.reduce((sum, one) => sum + (one.own - mean) ** 2, 0) / all.length);
        expect(Math.abs(own.mean - mean)).toBeLessThanOrEqual(COARSE / 2 + 1e-9);
        expect(Math.abs(own.spread - spread)).toBeLessThanOrEqual(COARSE + 1e-6);
      }),
    );
  });

  test('[TESTS-3] values are too coarse to take a sum of fractions apart', () => {
    // k/97 + j/101 has one solution; what is summed has many.
    const sums = new Map<number, number>();
    for (let k = 0; k <= 97; k++)
      for (let j = 0; j <= 101; j++) {
        const [, own] = summed([
          { own: k / 97, shared: 0 },
          { own: j / 101, shared: 0 },
        ]);
        sums.set(own, (sums.get(own) ?? 0) + 1);
      }
    const alone = [...sums.values()].filter((count) => count === 1).length;
    expect(alone / sums.size).toBeLessThan(0.15);
  });

  test('[TESTS-4] sums that nobody can have given are not shown', () => {
    const honest = summed([
      { own: 0.9, shared: 0.8 },
      { own: 0.7, shared: 0.6 },
      { own: 0.8, shared: 0.5 },
    ]);
    expect(reportSums(honest, 3, classes)).toMatchObject({ reports: 3 });
    const lies = [
      [0, 7],
      [0, 2.5],
      [0, -1],
      [1, 1000],
      [1, -3],
      [2, 0.1],
      [2, 4],
      [4, -1],
      [3, Number.NaN],
    ] as const;
    for (const [entry, value] of lies)
      expect(reportSums(honest.with(entry, value), 3, classes), `${entry}`).toBeUndefined();
  });

  test('[TESTS-3] errors beyond the grid, and grids that are too coarse: nothing is added', () => {
    const target = { shift: 22, scale: 10 };
    const errors = { objective: 'regression', secure: { limit: 100, scaleBits: 30 }, target } as const;
    expect([...testEntries({ own: 90, shared: 95 }, errors)]).toEqual([1, 9, 81, 9.5, 90.25]);
    expect([...testEntries({ own: 90, shared: 101 }, errors)]).toEqual([0, 0, 0, 0, 0]);
    const wide = { ...errors, secure: { limit: 2 ** 30, scaleBits: 30 } };
    expect([...testEntries({ own: 90, shared: 10_241 }, wide)]).toEqual([0, 0, 0, 0, 0]);
    const coarse = { ...errors, secure: { limit: 100, scaleBits: 19 } };
    expect([...testEntries({ own: 90, shared: 95 }, coarse)]).toEqual([0, 0, 0, 0, 0]);
    expect([...testEntries({ own: Number.NaN, shared: 95 }, errors)]).toEqual([0, 0, 0, 0, 0]);
    expect([...testEntries(undefined, errors)]).toEqual([0, 0, 0, 0, 0]);
  });
});
