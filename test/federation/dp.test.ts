/** Differential privacy in the machines: clipping, noise, its record, the budget; and what none of it may break. */

import { describe, expect, test } from 'vitest';
import { stream } from '../../src/base/random.ts';
import type { CoordinatorInput } from '../../src/coordinator/effects.ts';
import { step } from '../../src/coordinator/machine.ts';
import { type CoordinatorOptions, DEFAULT_OPTIONS } from '../../src/coordinator/options.ts';
import { newCoordinator, restoreCoordinator } from '../../src/coordinator/stored.ts';
import { combinerOf, sharedPart } from '../../src/coordinator/training.ts';
import { epsilonOf } from '../../src/privacy/dp/accountant.ts';
import { drawNoise, gridBits, isOnGrid, noiseOfSum } from '../../src/privacy/dp/grid.ts';
import type { NoisyCombiner } from '../../src/privacy/dp/noisy-combiner.ts';
import type { AnswerMessage, ToCoordinator } from '../../src/protocol/messages.ts';
import { simulate } from '../../src/sim/run.ts';
import { Simulation, type SimulationPlan } from '../../src/sim/simulation.ts';
import { norm, plusScaled } from '../../src/solver/vector.ts';
import { acceptedBy, committedBy, planFor } from '../helpers/federation.ts';
import { gateOf } from '../helpers/gate.ts';
import { smallHar } from '../helpers/tables.ts';

const DP = { clip: 0.3, noiseMultiplier: 0.8, epsilon: 1e6, delta: 1e-5, bounds: [-1, 1] };

function privatePlan(
  options: Partial<CoordinatorOptions> = {},
  changes: Partial<Omit<SimulationPlan, 'options' | 'participants'>> = {},
): SimulationPlan {
  return planFor(
    smallHar(5, 4, 12),
    { aggregation: 'safe', rounds: 6, passes: 6, gap: 0, testFraction: 0.25, scale: 'center' },
    { ...changes, options: { dp: DP, ...options } },
  );
}

interface HeardMessage {
  readonly from: string;
  readonly message: ToCoordinator;
}

/** Everything that the coordinator was sent. */
function heardBy(simulation: Simulation): HeardMessage[] {
  const heard: HeardMessage[] = [];
  const node = gateOf(simulation.coordinator);
  const take = node.take.bind(node);
  node.take = (input: CoordinatorInput) => {
    if (input.type === 'message') heard.push({ from: input.from, message: input.message });
    take(input);
  };
  return heard;
}

/** Lengths of all changes of contributions, where every answer is accepted. */
function stepsIn(heard: readonly HeardMessage[]): number[] {
  const last = new Map<string, Float64Array>();
  return heard.flatMap(({ from, message }) => {
    if (message.kind !== 'answer') return [];
    const before = last.get(from);
    last.set(from, message.u);
    return [norm(before ? plusScaled(message.u, -1, before) : message.u)];
  });
}

const answersOf = (heard: readonly ToCoordinator[]) =>
  heard.filter((message): message is AnswerMessage => message.kind === 'answer');

const combiner = ({ coordinator }: Simulation) => combinerOf(coordinator.state!) as NoisyCombiner;

/** |w - N - sum of the u_k that participants hold| / |w - N|. */
function conservation(simulation: Simulation): number {
  const { participants } = simulation;
  const { run, members } = simulation.coordinator.disk;
  const { w, noise } = combiner(simulation);
  const clean = plusScaled(w, -1, noise);
  let rest = clean;
  for (const [id, accepted] of acceptedBy(run!, members.values())) {
    const own = committedBy(participants.get(id)!, accepted);
    if (own) rest = plusScaled(rest, -1, own);
  }
  return norm(rest) / Math.max(norm(clean), 1e-6);
}

/** The noise of all rounds that were aggregated; a round that a crash undid has more than one row, the last one counts. */
function drawnFor({ rows }: Simulation): Float64Array {
  const outcomes = new Map(rows.map(({ round, outcome }) => [round, outcome]));
  let sum: Float64Array = new Float64Array(25);
  for (const [round, outcome] of outcomes)
    if (outcome === 'aggregated')
      sum = plusScaled(sum, 1, drawNoise(noiseOfSum(DP, 25), stream(1, 'dp noise', round)));
  return sum;
}

