/** Trees of coordinators: a branch answers its parent for all behind it, and nothing is lost or counted twice, whoever crashes. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { step } from '../../src/coordinator/machine.ts';
import { DEFAULT_SECURE } from '../../src/coordinator/options.ts';
import type { RoundRow } from '../../src/coordinator/round-row.ts';
import { tallyOf } from '../../src/coordinator/tally.ts';
import { inquiryOf } from '../../src/coordinator/training.ts';
import { nextDeadline } from '../../src/coordinator/waiting.ts';
import { makeHarLike } from '../../src/data/generate-har.ts';
import type { Crash } from '../../src/sim/faults.ts';
import type { Partition } from '../../src/sim/network.ts';
import { Simulation } from '../../src/sim/simulation.ts';
import { norm, plusScaled } from '../../src/solver/vector.ts';
import {
  changesFor,
  IDS,
  interventions,
  type Schedule,
  schedule,
  TABLES,
} from '../helpers/fault-schedules.ts';
import { planFor } from '../helpers/federation.ts';
import { branchError, treeError } from '../helpers/tree.ts';

/** KINDRED_SCHEDULES=100000 for the long run. */
const SCHEDULES = Number(process.env.KINDRED_SCHEDULES ?? 150);
const BRANCHES = ['shard-0', 'shard-1'];
const branchOf = (id: string) => `shard-${Number(id) % 2}`;

const branchCrash: fc.Arbitrary<Crash> = fc.record({
  node: fc.constantFrom(...BRANCHES, ...BRANCHES, 'coordinator'),
  step: fc.integer({ min: 1, max: 90 }),
  afterEffects: fc.integer({ min: 0, max: 3 }),
  downMs: fc.integer({ min: 0, max: 300 }),
});
const branchPartition: fc.Arbitrary<Partition> = fc
  .record({
    fromMs: fc.integer({ min: 0, max: 500 }),
    lengthMs: fc.integer({ min: 1, max: 300 }),
    who: fc.subarray(BRANCHES),
  })
  .map(({ fromMs, lengthMs, who }) => ({ fromMs, toMs: fromMs + lengthMs, participants: who }));

const tree = fc.record({
  plan: schedule.map((plan): Schedule => ({ ...plan, aggregation: 'answers', precision: 'f64' })),
  crashes: fc.array(branchCrash, { maxLength: 4 }),
  partitions: fc.array(branchPartition, { maxLength: 1 }),
});

test(`[TREE-2] [TREE-3] [TREE-4] [TREE-6] nothing is lost or doubled in a tree under ${SCHEDULES} random schedules of faults, and every run ends`, {
  timeout: 7_200_000,
}, () => {
  fc.assert(
    fc.property(tree, ({ plan, crashes, partitions }) => {
      const { objective, seed } = plan;
      const changes = changesFor(plan);
      const simulation = new Simulation({
        ...planFor(
          TABLES[objective],
          { objective, seed, passes: 6, testFraction: 0.25, c2: 0.5 },
          {
            ...changes,
            crashes: [...plan.crashes, ...crashes],
            partitions: [...plan.partitions, ...partitions],
          },
        ),
        branchOf,
      });
      try {
        checkRun(plan, simulation);
      } finally {
        for (const participant of simulation.participants.values()) participant.crash();
      }
    }),
    { numRuns: SCHEDULES },
  );
});

function checkRun(plan: Schedule, simulation: Simulation): void {
  const seen: { readonly row: RoundRow; readonly problem: string }[] = [];
  simulation.onRow = (row) => {
    const groups = [...simulation.coordinator.state!.members.values()].map(
      ({ id, behind }) => `${id} ${behind?.participants} ${behind?.renewed}`,
    );
    const problem = `${interventions(plan, simulation.queue.now)}: ${groups.join(', ')} but ${row.missing}`;
    seen.push({ row, problem });
  };
  for (const atMs of plan.moments)
    simulation.queue.at(atMs, () => expect(branchError(simulation)).toBeLessThanOrEqual(1e-9));
  for (let atMs = 10; atMs < 800; atMs += 10) simulation.queue.at(atMs, () => checkCounts(simulation));
  for (const atMs of plan.recounts)
    simulation.queue.at(atMs, () => simulation.coordinator.take({ type: 'recount', now: atMs }));
  simulation.run();
  expect(branchError(simulation)).toBeLessThanOrEqual(1e-9);
  for (const participant of simulation.participants.values())
    expect(participant.state?.phase).not.toBe('refused');
  const leavers = new Set(
    plan.deeds.flatMap(({ kind, participant }) => (kind === 'leave' ? participant : [])),
  );
  if (leavers.size < IDS.length - 1) {
    expect(simulation.coordinator.state?.phase).toBe('finished');
    expect(simulation.over).toBe(true);
    expect(treeError(simulation)).toBeLessThanOrEqual(1e-9);
  }
  for (const { state } of [simulation.coordinator, ...simulation.branches.values()])
    expect(state?.rejections.get('INFEASIBLE')).toBeUndefined();
  checkBounds(seen);
}

