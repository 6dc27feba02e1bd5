/** Secret sums through the two machines: the same optimum, exact conservation whatever happens, dropouts, newcomers, refusals. */

import { describe, expect, test } from 'vitest';
import type { CoordinatorInput } from '../../src/coordinator/effects.ts';
import { step as stepCoordinator } from '../../src/coordinator/machine.ts';
import { parseOptions } from '../../src/coordinator/options.ts';
import { newCoordinator } from '../../src/coordinator/stored.ts';
import type { ParticipantInput } from '../../src/participant/effects.ts';
import { step as stepParticipant } from '../../src/participant/machine.ts';
import { secureSide } from '../../src/participant/secure.ts';
import { newParticipant, type ParticipantState, type Stored } from '../../src/participant/state.ts';
import { encode } from '../../src/protocol/codec.ts';
import { Simulation } from '../../src/sim/simulation.ts';
import type { InquiryMemory } from '../../src/solver/inquiry-types.ts';
import { planFor } from '../helpers/federation.ts';
import { gateOf } from '../helpers/gate.ts';
import { runSecurely, type SecureChanges, securePlan, wrongEntries } from '../helpers/secure-federation.ts';
import { smallHar, smallRegression, tableOf } from '../helpers/tables.ts';
import { decode } from '../protocol/frames.ts';

const SIDE = secureSide();

const HAR = smallHar(4, 5, 30);

describe('the same optimum as without protection', () => {
  test.each(['classification', 'regression'] as const)('%s', (objective) => {
    const table = objective === 'classification' ? HAR : smallRegression(2);
    const options = { objective, gap: 1e-3, rounds: 100, c2: 0.5 } as const;
    const clear = new Simulation(planFor(table, options)).run();
    const plain = clear.rows.at(-1)!;
    const simulation = runSecurely(table, options);
    const secret = simulation.rows.at(-1)!;
    expect(secret).toMatchObject({ certified: true, outcome: 'final' });
    expect(secret.relativeGap).toBeLessThanOrEqual(1e-3);
    expect(Math.abs(secret.primal - plain.primal)).toBeLessThanOrEqual(1e-3 * plain.primal);
    expect(Math.abs(secret.dual - plain.dual)).toBeLessThanOrEqual(1e-3 * plain.primal);
    // Sums alone cost next to no rounds.
    expect(simulation.rows.length).toBeLessThanOrEqual(1.5 * clear.rows.length + 1);
    expect(wrongEntries(simulation)).toBe(0);
  });

  test.each(['classification', 'regression'] as const)(
    'what the coordinator has added up of values and cuts is what everybody has had accepted, also with stragglers, %s',
    (objective) => {
      const table = objective === 'classification' ? HAR : smallRegression(2);
      const waiting = { kind: 'fixed', ms: objective === 'classification' ? 60 : 90 } as const;
      const simulation = runSecurely(
        table,
        { objective, rounds: 12, gap: 1e-9, c2: 0.5 },
        { hardware: (k) => (k === 0 ? 0.8 : 1), options: { waiting, straggler: 'restart', maxWaitMs: 2000 } },
      );
      const trained = simulation.rows.filter(({ purpose }) => purpose === 'train');
      expect(new Set(trained.map(({ responders }) => responders.length)).size).toBeGreaterThan(1);
      const { inquiry } = simulation.coordinator.disk.run!;
      const summed = [...simulation.participants.values()].map(({ disk }) => disk!.summed![0]);
      // Bit for bit: what is summed is on a grid.
      expect((inquiry as InquiryMemory).value).toBe(summed.reduce((sum, { value }) => sum + value, 0));
      expect((inquiry as InquiryMemory).constant).toBe(
        summed.reduce((sum, { constant }) => sum + constant, 0),
      );
      expect(wrongEntries(simulation)).toBe(0);
    },
  );

  test('rows of all zeros, whose duals are not 0 from the start, leave no gap behind', () => {
    const table = tableOf({ participants: 4, rows: 12, d: 3, target: (x) => (x[0] > 0 ? 1 : -1) });
    for (let i = 0; i < table.n; i += 5) table.x.fill(0, 3 * i, 3 * i + 3);
    const options = { scale: 'none', bias: false, gap: 1e-3, rounds: 200, testFraction: 0 } as const;
    const last = runSecurely(table, options).rows.at(-1)!;
    expect(last).toMatchObject({ certified: true, outcome: 'final' });
    expect(last.relativeGap).toBeLessThanOrEqual(1e-3);
  });
});

