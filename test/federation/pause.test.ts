/** The operator pauses and resumes: nothing closes meanwhile, nothing is lost, and training goes on from where it was. */

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { step } from '../../src/coordinator/machine.ts';
import { restoreCoordinator } from '../../src/coordinator/stored.ts';
import type { RoundMessage } from '../../src/protocol/messages.ts';
import type { Operation } from '../../src/sim/faults.ts';
import { Simulation, type SimulationPlan } from '../../src/sim/simulation.ts';
import { answer, Bench, sentTo } from '../helpers/coordinator-bench.ts';
import { changesFor, IDS, type Schedule, schedule, TABLES } from '../helpers/fault-schedules.ts';
import { conservationError, planFor } from '../helpers/federation.ts';
import { securePlan, wrongEntries } from '../helpers/secure-federation.ts';

const FIXED = { waiting: { kind: 'fixed', ms: 100 } } as const;

describe('while it is paused', () => {
  test('the open round takes answers and does not close; it closes when training is resumed', () => {
    const bench = new Bench();
    bench.gather('a', 'b');
    bench.say('a', answer(1, 0));
    bench.tell({ type: 'pause' });
    bench.say('b', answer(1, 0));
    bench.say('b', { kind: 'leave', session: 1 });
    expect(bench.state).toMatchObject({ phase: 'open', round: 1, paused: true });
    const effects = bench.tell({ type: 'resume' });
    expect(bench.state).toMatchObject({ phase: 'summing', paused: false });
    // Whoever has answered is not asked again.
    expect(effects.map(({ type }) => type)).toEqual(['persist', 'timer', 'summation']);
  });

  test('no deadline passes and no timer says anything; the waiting period begins anew', () => {
    const bench = new Bench({ ...FIXED, retryMs: 30 });
    bench.gather('a', 'b');
    bench.say('a', answer(1, 0));
    bench.now = 60;
    bench.tell({ type: 'pause' });
    for (bench.now = 90; bench.now < 5000; bench.now += 300)
      expect(bench.tell({ type: 'timer' })).toEqual([]);
    const effects = bench.tell({ type: 'resume' });
    expect(sentTo(effects, 'a')).toEqual([]);
    expect(sentTo(effects, 'b')).toMatchObject([{ kind: 'round', round: 1, waitMs: 100 }]);
    bench.now += 99;
    bench.tell({ type: 'timer' });
    expect(bench.state.phase).toBe('open');
    bench.now += 1;
    bench.tell({ type: 'timer' });
    expect(bench.state.phase).toBe('summing');
  });

  test('training does not start', () => {
    const bench = new Bench();
    bench.tell({ type: 'pause' });
    bench.gather('a', 'b');
    bench.now = 1e6;
    bench.tell({ type: 'timer' });
    expect(bench.state).toMatchObject({ phase: 'gathering', measured: 2 });
    bench.tell({ type: 'resume' });
    expect(bench.state).toMatchObject({ phase: 'open', round: 1 });
  });

  test('the gathering waits as long as ever after it: for whoever joins and falls silent, too', () => {
    const bench = new Bench({ minParticipants: 1 });
    bench.join('silent');
    bench.tell({ type: 'pause' });
    bench.gather('a');
    bench.now = 5000;
    expect(bench.tell({ type: 'resume' })).toContainEqual({ type: 'timer', atMs: 6000 });
    expect(bench.state.phase).toBe('gathering');
    bench.now = 6000;
    bench.tell({ type: 'timer' });
    expect(bench.state.phase).toBe('open');
  });

  test('a newcomer is welcomed, and has the whole waiting period for the open round', () => {
    const bench = new Bench(FIXED);
    bench.gather('a', 'b');
    bench.tell({ type: 'pause' });
    bench.now = 400;
    expect(sentTo(bench.join('c'), 'c')).toMatchObject([
      { kind: 'welcome' },
      { kind: 'round', round: 1, waitMs: 100 },
    ]);
  });

  test('a summation that was under way is completed; the next round opens and does not close', () => {
    const bench = new Bench({ summationMs: 50 });
    bench.gather('a', 'b');
    bench.say('a', answer(1, 0));
    bench.say('b', answer(1, 0));
    bench.tell({ type: 'pause' });
    bench.tell({ type: 'summed' });
    expect(bench.state).toMatchObject({ phase: 'open', round: 2, aggregated: 1 });
    bench.answer('a', 'b');
    expect(bench.state).toMatchObject({ phase: 'open', round: 2 });
    expect([...bench.state.members.values()].every(({ answered }) => answered)).toBe(true);
  });

  test('somebody can be forgotten, which opens the next round, and the operator can end the run', () => {
    const bench = new Bench();
    bench.gather('a', 'b', 'c');
    bench.tell({ type: 'pause' });
    bench.take(step(bench.state, { type: 'forget', id: 'c', now: 3 }));
    expect(bench.state).toMatchObject({ phase: 'open', round: 2, paused: true });
    const effects = bench.tell({ type: 'finish' });
    expect(sentTo(effects, 'a')).toMatchObject([{ kind: 'finish', reason: 'operator' }]);
    expect(bench.state).toMatchObject({ phase: 'finished', paused: false });
  });
});

