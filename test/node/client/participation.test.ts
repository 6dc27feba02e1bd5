/** What the library offers: coming, going, staying, coming back, and saying clearly what cannot be. */
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { replay } from '../../../src/check/replay.ts';
import type { JoinEvent, Participation } from '../../../src/client/participation-options.ts';
import { DEFAULT_SECURE } from '../../../src/coordinator/options.ts';
import { rowsOfParticipant } from '../../../src/data/participants.ts';
import type { Table } from '../../../src/data/table.ts';
import { personalise } from '../../../src/methods/personalise.ts';
import { modelFromFolder, readParticipantState } from '../../../src/node/client/state-folder.ts';
import { RunRecorder, readRunLog } from '../../../src/node/run-log.ts';
import { smallHar, smallRegression, tableOf } from '../../helpers/tables.ts';
import { optionsLike, TestServer } from '../../helpers/test-server.ts';
import { difference, joinAs, QUICK, temporaryFolder, until, useBuilt } from './helpers.ts';

useBuilt();
const root = temporaryFolder();
const open: { close(): Promise<unknown> }[] = [];
afterEach(async () => {
  for (const thing of open.splice(0).reverse()) await thing.close();
});
let folders = 0;
const newFolder = () => join(root, `state-${folders++}`);
/** Of the participant that has joined last under the name. */
const folderOf = new Map<string, string>();

async function serve(...[train, changes]: Parameters<typeof optionsLike>): Promise<TestServer> {
  const server = await TestServer.start(optionsLike(train, changes));
  open.push(server);
  return server;
}

type Options = Partial<Parameters<typeof joinAs>[3]>;

function join1(server: TestServer, table: Table, id: string, options: Options = {}): Participation {
  const stateFolder = options.stateFolder ?? newFolder();
  folderOf.set(id, stateFolder);
  const participation = joinAs(server, table, id, { ...options, stateFolder });
  open.push(participation);
  return participation;
}

/** Never finished by itself. */
const ENDLESS = { gap: 0, rounds: 100_000 } as const;

describe('going', () => {
  test('close keeps the state, and a later start goes on from it', async () => {
    const table = smallHar(3, 1, 40);
    const server = await serve(ENDLESS);
    const stateFolder = newFolder();
    const first = join1(server, table, '1', { stateFolder });
    await until(server, () => server.state.round >= 4);
    await first.close();
    const { reason, base, state } = await first.done;
    expect([reason, state]).toEqual(['closed', stateFolder]);
    expect(base).toBeGreaterThan(0);
    expect(readdirSync(stateFolder).sort()).toEqual(['identity', 'state']);
    const { stored } = readParticipantState(stateFolder);
    expect(stored.session).toBe(1);
    const again = join1(server, table, '1', { stateFolder });
    await until(server, () => server.state.round >= 8);
    expect(again.status).toMatchObject({
      participant: '1',
      isConnected: true,
      federation: server.federation,
    });
    expect(again.status.base).toBeGreaterThanOrEqual(base);
    expect(server.sessions[0].key).toBe(server.sessions[1].key);
  });

  test('leave says goodbye and waits for the answer; what it gave stays', async () => {
    const table = smallHar(3, 2, 30);
    const server = await serve(ENDLESS, { minParticipants: 2 });
    const [one, two] = ['1', '2'].map((id) => join1(server, table, id));
    await until(server, () => server.state.round >= 3);
    await one.leave();
    expect((await one.done).reason).toBe('left');
    expect(server.state.members.get('1')!.presence).toBe('left');
    const { u } = server.books;
    expect(difference(u.get('1')!, readParticipantState((await one.done).state).stored.committed!.u)).toBe(0);
    const { round } = server.state;
    await until(server, () => server.state.round > round + 1);
    expect(two.status.phase).not.toBe('finished');
    // And comes back, as somebody who is not finished.
    const back = join1(server, table, '1', { stateFolder: (await one.done).state });
    await until(server, () => server.state.members.get('1')!.presence === 'here');
    expect(back.status.phase).not.toBe('finished');
  });

  test('leave before anything has begun is over as soon as the server says so', async () => {
    const server = await serve(ENDLESS, { minParticipants: 2 });
    const participation = join1(server, smallHar(3, 1, 30), '1');
    await participation.leave();
    expect((await participation.done).reason).toBe('left');
    expect(participation.model()).toBeUndefined();
  });

  test('close works at any time', async () => {
    const server = await serve(ENDLESS);
    const participation = join1(server, smallHar(3, 1, 30), '1');
    await participation.close();
    expect(await participation.done).toMatchObject({ reason: 'closed', rounds: 0, base: 0 });
  });
});

