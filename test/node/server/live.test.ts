/** Server-sent events of a real server: what is shown of a federation live, to whom, and what listeners may not do to it. */
import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import type { LiveParticipant } from '../../../src/node/server/live.ts';
import type { CoordinatorServer } from '../../../src/node/server/server.ts';
import { expectRefusal, goodAnswer, routeOf } from '../../helpers/answers.ts';
import { EventListener } from '../../helpers/events.ts';
import { ask, post } from '../../helpers/http.ts';
import { operate, PATIENT, QUICK, ServerTest, until } from '../../helpers/server.ts';
import { openSession } from '../../helpers/ws-participant.ts';
import { Trainer } from '../../helpers/ws-trainer.ts';

const servers = new ServerTest();
const HOME = '/v1/federations/default';
/** Rounds without end, each closed when both have answered. */
const ENDLESS = { ...QUICK, stop: { ...QUICK.stop, gap: 0, rounds: 1e6 } };

function watch(server: CoordinatorServer, query = '', headers: Record<string, string> = {}) {
  return EventListener.open(`${server.url}${HOME}/events${query}`, headers);
}

async function training(server: CoordinatorServer, ...ids: string[]): Promise<Trainer[]> {
  const trainers = ids.map((id, k) => new Trainer(id, 12 + k));
  for (const trainer of trainers) await trainer.join(server.url);
  return trainers;
}

/** Everybody as last heard of. */
function participantsOf(listener: EventListener): Map<string, LiveParticipant> {
  const all = new Map<string, LiveParticipant>();
  for (const { event, data } of listener.events) {
    if (event === 'participants') for (const one of data as LiveParticipant[]) all.set(one.id, one);
    if (event === 'removed') for (const id of data as string[]) all.delete(id);
  }
  return all;
}

async function participant(listener: EventListener, id: string, wanted: Partial<LiveParticipant>) {
  const entries = Object.entries(wanted) as [keyof LiveParticipant, unknown][];
  const found = () => participantsOf(listener).get(id);
  const isWanted = () => {
    const one = found();
    return one !== undefined && entries.every(([key, value]) => one[key] === value);
  };
  await until(isWanted, `${id} with ${JSON.stringify(wanted)}`).catch((error) => {
    throw new Error(`${error.message}; got ${JSON.stringify(found())}`);
  });
  return found()!;
}

