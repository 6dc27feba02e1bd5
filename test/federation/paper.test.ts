/**
 * The training procedure of the paper (its section 3.1 and Algorithm 1), statement by statement, in our words, against the
 * real machines, with the rules that go by it: `safe` where nothing else is said, `sum` where the statement is about its sum. Where the
 * paper's own text is in error (docs/paper-errata.md) the corrected statement is tested.
 */
import { describe, expect, test } from 'vitest';
import { sharedPart } from '../../src/coordinator/training.ts';
import { encode } from '../../src/protocol/codec.ts';
import type { AnswerMessage } from '../../src/protocol/messages.ts';
import { drawPassMs, meanPassMs } from '../../src/sim/compute.ts';
import { HARDWARE } from '../../src/sim/participants.ts';
import { Simulation } from '../../src/sim/simulation.ts';
import { dot } from '../../src/solver/vector.ts';
import { type PlanChanges, planFor, TEST_COMPUTE } from '../helpers/federation.ts';
import { tableOf } from '../helpers/tables.ts';

const table = (participants = 2, rows = 12, d = 3) =>
  tableOf({ participants, rows, d, seed: 8, target: (x, k) => (x[0] + 0.3 * k * x[1] > 0.1 ? 1 : -1) });

function run(
  changes: PlanChanges = {},
  participants = 2,
  options: { rounds?: number; aggregation?: 'safe' | 'sum' } = {},
) {
  const train = {
    testFraction: 0,
    rounds: 4,
    passes: 5,
    gap: 0,
    seed: 3,
    c2: 0.5,
    aggregation: 'safe',
    ...options,
  } as const;
  return new Simulation(planFor(table(participants), train, { transcript: 'on', ...changes })).run();
}

/** A slow second participant and a waiting period that only the first one meets. */
const straggler: PlanChanges = {
  hardware: (k) => [1, 0.2][k],
  options: { straggler: 'restart', waiting: { kind: 'fixed', ms: 15 } },
};

const said = (simulation: Simulation, pattern: RegExp) =>
  simulation.transcript.entries.filter(
    ({ kind, from, to, text }) => kind === 'sent' && pattern.test(`${from} ${to} ${text}`),
  );