/** Joins that the server has received from one participant. */
const joinsOf = (server: TestServer, id: string) =>
  server.heard.filter(({ from, message }) => from === id && message.kind === 'join').length;

describe('staying', () => {
  test('when training rests it stays connected, without a word, and a round wakes it', async () => {
    const table = smallHar(3, 2, 40);
    const server = await serve({ gap: 1e-3 }, { retryMs: 20 });
    const events: JoinEvent[] = [];
    const timing = { ...QUICK, pingMs: 50 };
    const onEvent = (event: JoinEvent) => events.push(event);
    const one = join1(server, table, '1', { keepGoing: true, timing, onEvent });
    await until(server, () => one.status.phase === 'finished');
    const { base } = one.status;
    const { w } = one.model()!;
    const said = server.heard.length;
    await until(server, () => server.pings >= 4);
    expect(server.heard.length).toBe(said);
    expect(server.connected).toBe(1);
    // A newcomer wakes the federation, and with it whoever rests.
    const two = join1(server, table, '2');
    expect((await two.done).reason).toBe('gap');
    await until(server, () => one.status.phase === 'finished' && one.status.base > base);
    expect(one.model()!.w).not.toEqual(w);
    expect(one.model()!.w).toEqual(two.model()!.w);
    expect(server.sessions.filter(({ participant }) => participant === '1')).toHaveLength(1);
    expect(events.filter(({ type }) => type === 'finished').length).toBe(2);
    await one.leave();
    expect((await one.done).reason).toBe('left');
    expect(server.state.members.get('1')!.presence).toBe('left');
  });

  test('after a new connection it joins once, and no more', async () => {
    const server = await serve({ gap: 1e-3 }, { retryMs: 20 });
    const one = join1(server, smallHar(3, 1, 40), '1', {
      keepGoing: true,
      timing: { ...QUICK, pingMs: 50 },
    });
    await until(server, () => one.status.phase === 'finished');
    for (let i = 0; i < 2; i++) {
      const joins = joinsOf(server, '1') + 1;
      server.restart();
      await until(server, () => joinsOf(server, '1') === joins);
      const pings = server.pings;
      await until(server, () => server.pings >= pings + 4);
      expect(joinsOf(server, '1')).toBe(joins);
    }
    expect(one.status.phase).toBe('finished');
  });

  test('a recount asks everybody who rests again', async () => {
    const table = smallHar(3, 2, 40);
    const server = await serve({ gap: 1e-3 }, { minParticipants: 2 });
    const participants = ['1', '2'].map((id) => join1(server, table, id, { keepGoing: true }));
    const rest = () => participants.every(({ status }) => status.phase === 'finished');
    await until(server, () => server.state.phase === 'finished' && rest());
    const { round } = server.state;
    server.take({ type: 'recount', now: performance.now() });
    await until(server, () => server.state.phase === 'finished' && rest());
    expect(server.state.finish).toBe('gap');
    for (const { status } of participants) expect(status.base).toBeGreaterThan(round);
    expect(foldersError(server, participants)).toBeLessThan(1e-12);
  });
});

/** |U - sum of the accepted answers in the state folders| / |U|. */
function foldersError(server: TestServer, participants: readonly Participation[]): number {
  const { sum } = server.books;
  const total = new Float64Array(sum.length);
  for (const { status } of participants) {
    const { committed } = readParticipantState(folderOf.get(status.participant)!).stored;
    for (let j = 0; j < total.length; j++) total[j] += committed!.u[j];
  }
  return difference(total, sum);
}

function isAtRest(server: TestServer, participants: readonly Participation[]): boolean {
  return server.state.phase === 'finished' && participants.every(({ status }) => status.phase === 'finished');
}

test('a crash right after a federation was woken: it goes on, and nobody takes it for a goodbye', async () => {
  const table = smallHar(3, 2, 40);
  const server = await serve({ gap: 1e-3 }, { minParticipants: 2, retryMs: 50 });
  const participants = ['1', '2'].map((id) => join1(server, table, id, { keepGoing: true }));
  const rest = () => isAtRest(server, participants);
  await until(server, rest);
  const { round } = server.state;
  server.take({ type: 'recount', now: performance.now() });
  server.restart();
  expect(server.state).toMatchObject({ phase: 'open', round: round + 1, finish: undefined });
  await until(server, rest);
  expect(server.state.finish).toBe('gap');
  expect(foldersError(server, participants)).toBeLessThan(1e-12);
});