/** What is counted as members change is what a count of all of them gives. */
function checkCounts(simulation: Simulation): void {
  for (const { state } of [simulation.coordinator, ...simulation.branches.values()]) {
    if (state?.phase !== 'open') continue;
    const kept = { ...tallyOf(state) };
    expect(kept).toEqual(tallyOf({ ...state, tally: undefined }));
  }
}

/** While the groups are the same the lower bound never falls and the upper one never rises. */
function checkBounds(seen: readonly { readonly row: RoundRow; readonly problem: string }[]): void {
  const last = [...new Map(seen.map((one) => [one.row.round, one])).values()];
  for (let r = 1; r < last.length; r++) {
    const [{ row: before, problem }, { row: after, problem: now }] = [last[r - 1], last[r]];
    if (Number.isFinite(after.primal))
      expect(after.primal).toBeGreaterThanOrEqual(after.dual - 1e-9 * Math.abs(after.primal));
    if (problem !== now || !Number.isFinite(before.primal)) continue;
    expect(after.dual).toBeGreaterThanOrEqual(before.dual - 1e-9 * Math.abs(after.dual));
    expect(after.primal).toBeLessThanOrEqual(before.primal + 1e-9 * Math.abs(before.primal));
  }
}

const TABLE = makeHarLike({ participants: 12, rowsPerParticipant: 30, features: 8, seed: 3 });
const PLAN = planFor(
  TABLE,
  { gap: 1e-6, testFraction: 0 },
  { options: { retryMs: 1000, passes: 1000 }, untilMs: 1e6 },
);

test('a duplicate of an answer that a branch has summed up is ignored: nobody is refused, and nobody joins again', () => {
  const link = { delayMs: 5, jitterMs: 20, loss: 0, duplicate: 1 };
  const run = new Simulation({ ...PLAN, link, branchOf }).run();
  expect(run.rows.at(-1)).toMatchObject({ outcome: 'final' });
  for (const { state } of run.branches.values()) {
    expect(state?.rejections.get('STATE_MISMATCH')).toBeUndefined();
    expect([...state!.members.values()].every(({ session }) => session === 1)).toBe(true);
  }
});

test('a tree comes to the optimum of the federation without one, whatever the groups', () => {
  const flat = new Simulation(PLAN).run();
  const w = inquiryOf(flat.coordinator.state!)!.w;
  for (const branches of [1, 2, 5, 12]) {
    const run = new Simulation({ ...PLAN, branchOf: (id) => `shard-${Number(id) % branches}` }).run();
    expect(run.rows.at(-1)).toMatchObject({
      outcome: 'final',
      behind: { participants: 12, answered: 12, missing: 0, unanswered: 0 },
    });
    expect(run.rows.at(-1)!.relativeGap).toBeLessThanOrEqual(1e-6);
    const own = inquiryOf(run.coordinator.state!)!.w;
    expect(norm(plusScaled(own, -1, w)) / norm(w)).toBeLessThan(3e-3);
    expect(run.rows.at(-1)!.primal).toBeCloseTo(flat.rows.at(-1)!.primal, 3);
    expect(treeError(run)).toBeLessThan(1e-12);
  }
});

