/** Stores that come back as they were some time ago: of the coordinator, of single branches of a tree, or of all of them. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { CoordinatorNode } from '../../src/sim/coordinator-node.ts';
import { Simulation, type SimulationPlan } from '../../src/sim/simulation.ts';
import { sentPart } from '../../src/solver/member.ts';
import { norm, plusScaled } from '../../src/solver/vector.ts';
import { changesFor, type Schedule, schedule, TABLES } from '../helpers/fault-schedules.ts';
import { planFor } from '../helpers/federation.ts';

/** KINDRED_SCHEDULES=100000 for the long run. */
const SCHEDULES = Number(process.env.KINDRED_SCHEDULES ?? 150);
const MOST_EVENTS = 200_000;
/** After which everybody has noticed. */
const NOTICED_MS = 3000;

interface Loss {
  /** When the copy is made that a store is replaced by, and when that happens. */
  readonly copyMs: number;
  readonly lostMs: number;
  readonly who: readonly string[];
}

const lossOf = (nodes: readonly string[]): fc.Arbitrary<Loss> =>
  fc
    .record({
      copyMs: fc.integer({ min: 1, max: 500 }),
      afterMs: fc.integer({ min: 1, max: 800 }),
      who: fc.subarray([...nodes], { minLength: 1 }),
    })
    .map(({ copyMs, afterMs, who }) => ({ copyMs, lostMs: copyMs + afterMs, who }));

/** Training by steps is not covered: a step from a state that is lost cannot be told from one that is not. Who has left knows of no rollback. */
const plan = schedule.map(
  (one): Schedule => ({ ...one, deeds: [], precision: 'f64', aggregation: 'answers' }),
);

type Shape = Partial<Pick<SimulationPlan, 'branchOf' | 'parentOf'>>;

function simulate(schedule: Schedule, losses: readonly Loss[], shape: Shape = {}): Simulation {
  const { objective, seed, aggregation } = schedule;
  const train = { objective, seed, aggregation, passes: 6, testFraction: 0.25, c2: 0.5 };
  const plan = planFor(TABLES[objective], train, changesFor(schedule));
  const simulation = new Simulation({ ...plan, ...shape });
  const nodes = new Map<string, CoordinatorNode>([
    [simulation.coordinator.role.name, simulation.coordinator],
    ...simulation.branches,
  ]);
  for (const { copyMs, lostMs, who } of losses) {
    const hit = who.map((name) => nodes.get(name)!);
    simulation.queue.at(copyMs, () => {
      const backups = hit.map((node) => node.backup());
      simulation.queue.at(lostMs, () => {
        for (const [i, node] of hit.entries()) node.restore(backups[i]);
      });
    });
  }
  const first = Math.min(...losses.map(({ lostMs }) => lostMs));
  for (const node of nodes.values()) simulation.queue.at(first, () => node.greet(simulation.below(node)));
  const last = Math.max(...losses.map(({ lostMs }) => lostMs));
  let events = 0;
  return simulation.runUntil(() => {
    // Both sides may be right and never agree.
    expect(++events).toBeLessThan(MOST_EVENTS);
    return simulation.over && simulation.queue.now > last + NOTICED_MS;
  });
}

/** Training rests, nobody has given up, and what participants have stored adds up to what the root has. */
function checkEnd({ coordinator, participants, over }: Simulation): void {
  expect(coordinator.state?.phase).toBe('finished');
  expect(over).toBe(true);
  for (const { state } of participants.values()) expect(state?.phase).not.toBe('refused');
  const { u } = coordinator.disk.run!.inquiry!;
  let rest = u;
  for (const { disk } of participants.values())
    if (disk?.committed) rest = plusScaled(rest, -1, sentPart(disk.committed).u);
  expect(norm(rest) / Math.max(norm(u), 1e-6)).toBeLessThanOrEqual(1e-9);
}

function checkAll(nodes: readonly string[], shape: Shape): void {
  fc.assert(
    fc.property(plan, fc.array(lossOf(nodes), { minLength: 1, maxLength: 2 }), (one, losses) => {
      const simulation = simulate(one, losses, shape);
      try {
        checkEnd(simulation);
      } finally {
        for (const participant of simulation.participants.values()) participant.crash();
      }
    }),
    { numRuns: SCHEDULES },
  );
}

const leafOf = (id: string) => `leaf-${Number(id) % 2}`;
const parentOf = (branch: string) => (branch.startsWith('leaf') ? 'stem' : undefined);
const ROOT = 'coordinator';
const LEAVES = ['leaf-0', 'leaf-1'];

test.each([
  ['of a coordinator', [ROOT], {}],
  ['of the root of a tree, of single branches, or all', [ROOT, ...LEAVES], { branchOf: leafOf }],
  ['in a tree of three levels', [ROOT, 'stem', ...LEAVES], { branchOf: leafOf, parentOf }],
] as const)(
  `[JOIN-10] [JOIN-11] [JOIN-12] [TREE-8] [TREE-10] a store %s is rolled back: training goes on with those who are ahead of it, under ${SCHEDULES} schedules of faults`,
  { timeout: 7_200_000 },
  (_, nodes, shape) => checkAll(nodes, shape),
);