describe('a coordinator that has forgotten', () => {
  test('all that it knew: everybody begins anew by itself, with another scaling', async () => {
    const table = smallHar(3, 3, 40);
    const options = (minParticipants: number) => optionsLike({ gap: 1e-3 }, { minParticipants, retryMs: 50 });
    const server = await TestServer.start(options(2));
    open.push(server);
    const first = ['1', '2'].map((id) => join1(server, table, id, { keepGoing: true }));
    await until(server, () => first.every(({ status }) => status.phase === 'finished'));
    const before = server.state.scaling!;
    server.loseStore(options(3));
    const participants = [...first, join1(server, table, '3', { keepGoing: true })];
    await until(server, () => isAtRest(server, participants));
    expect(server.state.finish).toBe('gap');
    const after = server.state.scaling!;
    expect(after.shift).not.toEqual(before.shift);
    for (const { status } of participants) {
      const { stored } = readParticipantState(folderOf.get(status.participant)!);
      expect(stored.scaling).toMatchObject({ shift: after.shift, factor: after.factor });
    }
    expect(foldersError(server, participants)).toBeLessThan(1e-12);
    // The same key as before: it is still the same participant.
    const keys = server.sessions.filter(({ participant }) => participant === '1').map(({ key }) => key);
    expect([keys.length > 1, new Set(keys).size]).toEqual([true, 1]);
  });

  test('one participant: it begins anew, with the same scaling, and counts again', async () => {
    const table = smallHar(3, 2, 40);
    const server = await serve({ gap: 1e-3 }, { minParticipants: 2, retryMs: 50 });
    const participants = ['1', '2'].map((id) => join1(server, table, id, { keepGoing: true }));
    const rest = () => isAtRest(server, participants);
    await until(server, rest);
    const { scaling } = server.state;
    server.take({ type: 'forget', id: '1', now: performance.now() });
    expect(server.state.members.has('1')).toBe(false);
    await until(server, () => rest() && server.state.members.has('1'));
    expect(server.state.missing).toEqual([]);
    expect(server.state.scaling).toBe(scaling);
    expect(foldersError(server, participants)).toBeLessThan(1e-12);
  });
});

