/** Secret sums under random schedules of faults: nothing is lost or doubled to the last bit, and no mask serves twice. */
import fc from 'fast-check';
import { beforeEach, expect, test, vi } from 'vitest';
import type { RoundRow } from '../../src/coordinator/round-row.ts';
import { Simulation } from '../../src/sim/simulation.ts';
import { changesFor, IDS, type Schedule, schedule, TABLES } from '../helpers/fault-schedules.ts';
import { securePlan, wrongEntries } from '../helpers/secure-federation.ts';
import { decode } from '../protocol/frames.ts';

/** How many random fault schedules: KINDRED_SECURE_SCHEDULES=1000 for the long run. */
const SCHEDULES = Number(process.env.KINDRED_SECURE_SCHEDULES ?? 80);

/** The rounds that a key of the keystream has masked a vector in. */
const roundsOfKey = new Map<string, Set<number>>();
let masking: number | undefined;

vi.mock('../../src/privacy/secure/prg.ts', async (original) => {
  const prg = await original<typeof import('../../src/privacy/secure/prg.ts')>();
  const noting = (apply: typeof prg.addMask) => (vector: Uint32Array, key: Uint8Array) => {
    if (masking !== undefined) {
      const name = Buffer.from(key).toString('hex');
      const rounds = roundsOfKey.get(name) ?? new Set();
      roundsOfKey.set(name, rounds.add(masking));
    }
    apply(vector, key);
  };
  return { addMask: noting(prg.addMask), subtractMask: noting(prg.subtractMask) };
});

vi.mock('../../src/privacy/secure/masking.ts', async (original) => {
  const real = await original<typeof import('../../src/privacy/secure/masking.ts')>();
  const maskVector: typeof real.maskVector = (words, seat, present, selfMask, round, question) => {
    masking = round;
    real.maskVector(words, seat, present, selfMask, round, question);
    masking = undefined;
  };
  return { ...real, maskVector };
});

beforeEach(() => roundsOfKey.clear());

function simulationOf(plan: Schedule): Simulation {
  const { objective, seed } = plan;
  const changes = changesFor(plan);
  const secure = securePlan(
    TABLES[objective],
    { objective, seed, passes: 6, testFraction: 0.25, c2: 0.5 },
    { ...changes, options: { ...changes.options, secure: { phaseMs: 120 } } },
  );
  // All but the last report how they do, on whatever rows.
  const participants = secure.participants.map((one, k) =>
    k < REPORTERS ? { ...one, tests: { x: one.x, y: one.y } } : one,
  );
  return new Simulation({ ...secure, participants });
}

const REPORTERS = 3;

/** What is shown of reports is a sum over those who were counted: all three, or nothing. */
function checkTests({ tests, outcome }: RoundRow): void {
  if (!tests) return;
  expect(tests.participants).toBe(REPORTERS);
  expect(outcome).not.toBe('abandoned');
  const { mean, spread, worst } = tests.own;
  expect(worst).toBeNull();
  expect(mean).toBeGreaterThanOrEqual(0);
  if (tests.metric === 'balancedAccuracy') expect(mean).toBeLessThanOrEqual(1);
  expect(spread).toBeGreaterThanOrEqual(0);
}

/** Every masked vector that reached the coordinator, by sender and round. */
function listen(simulation: Simulation): Map<string, Set<string>> {
  const heard = new Map<string, Set<string>>();
  const node = simulation.coordinator;
  const receive = node.receive.bind(node);
  node.receive = (from, frame) => {
    const message = decode(frame);
    if (message.kind === 'masked') {
      const name = `${from} in round ${message.round}`;
      const vectors = heard.get(name) ?? new Set();
      heard.set(name, vectors.add(Buffer.from(message.vector).toString('hex')));
    }
    receive(from, frame);
  };
  return heard;
}

test(`[SECURE-5] [SECURE-16] [ACCEPT-7] U is the sum of all u bit for bit under ${SCHEDULES} random schedules, and no mask is used twice`, {
  timeout: 3_600_000,
}, () => {
  let [sums, reported] = [0, 0];
  fc.assert(
    fc.property(schedule, (plan) => {
      roundsOfKey.clear();
      const simulation = simulationOf(plan);
      const heard = listen(simulation);
      simulation.onRow = (row) => {
        if (row.outcome === 'aggregated') sums++;
        if (row.tests) reported++;
        checkTests(row);
        expect(wrongEntries(simulation)).toBe(0);
      };
      try {
        check(plan, simulation.run());
        for (const [name, vectors] of heard) expect([name, vectors.size]).toEqual([name, 1]);
        for (const rounds of roundsOfKey.values()) expect(rounds.size).toBe(1);
      } finally {
        for (const participant of simulation.participants.values()) participant.crash();
      }
    }),
    { numRuns: SCHEDULES },
  );
  expect(sums).toBeGreaterThan(2 * SCHEDULES);
  expect(reported).toBeGreaterThan(SCHEDULES / 2);
});

function check(plan: Schedule, simulation: Simulation): void {
  const { coordinator, participants } = simulation;
  const leavers = new Set(
    plan.deeds.filter(({ kind }) => kind === 'leave').map(({ participant }) => participant),
  );
  if (leavers.size < IDS.length - 1) expect(coordinator.state?.phase).toBe('finished');
  for (const participant of participants.values()) expect(participant.state?.phase).not.toBe('refused');
  expect(wrongEntries(simulation)).toBe(0);
}