describe('participants', () => {
  test('[DP-1] send steps of at most the clip norm, on the grid, and nothing else', () => {
    const simulation = new Simulation(privatePlan());
    const heardFrom = heardBy(simulation);
    simulation.run();
    const heard = heardFrom.map(({ message }) => message);
    const answers = answersOf(heard);
    expect(answers).toHaveLength(4 * 6);
    const norms = stepsIn(heardFrom);
    for (const norm of norms) expect(norm).toBeLessThanOrEqual(DP.clip * (1 + 1e-12));
    // The clipping was felt.
    expect(Math.max(...norms)).toBeGreaterThan(0.99 * DP.clip);
    const bits = gridBits(DP);
    for (const { scalars, u } of answers) {
      expect(scalars).toEqual({ loss: 0, dualSum: 0, uNorm2: 0, wDotU: 0 });
      expect(isOnGrid(u, bits, 4)).toBe(true);
    }
  });

  test('[DP-4] whose steps are not on the grid are refused, and not waited for', () => {
    const simulation = new Simulation(privatePlan());
    const node = gateOf(simulation.coordinator);
    const take = node.take.bind(node);
    node.take = (input) => {
      if (input.type === 'message' && input.from === '2' && input.message.kind === 'answer') {
        const u = input.message.u.map((value) => value * (1 - 2 ** -40));
        return take({ ...input, message: { ...input.message, u } });
      }
      take(input);
    };
    simulation.run();
    const { state } = simulation.coordinator;
    expect(state?.rejections.get('INFEASIBLE')).toBeGreaterThan(0);
    expect(state?.members.get('2')?.accepted.round).toBe(0);
    expect(state?.phase).toBe('finished');
  });

  test('[ANSWER-7] that do not clip are refused, and not waited for', () => {
    const plan = privatePlan();
    const simulation = new Simulation({
      ...plan,
      misbehaving: [{ participant: '2', kind: 'noise', scale: 10 }],
    }).run();
    const { state } = simulation.coordinator;
    expect(state?.phase).toBe('finished');
    expect(state?.rejections.get('TOO_LARGE')).toBeGreaterThan(0);
    expect(state?.members.get('2')?.accepted.round).toBe(0);
  });
});

describe('noise', () => {
  test('[DP-2] w - noise is the sum of the participants, whatever crashes', () => {
    const undisturbed = new Simulation(privatePlan()).run();
    expect(conservation(undisturbed)).toBeLessThanOrEqual(1e-9);
    const { noise } = combiner(undisturbed);
    // Six rounds of it: a random walk of deviation z clip sqrt(6) per component.
    const rms = Math.hypot(...noise) / Math.sqrt(noise.length);
    expect(rms / (0.8 * 0.3 * Math.sqrt(6))).toBeGreaterThan(0.6);
    expect(rms / (0.8 * 0.3 * Math.sqrt(6))).toBeLessThan(1.5);
    for (let at = 8; at < 45; at += 2) {
      const crashes = [0, 1, 3].map((afterEffects, c) => ({
        node: 'coordinator',
        step: at + 9 * c,
        afterEffects,
        downMs: 40,
      }));
      const simulation = new Simulation(
        privatePlan({ retryMs: 30, maxWaitMs: 300, summationMs: 3 }, { crashes }),
      ).run();
      const { state } = simulation.coordinator;
      expect(state?.phase).toBe('finished');
      expect(conservation(simulation)).toBeLessThanOrEqual(1e-9);
      // Every sum was paid for once, and carries its noise once.
      expect(state?.budget?.rounds).toBe(state?.aggregated);
      const { noise: kept } = combiner(simulation);
      const drawn = drawnFor(simulation);
      for (let j = 0; j < kept.length; j++) expect(kept[j]).toBeCloseTo(drawn[j], 12);
    }
  });

  test('is there once for each round that was aggregated, and is the one that the shell drew', () => {
    const simulation = new Simulation(privatePlan()).run();
    const { noise } = combiner(simulation);
    expect(simulation.rows).toHaveLength(6);
    expect([...noise]).toEqual([...drawnFor(simulation)]);
  });

  test('is not added in a round that is given up', () => {
    const plan = privatePlan({ minResponses: 5, waiting: { kind: 'fixed', ms: 50 }, maxWaitMs: 60 });
    const simulation = new Simulation(plan).run();
    const { coordinator, rows } = simulation;
    expect(rows.every(({ outcome }) => outcome === 'abandoned')).toBe(true);
    const { noise } = combiner(simulation);
    expect(noise.every((value) => value === 0)).toBe(true);
    expect(coordinator.state!.budget!.rounds).toBe(0);
    expect(coordinator.state!.finish).toBe('rounds');
  });

  test('that does not come is a mistake of the shell', () => {
    const simulation = new Simulation(privatePlan());
    const node = gateOf(simulation.coordinator);
    const take = node.take.bind(node);
    node.take = (input) => take(input.type === 'summed' ? { type: 'summed', now: input.now } : input);
    expect(() => simulation.run()).toThrow('expected noise of 25 numbers, got none');
  });

  test('newcomers, leavers, stragglers and the forgotten: conservation holds', () => {
    const plan = privatePlan(
      {
        waiting: { kind: 'fixed', ms: 12 },
        straggler: 'resume',
        retryMs: 30,
        maxWaitMs: 100,
        minParticipants: 3,
      },
      {
        startMs: (id) => (id === '4' ? 40 : 0),
        deeds: [
          { atMs: 30, kind: 'leave', participant: '1' },
          { atMs: 55, kind: 'forget', participant: '2' },
        ],
      },
    );
    const simulation = new Simulation(plan).run();
    expect(simulation.coordinator.state?.finish).toBe('rounds');
    expect(simulation.rows.some(({ responders }) => responders.length < 3)).toBe(true);
    expect(conservation(simulation)).toBeLessThanOrEqual(1e-9);
  });
});