describe('section 3.1, the procedure', () => {
  test('in the beginning the coordinator sends the initial shared part, zero, with the parameters, to everybody', () => {
    const plan = planFor(table(), { testFraction: 0, rounds: 1, seed: 3, aggregation: 'sum' });
    const simulation = new Simulation(plan);
    const first: number[] = [];
    for (const node of simulation.participants.values()) {
      const take = node.take.bind(node);
      node.take = (input) => {
        if (input.type === 'message' && input.message.kind === 'round' && input.message.round === 1)
          first.push(...input.message.w);
        take(input);
      };
    }
    simulation.run();
    expect(first.length).toBe(2 * 4);
    expect(first.every((value) => value === 0)).toBe(true);
    for (const node of simulation.participants.values())
      expect(node.disk!.settings).toMatchObject({ c1: 1, c2: 1 });
  });

  test('what a participant shares is the change of its contribution; its personal part changes by 1/C2 of it', () => {
    const simulation = run({}, 2, { rounds: 1, aggregation: 'safe' });
    for (const member of simulation.coordinator.disk.members.values()) {
      const own = simulation.participants.get(member.id)!.disk!.committed!.u;
      expect([...member.known!.u]).toEqual([...own]);
      expect(dot(own, own)).toBeGreaterThan(0);
    }
  });

  test('the coordinator gathers answers for the waiting period and then computes the new shared part', () => {
    const simulation = run(straggler);
    const openings = said(simulation, /coordinator p0 round/).map(({ atMs }) => atMs);
    for (let r = 1; r < 4; r++) expect(openings[r] - openings[r - 1]).toBeCloseTo(15, 9);
  });

  test.each(['safe', 'sum'] as const)(
    'the new shared part is the old one plus the sum of the changes (corrected: not the sum alone): %s',
    (aggregation) => {
      const simulation = run({}, 2, { rounds: 3, aggregation });
      const w = sharedPart(simulation.coordinator.state!)!;
      for (let j = 0; j < w.length; j++) {
        let sum = 0;
        for (const node of simulation.participants.values()) sum += node.disk!.committed!.u[j];
        expect(w[j]).toBeCloseTo(sum, 12);
      }
    },
  );

  test('participants go on with the new shared part and their own personal part, until a stopping rule is met', () => {
    const simulation = run({}, 2, { aggregation: 'sum' });
    expect(simulation.rows.filter((row) => row.outcome === 'aggregated').length).toBe(4);
    expect(simulation.coordinator.state!.finish).toBe('rounds');
    const w = sharedPart(simulation.coordinator.state!)!;
    for (const node of simulation.participants.values()) expect([...node.disk!.model!.w]).toEqual([...w]);
  });

  test('computing delays are random, positive, and larger for more rows and more features', () => {
    const model = { ...TEST_COMPUTE, spread: 3 };
    const draws = (n: number, d: number) =>
      Array.from({ length: 400 }, (_, round) => drawPassMs(model, n, d, 1, { seed: 1, round, id: 'p' }));
    expect(Math.min(...draws(10, 10))).toBeGreaterThan(0);
    expect(new Set(draws(10, 10)).size).toBe(400);
    expect(meanPassMs(model, 20, 10)).toBeGreaterThan(meanPassMs(model, 10, 10));
    expect(meanPassMs(model, 10, 20)).toBeGreaterThan(meanPassMs(model, 10, 10));
  });

  test('delays of different participants are not correlated', () => {
    const draws = ['a', 'b'].map((id) =>
      Array.from({ length: 2000 }, (_, round) => drawPassMs(TEST_COMPUTE, 10, 10, 1, { seed: 1, round, id })),
    );
    const mean = draws.map((list) => list.reduce((sum, x) => sum + x, 0) / list.length);
    let [both, first, second] = [0, 0, 0];
    for (let i = 0; i < 2000; i++) {
      const [x, y] = [draws[0][i] - mean[0], draws[1][i] - mean[1]];
      both += x * y;
      first += x * x;
      second += y * y;
    }
    expect(Math.abs(both / Math.sqrt(first * second))).toBeLessThan(0.07);
  });

  test('the coordinator takes a constant time to sum', () => {
    const simulation = run({ options: { summationMs: 25 } });
    for (let round = 1; round <= 4; round++) {
      const updates = said(simulation, new RegExp(`answer to round ${round},`)).map(({ atMs }) => atMs);
      const [next] = said(simulation, new RegExp(`coordinator p0 round ${round + 1}`));
      expect(next.atMs - Math.max(...updates)).toBeCloseTo(25, 9);
    }
  });

  test('an answer that arrives during the summation is discarded, and acknowledged', () => {
    const simulation = run({
      hardware: (k) => [1, 0.6][k],
      options: { straggler: 'restart', waiting: { kind: 'fixed', ms: 6 }, summationMs: 40 },
    });
    expect(said(simulation, /coordinator p1 outcome of round 1: missed/).length).toBe(1);
    expect(simulation.coordinator.disk.members.get('p1')!.accepted.round).toBe(0);
  });

  test('whoever misses the waiting period gets the new shared part all the same', () => {
    const simulation = run(straggler);
    for (let round = 1; round <= 4; round++) {
      expect(said(simulation, new RegExp(`coordinator p1 round ${round},`)).length).toBe(1);
    }
  });

  test('whoever is still computing when the new shared part arrives drops the work and starts again', () => {
    const simulation = run(straggler);
    // But for the last look, in which nobody makes a step.
    expect(said(simulation, /p1 coordinator answer to round [1-4],/).length).toBe(0);
    // Its personal part is as it was: nothing of the dropped work stays.
    const { base, committed } = simulation.participants.get('p1')!.disk!;
    expect([base, ...committed!.u]).toEqual([0, 0, 0, 0, 0]);
  });

  test('outdated answers are never accumulated', () => {
    // Slow links instead of slow devices: answers are on their way when their round closes.
    const simulation = run({
      link: { delayMs: 10, jitterMs: 0, loss: 0, duplicate: 0 },
      options: { straggler: 'restart', waiting: { kind: 'fixed', ms: 22 } },
      hardware: (k) => [10, 1][k],
    });
    const late = said(simulation, /coordinator p1 outcome of round \d: missed/);
    expect(late.length).toBeGreaterThan(0);
    const accepted = simulation.coordinator.disk.members.get('p1')!.accepted.round;
    for (const { text } of late) expect(accepted).not.toBe(Number(/round (\d+)/.exec(text)![1]));
  });

  test('where everybody is waited for, a round closes with the last answer', () => {
    const simulation = run();
    const updates = said(simulation, /answer to round 1,/).map(({ atMs }) => atMs);
    const [second] = said(simulation, /coordinator p0 round 2/);
    expect(second.atMs).toBe(Math.max(...updates));
  });
});

