/** Federations of tables with text, gaps and weights come to what `train` comes to, and nobody's rows leave. */
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { DEFAULT_SECURE, parseOptions } from '../../../src/coordinator/options.ts';
import { tableFrom } from '../../../src/data/arrays.ts';
import { naturallySorted, rowsOfParticipant } from '../../../src/data/participants.ts';
import type { Table } from '../../../src/data/table.ts';
import { predict } from '../../../src/methods/predict.ts';
import { train } from '../../../src/methods/train.ts';
import type { ParticipantEffect } from '../../../src/participant/effects.ts';
import { encode } from '../../../src/protocol/codec.ts';
import type { ToCoordinator } from '../../../src/protocol/messages.ts';
import type { TrainOptions } from '../../../src/settings/training.ts';
import { messyTable, weightedTable } from '../../helpers/messy.ts';
import { operate, ServerTest } from '../../helpers/server.ts';
import { optionsLike, TestServer } from '../../helpers/test-server.ts';
import { difference, joinAs, temporaryFolder, useBuilt } from './helpers.ts';

useBuilt();
const servers = new ServerTest();
const folder = temporaryFolder();
const open: { close(): Promise<unknown> }[] = [];
afterEach(async () => {
  for (const thing of open.splice(0).reverse()) await thing.close();
});
let folders = 0;
const newFolder = () => join(folder, `state-${folders++}`);

async function serve(...[options, changes]: Parameters<typeof optionsLike>): Promise<TestServer> {
  const server = await TestServer.start(optionsLike(options, { minParticipants: 3, ...changes }));
  open.push(server);
  return server;
}

function everybody(server: TestServer, table: Table, testFraction: number) {
  return table.participants.map((id) => {
    const participation = joinAs(server, table, id, { stateFolder: newFolder(), testFraction });
    open.push(participation);
    return participation;
  });
}

const OPTIONS: TrainOptions = { testFraction: 0.3, gap: 1e-5, c1: 2, c2: 0.5, rounds: 60 };