test.each(['standard', 'center'] as const)(
  'a count of rows that brings the secret sum to nothing or below is not believed, scale %s',
  (scale) => {
    for (const lie of [-120, -1000]) {
      const plan = securePlan(HAR, { rounds: 3, gap: 1e-9, scale, testFraction: 0 });
      const [liar, ...others] = plan.participants;
      const { profile } = liar;
      const moments = { ...profile.moments, count: lie };
      const participants = [{ ...liar, profile: { ...profile, moments } }, ...others];
      const { coordinator } = new Simulation({ ...plan, participants }).run();
      expect(coordinator.state).toMatchObject({ phase: 'finished', finish: 'rounds', scaling: undefined });
    }
  },
);

/** What the coordinator no longer hears: frames of a kind from somebody. */
function deafen(simulation: Simulation, deaf: (from: string, kind: string) => boolean): void {
  const node = simulation.coordinator;
  const receive = node.receive.bind(node);
  node.receive = (from, frame) => {
    if (!deaf(from, decode(frame).kind)) receive(from, frame);
  };
}

describe('dropouts before', () => {
  const table = smallHar(2, 6, 12);
  const changes: SecureChanges = {
    options: {
      secure: { phaseMs: 40 },
      waiting: { kind: 'fixed', ms: 60 },
      maxWaitMs: 200,
      patience: 1e9,
      stop: { gap: 1e-9, rounds: 3, timeMs: 1e6, stall: 1e6 },
    },
  };
  const run = (kind: string, silent: readonly string[]) => {
    const simulation = new Simulation(securePlan(table, { passes: 5 }, changes));
    // Everybody is there until the scaling is settled.
    const gone = (from: string, said: string) =>
      said === kind && silent.includes(from) && simulation.coordinator.state!.trainer !== undefined;
    deafen(simulation, gone);
    simulation.onRow = () => expect(wrongEntries(simulation)).toBe(0);
    return simulation.run();
  };

  test.each(['dealt', 'masked', 'attested', 'revealed'])('[SECURE-6] %s, down to the threshold', (kind) => {
    const simulation = run(kind, ['2', '5']);
    const rows = simulation.rows.filter((row) => row.purpose === 'train');
    expect(rows.map((row) => row.outcome)).toEqual(['aggregated', 'aggregated', 'aggregated']);
    // Whoever is silent only later has been counted in.
    const counted = ['dealt', 'masked'].includes(kind) ? 4 : 6;
    for (const row of rows) {
      expect(row.responders.length).toBe(counted);
      expect(row.missing).toEqual(counted === 6 ? [] : ['2', '5']);
    }
    expect(wrongEntries(simulation)).toBe(0);
  });

  test.each(['dealt', 'masked', 'attested', 'revealed'])(
    '[SECURE-7] %s, below it: abandoned, nothing taken',
    (kind) => {
      const simulation = run(kind, ['2', '3', '5']);
      const { rows, coordinator: node } = simulation;
      expect(new Set(rows.slice(0, -1).map((row) => row.outcome))).toEqual(new Set(['abandoned']));
      expect(node.disk.run!.inquiry!.u.every((value) => value === 0)).toBe(true);
      for (const { disk } of simulation.participants.values()) expect(disk!.base).toBe(0);
    },
  );
});

