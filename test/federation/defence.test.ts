/** The defence of the model: bounds that both sides keep, answers that cannot be, poison, and free-riders. */

import { describe, expect, test } from 'vitest';
import { standings } from '../../src/coordinator/defence.ts';
import { step } from '../../src/coordinator/machine.ts';
import { type CoordinatorOptions, DEFAULT_OPTIONS } from '../../src/coordinator/options.ts';
import { newCoordinator, restoreCoordinator } from '../../src/coordinator/stored.ts';
import { inquiryOf } from '../../src/coordinator/training.ts';
import type { AnswerMessage, ToCoordinator } from '../../src/protocol/messages.ts';
import type { Aggregation } from '../../src/settings/training.ts';
import { runScenario } from '../../src/sim/run.ts';
import { parseScenario, type ScenarioInput } from '../../src/sim/scenario.ts';
import { computeModel, generatedTable } from '../../src/sim/scenario-plan.ts';
import { Simulation } from '../../src/sim/simulation.ts';
import type { RunSummary } from '../../src/sim/summary.ts';
import { dot } from '../../src/solver/vector.ts';
import { conservationError, planFor } from '../helpers/federation.ts';
import { USUAL_CLASSES } from '../helpers/moments.ts';
import { smallHar } from '../helpers/tables.ts';

const SIZE = { generator: 'har', participants: 20, rows: 60, features: 60 } as const;

function run(given: ScenarioInput, seed = 1): RunSummary {
  const scenario = parseScenario('s.json', { data: SIZE, passes: 8, rounds: 15, gap: 0, ...given });
  const inputs = { source: 's.json', table: generatedTable(scenario)!, compute: computeModel(scenario) };
  return runScenario(scenario, inputs, { seed, transcript: 'off' }).summary;
}

describe('a norm bound', () => {
  const bounds: Partial<CoordinatorOptions>['defence'][] = [
    { normBound: 0.2 },
    { robust: { quantile: 0.25, factor: 0.7 } },
    { normBound: 0.3, robust: { quantile: 0.5, factor: 2 }, scores: 'on' },
  ];
  const rules: Aggregation[] = ['answers', 'safe'];
  const cases = rules.flatMap((aggregation) => bounds.map((defence) => [aggregation, defence] as const));

  test.each(cases)('[ACCEPT-2] is kept on both sides: %s, %j', (aggregation, defence) => {
    const plan = planFor(
      smallHar(5, 4, 12),
      { aggregation, rounds: 12, passes: 6, gap: 1e-4, testFraction: 0.25 },
      {
        options: { defence, retryMs: 40, maxWaitMs: 150 },
        link: { delayMs: 2, jitterMs: 20, loss: 0.1, duplicate: 0.2 },
        crashes: [
          { node: 'coordinator', step: 40, afterEffects: 1, downMs: 60 },
          { node: '2', step: 12, afterEffects: 1, downMs: 60 },
        ],
      },
    );
    const simulation = new Simulation(plan).run();
    expect(simulation.rows.some(({ shortened }) => shortened && shortened.length > 0)).toBe(true);
    expect(conservationError(simulation)).toBeLessThanOrEqual(1e-9);
    expect(simulation.coordinator.state?.rejections.get('INFEASIBLE')).toBeUndefined();
    // A shorter change is a change between feasible points: the dual does not fall.
    const duals = simulation.rows.filter(({ certified }) => certified).map(({ dual }) => dual);
    for (let r = 1; r < duals.length; r++) expect(duals[r]).toBeGreaterThanOrEqual(duals[r - 1] - 1e-9);
  });

  test('that nobody reaches changes nothing', () => {
    const { privacy: _, ...without } = run({ rounds: 5 });
    const { participants, ...rest } = run({ rounds: 5, defence: { normBound: 1e6 } });
    expect({ ...rest, participants: participants.map(({ contribution: _c, ...one }) => one) }).toEqual(
      without,
    );
  });

  test('[ANSWER-7] beyond which an answer is refused is not waited at', () => {
    const summary = run({
      rounds: 4,
      defence: { refuseAbove: 5 },
      misbehaving: [{ participant: '7', kind: 'noise', scale: 100 }],
    });
    expect(summary.rejections).toEqual({ TOO_LARGE: 4 });
    expect(summary.rounds.aggregated).toBe(4);
    expect(summary.participants[6].answered).toBe(0);
  });
});

test('a federation of which every answer is refused comes to an end', () => {
  const { stopped, rounds } = run({ rounds: 2, defence: { refuseAbove: 1e-9 } });
  expect({ stopped, aggregated: rounds.aggregated }).toEqual({ stopped: 'rounds', aggregated: 0 });
});

