/** Conservation between a store and its participants: at any moment of any kind of run, and what breaks it. */
import { describe, expect, test } from 'vitest';
import { type StoredRunOf, type Verification, verified } from '../../src/check/verify.ts';
import type { CoordinatorOptions } from '../../src/coordinator/options.ts';
import type { Stored } from '../../src/participant/state.ts';
import type { TrainOptions } from '../../src/settings/training.ts';
import { PERFECT_LINK } from '../../src/sim/network.ts';
import { Simulation } from '../../src/sim/simulation.ts';
import { type PlanChanges, planFor } from '../helpers/federation.ts';
import { securePlan } from '../helpers/secure-federation.ts';
import { smallHar, smallRegression } from '../helpers/tables.ts';

const HAR = smallHar(4, 5, 30);
const TRAIN = { rounds: 6, gap: 1e-9, c2: 0.5 } as const;
const TOLERANCE = 1e-9;
/** Slow enough that there is a moment at which one side knows and the other does not. */
const link = { ...PERFECT_LINK, delayMs: 10 };

function storeOf(simulation: Simulation, options: CoordinatorOptions): StoredRunOf | undefined {
  const { run, members } = simulation.coordinator.disk;
  return run && { options, run, members: [...members.values()] };
}

function statesOf({ participants }: Simulation): Map<string, Stored> {
  const states = [...participants].flatMap(([id, { disk }]) => (disk ? [[id, disk] as const] : []));
  return new Map(states);
}

/** Looks at a run again and again, as if everything had been switched off at that moment. */
function atManyMoments(train: TrainOptions, changes: PlanChanges): Verification[] {
  const plan = planFor(train.objective === 'regression' ? smallRegression(2) : HAR, train, {
    link,
    ...changes,
  });
  const whole = new Simulation(plan).run();
  const { now } = whole.queue;
  return Array.from({ length: 40 }, (_, i) => {
    const untilMs = (now * (i + 1)) / 40;
    const simulation = new Simulation({ ...plan, untilMs }).run();
    const store = storeOf(simulation, plan.options);
    return store ? [verified(store, statesOf(simulation), TOLERANCE)] : [];
  }).flat();
}

const CASES: readonly [name: string, train: TrainOptions, options: Partial<CoordinatorOptions>][] = [
  ['answers', TRAIN, {}],
  ['answers in f32', TRAIN, { precision: 'f32' }],
  ['answers, regression', { ...TRAIN, objective: 'regression' }, {}],
  ['safe', { ...TRAIN, aggregation: 'safe' }, {}],
  ['mocha', TRAIN, { method: 'mocha', aggregation: 'safe' }],
  [
    'the paper’s masks',
    { ...TRAIN, aggregation: 'sum' },
    { mask: { kind: 'bernoulli', keep: 0.7, semantics: 'paper' } },
  ],
  ['consistent masks', TRAIN, { mask: { kind: 'bernoulli', keep: 0.7, semantics: 'consistent' } }],
  ['a norm bound', TRAIN, { defence: { normBound: 0.05 } }],
  ['a norm bound on steps', { ...TRAIN, aggregation: 'safe' }, { defence: { normBound: 0.05 } }],
  [
    'differential privacy',
    { ...TRAIN, aggregation: 'safe' },
    { scale: 'none', dp: { clip: 0.5, noiseMultiplier: 3, epsilon: 50, delta: 1e-5 } },
  ],
];

