/** Random features in a federation: everybody derives the same map from the settings, and nothing else changes. */
import { describe, expect, test } from 'vitest';
import { modelOf, newParticipantFile } from '../../src/client/participant-file.ts';
import { makeRings } from '../../src/data/generate-rings.ts';
import type { Table } from '../../src/data/table.ts';
import { Arena } from '../../src/math/arena.ts';
import { resolveOptions } from '../../src/methods/options.ts';
import { prepare, tasksOf } from '../../src/methods/prepare.ts';
import { train } from '../../src/methods/train.ts';
import { Workspace } from '../../src/methods/workspace.ts';
import { objectionTo } from '../../src/participant/policy.ts';
import { scaledShard } from '../../src/participant/scaled-rows.ts';
import { encode } from '../../src/protocol/codec.ts';
import { parsePolicy } from '../../src/settings/policy.ts';
import { Simulation } from '../../src/sim/simulation.ts';
import { decide, type Model, winnerOf } from '../../src/solver/model.ts';
import { conservationError, planFor } from '../helpers/federation.ts';
import { runSecurely, wrongEntries } from '../helpers/secure-federation.ts';
import { smallHar, smallRegression, tableOf } from '../helpers/tables.ts';
import { tryDecode } from '../protocol/frames.ts';
import { BEFORE, SETTINGS } from '../protocol/samples.ts';

const RINGS = makeRings({ participants: 4, rows: 60, seed: 2 });
const OPTIONS = { features: 'rff:64:0.8', c1: 3, c2: 0.5, rounds: 15, gap: 1e-4, passes: 20 } as const;

test('[MAP-1] [MAP-2] a participant maps its rows as the in-process trainer does, to the bit', () => {
  const options = resolveOptions(OPTIONS, RINGS);
  const prepared = prepare(RINGS, options);
  const { tasks, columns, scaling } = tasksOf(prepared, prepared.split.train, options);
  const shards = new Workspace(new Arena(), tasks, columns).each(options);
  const settings = {
    ...SETTINGS,
    objective: 'classification',
    loss: 'hinge',
    map: options.features,
  } as const;
  for (const [k, { table, y }] of tasks.entries()) {
    const x = Float64Array.from([...table.index].flatMap((i) => [RINGS.x[2 * i], RINGS.x[2 * i + 1]]));
    const own = scaledShard(new Arena(), { ...settings, seed: options.seed }, scaling, { x, y, features: 2 });
    const rowsOf = (shard: typeof own) => shard.arena.f32(shard.rows, shard.n * shard.stride);
    expect(own.d).toBe(65);
    expect(rowsOf(own)).toEqual(rowsOf(shards[k]));
  }
});

describe.each([
  ['classification', RINGS, {}],
  ['regression', smallRegression(2), {}],
  ['no bias, center', smallHar(4, 4, 30), { bias: false, scale: 'center' }],
  ['steps', RINGS, { aggregation: 'safe' }],
] as const)('%s', (what, table, changes) => {
  const objective = what === 'regression' ? what : 'classification';
  const options = { ...OPTIONS, ...changes, objective } as const;

  test('through messages equals the in-process trainer', () => {
    const { model } = train(table, options);
    const simulation = new Simulation(planFor(table, options)).run();
    expect(simulation.over).toBe(true);
    expect(conservationError(simulation)).toBeLessThan(1e-12);
    for (const [id, v] of model.personal) {
      const { w, u } = simulation.participants.get(id)!.disk!.model!;
      for (let j = 0; j < w.length; j++) {
        expect(Math.abs(w[j] - model.w[j])).toBeLessThanOrEqual(1e-12 * (1 + Math.abs(w[j])));
        expect(Math.abs(u![j] / 0.5 - v[j])).toBeLessThanOrEqual(1e-12 * (1 + Math.abs(v[j])));
      }
    }
  });
});

test.each([
  ['classification', RINGS],
  ['regression', smallRegression(2)],
] as const)(
  'secure sums of mapped rows have the same optimum, and exact conservation, %s',
  (objective, table) => {
    const options = { objective, features: 'rff:64', c2: 0.5, gap: 1e-3, rounds: 100 } as const;
    const clear = new Simulation(planFor(table, options)).run().rows.at(-1)!;
    const simulation = runSecurely(table, options);
    const secret = simulation.rows.at(-1)!;
    expect(secret).toMatchObject({ certified: true, outcome: 'final' });
    expect(Math.abs(secret.primal - clear.primal)).toBeLessThanOrEqual(1e-3 * clear.primal);
    expect(simulation.coordinator.disk.run!.inquiry!.u).toHaveLength(65);
    expect(wrongEntries(simulation)).toBe(0);
  },
);