describe('rows that have changed', () => {
  const table = smallHar(3, 2, 40);
  /** Others, and fewer. */
  const changed = smallHar(9, 2, 30);

  test('[EDITION-1] the model is fitted to them before there is a connection, and all else is kept', async () => {
    const server = await serve({ gap: 1e-3, classWeight: 'balanced' }, { minParticipants: 2 });
    const [one, two] = ['1', '2'].map((id) => join1(server, table, id));
    await Promise.all([one.done, two.done]);
    const folder = folderOf.get('1')!;
    const before = readParticipantState(folder);
    const given = modelFromFolder(folder);
    const nowhere = { url: 'http://127.0.0.1:1' } as TestServer;
    const event = await new Promise<JoinEvent>((resolve) => {
      const onEvent = (news: JoinEvent) => news.type === 'rows changed' && resolve(news);
      join1(nowhere, changed, '1', { stateFolder: folder, onEvent });
    });
    expect(event).toMatchObject({ type: 'rows changed', edition: 1, kept: 0, isPersonalised: true });
    const { stored, rows, secret } = readParticipantState(folder);
    expect(rows).not.toBe(before.rows);
    expect(secret).toEqual(before.secret);
    expect(stored).toMatchObject({ edition: 1, base: before.stored.base, session: before.stored.session });
    expect(stored.committed!.u).toEqual(before.stored.committed!.u);
    expect(stored.committed!.beta).toHaveLength(0);
    expect(stored.model!.w).toEqual(before.stored.model!.w);
    // As `kindred personalise` would have it, with the options that the model has.
    const { model, notes } = personalise(given, rowsOfParticipant(changed, '1')!);
    expect(notes).toEqual([]);
    expect(difference(modelFromFolder(folder).personal.get('1')!, model.personal.get('1')!)).toBeLessThan(
      1e-2,
    );
    expect(difference(given.personal.get('1')!, model.personal.get('1')!)).toBeGreaterThan(0.1);
  });

  test('wake a federation that rests, and the certificate is about them', async () => {
    const server = await serve({ gap: 1e-3 }, { minParticipants: 2 });
    const one = join1(server, table, '1');
    const two = join1(server, table, '2', { keepGoing: true });
    await one.done;
    await until(server, () => two.status.phase === 'finished');
    const { primal } = server.state.certificate;
    const { base } = two.status;
    const again = join1(server, changed, '1', { stateFolder: folderOf.get('1')! });
    expect((await again.done).reason).toBe('gap');
    await until(server, () => two.status.phase === 'finished' && two.status.base > base);
    expect(server.state.members.get('1')).toMatchObject({
      edition: 1,
      rows: rowsOfParticipant(changed, '1')!.n,
    });
    expect(server.state.missing).toEqual([]);
    expect(server.state.certificate.primal).not.toBeCloseTo(primal, 3);
    expect(server.state.certificate.relativeGap).toBeLessThanOrEqual(1e-3);
    expect(foldersError(server, [again, two])).toBeLessThan(1e-12);
    // With the same rows again nothing has changed.
    const third = join1(server, changed, '1', { stateFolder: folderOf.get('1')! });
    await third.done;
    expect(readParticipantState(folderOf.get('1')!).stored.edition).toBe(1);
  });

  test('what is kept is known again by its content, wherever it stands: counted, still tested on, and a warm start', async () => {
    const server = await serve({ gap: 1e-3 }, { minParticipants: 2 });
    const stateFolder = newFolder();
    const split = { testFraction: 0.3, seed: 4 };
    const first = join1(server, table, '1', { stateFolder, ...split });
    const two = join1(server, table, '2', { keepGoing: true });
    await first.done;
    const before = readParticipantState(stateFolder).known!;
    // The last row goes, the first one goes to the end, and five of somebody else come to the front.
    const own = rowsOfParticipant(table, '1')!;
    const more = rowsOfParticipant(changed, '1')!;
    const d = own.features.length;
    const at = (from: Table, i: number) => ({ x: from.x.subarray(i * d, (i + 1) * d), y: from.targets![i] });
    const rows = [
      ...Array.from({ length: 5 }, (_, i) => at(more, i)),
      ...Array.from({ length: own.n - 2 }, (_, i) => at(own, i + 1)),
      at(own, 0),
    ];
    const mixed: Table = {
      ...own,
      n: rows.length,
      x: Float64Array.from(rows.flatMap(({ x }) => [...x])),
      targets: rows.map(({ y }) => y),
      participantOf: new Uint32Array(rows.length),
      lines: undefined,
    };
    const events: JoinEvent[] = [];
    const again = join1(server, mixed, '1', {
      stateFolder,
      ...split,
      onEvent: (event) => events.push(event),
    });
    expect((await again.done).reason).toBe('gap');
    await until(server, () => two.status.phase === 'finished');
    const { known } = readParticipantState(stateFolder);
    const event = events.find(({ type }) => type === 'rows changed');
    const kept = before.train.filter((key) => known!.train.includes(key)).length;
    expect(event).toMatchObject({
      kept,
      gone: before.train.length - kept,
      added: known!.train.length - kept,
    });
    expect(before.train.length + before.test.length - 1).toBeLessThanOrEqual(kept + before.test.length);
    for (const key of before.test) expect(known!.train.includes(key)).toBe(false);
    for (const key of before.train) expect(known!.test.includes(key)).toBe(false);
    // Rows in another order alone are no change.
    const turned = { ...mixed, x: mixed.x.slice(), targets: [...mixed.targets!] };
    turned.x.copyWithin(0, d, 2 * d);
    turned.x.set(mixed.x.subarray(0, d), d);
    [turned.targets[0], turned.targets[1]] = [mixed.targets![1], mixed.targets![0]];
    const news: JoinEvent[] = [];
    const third = join1(server, turned, '1', { stateFolder, ...split, onEvent: (one) => news.push(one) });
    await third.done;
    expect(news.filter(({ type }) => type === 'rows changed')).toEqual([]);
    expect(foldersError(server, [third, two])).toBeLessThan(1e-12);
  });

  test('where sums are secret everybody is asked again', async () => {
    const server = await serve({ gap: 1e-2 }, { minParticipants: 3, secure: DEFAULT_SECURE, retryMs: 50 });
    const three = smallHar(3, 3, 40);
    const others = ['2', '3'].map((id) => join1(server, three, id, { keepGoing: true, secure: true }));
    const first = join1(server, three, '1', { secure: true });
    await first.done;
    const stateFolder = folderOf.get('1')!;
    const again = join1(server, smallHar(9, 3, 30), '1', { stateFolder, secure: true });
    const { base } = await again.done;
    await until(server, () => others.every(({ status }) => status.phase === 'finished'));
    for (const { status } of others) expect(status.base).toBeGreaterThan((await first.done).base);
    expect(base).toBeGreaterThan((await first.done).base);
    expect(foldersError(server, [again, ...others])).toBe(0);
  });

  test('[EDITION-3] are refused where training goes by steps', async () => {
    const server = await serve({ ...ENDLESS, aggregation: 'safe' });
    const stateFolder = newFolder();
    const first = join1(server, table, '1', { stateFolder });
    await until(server, () => server.state.round >= 3);
    await first.close();
    await expect(join1(server, changed, '1', { stateFolder }).done).rejects.toMatchObject({
      code: 'OTHER_ROWS',
      kind: 'input',
    });
  });
});

