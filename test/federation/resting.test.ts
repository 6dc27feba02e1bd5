/** The end of a training that is no end: who is missing from it, what wakes it, and what everybody predicts with meanwhile. */
import { describe, expect, test } from 'vitest';
import { inquiryOf, modelOf } from '../../src/coordinator/training.ts';
import { train } from '../../src/methods/train.ts';
import { Simulation } from '../../src/sim/simulation.ts';
import { norm, plusScaled } from '../../src/solver/vector.ts';
import { Bench, sentTo } from '../helpers/coordinator-bench.ts';
import { conservationError, type PlanChanges, planFor } from '../helpers/federation.ts';
import { personalExcess, primalOf } from '../helpers/optimum.ts';
import { smallHar, smallRegression } from '../helpers/tables.ts';

const GAP = 1e-3;
const TABLES = { classification: smallHar(6, 5, 30), regression: smallRegression(4) } as const;
const OBJECTIVES = ['classification', 'regression'] as const;
/** Nothing is scaled: a problem does not depend on who was there in the beginning. */
const UNSCALED = { scale: 'none', scaleTarget: 'none' } as const;
const TRAIN = { gap: GAP, rounds: 200, passes: 3000, c2: 0.5, testFraction: 0, ...UNSCALED } as const;

function plan(objective: (typeof OBJECTIVES)[number], changes: PlanChanges = {}) {
  const options = { retryMs: 1e4, maxWaitMs: 3e4, patience: 2, ...changes.options };
  return planFor(TABLES[objective], { ...TRAIN, objective }, { ...changes, options });
}

/** Goes on with a simulation that has come to rest. */
function goOn(simulation: Simulation, forMs = 1e6): void {
  const until = simulation.queue.now + forMs;
  while (!simulation.over && simulation.queue.next(until));
}

const nodesOf = ({ participants }: Simulation, without: readonly string[] = []) =>
  [...participants.values()].filter(({ id }) => !without.includes(id));

/** Of the last row, absolute. */
function lastGap({ rows }: Simulation): number {
  const { primal, dual } = rows.at(-1)!;
  return primal - dual;
}

/** P is 1-strongly convex in w: near the optimum in value is near it in place. */
function expectOptimum(
  simulation: Simulation,
  ids: readonly string[],
  objective: 'classification' | 'regression',
) {
  const { table, ...rest } = { table: TABLES[objective], ...TRAIN };
  const kept = table.participants.flatMap((id, k) => (ids.includes(id) ? [k] : []));
  const rows = Array.from({ length: table.n }, (_, i) => i).filter((i) =>
    kept.includes(table.participantOf[i]),
  );
  const d = table.features.length;
  const part = {
    ...table,
    n: rows.length,
    participants: kept.map((k) => table.participants[k]),
    participantOf: Uint32Array.from(rows, (i) => kept.indexOf(table.participantOf[i])),
    targets: rows.map((i) => table.targets![i]),
    x: Float64Array.from(rows.flatMap((i) => [...table.x.subarray(i * d, (i + 1) * d)])),
  };
  const { model, certificate } = train(part, { ...rest, objective, gap: 1e-7, rounds: 2000 });
  const { w } = modelOf(simulation.coordinator.state!)!;
  const room = Math.sqrt(2 * lastGap(simulation)) + Math.sqrt(2 * (certificate!.primal - certificate!.dual));
  expect(norm(plusScaled(w, -1, model.w))).toBeLessThanOrEqual(room);
  const { primal, dual } = simulation.rows.at(-1)!;
  expect(primal).toBeGreaterThanOrEqual(certificate!.dual * (1 - 1e-9));
  expect(dual).toBeLessThanOrEqual(certificate!.primal * (1 + 1e-9));
}