test('three classes: a block of mapped columns for each head, in sums and in the model of a participant', () => {
  const table = tableOf({
    participants: 4,
    rows: 60,
    d: 2,
    target: (x) => ['near', 'middle', 'far'][Math.min(2, Math.floor(x[0] ** 2 + x[1] ** 2))],
  });
  const options = { features: 'rff:32', c1: 3, gap: 1e-3, rounds: 100 } as const;
  const { model } = train(table, { ...options, gap: 1e-5 });
  for (const simulation of [new Simulation(planFor(table, options)).run(), runSecurely(table, options)]) {
    expect(simulation.rows.at(-1)).toMatchObject({ certified: true, outcome: 'final' });
    const own = modelOfParticipant(simulation, table, 'p1');
    expect(own.w).toHaveLength(3 * 33);
    const rows = [...table.participantOf.keys()].filter((i) => table.participantOf[i] === 1);
    const decisions = [own, model].map((one) => decide(one, table, rows));
    const winners = decisions.map((all) => rows.map((_, r) => winnerOf(all, 3, 3 * r)));
    const same = winners[0].filter((winner, r) => winner === winners[1][r]).length;
    expect(same / rows.length).toBeGreaterThan(0.9);
  }
});

test('a participant predicts with the map from its state alone, as the model of all does', () => {
  const { model } = train(RINGS, OPTIONS);
  const own = modelOfParticipant(new Simulation(planFor(RINGS, OPTIONS)).run(), RINGS, '2');
  expect(own.map).toEqual({ kind: 'rff', count: 64, gamma: 0.8, seed: 1 });
  const rows = [...RINGS.participantOf.keys()].filter((i) => RINGS.participantOf[i] === 1);
  const [mine, ours] = [own, model].map((one) => decide(one, RINGS, rows));
  for (const [r, value] of mine.entries()) expect(Math.abs(value - ours[r])).toBeLessThan(1e-9);
});

describe('[MAP-3] too many features for a map', () => {
  const map = { kind: 'rff', count: 65_536, gamma: 1 } as const;
  const welcome = (features: number) =>
    encode({ kind: 'welcome', settings: { ...SETTINGS, map, features }, ...BEFORE }, 'f64');

  test('are refused by a participant', () => {
    expect(tryDecode(welcome(2048))).toHaveProperty('message');
    expect(tryDecode(welcome(2049))).toMatchObject({
      code: 'BAD_FRAME',
      sentence: expect.stringContaining('expected at most 2048 features, got 2049'),
    });
  });

  test('are refused by the coordinator before anybody maps', () => {
    const wide = { ...smallHar(), features: Array.from({ length: 24 }, (_, j) => `x${j}`) };
    const plan = planFor(wide, { features: map });
    const participants = plan.participants.map((one) => ({
      ...one,
      profile: { ...one.profile, features: 2049 },
    }));
    const simulation = new Simulation({ ...plan, participants, untilMs: 1000 }).run();
    expect(simulation.coordinator.state!.rejections.get('WRONG_FEATURES')).toBeGreaterThan(0);
  });
});

test('a participant that accepts few features accepts no map to many', () => {
  const policy = parsePolicy('test', { maxFeatures: 100 });
  const map = { kind: 'rff', count: 128, gamma: 1 } as const;
  expect(objectionTo(policy, SETTINGS)).toBeUndefined();
  expect(objectionTo(policy, { ...SETTINGS, map })).toMatchObject({ code: 'EFFORT' });
});

/** From what the participant itself has stored, and nothing else. */
function modelOfParticipant(simulation: Simulation, { features }: Table, participant: string): Model {
  const begun = { participant, features, schema: '', columns: undefined, rows: '' };
  const { disk } = simulation.participants.get(participant)!;
  return modelOf({ ...newParticipantFile(begun, new Uint8Array(32)), stored: disk! })!;
}