describe('section 7, the set-up', () => {
  test('the waiting period can be taken from the benchmark times that participants report when they join', () => {
    const simulation = run({
      hardware: (k) => [1, 0.2][k],
      options: { straggler: 'restart', waiting: { kind: 'benchmarks', quantile: 0.5, factor: 3 } },
    });
    const benchmark = simulation.coordinator.state!.members.get('p0')!.benchmarkMs;
    const openings = said(simulation, /coordinator p0 round/).map(({ atMs }) => atMs);
    expect(openings[1] - openings[0]).toBeCloseTo(3 * benchmark, 9);
  });

  test('a hardware factor divides the delay; the paper lets it rise from 1 to 10', () => {
    const draw = { seed: 1, round: 1, id: 'p' };
    expect(drawPassMs(TEST_COMPUTE, 10, 10, 1, draw) / drawPassMs(TEST_COMPUTE, 10, 10, 4, draw)).toBeCloseTo(
      4,
      12,
    );
    expect(HARDWARE.rising(0, 20)).toBe(1);
    expect(HARDWARE.rising(19, 20)).toBe(10);
  });

  test('a participant that joins later gets the shared part at once, and its personal part starts at zero', () => {
    const simulation = run({ startMs: (id) => (id === 'p2' ? 12 : 0), options: { minParticipants: 2 } }, 3);
    const [welcome] = said(simulation, /coordinator p2 welcome/);
    const [round] = said(simulation, /coordinator p2 round/);
    expect(welcome.atMs).toBe(12);
    expect(round.atMs).toBe(12);
    expect(round.text).toMatch(/accepted 0/);
  });

  test('the load on the network depends on the dimension and the participants, not on their rows', () => {
    const bytes = [6, 60].map((rows) => {
      const plan = planFor(table(2, rows), { testFraction: 0, rounds: 4, passes: 2, gap: 0, seed: 3 });
      return new Simulation(plan).run().bytes;
    });
    expect(bytes[1]).toEqual(bytes[0]);
  });

  test('a round costs a participant at most 8d + 200 bytes up, and as many down', () => {
    for (const d of [1, 562]) {
      const u = new Float64Array(d).fill(0.1);
      const scalars = { loss: 1, dualSum: 1, uNorm2: 1, wDotU: 1 };
      const identity = { kind: 'answer', session: 1, round: 7, base: 6 } as const;
      const effort = { passes: 5, computeMs: 3 };
      const answer: AnswerMessage = { ...identity, ...effort, u, scalars, previous: undefined };
      expect(encode(answer, 'f64').length).toBeLessThanOrEqual(8 * d + 200);
      const round = {
        kind: 'round',
        session: 1,
        round: 8,
        best: 0,
        purpose: 'train',
        w: u,
        sigma: 1,
        tolerance: 1,
        waitMs: 1,
        accepted: { round: 7 },
        sendPrevious: false,
      } as const;
      expect(encode(round, 'f64').length).toBeLessThanOrEqual(8 * d + 200);
    }
  });
});

describe('stragglers', () => {
  test('with anytime a participant ten times too slow still contributes in every round', () => {
    const simulation = run({
      hardware: (k) => [1, 0.04][k],
      options: { straggler: 'anytime', waiting: { kind: 'fixed', ms: 12 } },
    });
    for (const row of simulation.rows) expect([...row.responders].sort()).toEqual(['p0', 'p1']);
    const slow = simulation.participants.get('p1')!.disk!.committed!.u;
    expect(dot(slow, slow)).toBeGreaterThan(0);
  });
});