describe('a federation', () => {
  test('is shown with its state, its open round and its participants at once', async () => {
    const server = await servers.start({}, PATIENT);
    const listener = await watch(server);
    expect(listener.status).toBe(200);
    expect(listener.headers).toMatchObject({
      'content-type': 'text/event-stream',
      'cache-control': 'no-store',
      connection: 'close',
    });
    const state = await listener.last('state');
    const { uptimeMs, nowMs, ...shown } = goodAnswer('getFederation', await ask(`${server.url}${HOME}`));
    expect(state).toEqual({ ...shown, uptimeMs: expect.any(Number), nowMs: expect.any(Number) });
    expect(routeOf('getFederation').answer.schema!.safeParse(state).success).toBe(true);
    expect(nowMs).toBeGreaterThanOrEqual(state.nowMs);
    expect(uptimeMs).toBeGreaterThanOrEqual(state.uptimeMs);
    expect(await listener.last('open')).toEqual({
      ...{ round: 0, purpose: 'train', phase: 'gathering', openedMs: null, deadlineMs: null },
      ...{ asked: 0, answered: 0, paused: false },
    });
    expect(await listener.last('participants')).toEqual([]);
    listener.close();
  });

  test('shows who solves, who has answered, who is away, and how often each has answered', async () => {
    const server = await servers.start({}, ENDLESS);
    const listener = await watch(server);
    const [ada, ben] = [new Trainer('ada'), new Trainer('ben', 20)];
    ben.mayAnswer = (round) => round < 4;
    const before = Date.now();
    await ada.join(server.url, { agent: 'kindred 1.2.3 test' });
    await ben.join(server.url);
    const open = await listener.last('open', ({ round, answered }) => round === 4 && answered === 1);
    expect(open).toMatchObject({ purpose: 'train', phase: 'open', asked: 2, paused: false });
    expect(open.openedMs).toBeGreaterThanOrEqual(before - 2);
    expect(open.openedMs).toBeLessThanOrEqual(Date.now() + 2);
    expect(open.deadlineMs).toBe(open.openedMs! + ENDLESS.maxWaitMs);
    const hers = await participant(listener, 'ada', { status: 'answered', askedRounds: 3 });
    expect(hers).toMatchObject({ rows: 12, agent: 'kindred 1.2.3 test', connected: true, benchmarkMs: 1 });
    expect(hers).toMatchObject({ answeredRounds: 3, lastAcceptedRound: 3, metric: null, fault: null });
    expect(hers.responseMs).toBeGreaterThanOrEqual(0);
    expect(hers.lastSeenMs).toBeGreaterThanOrEqual(before - 2);
    const his = await participant(listener, 'ben', { status: 'solving', askedRounds: 3 });
    expect(his).toMatchObject({ rows: 20, agent: null });
    const seenMs = his.lastSeenMs;
    ben.link!.terminate();
    const away = await participant(listener, 'ben', { status: 'away', connected: false });
    expect(away.lastSeenMs).toBe(seenMs);
    await until(() => participantsOf(listener).get('ada')!.askedRounds > 5, 'rounds go on without him');
    await until(() => participantsOf(listener).get('ben')!.askedRounds > 5, 'which he is missed in');
    expect(participantsOf(listener).get('ben')).toMatchObject({ answeredRounds: 3, lastAcceptedRound: 3 });
    listener.close();
  });

  test('shows late ones, those who have left, and takes off the list who was forgotten', async () => {
    const server = await servers.start({}, { ...ENDLESS, minParticipants: 3, maxWaitMs: 1e6 });
    const [ada, ben, cyd] = await training(server, 'ada', 'ben', 'cyd');
    cyd.mayAnswer = () => false;
    ben.mayAnswer = () => false;
    ada.mayAnswer = () => false;
    const listener = await watch(server);
    await participant(listener, 'cyd', { status: 'solving' });
    const { state } = server.federation('default').host;
    // As if he had not answered for long.
    state.members.get('ben')!.missed = 99;
    ada.link!.send({ kind: 'leave', session: 1 });
    await participant(listener, 'ada', { status: 'left' });
    await participant(listener, 'ben', { status: 'late' });
    await operate(server, `${HOME}/participants/ada/forget`, { method: 'POST' });
    ada.link!.close();
    await until(() => listener.of('removed').length > 0, 'she is taken off the list');
    expect(listener.of('removed')[0].data).toEqual(['ada']);
    // Who comes later never hears of her.
    const later = await watch(server);
    await participant(later, 'ben', {});
    expect(participantsOf(later).has('ada')).toBe(false);
    expect(later.of('removed')).toEqual([]);
    listener.close();
    later.close();
  });

  test('sends every closed round once, in order: first those after the one that is known, then live', async () => {
    const server = await servers.start({}, ENDLESS);
    await training(server, 'ada', 'ben');
    await until(() => server.federation('default').host.state.round > 45, 'some history');
    const listeners = [await watch(server), await watch(server, '?after=7')];
    // As EventSource comes back.
    listeners.push(await watch(server, '', { 'last-event-id': '9' }));
    listeners.push(await watch(server, '?after=3', { 'last-event-id': '9' }));
    for (const [listener, first] of listeners.map((one, k) => [one, [1, 8, 10, 4][k]] as const)) {
      await listener.last('round', ({ round }) => round > 70);
      const rounds = listener.of('round');
      expect(rounds.map(({ data }) => data.round)).toEqual(rounds.map((_, k) => first + k));
      expect(rounds.map(({ id }) => id)).toEqual(rounds.map(({ data }) => String(data.round)));
      const { json } = await ask(`${server.url}${HOME}/rounds?after=${first - 1}&limit=60`);
      expect(rounds.slice(0, 60).map(({ data }) => data)).toEqual(json.rounds);
      listener.close();
    }
  });

  test('sends a state only when something has changed', async () => {
    const server = await servers.start({}, PATIENT);
    const listener = await watch(server);
    await listener.last('state');
    await operate(server, `${HOME}/pause`, { method: 'POST' });
    await listener.last('state', ({ paused }) => paused);
    await listener.last('open', ({ paused }) => paused);
    expect(listener.of('state')).toHaveLength(2);
    expect(listener.of('open')).toHaveLength(2);
    expect(listener.of('participants')).toHaveLength(1);
    listener.close();
  });

  test('that is deleted says so and ends the stream; the stopping of the server ends it, too', async () => {
    const server = await servers.start();
    await server.create('other', PATIENT);
    const listener = await watch(server);
    const other = await EventListener.open(`${server.url}/v1/federations/other/events`);
    await listener.last('state');
    await other.last('state');
    await operate(server, HOME, { method: 'DELETE' });
    await until(() => listener.isOver, 'the end of the stream');
    expect(listener.events.at(-1)).toEqual({ event: 'deleted', id: undefined, data: {} });
    expect(other.isOver).toBe(false);
    await server.close();
    await until(() => other.isOver, 'the end of the other stream');
    expect(other.of('deleted')).toEqual([]);
  });

  test('that does not exist is refused, and a query that is none', async () => {
    const server = await servers.start();
    const missing = await ask(`${server.url}/v1/federations/none/events`);
    expectRefusal(missing, 'NO_SUCH_FEDERATION', 'watchFederation');
    expectRefusal(await ask(`${server.url}${HOME}/events?after=x`), 'BAD_REQUEST', 'watchFederation');
  });
});