describe.each(OBJECTIVES)('whoever is missing, %s', (objective) => {
  const gone = TABLES[objective].participants[2];

  test('killed for good after some answers: training ends by the gap, and says whom it does not cover', () => {
    const crashes = [{ node: gone, step: 10, afterEffects: 0, downMs: 1e15 }];
    const simulation = new Simulation(plan(objective, { crashes, untilMs: 1e7 })).run();
    const { state } = simulation.coordinator;
    expect(state).toMatchObject({ phase: 'finished', finish: 'gap', missing: [gone] });
    expect(simulation.rows.at(-1)).toMatchObject({ missing: [gone], outcome: 'final', certified: true });
    expect(simulation.rows.at(-1)!.relativeGap).toBeLessThanOrEqual(GAP);
    expect(state!.members.get(gone)!.accepted.round).toBeGreaterThan(0);
    expect(conservationError(simulation)).toBeLessThan(1e-12);
    // The certificate is about the others, with its last contribution held still: F(w) is then its last cut.
    const { w } = modelOf(state!)!;
    const held = inquiryOf(state!)!.contributionOf(state!.members.get(gone)!.index)!;
    const others = nodesOf(simulation, [gone]);
    const value = (at: Float64Array) =>
      primalOf(others, at) - at.reduce((sum, entry, j) => sum + entry * held[j], 0);
    // A step along the gradient of that problem gains no more than the gap.
    const answers = inquiryOf(state!)!.u;
    const step = plusScaled(w, -0.2, plusScaled(w, -1, answers));
    expect(value(w) - value(step)).toBeLessThanOrEqual(lastGap(simulation) * (1 + 1e-6));
  });

  test('joined and never answered: training ends after patience, names it, and is that of the others', () => {
    const late = TABLES[objective].participants.indexOf(gone);
    const simulation = new Simulation(
      plan(objective, {
        hardware: (k) => (k === late ? 1e-9 : 1),
        options: { straggler: 'restart' },
        untilMs: 1e7,
      }),
    ).run();
    expect(simulation.coordinator.state).toMatchObject({ phase: 'finished', finish: 'gap', missing: [gone] });
    expect(simulation.rows.at(-1)).toMatchObject({ missing: [gone], outcome: 'final' });
    const others = TABLES[objective].participants.filter((id) => id !== gone);
    expectOptimum(simulation, others, objective);
  });
});

describe('training does not end before everybody present has answered once', () => {
  test('however small the gap of those who have, and though deadlines pass', () => {
    const bench = new Bench({ waiting: { kind: 'fixed', ms: 10 }, patience: 3, maxWaitMs: 1000 });
    bench.gather('a', 'b');
    const open: string[] = [];
    for (let turn = 0; turn < 12 && bench.state.phase !== 'finished'; turn++) {
      bench.answer('a');
      bench.now = bench.state.purpose === 'certify' ? bench.state.openedMs + 1000 : bench.state.deadlineMs;
      bench.tell({ type: 'timer' });
      open.push(bench.state.purpose);
      bench.tell({ type: 'summed' });
    }
    // Long since known for a alone; b is asked in rounds that wait for it, as often as patience says.
    expect(open.filter((purpose) => purpose === 'certify')).toHaveLength(3);
    expect(bench.state).toMatchObject({ phase: 'finished', finish: 'gap', missing: ['b'] });
  });

  test('and ends at once when the last one has', () => {
    const bench = new Bench({
      waiting: { kind: 'fixed', ms: 10 },
      stop: { gap: 1e-6, rounds: 99, timeMs: 1e9, stall: 99 },
    });
    bench.gather('a', 'b');
    for (let turn = 0; bench.state.purpose === 'train'; turn++) {
      expect(turn).toBeLessThan(60);
      bench.answer('a');
      bench.now = bench.state.deadlineMs;
      bench.tell({ type: 'timer' });
      bench.tell({ type: 'summed' });
    }
    expect(bench.state.certificate.relativeGap).toBeLessThanOrEqual(1e-6);
    expect(bench.state.missing).toEqual(['b']);
    for (let turn = 0; bench.state.phase !== 'finished'; turn++) {
      expect(turn).toBeLessThan(60);
      bench.answer('a', 'b');
      bench.tell({ type: 'summed' });
    }
    expect(bench.state).toMatchObject({ finish: 'gap', missing: [] });
  });
});

