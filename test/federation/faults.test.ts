import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { RoundRow } from '../../src/coordinator/round-row.ts';
import { inquiryOf, modelOf } from '../../src/coordinator/training.ts';
import { Simulation } from '../../src/sim/simulation.ts';
import {
  changesFor,
  IDS,
  interventions,
  type Schedule,
  schedule,
  TABLES,
} from '../helpers/fault-schedules.ts';
import { conservationError, planFor } from '../helpers/federation.ts';

/** How many random fault schedules: KINDRED_SCHEDULES=100000 for the long run. */
const SCHEDULES = Number(process.env.KINDRED_SCHEDULES ?? 2000);

/** A row, and whom its bounds are about: the problem that they bound. */
interface Seen {
  readonly row: RoundRow;
  readonly covered: string;
}

test(`[ACCEPT-7] [RETRY-2] nothing is lost or doubled under ${SCHEDULES} random schedules of faults, and every run ends`, {
  timeout: 7_200_000,
}, () => {
  fc.assert(
    fc.property(schedule, (plan) => {
      const { objective, aggregation, precision, seed } = plan;
      const changes = changesFor(plan);
      const simulation = new Simulation(
        planFor(
          TABLES[objective],
          { objective, aggregation, seed, passes: 6, testFraction: 0.25, c2: 0.5 },
          { ...changes, options: { ...changes.options, precision } },
        ),
      );
      try {
        check(plan, simulation, watched(plan, simulation));
      } finally {
        for (const participant of simulation.participants.values()) participant.crash();
      }
    }),
    { numRuns: SCHEDULES },
  );
});

/** Runs it, looks at conservation at the moments of the plan, and keeps the rows. */
function watched(plan: Schedule, simulation: Simulation): Seen[] {
  const seen: Seen[] = [];
  simulation.onRow = (row) => {
    const state = simulation.coordinator.state!;
    const covered = [...state.members.values()].filter(({ id }) => !row.missing.includes(id));
    const names = covered.map(({ id, index, edition }) => `${id} ${index} ${edition}`);
    seen.push({ row, covered: `${interventions(plan, simulation.queue.now)}: ${names.sort().join(', ')}` });
  };
  for (const atMs of plan.moments) {
    simulation.queue.at(atMs, () => expect(conservationError(simulation)).toBeLessThanOrEqual(1e-9));
  }
  for (const atMs of plan.recounts) {
    simulation.queue.at(atMs, () => simulation.coordinator.take({ type: 'recount', now: atMs }));
  }
  simulation.run();
  return seen;
}

function check(plan: Schedule, simulation: Simulation, seen: readonly Seen[]): void {
  const { rows, coordinator, participants } = simulation;
  const leavers = new Set(
    plan.deeds.filter(({ kind }) => kind === 'leave').map(({ participant }) => participant),
  );
  for (const participant of participants.values()) expect(participant.state?.phase).not.toBe('refused');
  expect(conservationError(simulation)).toBeLessThanOrEqual(1e-9);
  // The run ends and everybody knows, unless everybody has left.
  if (leavers.size < IDS.length - 1) {
    expect(coordinator.state?.phase).toBe('finished');
    expect(simulation.over).toBe(true);
    checkModels(plan, simulation);
  }
  // Nobody lies here: what is checked of an answer must hold under all faults.
  expect(coordinator.state?.rejections.get('INFEASIBLE')).toBeUndefined();
  // Numbers are rounded to single precision on the way: the bounds hold to that only.
  if (plan.precision === 'f64') checkBounds(plan, seen);
  for (let r = 1; r < rows.length; r++) expect(rows[r].round).toBeGreaterThanOrEqual(rows[r - 1].round);
}

/**
 * Whoever rests has a model of its own; it is that of all, unless frames were lost: one who rests does not ask, and without a new
 * connection does not hear that training has gone on and come to rest again.
 */
function checkModels(plan: Schedule, { coordinator, participants }: Simulation): void {
  const state = coordinator.state!;
  if (!inquiryOf(state) || !state.round) return;
  const { w } = modelOf(state)!;
  const asSent = state.options.precision === 'f32' ? w.map(Math.fround) : w;
  for (const { id, disk, state: own } of participants.values()) {
    if (own?.phase !== 'finished' || state.members.get(id)?.presence !== 'here') continue;
    expect(disk!.model!.u).toBeDefined();
    if (plan.link.loss === 0 && plan.partitions.length === 0) expect(disk!.model!.w).toEqual(asSent);
  }
}

/** While the same members are covered the lower bound never falls, but under the paper's rule, and with answers the upper one never rises. */
function checkBounds({ aggregation }: Schedule, seen: readonly Seen[]): void {
  // A crash between the row and the store: the round was open again, and only its last row counts.
  const last = new Map(seen.map((one) => [one.row.round, one]));
  const certified = [...last.values()].filter(({ row }) => row.certified);
  for (let r = 1; r < certified.length; r++) {
    const [{ row: before, covered }, { row: after, covered: now }] = [certified[r - 1], certified[r]];
    const slack = 1e-9 * Math.abs(after.primal);
    if (Number.isFinite(after.primal)) expect(after.primal).toBeGreaterThanOrEqual(after.dual - slack);
    if (covered !== now) continue;
    const known = Number.isFinite(before.primal);
    if (known && aggregation !== 'sum')
      expect(after.dual).toBeGreaterThanOrEqual(before.dual - 1e-9 * Math.abs(after.dual));
    if (aggregation === 'answers' && known)
      expect(after.primal).toBeLessThanOrEqual(before.primal + 1e-9 * Math.abs(before.primal));
  }
}