describe('a federation of messy tables', () => {
  test.each([
    ['text and gaps', messyTable(), {}],
    ['gaps of one participant alone', messyTable({ gapsOf: (k) => k === 1 }), {}],
    ['weights', weightedTable({ seed: 2 }), {}],
    ['a map of random features', messyTable(), { features: { kind: 'rff', count: 32, gamma: 0.05 } }],
  ] as const)('[COLUMNS-3] comes to the model of train: %s', async (_, table, map) => {
    const server = await serve(OPTIONS, map);
    const participants = everybody(server, table, 0.3);
    const results = await Promise.all(participants.map(({ done }) => done));
    const trained = train(table, { ...OPTIONS, ...map });
    for (const [k, participation] of participants.entries()) {
      const id = table.participants[k];
      const own = participation.model()!;
      expect(own.features).toEqual(trained.model.features);
      expect(own.encoding!.columns.map(({ name, kind }) => [name, kind])).toEqual(
        trained.model.encoding!.columns.map(({ name, kind }) => [name, kind]),
      );
      // Moments of features follow from those of columns: another order of the same sums.
      expect(difference(own.scaling.shift, trained.model.scaling.shift)).toBeLessThan(1e-12);
      expect(difference(own.w, trained.model.w)).toBeLessThan(1e-6);
      expect(difference(own.personal.get(id)!, trained.model.personal.get(id)!)).toBeLessThan(1e-6);
      const { id: _i, rows: _r, testRows, ...metrics } = trained.participants[k];
      expect(results[k].test).toEqual({ rows: testRows, ...metrics });
      const rows = rowsOfParticipant(table, id)!;
      expect(predict(own, rows).map(({ prediction }) => prediction)).toEqual(
        predict(trained.model, rows).map(({ prediction }) => prediction),
      );
    }
  });

  test('[COLUMNS-1] sends counts of levels and moments of columns, and no value of any row', async () => {
    const table = messyTable();
    const server = await serve(OPTIONS);
    const sent: ToCoordinator[] = [];
    const record = {
      started: () => {},
      step: (_: unknown, effects: readonly ParticipantEffect[]) => {
        for (const effect of effects) if (effect.type === 'send') sent.push(effect.message as ToCoordinator);
      },
    };
    const participants = table.participants.map((id) =>
      joinAs(server, table, id, { stateFolder: newFolder(), ...(id === 'p0' && { record }) }),
    );
    open.push(...participants);
    await Promise.all(participants.map(({ done }) => done));
    const columns = sent.flatMap((message) => (message.kind === 'moments' ? [message.columns] : []))[0];
    expect(columns!.map(({ kind }) => kind)).toEqual(['number', 'text', 'number', 'text']);
    const own = rowsOfParticipant(table, 'p0')!;
    // Sizes are of no two rows the same: whoever sends a row sends one of them.
    const sizes = Array.from({ length: own.n }, (_, i) => own.x[i * own.features.length + 2]);
    const bytes = sent.map((message) => Buffer.from(encode(message, 'f64')));
    const written = sizes.flatMap((size) => [
      Buffer.from(Float64Array.of(size).buffer),
      Buffer.from(Float32Array.of(size).buffer),
    ]);
    expect(bytes.length).toBeGreaterThan(3);
    for (const frame of bytes) for (const value of written) expect(frame.includes(value)).toBe(false);
  });

  test('[COLUMNS-4] a newcomer with an unknown level takes part and changes nothing that was agreed on', async () => {
    const table = messyTable({ participants: 4 });
    const server = await serve(OPTIONS);
    const first = table.participants.slice(0, 3);
    const begun = first.map((id) => joinAs(server, table, id, { stateFolder: newFolder(), keepGoing: true }));
    open.push(...begun);
    await Promise.all(begun.map((one) => rested(one)));
    const agreed = server.state.agreement;
    const own = rowsOfParticipant(table, 'p3')!;
    const strange = { ...own, levels: own.levels!.map((texts) => texts?.map((text) => `${text}!`)) };
    const late = joinAs(server, strange, 'p3', { stateFolder: newFolder() });
    open.push(late);
    await late.done;
    expect(server.state.agreement).toEqual(agreed);
    expect(late.model()!.features).toEqual(begun[0].model()!.features);
  });

  test('the kind of a column is part of what participants sign', async () => {
    const table = messyTable();
    const server = await serve(OPTIONS);
    const first = joinAs(server, table, 'p0', { stateFolder: newFolder() });
    open.push(first);
    const numbers = { ...rowsOfParticipant(table, 'p1')!, levels: undefined };
    await until(() => server.state.members.size === 1);
    const other = joinAs(server, numbers, 'p1', { stateFolder: newFolder() });
    open.push(other);
    await expect(other.done).rejects.toMatchObject({ code: 'WRONG_FEATURES' });
  });
});

describe('with secure aggregation', () => {
  const options = { ...OPTIONS, rare: 1 };

  test('[COLUMNS-7] levels are named, gaps are measured in secret, and the model is that of train', async () => {
    const table = messyTable();
    const server = await serve(options, { secure: DEFAULT_SECURE });
    const participants = table.participants.map((id) =>
      joinAs(server, table, id, { stateFolder: newFolder(), testFraction: 0.3, secure: true }),
    );
    open.push(...participants);
    await Promise.all(participants.map(({ done }) => done));
    const { model } = train(table, options);
    const own = participants[1].model()!;
    expect(own.features).toEqual(model.features);
    const ages = [own, model].map(({ encoding }) => encoding!.columns[0] as { mean: number });
    expect(ages[0].mean).toBeCloseTo(ages[1].mean, 5);
    expect(difference(own.scaling.shift, model.scaling.shift)).toBeLessThan(1e-6);
    expect(difference(own.scaling.factor, model.scaling.factor)).toBeLessThan(1e-6);
    // Another way to the same optimum.
    expect(difference(own.w, model.w)).toBeLessThan(1e-2);
    const brought = server.heard.flatMap(({ message }) => (message.kind === 'moments' ? [message] : []));
    expect(brought.length).toBeGreaterThan(2);
    for (const { count, mean, columns } of brought) {
      expect([count, mean.length]).toEqual([0, 0]);
      for (const { missing, levels } of columns!) {
        expect(missing).toBeLessThan(2);
        expect(levels.every(({ rows }) => rows === 0)).toBe(true);
        expect(levels.map(({ level }) => level)).toEqual(naturallySorted(levels.map(({ level }) => level)));
      }
    }
  });

  test.each([
    ['more levels than can be kept', manyLevels(), {}, /at most 100 levels in "color", .* got 120; /],
    ['gaps without means', messyTable(), { scale: 'none' }, /no missing numbers, .* got some in "age"; /],
  ] as const)('[COLUMNS-7] refuses %s in one sentence', async (_, table, changes, sentence) => {
    const server = await serve({ ...options, ...changes }, { secure: DEFAULT_SECURE });
    const refused = joinAs(server, table, 'p0', { stateFolder: newFolder(), secure: true });
    open.push(refused);
    await expect(refused.done).rejects.toMatchObject({
      code: 'COLUMNS_NOT_AGREED',
      message: expect.stringMatching(sentence),
    });
  });
});