test('the list of federations is sent at once, and when it has changed', async () => {
  const server = await servers.start();
  const listener = await EventListener.open(`${server.url}/v1/events`);
  const listed = goodAnswer('listFederations', await ask(`${server.url}/v1/federations`));
  expect(await listener.last('federations')).toEqual(listed);
  await server.create('another', PATIENT);
  const names = ({ federations }: { federations: { name: string }[] }) => federations.map(({ name }) => name);
  await listener.last('federations', (data) => names(data).join() === 'another,default');
  await operate(server, '/v1/federations/another', { method: 'DELETE' });
  await listener.last('federations', (data) => names(data).join() === 'default');
  listener.close();
});

test('what a participant says it is must be short and printable', async () => {
  const server = await servers.start();
  for (const agent of ['', 'x'.repeat(101), 'a\nb', 'caf\u00e9'])
    expectRefusal(await openSession(server.url, { participant: 'ada', agent }), 'BAD_REQUEST', 'openSession');
  expect((await openSession(server.url, { participant: 'ada', agent: 'x'.repeat(100) })).status).toBe(200);
});

/** Larger by far than two participants make them: 400 fill the buffers of any socket. */
function makeRowsLarge({ store }: CoordinatorServer): void {
  const history = store.history.bind(store);
  const responders = Array.from({ length: 4000 }, (_, k) => `participant ${k}`);
  store.history = async (...args) => (await history(...args)).map((row) => ({ ...row, responders }));
}

function changesOfPause(listener: EventListener): number {
  const paused = listener.of('open').map(({ data }) => data.paused);
  return paused.filter((one, k) => k > 0 && one !== paused[k - 1]).length;
}