test('[SECURE-8] a coordinator that crashes in a round opens another number, and no number has two plans', () => {
  for (const step of [14, 22, 31, 40, 47, 60]) {
    const crashes = [{ node: 'coordinator', step, afterEffects: 1, downMs: 30 }];
    const changes: SecureChanges = {
      crashes,
      link: { delayMs: 3, jitterMs: 5, loss: 0, duplicate: 0 },
      options: { retryMs: 60, maxWaitMs: 500, secure: { phaseMs: 200 } },
    };
    const simulation = new Simulation({
      ...securePlan(HAR, { rounds: 4, gap: 1e-6, passes: 5 }, changes),
      transcript: 'on',
    }).run();
    expect(simulation.over).toBe(true);
    expect(wrongEntries(simulation)).toBe(0);
    expect(simulation.rows.filter((row) => row.outcome === 'aggregated').length).toBe(4);
    const crashed = simulation.transcript.entries.findIndex(({ text }) => text === 'crashes');
    const plans = simulation.transcript.entries.map(({ kind, about }) =>
      kind === 'sent' && about?.kind === 'plan' ? about.round : 0,
    );
    const before = new Set(plans.slice(0, crashed).filter(Boolean));
    expect(plans.slice(crashed).filter((round) => before.has(round))).toEqual([]);
  }
});

test('[SECURE-12] a newcomer gets keys to everybody before the round it first takes part in', () => {
  const simulation = runSecurely(
    HAR,
    { rounds: 60, gap: 1e-3 },
    {
      startMs: (id) => (id === '5' ? 150 : 0),
      options: { minParticipants: 4, maxWaitMs: 1000, retryMs: 100, secure: { phaseMs: 300 } },
    },
  );
  expect(simulation.rows[0].responders.length).toBe(4);
  expect(simulation.rows.at(-1)).toMatchObject({ certified: true, outcome: 'final' });
  expect(simulation.rows.at(-1)!.responders.length).toBe(5);
  expect(wrongEntries(simulation)).toBe(0);
});

test('a participant that the scaling does not reach asks for it until it does', () => {
  const options = { maxWaitMs: 300, retryMs: 40, secure: { phaseMs: 150 } };
  const simulation = new Simulation(securePlan(HAR, { rounds: 40, gap: 1e-3 }, { options }));
  const node = simulation.participants.get('2')!;
  const receive = node.receive.bind(node);
  let lost = 0;
  node.receive = (frame) => {
    const message = decode(frame);
    if (message.kind === 'welcome' && message.scaling && lost++ < 3) return;
    receive(frame);
  };
  simulation.run();
  expect(lost).toBeGreaterThan(3);
  expect(simulation.coordinator.state!.finish).toBe('gap');
  expect(node.disk!.base).toBeGreaterThan(0);
  expect(wrongEntries(simulation)).toBe(0);
});

test('[SECURE-12] one that leaves stays in w, and the others go on with a roster without it', () => {
  const simulation = runSecurely(
    HAR,
    { rounds: 12, gap: 1e-9, passes: 5 },
    {
      deeds: [{ atMs: 20, kind: 'leave', participant: '2' }],
      options: { maxWaitMs: 1000, retryMs: 50, secure: { phaseMs: 200 } },
    },
  );
  expect(simulation.coordinator.state!.members.get('2')!.presence).toBe('left');
  expect(simulation.rows.at(-2)!.responders).toEqual(['1', '3', '4', '5']);
  expect(wrongEntries(simulation)).toBe(0);
});