/** Each of 120 levels twice. */
function manyLevels(): Table {
  const x = Array.from({ length: 240 }, (_, i) => [`level ${i % 120}`, i]).flat();
  const y = Array.from({ length: 240 }, (_, i) => (i % 2 ? 'yes' : 'no'));
  return tableFrom([{ id: 'p0', x, y }], { features: ['color', 'size'] });
}

function rested(participation: { readonly status: { readonly phase: string } }): Promise<void> {
  return until(() => participation.status.phase === 'finished');
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 10));
}

describe('levels that the operator declares', () => {
  const LEVELS = { color: ['red', 'green', 'blue, light', '7', 'mauve'], site: ['north', 'south'] };
  const table = messyTable({ gapsOf: () => false });
  const options = { ...OPTIONS, rare: 1 };
  /** The same features in the order of the declaration. */
  const columns = [
    'age',
    ...LEVELS.color.map((level) => `color=${level}`),
    'size',
    'site=north',
    'site=south',
  ];

  test.each([
    ['in the clear', {}, 1e-6],
    // Another way to the same optimum.
    ['with secure aggregation', { secure: DEFAULT_SECURE }, 1e-2],
  ] as const)(
    '[COLUMNS-5] come to the model of train, and nothing of the columns is sent: %s',
    async (_, changes, most) => {
      const server = await serve(options, { ...changes, levels: LEVELS });
      const participants = table.participants.map((id) =>
        joinAs(server, table, id, {
          stateFolder: newFolder(),
          testFraction: 0.3,
          secure: 'secure' in changes,
        }),
      );
      open.push(...participants);
      await Promise.all(participants.map(({ done }) => done));
      const { model } = train(table, options);
      const own = participants[0].model()!;
      expect(own.features).toEqual(columns);
      const place = columns.map((name) => model.features.indexOf(name));
      const ordered = Float64Array.from([...place, model.features.length], (j) => model.w[j]);
      expect(difference(own.w, ordered)).toBeLessThan(most);
      expect(server.state.agreement?.encoding).toBeUndefined();
    },
  );

  test('work with differential privacy, where nothing may be collected', async () => {
    const dp = { clip: 1, noiseMultiplier: 0.5, epsilon: 1000, delta: 1e-5 };
    const federation = parseOptions('federation', {
      ...{ dp, scale: 'none', aggregation: 'safe', classes: ['no', 'yes'], levels: LEVELS },
      ...{ minParticipants: 3, stop: { rounds: 3 } },
    });
    const server = await servers.start({}, federation);
    const participants = table.participants.map((id) =>
      joinAs(server, table, id, { stateFolder: newFolder() }),
    );
    open.push(...participants);
    await Promise.all(participants.map(({ done }) => done));
    expect(participants[0].model()!.features).toEqual(columns);
    const { json } = await operate(server, '/v1/federations/default/model');
    expect((json as { features: string[] }).features).toEqual(columns);
  });

  test.each([
    ['missing numbers', messyTable(), LEVELS, /no missing numbers, .* got some in "age"/],
    [
      'a text column that is not declared',
      table,
      { color: LEVELS.color },
      /text only in "color", .* text in "site"/,
    ],
    ['a declared column that is not there', table, { ...LEVELS, town: ['Rome'] }, /the text column "town"/],
  ])('[COLUMNS-6] refuse %s in one sentence', async (_, given, levels, sentence) => {
    const server = await serve(options, { levels });
    const refused = joinAs(server, given, 'p0', { stateFolder: newFolder() });
    open.push(refused);
    await expect(refused.done).rejects.toMatchObject({
      code: 'COLUMNS_NOT_AGREED',
      message: expect.stringMatching(sentence),
    });
  });
});
