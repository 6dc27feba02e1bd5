import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { CoordinatorOptions } from '../../src/coordinator/index.ts';
import { Arena } from '../../src/math/index.ts';
import { type Crash, type Deed, type Partition, Simulation } from '../../src/sim/index.ts';
import { conservationError, planFor } from '../helpers/federation.ts';
import { smallHar, smallRegression } from '../helpers/tables.ts';

/** How many random fault schedules: KINDRED_SCHEDULES=100000 for the long run. */
const SCHEDULES = Number(process.env.KINDRED_SCHEDULES ?? 2000);

const IDS = ['1', '2', '3', '4'];
const TABLES = {
  classification: smallHar(5, 4, 12),
  regression: { ...smallRegression(3), participants: IDS },
} as const;

const node = fc.constantFrom('coordinator', ...IDS);
const waiting: fc.Arbitrary<CoordinatorOptions['waiting']> = fc.oneof(
  fc.constant({ kind: 'all' } as const),
  fc.record({ kind: fc.constant('fixed' as const), ms: fc.integer({ min: 5, max: 60 }) }),
  fc.record({ kind: fc.constant('share' as const), share: fc.constantFrom(0.25, 0.5, 1) }),
  fc.constant({ kind: 'benchmarks', quantile: 0.5, factor: 1 } as const),
);
const crash: fc.Arbitrary<Crash> = fc.record({
  node,
  step: fc.integer({ min: 1, max: 60 }),
  afterEffects: fc.integer({ min: 0, max: 4 }),
  downMs: fc.integer({ min: 0, max: 300 }),
});
const partition: fc.Arbitrary<Partition> = fc
  .record({
    fromMs: fc.integer({ min: 0, max: 500 }),
    lengthMs: fc.integer({ min: 1, max: 300 }),
    who: fc.subarray(IDS),
  })
  .map(({ fromMs, lengthMs, who }) => ({ fromMs, toMs: fromMs + lengthMs, participants: who }));
const deed: fc.Arbitrary<Deed> = fc.record({
  atMs: fc.integer({ min: 1, max: 600 }),
  kind: fc.constantFrom('leave', 'rejoin', 'forget'),
  participant: fc.constantFrom(...IDS),
});

const schedule = fc.record({
  seed: fc.integer({ min: 0, max: 1e9 }),
  objective: fc.constantFrom('classification', 'regression'),
  aggregation: fc.constantFrom('exact', 'line-search', 'safe'),
  straggler: fc.constantFrom('restart', 'resume', 'anytime'),
  precision: fc.constantFrom('f64', 'f32'),
  waiting,
  summationMs: fc.constantFrom(0, 7),
  minResponses: fc.constantFrom(1, 3),
  link: fc.record({
    delayMs: fc.constantFrom(0, 2, 15),
    jitterMs: fc.constantFrom(0, 5, 60),
    loss: fc.constantFrom(0, 0.05, 0.3),
    duplicate: fc.constantFrom(0, 0.1, 0.4),
  }),
  partitions: fc.array(partition, { maxLength: 2 }),
  crashes: fc.array(crash, { maxLength: 4 }),
  deeds: fc.array(deed, { maxLength: 3 }),
  late: fc.constantFrom(0, 150),
});
type Schedule = typeof schedule extends fc.Arbitrary<infer S> ? S : never;

const arena = new Arena();

function simulate(plan: Schedule): Simulation {
  const { objective, aggregation, straggler, precision, summationMs, minResponses } = plan;
  const options: Partial<CoordinatorOptions> = {
    straggler,
    precision,
    waiting: plan.waiting,
    summationMs,
    minResponses,
    minParticipants: 2,
    retryMs: 40,
    maxWaitMs: 150,
    stop: { gap: 1e-3, rounds: 8, timeMs: 20_000, stall: 30 },
  };
  return new Simulation(
    planFor(
      TABLES[objective],
      { objective, aggregation, seed: plan.seed, passes: 6, testFraction: 0.25, c2: 0.5 },
      {
        options,
        link: plan.link,
        partitions: plan.partitions,
        crashes: plan.crashes,
        deeds: plan.deeds,
        compute: { fixedMs: 1, perValueMs: 0.01, spread: 0.3 },
        hardware: (k) => [1, 3, 0.5, 10][k],
        startMs: (id) => (id === '4' ? plan.late : 0),
        arena,
        untilMs: 200_000,
      },
    ),
  ).run();
}

test(`nothing is lost or doubled under ${SCHEDULES} random schedules of faults, and every run ends`, {
  timeout: 3_600_000,
}, () => {
  fc.assert(
    fc.property(schedule, (plan) => {
      const simulation = simulate(plan);
      try {
        check(plan, simulation);
      } finally {
        for (const participant of simulation.participants.values()) participant.crash();
      }
    }),
    { numRuns: SCHEDULES },
  );
});

function check(plan: Schedule, simulation: Simulation): void {
  const { rows, coordinator, participants } = simulation;
  const leavers = new Set(
    plan.deeds.filter(({ kind }) => kind === 'leave').map(({ participant }) => participant),
  );
  // The run ends, unless everybody has left.
  if (leavers.size < IDS.length - 1) expect(coordinator.state?.phase).toBe('finished');
  for (const participant of participants.values()) expect(participant.state?.phase).not.toBe('refused');
  expect(conservationError(simulation)).toBeLessThanOrEqual(1e-9);
  // Nobody lies here: what is checked of an answer must hold under all faults.
  expect(coordinator.state?.rejections.get('INFEASIBLE')).toBeUndefined();
  // The dual of one set of participants never falls; certified rows have all of it.
  const forgets = plan.deeds.some(({ kind }) => kind === 'forget');
  const exact = plan.precision === 'f64';
  const certified = rows.filter((row) => row.certified);
  for (let r = 1; r < certified.length && !forgets && exact; r++) {
    expect(certified[r].dual).toBeGreaterThanOrEqual(
      certified[r - 1].dual - 1e-9 * Math.abs(certified[r].dual),
    );
  }
  // No round is open for longer than allowed, from its opening to its row.
  for (let r = 1; r < rows.length; r++) expect(rows[r].round).toBeGreaterThanOrEqual(rows[r - 1].round);
}
