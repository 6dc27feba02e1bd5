/** Branches that restart, stand empty or are too small for a cohort: the others neither wait for them nor are misled by them. */
import { expect, test } from 'vitest';
import { DEFAULT_SECURE } from '../../src/coordinator/options.ts';
import { makeHarLike } from '../../src/data/generate-har.ts';
import { Simulation, type SimulationPlan } from '../../src/sim/simulation.ts';
import { type PlanChanges, planFor } from '../helpers/federation.ts';

const TABLE = makeHarLike({ participants: 12, rowsPerParticipant: 30, features: 8, seed: 3 });
const MAX_WAIT_MS = 60_000;
/** What happens by waiting for a deadline takes longer. */
const AT_ONCE_MS = MAX_WAIT_MS / 4;

function plan(options: PlanChanges['options'] = {}): SimulationPlan {
  return planFor(
    TABLE,
    { gap: 1e-6, testFraction: 0 },
    {
      options: { retryMs: 50, passes: 1000, maxWaitMs: MAX_WAIT_MS, minParticipants: 10, ...options },
      untilMs: 1e6,
    },
  );
}

/** `act` at the first moment when `condition` holds. */
function when(simulation: Simulation, condition: () => boolean, act: () => void): void {
  const { queue } = simulation;
  const look = () => (condition() ? act() : queue.at(queue.now + 0.05, look));
  queue.at(0, look);
}

test('a branch that has stored a newcomer in an open round, and restarts, answers that round', () => {
  const late = '3';
  const simulation = new Simulation({
    ...plan(),
    branchOf: (id) => `shard-${Number(id) % 2}`,
    startMs: (id) => (id === late ? 1e8 : 0),
  });
  const shard = simulation.branches.get('shard-1')!;
  const isOpen = () => shard.state?.phase === 'open' && shard.state.round >= 3;
  when(simulation, isOpen, () => simulation.participants.get(late)!.start());
  when(
    simulation,
    () => isOpen() && shard.state!.members.has(late),
    () => {
      shard.crash();
      simulation.queue.at(simulation.queue.now + 10, () => shard.start());
    },
  );
  simulation.run();
  expect(simulation.over).toBe(true);
  expect(simulation.coordinator.state?.finish).toBe('gap');
  expect(simulation.rows.at(-1)!.behind).toMatchObject({ participants: 12, missing: 0 });
  expect(simulation.queue.now).toBeLessThan(AT_ONCE_MS);
});

test('a branch whose participants are all away does not hold up the others', () => {
  const only = '3';
  const simulation = new Simulation({ ...plan(), branchOf: (id) => (id === only ? 'shard-1' : 'shard-0') });
  when(
    simulation,
    () => (simulation.coordinator.state?.round ?? 0) >= 3,
    () => {
      simulation.participants.get(only)!.crash();
      simulation.branches.get('shard-1')!.take({ type: 'away', id: only, now: simulation.queue.now });
    },
  );
  simulation.runUntil(() => simulation.coordinator.state?.phase === 'finished');
  expect(simulation.coordinator.state?.finish).toBe('gap');
  expect(simulation.rows.at(-1)!.behind).toMatchObject({ participants: 11, missing: 1 });
  expect(simulation.queue.now).toBeLessThan(AT_ONCE_MS);
});

test('a branch in between that restarts while those behind it become fewer says so: the bounds hold', () => {
  const simulation = new Simulation({
    ...plan({ maxWaitMs: 2000, minParticipants: 12, stop: { ...plan().options.stop, gap: 1e-9 } }),
    branchOf: (id) => `leaf-${Number(id) % 4}`,
    parentOf: (branch) =>
      branch.startsWith('leaf') ? `stem-${Number(branch.slice('leaf-'.length)) % 2}` : undefined,
  });
  const stem = simulation.branches.get('stem-1')!;
  const gone = ['1', '5'];
  when(
    simulation,
    () => (simulation.coordinator.state?.round ?? 0) >= 9,
    () => {
      const { now } = simulation.queue;
      stem.crash();
      simulation.queue.at(now + 3, () => stem.start());
      for (const id of gone) {
        simulation.branches.get('leaf-1')!.take({ type: 'forget', id, now });
        simulation.participants.get(id)!.crash();
      }
    },
  );
  simulation.runUntil(() => simulation.coordinator.state?.phase === 'finished');
  expect(simulation.coordinator.state?.finish).toBe('gap');
  for (const { primal, dual } of simulation.rows)
    expect(primal).toBeGreaterThanOrEqual(dual - 1e-9 * Math.abs(dual));
  expect(simulation.rows.at(-1)!.behind).toMatchObject({ participants: 12 - gone.length, missing: 0 });
});

test('with secure aggregation each branch sums its own, however many answers the root asks for', () => {
  const secure = { secure: DEFAULT_SECURE, classes: ['-1', '1'], positive: '1' };
  const simulation = new Simulation({
    ...plan({ ...secure, minParticipants: 12, minResponses: 8, stop: { ...plan().options.stop, gap: 1e-3 } }),
    branchOf: (id) => `shard-${Number(id) % 2}`,
  }).run();
  expect(simulation.over).toBe(true);
  expect(simulation.coordinator.state?.finish).toBe('gap');
  expect(simulation.rows.at(-1)!.behind).toMatchObject({ participants: 12 });
});

test('a branch of one has no cohort: it neither holds up secure rounds nor keeps its process busy', () => {
  const secure = { secure: DEFAULT_SECURE, classes: ['-1', '1'], positive: '1' };
  const only = '3';
  const simulation = new Simulation({
    ...plan({ ...secure, minParticipants: 8, stop: { ...plan().options.stop, gap: 1e-3 } }),
    branchOf: (id) => (id === only ? 'shard-1' : 'shard-0'),
  });
  simulation.runUntil(() => simulation.coordinator.state?.phase === 'finished');
  expect(simulation.coordinator.state?.finish).toBe('gap');
  const { participants } = simulation.rows.at(-1)!.behind!;
  expect(participants).toBe(11);
  // The start waits for the moments of everybody, up to the longest wait; rounds do not.
  expect(simulation.queue.now).toBeLessThan(MAX_WAIT_MS + AT_ONCE_MS);
  expect(simulation.branches.get('shard-1')!.state!.round).toBeLessThan(200);
});