describe('an answer that cannot be is refused, and its round goes on without it', () => {
  const first = {
    kind: 'answer',
    session: 1,
    round: 1,
    base: 0,
    u: Float64Array.of(0.5, 0.1),
    scalars: { loss: 2, dualSum: 1, uNorm2: 0.26, wDotU: 0 },
    passes: 1,
    computeMs: 1,
    previous: undefined,
  } as const satisfies AnswerMessage;

  /** Two participants with 3 rows each, whose first contributions (0.5, 0.1) were accepted. */
  function inRound2(aggregation: 'answers' | 'safe', opening: AnswerMessage) {
    const state = newCoordinator({ ...DEFAULT_OPTIONS, aggregation, minParticipants: 2 });
    const say = (from: string, message: ToCoordinator) =>
      step(state, { type: 'message', from, message, now: 0 });
    const known = { rows: 3, features: 1, benchmarkMs: 1, session: 1, base: 0, pending: 0, edition: 0 };
    for (const id of ['a', 'b']) say(id, { kind: 'join', id, ...known });
    for (const id of ['a', 'b'])
      say(id, {
        kind: 'moments',
        count: 3,
        mean: Float64Array.of(0),
        m2: Float64Array.of(1),
        ...USUAL_CLASSES,
      });
    for (const id of ['a', 'b']) say(id, opening);
    step(state, { type: 'summed', now: 1 });
    expect(state.round).toBe(2);
    return { state, say };
  }

  function expectRefused(
    { state, say }: ReturnType<typeof inRound2>,
    bad: AnswerMessage,
    good: AnswerMessage,
  ) {
    const [reject] = say('a', bad);
    expect(reject).toMatchObject({ type: 'send', to: 'a', message: { kind: 'reject', code: 'INFEASIBLE' } });
    expect(state.members.get('a')?.answered).toBe(false);
    const effects = say('b', good);
    expect(effects.map(({ type }) => type)).toContain('summation');
  }

  describe('with answers', () => {
    /** The same contribution to the next query: a value between the bounds of the answer before. */
    function answering(round2: ReturnType<typeof inRound2>) {
      const { query } = inquiryOf(round2.state)!;
      const wDotU = dot(query, first.u);
      const scalars = { ...first.scalars, loss: 2 - wDotU, wDotU };
      return { query, good: { ...first, round: 2, base: 1, scalars } };
    }

    test('a good one is taken', () => {
      const round2 = inRound2('answers', first);
      const { good, query } = answering(round2);
      expect(dot(query, query)).toBeGreaterThan(0);
      expect(round2.say('a', good)).toEqual([]);
      expect(round2.state.members.get('a')?.answered).toBe(true);
    });

    type Scalars = AnswerMessage['scalars'];
    test.each<[string, (good: Scalars) => Partial<Scalars>, Float64Array?]>([
      ['|u|^2', () => ({ uNorm2: 0.3 })],
      ['w.u', ({ wDotU }) => ({ wDotU: wDotU + 0.1 })],
      ['a loss below 0', () => ({ loss: -1 })],
      ['a dual sum below 0', () => ({ dualSum: -0.1 })],
      ['a dual sum above C1 n', () => ({ dualSum: 3.1 })],
      ['a value below its own cut', () => ({ dualSum: 2.9, loss: 0 })],
      [
        'a value below an earlier cut',
        () => ({ loss: 0.1, dualSum: 0, uNorm2: 0, wDotU: 0 }),
        new Float64Array(2),
      ],
      ['a value that cannot have risen so far', ({ wDotU }) => ({ dualSum: 3, loss: 2.74 - wDotU })],
    ])('%s', (_, changes, u = first.u) => {
      const round2 = inRound2('answers', first);
      const { good } = answering(round2);
      const bad = { ...good, u, scalars: { ...good.scalars, ...changes(good.scalars) } };
      expectRefused(round2, bad, good);
    });
  });

  describe('with steps, of which the scalars are about what was accepted before', () => {
    const opening = { ...first, scalars: { loss: 3, dualSum: 0, uNorm2: 0, wDotU: 0 } };
    const good = { ...first, round: 2, base: 1, u: Float64Array.of(0.6, 0.3) };

    test('a good one is taken', () => {
      const { state, say } = inRound2('safe', opening);
      expect(say('a', good)).toEqual([]);
      expect(state.members.get('a')?.answered).toBe(true);
    });

    test.each<[string, Partial<AnswerMessage['scalars']>]>([
      ['|u|^2 against the u that was taken', { uNorm2: 0.45 }],
      ['a loss below 0', { loss: -1 }],
      ['a dual sum below 0', { dualSum: -0.1 }],
      ['a dual sum above C1 n', { dualSum: 3.1 }],
    ])('%s', (_, changes) => {
      const bad = { ...good, scalars: { ...good.scalars, ...changes } };
      expectRefused(inRound2('safe', opening), bad, good);
    });
  });
});