describe.each(OBJECTIVES)('waking, %s', (objective) => {
  const ids = TABLES[objective].participants;
  const [one] = ids;

  test('[REST-2] [REST-3] a newcomer after the end wakes the federation and has a personal model; those of the others serve meanwhile', () => {
    const simulation = new Simulation(
      plan(objective, {
        startMs: (id) => (id === one ? 1e6 : 0),
        options: { minParticipants: ids.length - 1 },
      }),
    );
    const first: number[] = [];
    simulation.onRow = (row) => {
      if (row.outcome === 'final') first.push(row.round);
      // From the first rest on everybody who was there has a model at any moment.
      if (first.length > 0)
        for (const { disk } of nodesOf(simulation, [one])) expect(disk!.model!.u).toBeDefined();
    };
    simulation.run();
    expect(first).toHaveLength(2);
    expect(simulation.coordinator.state).toMatchObject({ phase: 'finished', finish: 'gap', missing: [] });
    for (const node of nodesOf(simulation))
      expect(personalExcess(node).absolute).toBeLessThanOrEqual(lastGap(simulation));
    expectOptimum(simulation, ids, objective);
    expect(conservationError(simulation)).toBeLessThan(1e-12);
  });

  test('[EDITION-2] [REST-3] changed rows wake it, and the answers about the rows before do not count', () => {
    const simulation = new Simulation(plan(objective)).run();
    const node = simulation.participants.get(one)!;
    const [before, round] = [simulation.rows.at(-1)!, simulation.coordinator.state!.round];
    node.crash();
    Object.assign(node.data, { y: node.data.y.map((value) => -value), written: undefined });
    const committed = { ...node.disk!.committed!, beta: new Float64Array(0) };
    node.disk = { ...node.disk!, edition: 1, pending: undefined, committed };
    node.start();
    goOn(simulation);
    const { state } = simulation.coordinator;
    expect(state).toMatchObject({ phase: 'finished', finish: 'gap', missing: [] });
    expect(state!.round).toBeGreaterThan(round);
    expect(state!.members.get(one)!.accepted.round).toBeGreaterThan(round);
    expect(conservationError(simulation)).toBeLessThan(1e-12);
    // The bounds are those of the new problem.
    const { primal, dual } = simulation.rows.at(-1)!;
    expect(primal).not.toBeCloseTo(before.primal, 6);
    const { w } = modelOf(state!)!;
    const exact = primalOf(nodesOf(simulation), w);
    expect(exact).toBeLessThanOrEqual(primal * (1 + 1e-9));
    expect(exact).toBeGreaterThanOrEqual(dual * (1 - 1e-9));
    for (const each of nodesOf(simulation))
      expect(personalExcess(each).absolute).toBeLessThanOrEqual(lastGap(simulation));
  });

  test.each(['open', 'resting'] as const)(
    '[REST-3] [LEAVE-3] forgetting while %s: it is in no sum and in no model after the next rest',
    (when) => {
      const simulation = new Simulation(plan(objective));
      const forget = () => {
        // It does not come back and begin anew.
        simulation.participants.get(one)!.crash();
        simulation.coordinator.take({ type: 'forget', id: one, now: simulation.queue.now });
        const { state } = simulation.coordinator;
        expect(state!.members.has(one)).toBe(false);
        expect(conservationError(simulation)).toBeLessThan(1e-12);
      };
      if (when === 'open') {
        simulation.onRow = (row) => {
          if (row.round === 3) simulation.queue.at(simulation.queue.now + 0.5, forget);
        };
        simulation.run();
      } else {
        simulation.run();
        forget();
        goOn(simulation);
      }
      const { state } = simulation.coordinator;
      expect(state).toMatchObject({ phase: 'finished', finish: 'gap', missing: [] });
      const others = nodesOf(simulation, [one]);
      expect(conservationError(simulation)).toBeLessThan(1e-12);
      expectOptimum(simulation, ids.slice(1), objective);
      const { w } = modelOf(state!)!;
      for (const { disk } of others) expect(disk!.model!.w).toEqual(w);
      for (const node of others)
        expect(personalExcess(node).absolute).toBeLessThanOrEqual(lastGap(simulation));
    },
  );

  test.each(['open', 'resting'] as const)(
    '[REST-3] [ACCEPT-4] a recount while %s asks everybody again',
    (when) => {
      const simulation = new Simulation(plan(objective));
      let asked = 0;
      const recount = () => {
        const { w } = modelOf(simulation.coordinator.state!)!;
        simulation.coordinator.take({ type: 'recount', now: simulation.queue.now });
        const state = simulation.coordinator.state!;
        asked = state.round;
        expect(state.phase).toBe('open');
        // About the model in use, which goes on serving.
        expect(inquiryOf(state)!.query).toEqual(w);
        expect(inquiryOf(state)!.u.every((value) => value === 0)).toBe(true);
        expect(conservationError(simulation)).toBe(0);
      };
      if (when === 'open') {
        simulation.onRow = (row) => {
          if (row.round === 3) simulation.queue.at(simulation.queue.now + 0.5, recount);
        };
        simulation.run();
      } else {
        simulation.run();
        recount();
        goOn(simulation);
      }
      const { state } = simulation.coordinator;
      expect(state).toMatchObject({ phase: 'finished', finish: 'gap', missing: [] });
      for (const { accepted } of state!.members.values())
        expect(accepted.round).toBeGreaterThanOrEqual(asked);
      expectOptimum(simulation, ids, objective);
      expect(conservationError(simulation)).toBeLessThan(1e-12);
    },
  );
});