describe('forgetting', () => {
  const options = { gap: 1e-3, rounds: 60, testFraction: 0 };
  const timing = { maxWaitMs: 1000, retryMs: 50 };

  test('asks everybody again: nothing of the forgotten is left in the sum', () => {
    const deeds = [
      { atMs: 60, kind: 'leave', participant: '2' },
      { atMs: 90, kind: 'forget', participant: '2' },
    ] as const;
    const changes = { deeds, options: { ...timing, secure: { phaseMs: 200 } } };
    const simulation = new Simulation(securePlan(HAR, options, changes));
    // Whoever is asked again.
    const again = new Set<string>();
    const { transcript } = simulation;
    const record = transcript.message.bind(transcript);
    transcript.message = (kind, atMs, from, to, message) => {
      const asks = kind === 'sent' && message.kind === 'round' && message.accepted.round === 0;
      if (asks && atMs >= 90) again.add(to);
      record(kind, atMs, from, to, message);
    };
    simulation.run();
    expect([...again].sort()).toEqual(['1', '3', '4', '5']);
    const { coordinator: node, rows } = simulation;
    expect(node.state!.finish).toBe('gap');
    expect([...node.disk.members.keys()].sort()).toEqual(['1', '3', '4', '5']);
    expect(rows.at(-1)!.responders.toSorted()).toEqual(['1', '3', '4', '5']);
    expect(wrongEntries(simulation)).toBe(0);
    // The optimum is that of the four, as in the clear.
    const clear = new Simulation(planFor(HAR, options, { deeds, options: timing })).run();
    expect(clear.coordinator.disk.members.size).toBe(4);
    const [a, b] = [rows.at(-1)!.primal, clear.rows.at(-1)!.primal];
    expect(Math.abs(a - b)).toBeLessThanOrEqual(2e-3 * b);
  });

  test('somebody who goes on begins anew', () => {
    const deeds = [{ atMs: 60, kind: 'forget', participant: '2' }] as const;
    const changes = { deeds, options: { ...timing, secure: { phaseMs: 200 } } };
    const simulation = runSecurely(HAR, options, changes);
    expect(simulation.coordinator.state!.finish).toBe('gap');
    const { missing, responders } = simulation.rows.at(-1)!;
    expect(missing).toEqual([]);
    expect(responders.toSorted()).toEqual(['1', '2', '3', '4', '5']);
    expect(wrongEntries(simulation)).toBe(0);
  });
});

describe('a participant refuses, with a sentence,', () => {
  const refusals = (simulation: Simulation) =>
    [...simulation.participants.values()].flatMap(({ state }) => state?.refusal ?? []);

  test('[SECURE-4] features too large to be summed', () => {
    const table = { ...HAR, x: HAR.x.map((value) => 1e5 * value) };
    const simulation = runSecurely(table, {}, { untilMs: 5000, options: { maxWaitMs: 500 } });
    expect(refusals(simulation)[0]).toMatchObject({
      code: 'SECURE_OVERFLOW',
      message: expect.stringMatching(/participant "\d": entry \d+: .* rescale the features$/),
    });
    expect(simulation.rows).toEqual([]);
  });

  test('[SECURE-4] updates beyond the limit', () => {
    const simulation = runSecurely(
      HAR,
      { rounds: 3 },
      { untilMs: 5000, options: { maxWaitMs: 500, secure: { limit: 1e-3 } } },
    );
    expect(refusals(simulation)[0].message).toMatch(/raise secure.limit$/);
  });

  test('[SECURE-3] a federation that would see its updates', () => {
    const plan = planFor(HAR, { rounds: 3 }, { untilMs: 5000 });
    const secure = { secret: new Uint8Array(32).fill(7) };
    const participants = plan.participants.map((data) => ({ ...data, profile: { ...data.profile, secure } }));
    const simulation = new Simulation({ ...plan, participants }).run();
    expect(refusals(simulation).length).toBe(5);
    expect(refusals(simulation)[0]).toEqual({
      code: 'NOT_SECURE',
      message: 'participant "1": expected a federation with secure aggregation, got one without',
    });
  });
});

test('[SECURE-14] a vector on another base than the books say is refused, and the round goes on without it', () => {
  const changes: SecureChanges = {
    options: { waiting: { kind: 'fixed', ms: 100 }, maxWaitMs: 400 },
  };
  const simulation = new Simulation(securePlan(HAR, { rounds: 3, gap: 1e-9, passes: 5 }, changes));
  const node = simulation.coordinator;
  const receive = node.receive.bind(node);
  node.receive = (from, frame) => {
    const message = decode(frame);
    const training = node.state?.trainer !== undefined;
    const bent = training && from === '2' && message.kind === 'masked' ? { ...message, base: 99 } : message;
    receive(from, encode(bent, 'f64'));
  };
  simulation.run();
  expect(simulation.rows[0].responders).toEqual(['1', '3', '4', '5']);
  expect(node.state!.rejections.get('STATE_MISMATCH')).toBeGreaterThan(0);
  expect(wrongEntries(simulation)).toBe(0);
});

