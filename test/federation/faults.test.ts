import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Simulation } from '../../src/sim/index.ts';
import { changesFor, IDS, type Schedule, schedule, TABLES } from '../helpers/fault-schedules.ts';
import { conservationError, planFor } from '../helpers/federation.ts';

/** How many random fault schedules: KINDRED_SCHEDULES=100000 for the long run. */
const SCHEDULES = Number(process.env.KINDRED_SCHEDULES ?? 2000);

function simulate(plan: Schedule): Simulation {
  const { objective, aggregation, precision, seed } = plan;
  const changes = changesFor(plan);
  return new Simulation(
    planFor(
      TABLES[objective],
      { objective, aggregation, seed, passes: 6, testFraction: 0.25, c2: 0.5 },
      { ...changes, options: { ...changes.options, precision } },
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