test('branches of branches: a tree of any depth comes to the same optimum, also when those in between crash', () => {
  const deep = { ...PLAN, ...DEEP };
  const flat = new Simulation(PLAN).run();
  const crashes = [
    { node: 'stem-0', step: 12, afterEffects: 1, downMs: 100 },
    { node: 'stem-1', step: 30, afterEffects: 0, downMs: 300 },
    { node: 'leaf-2', step: 40, afterEffects: 1, downMs: 50 },
  ];
  for (const plan of [
    deep,
    { ...deep, crashes, options: { ...PLAN.options, retryMs: 50, maxWaitMs: 3000 } },
  ]) {
    const run = new Simulation(plan).run();
    expect(run.over).toBe(true);
    expect(run.rows.at(-1)).toMatchObject({ outcome: 'final', behind: { participants: 12, missing: 0 } });
    expect(run.rows.at(-1)!.relativeGap).toBeLessThanOrEqual(1e-6);
    expect(run.rows.at(-1)!.primal).toBeCloseTo(flat.rows.at(-1)!.primal, 3);
  }
});

const DEEP = {
  branchOf: (id: string) => `leaf-${Number(id) % 4}`,
  parentOf: (branch: string) =>
    branch.startsWith('leaf') ? `stem-${Number(branch.slice(5)) % 2}` : undefined,
};

test('[TREE-9] a new deadline reaches every branch, through losses and crashes, and leaves its parent time', () => {
  const options = {
    ...PLAN.options,
    retryMs: 50,
    maxWaitMs: 3000,
    waiting: { kind: 'share', share: 1 } as const,
  };
  const timing = { waiting: { kind: 'benchmarks', quantile: 1, factor: 3 } as const, maxWaitMs: 400 };
  const crashes = [
    { node: 'stem-0', step: 40, afterEffects: 1, downMs: 100 },
    { node: 'leaf-2', step: 60, afterEffects: 1, downMs: 50 },
    { node: 'coordinator', step: 40, afterEffects: 0, downMs: 100 },
  ];
  const link = { ...PLAN.link, loss: 0.2 };
  const run = new Simulation({ ...PLAN, ...DEEP, options, crashes, link });
  let checked = 0;
  const checkDeadlines = () => {
    const above = (name: string) => {
      const parent = DEEP.parentOf(name);
      return parent === undefined ? run.coordinator.state : run.branches.get(parent)!.state;
    };
    for (const [name, { state }] of run.branches) {
      const parent = above(name);
      if (state?.phase !== 'open' || parent?.phase !== 'open' || state.round !== parent.round) continue;
      // Also where nobody answers: the round is over before the parent gives up on it.
      const last = state.openedMs + 0.9 * state.above!.order!.waitMs;
      expect(nextDeadline({ ...state, nowMs: Number.POSITIVE_INFINITY })).toBeLessThanOrEqual(last);
      expect(last).toBeLessThanOrEqual(parent.openedMs + parent.options.maxWaitMs);
      checked++;
    }
  };
  for (let atMs = 1; atMs < 3000; atMs += 7) run.queue.at(atMs, checkDeadlines);
  run.queue.at(120, () => run.coordinator.take({ type: 'timing', timing, now: 120 }));
  run.run();
  expect(run.over).toBe(true);
  expect(checked).toBeGreaterThan(20);
  expect(run.coordinator.state!.options).toMatchObject(timing);
  for (const { state, disk } of run.branches.values()) {
    expect(state!.options).toMatchObject(timing);
    expect(disk.run!.timing).toEqual(timing);
  }
});

test('[TREE-1] participants and branches send nothing but their own kinds of messages', () => {
  const run = new Simulation({ ...PLAN, branchOf }).run();
  const join = { kind: 'join', id: 'x', rows: 1, features: 8, benchmarkMs: 1, session: 1 } as const;
  const now = run.queue.now;
  const message = { ...join, base: 0, pending: 0, edition: 0 } as const;
  run.coordinator.take({ type: 'message', from: 'x', message, now });
  expect(run.coordinator.state!.rejections.get('INFEASIBLE')).toBe(1);
  const enlist = { kind: 'enlist', id: 'x', session: 1, features: 8, participants: 1000, rows: 5 } as const;
  const claimed = { ...enlist, base: 0, pending: 0, rounds: 0, edition: 0, settled: false } as const;
  const branch = run.branches.get('shard-0')!;
  branch.take({ type: 'message', from: 'x', message: claimed, now });
  expect(branch.state!.rejections.get('INFEASIBLE')).toBe(1);
});