describe('holds at any moment', () => {
  test.each(CASES)('%s', (_, train, options) => {
    const looks = atManyMoments(train, { options });
    expect(looks.length).toBeGreaterThan(20);
    for (const look of looks) expect(look, JSON.stringify(look)).toMatchObject({ ok: true });
    const verdicts = new Set(looks.flatMap(({ participants }) => participants.map(({ verdict }) => verdict)));
    // With answers the store has the sum alone. Some had not received yet that their answer was accepted.
    const byAnswers = (options.aggregation ?? train.aggregation ?? 'answers') === 'answers';
    expect(verdicts).toContain(byAnswers ? 'summed' : 'equal');
    expect(verdicts).not.toContain(byAnswers ? 'equal' : 'summed');
    expect(verdicts).toContain('pending, settled');
  });

  test('secure aggregation: only the sum is known, and it is exact', () => {
    const plan = securePlan(HAR, { ...TRAIN, rounds: 3 });
    const { now } = new Simulation(plan).run().queue;
    const verdicts = new Set<string>();
    for (let i = 1; i <= 10; i++) {
      const simulation = new Simulation({ ...plan, untilMs: (now * i) / 10 }).run();
      const store = storeOf(simulation, plan.options);
      if (!store) continue;
      const look = verified(store, statesOf(simulation), 0);
      expect(look).toMatchObject({ ok: true, conservation: { relativeError: 0 } });
      for (const { verdict } of look.participants) verdicts.add(verdict);
    }
    expect(verdicts).toContain('summed');
  });

  test('after somebody has been forgotten', () => {
    const [first] = HAR.participants;
    const deeds = [{ atMs: 120, kind: 'forget', participant: first }] as const;
    const plan = planFor(HAR, TRAIN, { deeds, link });
    // It has not heard of it yet.
    const simulation = new Simulation({ ...plan, untilMs: 121 }).run();
    const store = storeOf(simulation, plan.options)!;
    const { participants, ok } = verified(store, statesOf(simulation), TOLERANCE);
    expect(participants.find(({ id }) => id === first)).toMatchObject({ verdict: 'forgotten' });
    expect(ok).toBe(true);
  });
});

describe.each(['answers', 'safe'] as const)('does not hold, by %s,', (aggregation) => {
  const plan = planFor(HAR, { ...TRAIN, aggregation });
  const simulation = new Simulation(plan).run();
  const store = storeOf(simulation, plan.options)!;
  const [first, second] = HAR.participants;

  function withState(change: (states: Map<string, Stored>) => void): Verification {
    const states = statesOf(simulation);
    change(states);
    return verified(store, states, TOLERANCE);
  }

  test('where one has something else than the store says', () => {
    const look = withState((states) => {
      const state = states.get(first)!;
      const u = state.committed!.u.slice();
      u[0] *= 1 + 1e-6;
      states.set(first, { ...state, committed: { ...state.committed!, u } });
    });
    expect(look.ok).toBe(false);
    // Where the store has nothing but the sum, nobody knows whose part is wrong.
    const [wrong, right] = aggregation === 'safe' ? ['different', 'equal'] : ['summed', 'summed'];
    expect(look.participants[0]).toMatchObject({ id: first, verdict: wrong });
    expect(look.participants[1]).toMatchObject({ id: second, verdict: right });
    expect(look.conservation.relativeError).toBeGreaterThan(TOLERANCE);
  });

  test('where one has an older state: a copy that was put back', () => {
    const older = new Simulation({ ...plan, untilMs: simulation.queue.now / 2 }).run();
    const look = withState((states) => void states.set(first, older.participants.get(first)!.disk!));
    const [one] = look.participants;
    expect(one.verdict).toBe('different');
    expect(one.ownRound).toBeLessThan(one.storeRound!);
  });

  test('where the state of one who has contributed is missing', () => {
    const look = withState((states) => void states.delete(first));
    expect([look.ok, look.participants[0].verdict]).toEqual([false, 'missing']);
    expect(look.conservation.relativeError).toBeGreaterThan(0.01);
  });

  test('where one has contributed of whom the store knows nothing', () => {
    const look = withState((states) => void states.set('ghost', states.get(first)!));
    expect(look.ok).toBe(false);
    expect(look.participants.at(-1)).toMatchObject({ id: 'ghost', verdict: 'unknown' });
  });

  test('but one who has contributed nothing may be missing', () => {
    const [member] = store.members;
    const idle = { ...member, id: 'idle', index: 99, accepted: { round: 0 }, known: undefined };
    const look = verified({ ...store, members: [...store.members, idle] }, statesOf(simulation), TOLERANCE);
    expect(look.ok).toBe(true);
    expect(look.participants.at(-1)).toMatchObject({ id: 'idle', verdict: 'idle' });
  });

  test('where the store has no run, but somebody has contributed', () => {
    const look = verified(undefined, statesOf(simulation), TOLERANCE);
    expect([look.ok, look.participants[0].verdict]).toEqual([false, 'unknown']);
    expect(verified(undefined, new Map(), TOLERANCE).ok).toBe(true);
  });

  test('and nothing can be said where nobody knows the noise', () => {
    const options = { ...plan.options, dp: { clip: 1, noiseMultiplier: 1, epsilon: 1, delta: 1e-5 } };
    const secure = securePlan(HAR, TRAIN).options.secure!;
    expect(() => verified({ ...store, options: { ...options, secure } }, new Map(), TOLERANCE)).toThrow(
      'nobody knows it',
    );
  });
});
