/** Rows that go leave the model, the sum and the state folder; a certificate says since when. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { stream } from '../../../src/base/random.ts';
import { verifiedUnlearning } from '../../../src/check/verify-unlearned.ts';
import { rowKeys } from '../../../src/client/known-rows.ts';
import type { JoinEvent, Participation } from '../../../src/client/participation-options.ts';
import { DEFAULT_SECURE } from '../../../src/coordinator/options.ts';
import { rowsOfParticipant, selectRows } from '../../../src/data/participants.ts';
import type { Table } from '../../../src/data/table.ts';
import { train } from '../../../src/methods/train.ts';
import { joinFederation } from '../../../src/node/client/join.ts';
import { readParticipantState } from '../../../src/node/client/state-folder.ts';
import type { TrainOptions } from '../../../src/settings/training.ts';
import { smallHar, smallRegression, tableOf } from '../../helpers/tables.ts';
import { optionsLike, TestServer } from '../../helpers/test-server.ts';
import { difference, QUICK, temporaryFolder, until, useBuilt } from './helpers.ts';

useBuilt();
const root = temporaryFolder();
const open: { close(): Promise<unknown> }[] = [];
afterEach(async () => {
  for (const thing of open.splice(0).reverse()) await thing.close();
});
let folders = 0;
const newFolder = () => join(root, `state-${folders++}`);

type Options = Partial<Parameters<typeof joinFederation>[0]> & { readonly stateFolder: string };

function joinWith(server: TestServer, table: Table, id: string, options: Options): Participation {
  const timing = QUICK;
  const participation = joinFederation({
    url: server.url,
    data: { table },
    participant: id,
    timing,
    ...options,
  });
  open.push(participation);
  return participation;
}

/** The largest of the first three features, which is not the same for all rows of a participant. */
const threeClasses = tableOf({
  participants: 2,
  rows: 40,
  d: 5,
  target: (x) => ['a', 'b', 'c'][[0, 1, 2].reduce((best, j) => (x[j] > x[best] ? j : best), 0)],
});

/** All but these. */
const without = (table: Table, rows: readonly number[]) =>
  selectRows(
    table,
    [...Array(table.n).keys()].filter((i) => !rows.includes(i)),
  );

/** A federation of all participants of the table that has come to rest; all but the first stay connected. */
async function trained(
  table: Table,
  options: TrainOptions,
  ...[changes]: [Parameters<typeof optionsLike>[1]?]
) {
  const ids = table.participants;
  const server = await TestServer.start(optionsLike(options, { minParticipants: ids.length, ...changes }));
  open.push(server);
  const secure = changes?.secure !== undefined;
  const folderOf = new Map(ids.map((id) => [id, newFolder()]));
  const joined = ids.map((id, k) =>
    joinWith(server, rowsOfParticipant(table, id)!, id, {
      stateFolder: folderOf.get(id)!,
      keepGoing: k > 0,
      secure,
    }),
  );
  await joined[0].done;
  await until(server, () => joined.slice(1).every(({ status }) => status.phase === 'finished'));
  const own = rowsOfParticipant(table, ids[0])!;
  return { server, own, id: ids[0], stateFolder: folderOf.get(ids[0])!, others: joined.slice(1) };
}

/** Every byte of every file. */
function bytesIn(folder: string): Buffer {
  return Buffer.concat(readdirSync(folder).map((name) => readFileSync(join(folder, name))));
}

/** Numbers as a state holds them. */
const asBytes = (value: number) => Buffer.from(new Float64Array([value]).buffer);