test('twice is once: pausing what is paused, resuming what is running, either when it is over', () => {
  const bench = new Bench();
  bench.gather('a', 'b');
  expect(bench.tell({ type: 'resume' })).toEqual([]);
  expect(bench.tell({ type: 'pause' })).toMatchObject([
    { type: 'persist', changes: { run: { paused: true } } },
  ]);
  bench.now = 50;
  expect(bench.tell({ type: 'pause' })).toEqual([]);
  expect(bench.state.pausedMs).toBe(0);
  bench.tell({ type: 'finish' });
  expect(bench.tell({ type: 'pause' })).toEqual([]);
  expect(bench.tell({ type: 'resume' })).toEqual([]);
});

test('the time of a pause is not the time of training', () => {
  const bench = new Bench({ stop: { gap: 0, rounds: 99, timeMs: 1000, stall: 99 }, summationMs: 10 });
  const answerAt = (now: number) => {
    bench.now = now;
    bench.answer('a', 'b');
  };
  bench.gather('a', 'b');
  answerAt(100);
  expect(bench.state.phase).toBe('summing');
  bench.tell({ type: 'pause' });
  bench.now = 5000;
  bench.tell({ type: 'summed' });
  bench.tell({ type: 'resume' });
  answerAt(5890);
  bench.tell({ type: 'summed' });
  expect(bench.state).toMatchObject({ phase: 'open', round: 3 });
  answerAt(5910);
  bench.tell({ type: 'summed' });
  expect(bench.state).toMatchObject({ phase: 'finished', finish: 'time' });
});

describe('a crash', () => {
  test('while it is paused leaves it paused: nothing is said, answers are taken, and resuming opens the round again', () => {
    const bench = new Bench(FIXED);
    bench.gather('a', 'b');
    bench.say('a', answer(1, 0));
    bench.tell({ type: 'pause' });
    bench.now = 700;
    expect(bench.crashAndRestart()).toEqual([]);
    expect(bench.state).toMatchObject({ phase: 'open', round: 1, paused: true });
    // Said again by a, who has not heard what became of it.
    bench.say('a', answer(1, 0));
    bench.say('b', answer(1, 0));
    expect(bench.state.phase).toBe('open');
    bench.tell({ type: 'resume' });
    expect(bench.state.phase).toBe('summing');
    expect(bench.disk.run!.paused).toBeUndefined();
  });

  test('in a summation while it is paused opens its round again, and keeps it open', () => {
    const bench = new Bench({ summationMs: 50 });
    bench.gather('a', 'b');
    bench.say('a', answer(1, 0));
    bench.say('b', answer(1, 0));
    bench.tell({ type: 'pause' });
    bench.crashAndRestart();
    expect(bench.state).toMatchObject({ phase: 'open', round: 1, paused: true });
    bench.tell({ type: 'resume' });
    expect(bench.state).toMatchObject({ phase: 'open', round: 1, paused: false });
  });

  test('a store that knows of no pauses is of a run that is not paused', () => {
    const bench = new Bench();
    bench.gather('a', 'b');
    expect(bench.disk.run).not.toHaveProperty('paused');
    expect(restoreCoordinator(bench.options, bench.disk.run!, bench.disk.members.values()).paused).toBe(
      false,
    );
  });
});