describe('trouble', () => {
  test('[REJECT-2] bad frames are ignored, and too many of them in a row are a reason to connect again', async () => {
    const server = await serve(ENDLESS, { minParticipants: 2 });
    const events: JoinEvent[] = [];
    join1(server, smallHar(3, 1, 30), '1', { onEvent: (event) => events.push(event) });
    await until(server, () => server.heard.length > 0);
    for (let i = 0; i < 20; i++) server.say('1', new Uint8Array(i));
    await until(server, () => server.requests >= 4);
    const bad = events.filter(({ type }) => type === 'bad frame');
    expect(bad).toHaveLength(20);
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'lost', why: expect.stringContaining('20 bad frames') }),
    );
  });

  test('features that the federation does not have are a mistake', async () => {
    const server = await serve(ENDLESS, { minParticipants: 2 });
    join1(server, smallHar(3, 1, 30), '1');
    await until(server, () => server.heard.length > 0);
    const other = tableOf({ participants: 1, rows: 10, d: 3, target: (x) => (x[0] > 0 ? 1 : -1) });
    await expect(join1(server, other, 'p0').done).rejects.toMatchObject({
      code: 'WRONG_FEATURES',
      kind: 'input',
    });
  });

  test('targets that do not fit the objective are a mistake, and the folder is free again', async () => {
    const server = await serve({ objective: 'regression' });
    const table = tableOf({ participants: 1, rows: 10, d: 3, target: (x) => (x[0] > 0 ? 'yes' : 'no') });
    const stateFolder = newFolder();
    await expect(join1(server, table, 'p0', { stateFolder }).done).rejects.toMatchObject({
      code: 'TARGET_NOT_A_NUMBER',
      kind: 'input',
    });
    expect(readdirSync(stateFolder).sort()).toEqual(['identity', 'state']);
  });

  test('whoever comes for secret sums does not go on without them, and the other way round', async () => {
    const table = smallHar(3, 1, 30);
    const plain = await serve(ENDLESS);
    await expect(join1(plain, table, '1', { secure: true }).done).rejects.toMatchObject({
      code: 'NOT_SECURE',
      kind: 'input',
      message: expect.stringContaining('without --secure'),
    });
    const secret = await serve(ENDLESS, { secure: DEFAULT_SECURE });
    await expect(join1(secret, table, '1').done).rejects.toMatchObject({
      code: 'NOT_SECURE',
      message: expect.stringContaining('with --secure'),
    });
  });

  test('options that make no sense are refused before anything is made', async () => {
    const server = { url: 'http://127.0.0.1:1' } as TestServer;
    const table = smallHar(3, 1, 30);
    for (const [options, code] of [
      [{ participant: '' }, 'BAD_NAME'],
      [{ participant: 'é'.repeat(101) }, 'BAD_NAME'],
      [{ slowdown: 0.5 }, 'BAD_OPTION'],
      [{ testFraction: 1 }, 'TEST_FRACTION'],
      [{ tls: { ca: '' } }, 'BAD_OPTION'],
      [{ url: 'nonsense' }, 'BAD_URL'],
    ] as const) {
      const stateFolder = newFolder();
      await expect(join1(server, table, '1', { ...options, stateFolder }).done).rejects.toMatchObject({
        code,
      });
      expect(readdirSync(root)).not.toContain(stateFolder.split('/').at(-1));
    }
  });

  test('a full disk is the end, not a state that is ahead of its folder', async () => {
    const table = smallHar(3, 1, 30);
    const server = await serve(ENDLESS);
    const stateFolder = newFolder();
    const participation = join1(server, table, '1', { stateFolder });
    const done = expect(participation.done).rejects.toMatchObject({ code: 'IS_A_FOLDER' });
    await until(server, () => server.state.round >= 3);
    // What stands in the way of the temporary file stands in the way of a state that is written whole again.
    mkdirSync(join(stateFolder, 'state.tmp'));
    await done;
    const { stored } = readParticipantState(stateFolder);
    const said = server.heard.flatMap(({ message }) => (message.kind === 'answer' ? [message.round] : []));
    expect(Math.max(...said)).toBeLessThanOrEqual(stored.pending?.message.round ?? stored.base);
  });
});

