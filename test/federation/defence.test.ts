/** The defence of the model: bounds that both sides keep, answers that cannot be, poison, and free-riders. */
import { describe, expect, test } from 'vitest';
import {
  type CoordinatorOptions,
  DEFAULT_OPTIONS,
  newCoordinator,
  restoreCoordinator,
  standings,
  step,
} from '../../src/coordinator/index.ts';
import type { ToCoordinator, UpdateMessage } from '../../src/protocol/index.ts';
import {
  computeModel,
  generatedTable,
  parseScenario,
  type RunSummary,
  runScenario,
  type ScenarioInput,
  Simulation,
} from '../../src/sim/index.ts';
import type { Aggregation } from '../../src/solver/index.ts';
import { conservationError, planFor } from '../helpers/federation.ts';
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
    { normBound: 0.3, robust: {}, scores: 'on' },
  ];
  const rules: Aggregation[] = ['exact', 'line-search', 'safe'];
  const cases = rules.flatMap((aggregation) => bounds.map((defence) => [aggregation, defence] as const));

  test.each(cases)('is kept on both sides: %s, %j', (aggregation, defence) => {
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
    // Shorter steps are steps: the dual does not fall.
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

  test('beyond which an update is refused is not waited at', () => {
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

test('a federation of which every update is refused comes to an end', () => {
  const { stopped, rounds } = run({ rounds: 2, defence: { refuseAbove: 1e-9 } });
  expect({ stopped, aggregated: rounds.aggregated }).toEqual({ stopped: 'rounds', aggregated: 0 });
});

describe('an answer that cannot be is refused, and its round goes on without it', () => {
  const scalars = { loss: 2, dualSum: 1, uNorm2: 0.26 };
  const du = Float64Array.of(0.1, 0.2);
  const good = {
    kind: 'update',
    session: 1,
    round: 2,
    base: 1,
    du,
    ds: 0.5,
    uDotDu: 0.5 * 0.1 + 0.1 * 0.2,
    duNorm2: 0.05,
    scalars,
    passes: 1,
    computeMs: 1,
  } as const;

  /** Two participants with 3 rows each, whose first updates (0.5, 0.1) were taken in full. */
  function inRound2() {
    const state = newCoordinator({ ...DEFAULT_OPTIONS, aggregation: 'safe', minParticipants: 2 });
    const say = (from: string, message: ToCoordinator) =>
      step(state, { type: 'message', from, message, now: 0 });
    for (const id of ['a', 'b'])
      say(id, { kind: 'join', id, rows: 3, features: 1, benchmarkMs: 1, session: 1, base: 0, pending: 0 });
    for (const id of ['a', 'b'])
      say(id, { kind: 'moments', count: 3, mean: Float64Array.of(0), m2: Float64Array.of(1) });
    const first = {
      ...good,
      round: 1,
      base: 0,
      du: Float64Array.of(0.5, 0.1),
      ds: 1,
      uDotDu: 0,
      duNorm2: 0.26,
    };
    for (const id of ['a', 'b']) say(id, { ...first, scalars: { loss: 3, dualSum: 0, uNorm2: 0 } });
    step(state, { type: 'summed', now: 1 });
    return { state, say };
  }

  test('a good one is taken', () => {
    const { state, say } = inRound2();
    expect(say('a', good)).toEqual([]);
    expect(state.members.get('a')?.answered).toBe(true);
  });

  test.each<[string, Partial<UpdateMessage>]>([
    ['|du|^2', { duNorm2: 0.06 }],
    ['u.du against the u that was taken', { uDotDu: -0.07 }],
    ['|u|^2 against the u that was taken', { scalars: { ...scalars, uNorm2: 0 } }],
    ['a loss below 0', { scalars: { ...scalars, loss: -1 } }],
    ['a dual sum below 0', { scalars: { ...scalars, dualSum: -0.1 } }],
    ['a dual sum above C1 n', { scalars: { ...scalars, dualSum: 3.1 } }],
    ['a dual sum that would rise above C1 n', { ds: 2.1 }],
  ])('%s', (_, changes) => {
    const { state, say } = inRound2();
    const [reject] = say('a', { ...good, ...changes });
    expect(reject).toMatchObject({ type: 'send', to: 'a', message: { kind: 'reject', code: 'INFEASIBLE' } });
    expect(state.members.get('a')?.answered).toBe(false);
    const effects = say('b', good);
    expect(effects.map(({ type }) => type)).toContain('summation');
  });

  test('a dual above the primal is no certificate', () => {
    // Free-riders claim the gains of the steps that they do not take.
    const misbehaving = ['1', '2', '3', '4'].map(
      (participant) => ({ participant, kind: 'free-rider' }) as const,
    );
    const { stopped, certificate } = run({ misbehaving, gap: 0.01, rounds: 8 });
    expect(certificate!.dual).toBeGreaterThan(certificate!.primal);
    expect({ stopped, certified: certificate!.certified }).toEqual({ stopped: 'rounds', certified: false });
  });
});

describe('a poisoner among 20', () => {
  const misbehaving = [{ participant: '7', kind: 'poison', scale: 10 }] as const;
  const ofOthers = (given: ScenarioInput) => {
    const data = { generator: 'har', participants: 20, rows: 120, features: 100 } as const;
    const own = run({ data, passes: 10, ...given }).participants.filter(({ id }) => id !== '7');
    return own.reduce((sum, { metric }) => sum + metric!, 0) / own.length;
  };

  test.each<[Aggregation, number]>([
    ['exact', 0.06],
    ['line-search', 0.4],
    ['safe', 0.03],
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