/** Ends in orders to resume, more than there are crashes that could swallow them. */
const RESUMED: readonly Operation[] = [1500, 2500, 3500, 4500, 5500, 6500].map((atMs) => ({
  atMs,
  kind: 'resume',
}));
const pauses: fc.Arbitrary<Operation[]> = fc.array(
  fc.record({ atMs: fc.integer({ min: 1, max: 900 }), kind: fc.constantFrom('pause', 'resume') }),
  { minLength: 1, maxLength: 5 },
);

/** Runs it, and sees to it that at most the summation that was under way closes a round in one pause. */
function run(plan: SimulationPlan, pausing: readonly Operation[]): Simulation {
  const simulation = new Simulation({ ...plan, deeds: [...plan.deeds, ...pausing, ...RESUMED] });
  const closings = new Map<number, number>();
  simulation.onRow = () => {
    const { paused, pausedMs } = simulation.coordinator.state!;
    if (!paused) return;
    closings.set(pausedMs, (closings.get(pausedMs) ?? 0) + 1);
    expect(closings.get(pausedMs)).toBe(1);
  };
  try {
    return simulation.run();
  } finally {
    for (const participant of simulation.participants.values()) participant.crash();
  }
}

function trainFor({ objective, aggregation, seed }: Schedule) {
  return { objective, aggregation, seed, passes: 6, testFraction: 0.25, c2: 0.5 } as const;
}

function checkEnd(plan: Schedule, { coordinator }: Simulation): void {
  const leavers = new Set(plan.deeds.filter(({ kind }) => kind === 'leave').map((deed) => deed.participant));
  if (leavers.size < IDS.length - 1)
    expect(coordinator.state).toMatchObject({ phase: 'finished', paused: false });
}

test('pauses among all other faults: nothing is lost or doubled, and every run ends', {
  timeout: 600_000,
}, () => {
  fc.assert(
    fc.property(schedule, pauses, (plan, pausing) => {
      const changes = changesFor(plan);
      const { precision } = plan;
      const options = { ...changes.options, precision };
      const simulation = run(
        planFor(TABLES[plan.objective], trainFor(plan), { ...changes, options }),
        pausing,
      );
      checkEnd(plan, simulation);
      expect(conservationError(simulation)).toBeLessThanOrEqual(1e-9);
    }),
    { numRuns: 400 },
  );
});

test('the same where sums are secret: w is the sum of all u bit for bit', { timeout: 600_000 }, () => {
  fc.assert(
    fc.property(schedule, pauses, (plan, pausing) => {
      const changes = changesFor(plan);
      const options = { ...changes.options, secure: { phaseMs: 120 } };
      const train = { ...trainFor(plan), aggregation: 'answers' } as const;
      const simulation = run(securePlan(TABLES[plan.objective], train, { ...changes, options }), pausing);
      checkEnd(plan, simulation);
      expect(wrongEntries(simulation)).toBe(0);
    }),
    { numRuns: 40 },
  );
});