test('[TREE-7] secure cohorts in branches: nobody above them sees more than their sums, and the optimum is the same', () => {
  const options = { ...PLAN.options, stop: { ...PLAN.options.stop, gap: 1e-3 } };
  const plain = new Simulation({ ...PLAN, options }).run();
  const declared = { classes: ['-1', '1'], positive: '1' };
  const secure = new Simulation({
    ...PLAN,
    options: { ...options, ...declared, secure: DEFAULT_SECURE },
    branchOf,
    transcript: 'on',
  }).run();
  expect(secure.rows.at(-1)).toMatchObject({ outcome: 'final', behind: { participants: 12, unanswered: 0 } });
  expect(secure.rows.at(-1)!.relativeGap).toBeLessThanOrEqual(1e-3);
  expect(secure.rows.at(-1)!.primal).toBeCloseTo(plain.rows.at(-1)!.primal, 0);
  expect(treeError(secure)).toBeLessThan(1e-6);
  const kinds = new Set(
    secure.transcript.entries.flatMap((entry) => ('about' in entry ? [entry.about?.kind] : [])),
  );
  expect(kinds).toContain('masked');
  expect(kinds).not.toContain('answer');
});

test('secure sums in a tree survive crashes of branches and of the root', { timeout: 600_000 }, () => {
  const options = { ...PLAN.options, retryMs: 40, maxWaitMs: 2000, classes: ['-1', '1'], positive: '1' };
  const stop = { ...options.stop, gap: 1e-2 };
  fc.assert(
    fc.property(fc.array(branchCrash, { minLength: 1, maxLength: 3 }), fc.nat(), (crashes, seed) => {
      const secure = { ...DEFAULT_SECURE, phaseMs: 300 };
      const run = new Simulation({
        ...PLAN,
        options: { ...options, stop, secure },
        ...{ branchOf, crashes, seed },
      }).run();
      expect(run.over).toBe(true);
      expect(run.rows.at(-1)!.relativeGap).toBeLessThanOrEqual(1e-2);
      expect(treeError(run)).toBeLessThan(1e-6);
    }),
    { numRuns: 12 },
  );
});

test('[TREE-5] [TREE-8] a root that has lost its store starts over, above all numbers of rounds that were used', () => {
  const run = new Simulation({ ...PLAN, options: { ...PLAN.options, retryMs: 100 }, branchOf }).run();
  const used = run.coordinator.state!.round;
  const again = new Simulation({ ...PLAN, options: { ...PLAN.options, retryMs: 100 }, branchOf });
  // The branches of the first run, with their participants, meet a root without a store.
  const [name, branch] = [...run.branches][0];
  again.coordinator.start();
  const enlist = { kind: 'enlist', id: name, session: 9, features: 8, participants: 6, rows: 180 } as const;
  const stored = { base: used, pending: 0, rounds: used, edition: 0, settled: true } as const;
  const root = again.coordinator.open();
  const sent: string[] = [];
  const effects = step(root.state, {
    type: 'message',
    from: name,
    message: { ...enlist, ...stored },
    now: 1,
  });
  for (const effect of effects) if (effect.type === 'send') sent.push(`${effect.message.kind} ${effect.to}`);
  expect(sent).toEqual([`reject ${name}`]);
  const forgotten = { kind: 'reject', code: 'FORGOTTEN', session: 0, message: 'start over' } as const;
  const below = step(branch.state!, { type: 'above', message: forgotten, now: run.queue.now });
  const told = below.flatMap((effect) => (effect.type === 'send' ? [effect.message] : []));
  expect(told.map((message) => message.kind === 'reject' && message.code)).toEqual(
    Array.from({ length: 6 }, () => 'FORGOTTEN'),
  );
  expect(branch.state).toMatchObject({ phase: 'gathering', round: used, scaling: undefined });
  // It enlists anew, and the root goes on above the numbers that it knows.
  const anew = { ...enlist, ...stored, base: 0, settled: false };
  step(root.state, { type: 'message', from: name, message: anew, now: 2 });
  const count = { count: 180, mean: new Float64Array(8), m2: new Float64Array(8).fill(1) };
  const moments = {
    kind: 'moments',
    ...count,
    target: undefined,
    labels: ['-1', '1'],
    positive: '1',
  } as const;
  Object.assign(root.state.options, { minParticipants: 1 });
  step(root.state, { type: 'message', from: name, message: moments, now: 3 });
  expect(root.state.round).toBeGreaterThan(used);
});