test.each([
  [{ aggregation: 'safe' }, 'aggregation: expected answers with secure'],
  [{ aggregation: 'sum' }, 'aggregation: expected answers with secure'],
  [{ precision: 'f32' }, 'precision: expected f64 with secure'],
  [{ defence: { normBound: 1 } }, 'defence: expected none with secure'],
  [{ mask: { kind: 'bernoulli', keep: 0.5 } }, 'mask: expected none with secure'],
])('options that need more than sums are refused: %j', (change, message) => {
  expect(() => parseOptions('f.json', { secure: true })).not.toThrow();
  expect(() => parseOptions('f.json', { secure: true, ...change })).toThrow(message);
});

describe('replayed', () => {
  const plan = () =>
    securePlan(
      HAR,
      { rounds: 4, passes: 6, gap: 1e-4 },
      {
        link: { delayMs: 2, jitterMs: 20, loss: 0.05, duplicate: 0.2 },
        options: { retryMs: 60, maxWaitMs: 400, secure: { phaseMs: 200 } },
      },
    );

  function inputsOf<I>(simulation: Simulation, node: { take(input: I): void }): I[] {
    const inputs: I[] = [];
    const take = node.take.bind(node);
    node.take = (input) => {
      inputs.push(structuredClone(input));
      take(input);
    };
    simulation.run();
    expect(inputs.length).toBeGreaterThan(30);
    return inputs;
  }

  test('the coordinator gives the same effects', () => {
    const simulation = new Simulation(plan());
    const inputs = inputsOf<CoordinatorInput>(simulation, gateOf(simulation.coordinator));
    const [first, second] = [0, 1].map(() => {
      const state = newCoordinator(plan().options);
      return inputs.map((input) => structuredClone(stepCoordinator(state, structuredClone(input))));
    });
    expect(second).toEqual(first);
  });

  test('so does a participant, also from a copy in the middle', () => {
    const simulation = new Simulation(plan());
    const node = simulation.participants.get('2')!;
    const inputs = inputsOf<ParticipantInput>(simulation, node);
    const first = newParticipant(node.data.profile);
    let copy: ParticipantState | undefined;
    for (const [i, input] of inputs.entries()) {
      if (i === Math.floor(inputs.length / 2)) copy = structuredClone(first);
      const effects = structuredClone(stepParticipant(first, structuredClone(input), SIDE));
      if (copy) expect(stepParticipant(copy, structuredClone(input), SIDE)).toEqual(effects);
    }
    expect(copy).toEqual(first);
  });

  test('[SECURE-9] a participant stores what it says before it says it, and never changes what it has stored', () => {
    const simulation = new Simulation(plan());
    const node = simulation.participants.get('2')!;
    const inputs = inputsOf<ParticipantInput>(simulation, node);
    const state = newParticipant(node.data.profile);
    const kept: [Stored, Stored][] = [];
    const said = new Set<string>();
    for (const input of inputs) {
      for (const effect of stepParticipant(state, input, SIDE)) {
        if (effect.type === 'persist') kept.push([effect.stored, structuredClone(effect.stored)]);
        if (effect.type !== 'send') continue;
        const round = kept.at(-1)?.[1].secure?.core.round;
        const { message } = effect;
        said.add(message.kind);
        if (message.kind === 'dealt') expect(round?.dealt.sealed).toEqual(message.sealed);
        if (message.kind === 'masked') expect(round?.masked?.message.vector).toEqual(message.vector);
        if (message.kind === 'attested') expect(round?.counted).toBeDefined();
      }
    }
    for (const kind of ['dealt', 'masked', 'attested', 'revealed']) expect(said).toContain(kind);
    for (const [stored, then] of kept) expect(stored.secure?.core).toEqual(then.secure?.core);
  });
});