describe('classes', () => {
  test('participants who hold a single class each take part in one model', async () => {
    const table = tableOf({ participants: 2, rows: 30, d: 4, target: (_x, k) => (k === 0 ? 1 : -1) });
    const shifted = { ...table, x: table.x.map((value, at) => value + (at < table.x.length / 2 ? 2 : -2)) };
    const server = await serve({ gap: 1e-3 }, { minParticipants: 2 });
    const participants = ['p0', 'p1'].map((id) => join1(server, shifted, id, { testFraction: 0.3 }));
    const results = await Promise.all(participants.map(({ done }) => done));
    expect(results.map(({ test }) => test!.errorRate)).toEqual([0, 0]);
    for (const participation of participants)
      expect(participation.model()!.classes).toEqual({ positive: '1', negative: '-1' });
  });

  test('mean the same to everybody, whichever of them each has: in the model, in the state, and to a newcomer', async () => {
    const labels = ['mild', 'severe'];
    const target = (x: Float64Array, k: number) => (k === 2 ? labels[x[0] > 0 ? 1 : 0] : labels[1 - k]);
    const table = tableOf({ participants: 3, rows: 30, d: 4, target });
    const server = await serve({ gap: 1e-2 }, { minParticipants: 3 });
    const waits: (string | undefined)[] = [];
    const onEvent = (event: JoinEvent) => void (event.type === 'phase' && waits.push(event.waitingFor));
    // p0 has nothing but severe cases, p1 none.
    const first = join1(server, table, 'p0', { onEvent });
    await until(server, () => waits.includes('another class: so far participants have only "severe"'));
    const done = await Promise.all([
      first.done,
      join1(server, table, 'p1').done,
      join1(server, table, 'p2').done,
    ]);
    const classes = { labels, positive: 'severe' };
    for (const { participant, classes: agreed } of done) {
      expect(agreed).toEqual(classes);
      const { stored } = readParticipantState(folderOf.get(participant)!);
      expect(stored.agreement).toEqual({ classes, target: undefined });
      expect(modelFromFolder(folderOf.get(participant)!).classes).toEqual({
        positive: 'severe',
        negative: 'mild',
      });
    }
    const moderate = tableOf({ participants: 1, rows: 10, d: 4, target: () => 'moderate' });
    const third = { ...moderate, participants: ['p9'] };
    await expect(join1(server, third, 'p9').done).rejects.toMatchObject({
      code: 'WRONG_CLASSES',
      kind: 'input',
      message: expect.stringContaining('expected the federation\'s classes "mild", "severe", got "moderate"'),
    });
  });

  test('two participants never give one label two meanings: three labels are three classes', async () => {
    // By itself the first would take "mild" for -1, the second for +1.
    const pairs = [
      ['mild', 'severe'],
      ['healthy', 'mild'],
    ];
    const target = (x: Float64Array, k: number) => pairs[k][x[0] > 0 ? 1 : 0];
    const table = tableOf({ participants: 2, rows: 30, d: 4, target });
    const server = await serve(ENDLESS, { minParticipants: 2 });
    for (const id of table.participants) join1(server, table, id);
    await until(server, () => server.state.round >= 2);
    expect(server.state.agreement!.classes).toEqual({
      labels: ['healthy', 'mild', 'severe'],
      positive: undefined,
    });
  });

  test('stay what they were: another --positive is refused', async () => {
    const table = tableOf({ participants: 1, rows: 30, d: 4, target: (x) => (x[0] > 0 ? 'up' : 'down') });
    const server = await serve(ENDLESS);
    const stateFolder = newFolder();
    const first = join1(server, table, 'p0', { stateFolder, positive: 'up' });
    await until(server, () => server.state.round >= 3);
    await first.close();
    await expect(join1(server, table, 'p0', { stateFolder, positive: 'down' }).done).rejects.toMatchObject({
      code: 'WRONG_CLASSES',
      kind: 'input',
    });
  });

  test('a label that comes up after the start is none of them', async () => {
    const target = (x: Float64Array, k: number) => (k === 1 ? 'other' : `${x[0] > 0}${x[1] > 0}`);
    const table = tableOf({ participants: 2, rows: 30, d: 4, target });
    const server = await serve(ENDLESS);
    join1(server, table, 'p0');
    await until(server, () => server.state.round >= 2);
    await expect(join1(server, table, 'p1').done).rejects.toMatchObject({
      code: 'WRONG_CLASSES',
      kind: 'input',
      message: expect.stringContaining(`expected the federation's classes "falsefalse"`),
    });
  });
});