describe('listeners', () => {
  test('need a token where reading does, and are sent away soon after it has been removed', async () => {
    const server = await servers.start({ loopback: false, limits: { heartbeatMs: 50 } });
    for (const path of [`${HOME}/events`, '/v1/events']) {
      const id = path === '/v1/events' ? 'watchServer' : 'watchFederation';
      expectRefusal(await ask(`${server.url}${path}`), 'TOKEN_NEEDED', id);
      expectRefusal(await ask(`${server.url}${path}`, { token: 'x' }), 'WRONG_TOKEN', id);
    }
    const reader = await post(`${server.url}/v1/tokens`, server.operatorToken, {
      name: 'wall',
      role: 'read',
    });
    const listener = await watch(server, '', { authorization: `Bearer ${reader.json.token}` });
    await listener.last('state');
    await operate(server, '/v1/tokens/wall/remove', { method: 'POST' });
    await until(() => listener.isOver, 'the end of the stream');
  });

  test('are sent a sign of life when nothing happens', async () => {
    const server = await servers.start({ limits: { heartbeatMs: 20 } });
    const listener = await watch(server);
    await until(() => listener.comments >= 3, 'three comments');
    expect(listener.of('state')).toHaveLength(1);
    listener.close();
  });

  test('are limited in number, counted, and make room when they go', async () => {
    const server = await servers.start({ limits: { listeners: 2 } });
    const [first, second] = [await watch(server), await EventListener.open(`${server.url}/v1/events`)];
    expectRefusal(await ask(`${server.url}${HOME}/events`), 'TOO_MANY', 'watchFederation');
    expectRefusal(await ask(`${server.url}/v1/events`), 'TOO_MANY', 'watchServer');
    const metrics = async () => (await ask(`${server.url}/metrics`)).text;
    expect(await metrics()).toContain('kindred_listeners 2\n');
    first.close();
    second.close();
    await until(async () => (await metrics()).includes('kindred_listeners 0\n'), 'both are gone');
    const third = await watch(server);
    await third.last('state');
    third.close();
  });

  test('are no strangers: many silent connections do not push them out', async () => {
    const server = await servers.start({ limits: { strangers: 2, strangerMs: 100 } });
    const listener = await watch(server);
    await listener.last('state');
    const { hostname, port } = new URL(server.url);
    const silent = Array.from({ length: 10 }, () => connect(Number(port), hostname).on('error', () => {}));
    const metrics = async () => (await ask(`${server.url}/metrics`)).text;
    await until(async () => /reason="STRANGERS"} \d/.test(await metrics()), 'some are turned away');
    await operate(server, `${HOME}/pause`, { method: 'POST' });
    await listener.last('state', ({ paused }) => paused);
    for (const socket of silent) socket.destroy();
    listener.close();
  });

  test('that read slowly miss no round and get the newest state; the others do not wait for them', async () => {
    const server = await servers.start({ limits: { unreadBytes: 2000 } }, ENDLESS);
    makeRowsLarge(server);
    const trainers = await training(server, 'ada', 'ben');
    for (const trainer of trainers) trainer.mayAnswer = (round) => round <= 300;
    const [slow, quick] = [await watch(server), await watch(server)];
    slow.pause();
    await quick.last('round', ({ round }) => round === 300);
    expect(slow.of('round').length).toBeLessThan(300);
    for (const paused of [true, false, true, false, true]) {
      await operate(server, `${HOME}/${paused ? 'pause' : 'resume'}`, { method: 'POST' });
      await until(() => quick.of('open').at(-1)!.data.paused === paused, 'it is seen');
    }
    slow.resume();
    await slow.last('round', ({ round }) => round === 300);
    expect(slow.of('round').map(({ data }) => data.round)).toEqual(
      Array.from({ length: 300 }, (_, k) => k + 1),
    );
    await slow.last('open', ({ paused }) => paused);
    // Of five changes one is left.
    expect([quick, slow].map(changesOfPause)).toEqual([5, 1]);
    slow.close();
    quick.close();
  }, 60_000);

  test('that do not read at all are cut off after a while', async () => {
    const server = await servers.start({ limits: { unreadBytes: 1000, unreadMs: 300 } }, ENDLESS);
    makeRowsLarge(server);
    await training(server, 'ada', 'ben');
    const deaf = await watch(server);
    deaf.pause();
    const metrics = async () => (await ask(`${server.url}/metrics`)).text;
    const isCut = async () => (await metrics()).includes('kindred_turned_away_total{reason="TOO_SLOW"} 1\n');
    await until(isCut, 'it is cut off');
    expect(await metrics()).toContain('kindred_listeners 0\n');
    deaf.close();
  }, 60_000);

  test('get an answer without a body to HEAD, and are not kept for it', async () => {
    const server = await servers.start();
    for (const path of [`${HOME}/events`, '/v1/events']) {
      const { status, headers, text } = await ask(`${server.url}${path}`, { method: 'HEAD' });
      expect([status, headers['content-type'], text]).toEqual([200, 'text/event-stream', '']);
    }
    expect((await ask(`${server.url}/metrics`)).text).toContain('kindred_listeners 0\n');
  });
});

test('a store that cannot be read ends the streams, and the server goes on', async () => {
  const server = await servers.start({}, ENDLESS);
  await training(server, 'ada', 'ben');
  const { store } = server;
  const history = store.history.bind(store);
  store.history = () => {
    throw new Error('the disk is gone');
  };
  const listener = await watch(server);
  await until(() => listener.isOver, 'the end of the stream');
  store.history = history;
  const again = await watch(server);
  await again.last('round', ({ round }) => round > 3);
  again.close();
});

describe('whoami', () => {
  const asking = (server: CoordinatorServer, token?: string) =>
    ask(`${server.url}/v1/whoami`, token ? { token } : {});

  test('gives the name and the role of a token', async () => {
    const server = await servers.start({ loopback: false });
    expect(goodAnswer('whoAmI', await asking(server))).toEqual({ name: null, role: null });
    const { operatorToken } = server;
    expect(goodAnswer('whoAmI', await asking(server, operatorToken))).toMatchObject({ role: 'admin' });
    const added = await post(`${server.url}/v1/tokens`, operatorToken, { name: 'eve', role: 'operate' });
    const hers = await asking(server, added.json.token);
    expect(goodAnswer('whoAmI', hers)).toEqual({ name: 'eve', role: 'operate' });
    expectRefusal(await asking(server, 'wrong'), 'WRONG_TOKEN', 'whoAmI');
  });

  test('on loopback everybody may read', async () => {
    const server = await servers.start();
    expect(goodAnswer('whoAmI', await asking(server))).toEqual({ name: null, role: 'read' });
  });
});