describe('unlearning', () => {
  test.each([
    ['classification', smallHar(3, 3, 40), { c1: 3 }, 5],
    ['classification', smallHar(8, 2, 60), { c1: 0.3, c2: 3 }, 11],
    ['many classes', threeClasses, { c1: 3 }, 6],
    ['regression', smallRegression(5), { objective: 'regression', scaleTarget: 'none' }, 7],
  ] as const)(
    '%s: rows that go leave a model as if they had never been there (%#)',
    async (_, table, options, k) => {
      // The scaling is of all rows of the first start: without it there is nothing else that lasts.
      const exact = { ...options, scale: 'none', gap: 1e-6, testFraction: 0 } as const;
      const { server, own, id, stateFolder } = await trained(table, exact, { scaleTarget: 'none' });
      const before = server.state.certificate.primal;
      const random = stream(k, 'unlearning');
      const gone = [...Array(own.n).keys()].sort(() => random.uniform() - 0.5).slice(0, k);
      const { reason, unlearned } = await joinWith(server, without(own, gone), id, { stateFolder }).done;
      expect(reason).toBe('gap');
      const ofId = table.participants.indexOf(id);
      const first = [...Array(table.n).keys()].filter((i) => table.participantOf[i] === ofId);
      const scratch = train(
        without(
          table,
          gone.map((i) => first[i]),
        ),
        { ...exact, rounds: 2000 },
      );
      expect(scratch.certificate!.relativeGap).toBeLessThanOrEqual(1e-6);
      const { primal } = server.state.certificate;
      expect(Math.abs(primal / scratch.certificate!.primal - 1)).toBeLessThan(2e-6);
      expect(Math.abs(before / primal - 1)).toBeGreaterThan(1e-4);
      const { w } = readParticipantState(stateFolder).stored.model!;
      expect(difference(w, scratch.model.w)).toBeLessThan(0.02);
      expect(unlearned).toMatchObject([{ edition: 1, removed: { training: k, testing: 0 }, reason: 'gap' }]);
    },
  );

  test('nothing of the rows stays in the state folder: no features, no keys, no duals, no contribution', async () => {
    const table = smallHar(4, 2, 50);
    const { server, own, id, stateFolder, others } = await trained(table, { gap: 1e-4 });
    const before = readParticipantState(stateFolder);
    const rows = [3, 17, 23];
    const keys = rowKeys(own);
    const { committed, model } = before.stored;
    const places = rows.map((i) => before.known!.train.indexOf(keys[i]));
    const traces = [
      ...rows.map((i) => keys[i]),
      ...places.map((place) => committed!.beta[place]).filter((beta) => beta !== 0 && Math.abs(beta) !== 1),
      ...committed!.u.slice(0, 5),
      ...model!.u!.slice(0, 5),
      ...model!.w.slice(0, 5),
    ];
    for (const trace of traces) expect(bytesIn(stateFolder).includes(asBytes(trace))).toBe(true);
    // Features are never in it.
    const d = own.features.length;
    const features = rows.flatMap((i) => [...own.x.subarray(i * d, (i + 1) * d)]);
    for (const value of features) expect(bytesIn(stateFolder).includes(asBytes(value))).toBe(false);
    const events: JoinEvent[] = [];
    const onEvent = (event: JoinEvent) => events.push(event);
    const again = joinWith(server, without(own, rows), id, { stateFolder, onEvent });
    await again.done;
    await until(server, () => others.every(({ status }) => status.phase === 'finished'));
    const left = bytesIn(stateFolder);
    for (const trace of [...traces, ...features])
      expect(left.includes(asBytes(trace)), `${trace}`).toBe(false);
    const [certificate] = readParticipantState(stateFolder).unlearned!;
    expect(events).toContainEqual({ type: 'unlearned', certificate });
    const text = rows
      .map((i) => keys[i])
      .sort((a, b) => a - b)
      .map((key) => `${key}\n`)
      .join('');
    expect(certificate.removed.digest).toBe(createHash('sha256').update(text).digest('hex'));
    expect(certificate.kept).toEqual({ rows: own.n - 3, digest: readParticipantState(stateFolder).rows });
  });

  test('a certificate waits for the rest, also over a restart, and the store of the server bears it out', async () => {
    const table = smallHar(5, 2, 40);
    const { server, own, id, stateFolder } = await trained(table, { gap: 1e-4 });
    const roundBefore = server.state.round;
    const storedBefore = server.saved();
    const nowhere = { url: 'http://127.0.0.1:1' } as TestServer;
    const fewer = without(own, [0, 1]);
    await new Promise<void>((resolve) => {
      const onEvent = ({ type }: JoinEvent) => type === 'rows changed' && resolve();
      joinWith(nowhere, fewer, id, { stateFolder, onEvent });
    });
    await open.pop()!.close();
    expect(readParticipantState(stateFolder)).toMatchObject({
      unlearning: [{ edition: 1, removed: { training: 2 } }],
    });
    // Two more go before anybody has heard of the first two.
    const { unlearned } = await joinWith(server, without(fewer, [0, 1]), id, { stateFolder }).done;
    expect(unlearned!.map(({ edition, removed }) => [edition, removed.training])).toEqual([
      [1, 2],
      [2, 2],
    ]);
    const [certificate] = unlearned!;
    expect(certificate.acceptedRound).toBeGreaterThan(roundBefore);
    const checked = verifiedUnlearning(certificate, server.saved(), server.rows);
    expect(checked).toMatchObject({ holds: true, storeEdition: 2 });
    expect(checked.gapBefore).toBeLessThanOrEqual(1e-4);
    expect(checked.gapAfter).toBeLessThanOrEqual(1e-4);
    expect(verifiedUnlearning(certificate, storedBefore, server.rows).holds).toBe(false);
    expect(verifiedUnlearning(certificate, { ...server.saved()!, members: [] }, []).holds).toBe(true);
  });

  test('rows that were only tested on go without another training', async () => {
    const table = smallHar(6, 2, 40);
    const { server, own, id, stateFolder } = await trained(table, { gap: 1e-3 });
    const split = { testFraction: 0.3, seed: 2 };
    await joinWith(server, own, id, { stateFolder, ...split }).done;
    const { known, stored } = readParticipantState(stateFolder);
    const keys = rowKeys(own);
    const tested = keys.indexOf(known!.test[0]);
    await joinWith(server, without(own, [tested]), id, { stateFolder, ...split }).done;
    const after = readParticipantState(stateFolder);
    expect(after.stored.edition).toBe(stored.edition);
    expect(after.known!.test).toHaveLength(known!.test.length - 1);
    expect(bytesIn(stateFolder).includes(asBytes(keys[tested]))).toBe(false);
  });

  test('where sums are secret, too', async () => {
    const changes = { secure: DEFAULT_SECURE, retryMs: 50 };
    const { server, own, id, stateFolder } = await trained(smallHar(7, 3, 30), { gap: 1e-2 }, changes);
    const { unlearned } = await joinWith(server, without(own, [1]), id, { stateFolder, secure: true }).done;
    expect(unlearned).toMatchObject([{ removed: { training: 1, testing: 0 } }]);
    expect(verifiedUnlearning(unlearned![0], server.saved(), server.rows).holds).toBe(true);
  });
});