describe('the budget', () => {
  const epsilonAfter = (rounds: number) => epsilonOf({ noiseMultiplier: 2, samplingRate: 1 }, 1e-5, rounds);

  test('[DP-3] ends training before it would be exceeded, and rows say what was spent', () => {
    const dp = {
      clip: 0.3,
      noiseMultiplier: 2,
      epsilon: 0.999 * epsilonAfter(4),
      delta: 1e-5,
      bounds: [-1, 1],
    };
    const { rows, coordinator, participants } = new Simulation(privatePlan({ dp })).run();
    expect(coordinator.state?.finish).toBe('budget');
    expect(rows.map(({ privacy }) => privacy?.delta)).toEqual([1e-5, 1e-5, 1e-5]);
    for (const [i, { privacy }] of rows.entries())
      expect(privacy?.epsilon).toBeCloseTo(epsilonAfter(i + 1), 9);
    // The last outcome is told with the end: everybody has committed it.
    for (const { disk } of participants.values())
      expect(disk).toMatchObject({ base: 3, pending: undefined, finished: 'budget' });
  });

  test('survives a crash, with the limit of the new options', () => {
    const dp = { clip: 0.3, noiseMultiplier: 2, epsilon: 100, delta: 1e-5, bounds: [-1, 1] };
    const plan = privatePlan({ dp });
    const { coordinator } = new Simulation(plan).run();
    const { run, members } = coordinator.disk;
    const lower = { ...plan.options, dp: { ...dp, epsilon: 5 } };
    const again = restoreCoordinator(lower, structuredClone(run!), structuredClone([...members.values()]));
    expect(again.budget?.rounds).toBe(6);
    expect(again.budget?.limit.epsilon).toBe(5);
    expect([...sharedPart(again)!]).toEqual([...sharedPart(coordinator.state!)!]);
  });

  test('[DP-3] nothing is certified, no model is called the best, and a stall is not seen', () => {
    const { rows, coordinator } = new Simulation(
      privatePlan({ stop: { ...DEFAULT_OPTIONS.stop, gap: 0.5, rounds: 6, stall: 1 } }),
    ).run();
    expect(rows).toHaveLength(6);
    expect(coordinator.state).toMatchObject({ finish: 'rounds', best: undefined, gap: 1 });
    for (const { certified, relativeGap, purpose } of rows)
      expect({ certified, relativeGap, purpose }).toEqual({
        certified: false,
        relativeGap: Number.NaN,
        purpose: 'train',
      });
  });

  test('what does not go with it is refused in one sentence', () => {
    const refusal = (options: Partial<CoordinatorOptions>) => () =>
      newCoordinator({ ...DEFAULT_OPTIONS, aggregation: 'safe', scale: 'center', dp: DP, ...options });
    expect(refusal({})).not.toThrow();
    expect(refusal({ aggregation: 'answers' })).toThrow(/^aggregation: expected safe or sum with dp/);
    expect(refusal({ dp: { ...DP, epsilon: 0.5 } })).toThrow(
      /^dp\.epsilon: expected at least [\d.]+, the cost of one round/,
    );
    expect(refusal({ dp: { ...DP, delta: 1 } })).toThrow('delta: expected a number between 0 and 1, got 1');
    expect(refusal({ defence: { scores: 'on' } })).toThrow('defence: expected none with dp');
  });
});

test('the same inputs, noise included, give the same effects', () => {
  const simulation = new Simulation(privatePlan());
  const inputs: CoordinatorInput[] = [];
  const node = gateOf(simulation.coordinator);
  const take = node.take.bind(node);
  node.take = (input) => {
    inputs.push(structuredClone(input));
    take(input);
  };
  simulation.run();
  const effects = [0, 1].map(() => {
    const state = newCoordinator(privatePlan().options);
    return inputs.map((input) => structuredClone(step(state, structuredClone(input))));
  });
  expect(effects[1]).toEqual(effects[0]);
});

test('more privacy costs accuracy: a curve', () => {
  // Hardly any noise: only the clipping is seen.
  const noises = [{ epsilon: 0.5 }, { epsilon: 8 }, { noiseMultiplier: 1e-6 }];
  const points = noises.map((noise) => {
    const { privacy, metric } = simulate({
      data: { generator: 'har', participants: 60, rows: 40, features: 30 },
      passes: 10,
      rounds: 5,
      c2: 0.1,
      scale: 'center',
      dp: { bounds: [-1, 1], clip: 0.05, delta: 1e-5, ...noise },
    }).summary;
    return { noiseMultiplier: privacy!.settings.noiseMultiplier, mean: metric!.mean! };
  });
  const [little, much, all] = points.map(({ mean }) => mean);
  expect(points.map(({ noiseMultiplier }) => Math.sign(noiseMultiplier))).toEqual([1, 1, 1]);
  expect(much).toBeGreaterThan(little + 0.05);
  expect(all).toBeGreaterThan(much - 0.02);
  expect(all).toBeGreaterThan(0.7);
});