test('[REST-2] [REST-4] the operator has ended it: only a recount wakes it, and who joins gets the model all the same', () => {
  const bench = new Bench();
  bench.gather('a', 'b');
  bench.answer('a', 'b');
  bench.tell({ type: 'summed' });
  bench.tell({ type: 'finish' });
  expect(sentTo(bench.join('c'), 'c')).toMatchObject([
    { kind: 'welcome' },
    { kind: 'finish', reason: 'operator' },
  ]);
  bench.join('a', { session: 2, edition: 1 });
  bench.forget('b');
  expect(bench.state.phase).toBe('finished');
  bench.tell({ type: 'recount' });
  expect(bench.state.phase).toBe('open');
});

test.each(OBJECTIVES)('whoever missed the best round solves for its part of the final w: %s', (objective) => {
  const simulation = new Simulation(
    plan(objective, {
      hardware: (k) => [1, 1, 0.05, 1, 0.02][k],
      options: {
        waiting: { kind: 'share', share: 0.5 },
        straggler: 'resume',
        stop: { gap: 0, rounds: 8, timeMs: 1e9, stall: 99 },
      },
    }),
  ).run();
  const { state } = simulation.coordinator;
  expect(simulation.over).toBe(true);
  const best = simulation.rows.find(({ round }) => round === state!.best!.round)!;
  const absent = nodesOf(simulation, best.responders);
  expect(absent.length).toBeGreaterThan(0);
  const { w } = modelOf(state!)!;
  for (const node of nodesOf(simulation)) {
    expect(node.disk!.model!.w).toEqual(w);
    // What an answer lacks is part of the gap; what is solved for at the end lacks next to nothing.
    const { absolute, relative } = personalExcess(node);
    if (absent.includes(node)) expect(relative).toBeLessThanOrEqual(1e-4);
    else expect(absolute).toBeLessThanOrEqual(lastGap(simulation));
  }
});