describe('rows to unlearn that the data still have', () => {
  test('stay out from then on, and others are refused', async () => {
    const table = smallHar(9, 2, 40);
    const { server, own, id, stateFolder } = await trained(table, { gap: 1e-3 });
    const unlearn = selectRows(own, [2, 5]);
    const first = await joinWith(server, own, id, { stateFolder, unlearn }).done;
    expect(first.unlearned).toMatchObject([{ removed: { training: 2 }, kept: { rows: own.n - 2 } }]);
    const events: JoinEvent[] = [];
    await joinWith(server, own, id, { stateFolder, onEvent: (event) => events.push(event) }).done;
    expect(events.filter(({ type }) => type === 'rows changed')).toEqual([]);
    // Once more, and together with rows that are gone from the data.
    await joinWith(server, without(own, [7]), id, { stateFolder, unlearn: selectRows(own, [2, 7]) }).done;
    expect(readParticipantState(stateFolder).known!.train).toHaveLength(own.n - 3);
    const strange = rowsOfParticipant(table, '2')!;
    const refused = joinWith(server, own, id, { stateFolder, unlearn: strange }).done;
    await expect(refused).rejects.toMatchObject({ code: 'UNKNOWN_ROWS' });
    const all = joinWith(server, own, id, { stateFolder, unlearn: own }).done;
    await expect(all).rejects.toMatchObject({ code: 'NO_ROWS' });
    expect(readParticipantState(stateFolder).known!.train).toHaveLength(own.n - 3);
  });
});