describe('claims', () => {
  // Free-riders claim duals of steps that they do not take.
  const misbehaving = ['1', '2', '3', '4'].map(
    (participant) => ({ participant, kind: 'free-rider' }) as const,
  );

  test('with steps nobody pays for the gaps of others: the dual is never above the primal', () => {
    const { stopped, certificate } = run({ aggregation: 'safe', misbehaving, gap: 1e-5, rounds: 40 });
    expect(certificate!.dual).toBeLessThan(certificate!.primal);
    expect(stopped).toBe('rounds');
  });

  test.each(['poison', 'noise'] as const)(
    'with answers a huge claim does not make the gap of others look small: %s',
    (kind) => {
      const { certificate, stopped } = run({
        misbehaving: [{ participant: '7', kind, scale: 10 }],
        gap: 1e-3,
        rounds: 10,
      });
      expect(stopped).toBe('rounds');
      expect(certificate!.relativeGap).toBeGreaterThan(0.1);
    },
  );
});

describe('a poisoner among 20', () => {
  const misbehaving = [{ participant: '7', kind: 'poison', scale: 10 }] as const;
  const ofOthers = (given: ScenarioInput) => {
    const data = { generator: 'har', participants: 20, rows: 120, features: 100 } as const;
    const own = run({ data, passes: 10, ...given }).participants.filter(({ id }) => id !== '7');
    return own.reduce((sum, { metric }) => sum + metric!, 0) / own.length;
  };

  test.each<[Aggregation, number]>([
    ['answers', 0.06],
    // The loss that goes with its vectors makes the model worse, not better, by its own account.
    ['safe', 0.04],
  ])('%s: without a bound the others lose more than %d, with one next to nothing', (aggregation, loss) => {
    const rounds = 20;
    const peace = ofOthers({ aggregation, rounds });
    const attacked = ofOthers({ aggregation, rounds, misbehaving: [...misbehaving] });
    const defence = { robust: {} };
    const defended = ofOthers({ aggregation, rounds, misbehaving: [...misbehaving], defence });
    expect(attacked).toBeLessThan(peace - loss);
    expect(defended).toBeGreaterThan(peace - 0.03);
  });
});

describe('contribution scores', () => {
  const kinds = { '3': 'free-rider', '9': 'noise', '15': 'echo' } as const;
  const misbehaving = Object.entries(kinds).map(([participant, kind]) => ({ participant, kind }));
  const SUSPICION = { 'free-rider': 'idle', noise: 'noise', echo: 'echo' } as const;

  test('give three kinds of free-riders away, and hardly ever somebody honest', () => {
    let [found, wrong, honest] = [0, 0, 0];
    const seeds = [1, 2, 3, 4];
    for (const seed of seeds) {
      const { participants } = run({ defence: { scores: 'on' }, misbehaving }, seed);
      for (const { id, contribution } of participants) {
        const kind = kinds[id as keyof typeof kinds];
        if (kind) found += contribution!.suspicions.includes(SUSPICION[kind]) ? 1 : 0;
        else {
          honest++;
          wrong += contribution!.suspicions.length > 0 ? 1 : 0;
        }
      }
    }
    expect(found).toBeGreaterThanOrEqual(3 * seeds.length - 1);
    expect(wrong / honest).toBeLessThanOrEqual(0.03);
  });

  test('are in the rows, survive a crash, and go with the participant', () => {
    const defence = { scores: 'on' } as const;
    const plan = planFor(
      smallHar(5, 4, 12),
      { rounds: 8, passes: 6, gap: 0, testFraction: 0.25 },
      { options: { defence } },
    );
    const simulation = new Simulation(plan).run();
    const [first, second] = simulation.rows;
    expect(first.scores?.map(({ id }) => id)).toEqual(['1', '2', '3', '4']);
    expect(first.scores?.[0].ownShare).toBeUndefined();
    expect(second.scores?.[0].ownShare).toBeGreaterThan(0);
    const { disk, state } = simulation.coordinator;
    const restored = restoreCoordinator(plan.options, structuredClone(disk.run!), disk.members.values());
    expect(standings(restored)).toEqual(standings(state!));
    step(restored, { type: 'forget', id: '2', now: 1e6 });
    expect(standings(restored).map(({ id }) => id)).toEqual(['1', '3', '4']);
  });
});

test('the same seed gives the same lies, also through a lossy network', () => {
  const given: ScenarioInput = {
    data: { ...SIZE, participants: 5 },
    rounds: 6,
    link: { delayMs: 5, jitterMs: 10, loss: 0.2, duplicate: 0.2 },
    precision: 'f32',
    misbehaving: [
      { participant: '1', kind: 'noise' },
      { participant: '2', kind: 'echo', scale: 2 },
      { participant: '3', kind: 'poison' },
    ],
  };
  const summary = run(given);
  expect(run(given)).toEqual(summary);
  // Their books are in order: nothing that they say contradicts what they have said.
  expect(summary.rejections.INFEASIBLE).toBeUndefined();
});
