/** Random schedules of faults for federations of four. */
import fc from 'fast-check';
import type { CoordinatorOptions } from '../../src/coordinator/options.ts';
import { Arena } from '../../src/math/arena.ts';
import type { Crash, Operation } from '../../src/sim/faults.ts';
import type { Partition } from '../../src/sim/network.ts';
import type { PlanChanges } from './federation.ts';
import { smallHar, smallRegression } from './tables.ts';

export const IDS = ['1', '2', '3', '4'];
export const TABLES = {
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
const operation: fc.Arbitrary<Operation> = fc.record({
  atMs: fc.integer({ min: 1, max: 600 }),
  kind: fc.constantFrom('leave', 'rejoin', 'forget'),
  participant: fc.constantFrom(...IDS),
});

export const schedule = fc.record({
  seed: fc.integer({ min: 0, max: 1e9 }),
  objective: fc.constantFrom('classification', 'regression'),
  aggregation: fc.constantFrom('answers', 'answers', 'answers', 'safe', 'sum'),
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
  deeds: fc.array(operation, { maxLength: 3 }),
  late: fc.constantFrom(0, 150),
  /** When the operator has everybody asked again. */
  recounts: fc.array(fc.integer({ min: 1, max: 600 }), { maxLength: 1 }),
  /** When conservation is looked at, beside the end. */
  moments: fc.array(fc.integer({ min: 1, max: 900 }), { maxLength: 3 }),
});
export type Schedule = typeof schedule extends fc.Arbitrary<infer S> ? S : never;

/** How often the operator has made another problem of it by then: everybody is asked again, or somebody is forgotten. */
export function interventions({ recounts, deeds }: Schedule, now: number): number {
  const forgets = deeds.filter(({ kind }) => kind === 'forget').map(({ atMs }) => atMs);
  return [...recounts, ...forgets].filter((atMs) => atMs <= now).length;
}

const arena = new Arena();

/** What a schedule says about the federation, but for its aggregation and precision. */
export function changesFor(plan: Schedule): PlanChanges {
  const { straggler, summationMs, minResponses } = plan;
  return {
    options: {
      straggler,
      waiting: plan.waiting,
      summationMs,
      minResponses,
      minParticipants: 2,
      retryMs: 40,
      maxWaitMs: 150,
      stop: { gap: 1e-3, rounds: 8, timeMs: 20_000, stall: 30 },
    },
    link: plan.link,
    partitions: plan.partitions,
    crashes: plan.crashes,
    deeds: plan.deeds,
    compute: { fixedMs: 1, perValueMs: 0.01, spread: 0.3 },
    hardware: (k) => [1, 3, 0.5, 10][k],
    startMs: (id) => (id === '4' ? plan.late : 0),
    arena,
    untilMs: 200_000,
  };
}