test('a paused and resumed run comes to the gap that was asked for, also when the coordinator crashes', () => {
  const quiet = schedule.map(
    (plan): Schedule => ({
      ...plan,
      aggregation: 'answers',
      precision: 'f64',
      // Short deadlines and long ways would leave some out for ever.
      waiting: { kind: 'all' },
      link: { ...plan.link, loss: 0 },
      partitions: [],
      crashes: plan.crashes.filter(({ node }) => node === 'coordinator'),
      deeds: [],
      late: 0,
    }),
  );
  fc.assert(
    fc.property(quiet, pauses, (plan, pausing) => {
      const changes = changesFor(plan);
      const stop = { gap: 1e-3, rounds: 400, timeMs: Number.POSITIVE_INFINITY, stall: 400 };
      const options = { ...changes.options, stop };
      const simulation = run(
        planFor(TABLES[plan.objective], trainFor(plan), { ...changes, options }),
        pausing,
      );
      expect(simulation.coordinator.state).toMatchObject({ phase: 'finished', finish: 'gap' });
      expect(simulation.rows.at(-1)!.relativeGap).toBeLessThanOrEqual(1e-3);
      expect(conservationError(simulation)).toBeLessThanOrEqual(1e-9);
    }),
    { numRuns: 60 },
  );
});

describe('where sums are secret', () => {
  const plan = (deeds: readonly Operation[], crashes: SimulationPlan['crashes'] = []) =>
    securePlan(
      TABLES.classification,
      { aggregation: 'answers', rounds: 30, gap: 1e-3, passes: 6, testFraction: 0.25 },
      {
        deeds,
        crashes,
        options: { retryMs: 40, maxWaitMs: 400, secure: { phaseMs: 120 } },
        transcript: 'on',
      },
    );
  const plansOf = ({ transcript }: Simulation) =>
    new Set(
      transcript.entries
        .filter(({ kind, about }) => kind === 'sent' && about?.kind === 'plan')
        .map(({ about }) => about!.round),
    );

  test('resuming opens a round with a new number, and the run comes to its gap', () => {
    const before = new Simulation(plan([])).run();
    const after = new Simulation(
      plan([
        { atMs: 30, kind: 'pause' },
        { atMs: 500, kind: 'resume' },
      ]),
    ).run();
    for (const { rows, coordinator } of [before, after]) {
      expect(coordinator.state?.finish).toBe('gap');
      expect(rows.at(-1)!.relativeGap).toBeLessThanOrEqual(1e-3);
    }
    expect(wrongEntries(after)).toBe(0);
    expect(plansOf(after).size).toBe(plansOf(before).size + 1);
    const closed = after.rows.map(({ atMs }) => atMs);
    expect(closed.filter((atMs) => atMs > 60 && atMs < 500)).toEqual([]);
  });

  test('a crash while it is paused: no plan is said before it is resumed', () => {
    const simulation = new Simulation(plan([{ atMs: 30, kind: 'pause' }]));
    simulation.queue.at(100, () => simulation.coordinator.crash());
    simulation.queue.at(120, () => simulation.coordinator.start());
    simulation.queue.at(900, () => simulation.coordinator.take({ type: 'resume', now: 900 }));
    simulation.run();
    expect(simulation.coordinator.state?.finish).toBe('gap');
    const plans = simulation.transcript.entries.filter(({ kind, about, atMs }) => {
      return kind === 'sent' && about?.kind === 'plan' && atMs > 60;
    });
    expect(plans[0].atMs).toBe(900);
    expect(wrongEntries(simulation)).toBe(0);
  });
});

test('the round message of a resumed round is that of its opening, but for the time', () => {
  const bench = new Bench(FIXED);
  bench.gather('a', 'b');
  const [before] = sentTo(bench.join('a'), 'a').filter(({ kind }) => kind === 'round') as RoundMessage[];
  bench.tell({ type: 'pause' });
  bench.now = 9000;
  const [after] = sentTo(bench.tell({ type: 'resume' }), 'a') as RoundMessage[];
  expect(after).toEqual(before);
});