describe('protections and deadlines', () => {
  test('secret sums over real sockets: U is the sum of what the folders hold, to the bit', async () => {
    const table = smallHar(3, 3, 30);
    const server = await serve({ rounds: 5, gap: 0 }, { minParticipants: 3, secure: DEFAULT_SECURE });
    const participants = table.participants.map((id) => join1(server, table, id, { secure: true }));
    const results = await Promise.all(participants.map(({ done }) => done));
    expect(results.map(({ reason }) => reason)).toEqual(['rounds', 'rounds', 'rounds']);
    const held = server.books.sum;
    const sum = new Float64Array(held.length);
    for (const { state, key, participant } of results) {
      const { committed, pending, settings, secure } = readParticipantState(state).stored;
      expect([pending, settings!.secure !== undefined]).toEqual([undefined, true]);
      // Everybody is known to the others by the key that it has enrolled with.
      const { identityKey } = server.state.members.get(participant)!.advertisement!;
      expect(Buffer.from(identityKey).toString('base64url')).toBe(key);
      expect(secure!.core.identity.secretKey.length).toBe(0);
      for (let j = 0; j < sum.length; j++) sum[j] += committed!.u[j];
    }
    expect(sum).toEqual(held);
    // A state of secret sums cannot be gone on with in the clear.
    const { state } = results[0];
    await expect(join1(server, table, '1', { stateFolder: state }).done).rejects.toMatchObject({
      code: 'NOT_SECURE',
    });
  });

  test('whoever is too slow for the deadline sends what it has, and is taken', async () => {
    const table = smallHar(3, 2, 40);
    const server = await serve(
      { gap: 0, rounds: 3, passes: 100_000 },
      { minParticipants: 2, waiting: { kind: 'fixed', ms: 300 }, maxWaitMs: 5000 },
    );
    const slow = join1(server, table, '1', { slowdown: 2000 });
    const fast = join1(server, table, '2');
    await Promise.all([slow.done, fast.done]);
    const trained = server.rows.filter(({ outcome }) => outcome === 'aggregated');
    expect(trained.some(({ responders }) => responders.includes('1'))).toBe(true);
    expect((await slow.done).base).toBeGreaterThan(0);
  });

  test.each(['restart', 'resume'] as const)('straggler policy %s comes to an end, too', async (straggler) => {
    const table = smallHar(3, 2, 40);
    const server = await serve(
      { gap: 0, rounds: 6, passes: 20 },
      { minParticipants: 2, straggler, waiting: { kind: 'fixed', ms: 40 } },
    );
    const slow = join1(server, table, '1', { slowdown: 1000 });
    const fast = join1(server, table, '2');
    expect((await fast.done).reason).toBe('rounds');
    expect((await slow.done).reason).toBe('rounds');
  });
});

test('a run that was recorded is replayed to the same effects', async () => {
  const log = join(root, 'run.log');
  const record = new RunRecorder(log);
  const server = await serve({ objective: 'regression', gap: 1e-3, rounds: 10 });
  await join1(server, smallRegression(), '1', { record }).done;
  record.close();
  const replayed = replay(readRunLog(log));
  expect(replayed).toMatchObject({ lives: 1, torn: false });
  expect(replayed.firstDifference).toBeUndefined();
  expect(replayed.inputs).toBeGreaterThan(10);
});
