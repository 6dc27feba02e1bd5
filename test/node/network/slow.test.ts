/**
 * Those who take their time on purpose: requests byte by byte, answers that are never read, connections that are never closed. The
 * server is a process of its own, with short limits; honest participants train on it all the while.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ServerLimits } from '../../../src/node/server/limits.ts';
import { LimitedServer } from '../../helpers/limited-server.ts';
import { metric } from '../../helpers/metrics.ts';
import { USUAL_CLASSES } from '../../helpers/moments.ts';
import { rawConnection } from '../../helpers/raw-http.ts';
import { until } from '../../helpers/server.ts';
import { connected, type WsParticipant } from '../../helpers/ws-participant.ts';
import { Trainer } from '../../helpers/ws-trainer.ts';
import { useBuilt } from '../client/helpers.ts';

useBuilt();

const HOME = '/v1/federations/default';
const MEGABYTE = 1024 * 1024;
/** Columns of a federation whose messages are large: 8 bytes for each. */
const WIDE = Array.from({ length: 50_000 }, (_, j) => `x${j + 1}`);

let server: LimitedServer;
let folder: string;
let stores = 0;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'kindred-slow-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A server with these limits for a group of tests, and two who train on it. */
function useServer(limits: Partial<ServerLimits>): void {
  beforeAll(async () => {
    server = await LimitedServer.start(join(folder, `store-${stores++}.db`), limits);
    const options = { minParticipants: 2, summationMs: 20, retryMs: 100, stop: { gap: 0, rounds: 100_000 } };
    await server.create('default', options);
    for (const id of ['ada', 'ben']) await new Trainer(id).join(server.url);
    await until(async () => (await round()) > 1, 'training has begun');
  });
  afterAll(() => server.stop());
}

async function round(): Promise<number> {
  return (await server.operate(HOME)).json.round;
}

async function measured(name: string, labels: Record<string, string> = {}): Promise<number> {
  return metric((await server.operate('/metrics')).text, name, labels);
}

async function expectUnharmed(): Promise<void> {
  const before = await round();
  await until(async () => (await round()) > before, 'training goes on');
  expect(server.isRunning).toBe(true);
}

/** Those who ask are strangers, too. */
async function expectNobodyLeft(): Promise<void> {
  await until(async () => (await measured('kindred_strangers')) < 10, 'nothing is left of them');
}

const HEAD = 'host: 127.0.0.1\r\ncontent-type: application/json\r\n';

describe.concurrent('a stranger who takes its time', () => {
  useServer({ strangerMs: 400 });

  /** Says a little every 50 ms, for ever. */
  async function drip(start: string, more: string): Promise<Socket> {
    const socket = await rawConnection(server.url);
    socket.resume();
    socket.write(start);
    const timer = setInterval(() => socket.write(more), 50);
    socket.on('close', () => clearInterval(timer));
    return socket;
  }

  test.each([
    ['a head that never ends', 'GET /healthz HTTP/1.1\r\nx-a: ', 'a'],
    ['headers without end', 'GET /healthz HTTP/1.1\r\n', 'x-a: b\r\n'],
    ['a body byte by byte', `POST ${HOME}/session HTTP/1.1\r\n${HEAD}content-length: 100000\r\n\r\n`, ' '],
    [
      'a body in chunks',
      `POST ${HOME}/session HTTP/1.1\r\n${HEAD}transfer-encoding: chunked\r\n\r\n`,
      '1\r\n \r\n',
    ],
    ['not even a request', '', '\r\n'],
  ])('slow loris, %s: cut off', async (_, start, more) => {
    const sockets = await Promise.all(Array.from({ length: 20 }, () => drip(start, more)));
    await until(() => sockets.every(({ closed }) => closed), 'all are cut off');
    await expectNobodyLeft();
    await expectUnharmed();
  });

  const UPGRADE = 'connection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\n';

  test.each([
    ['after an answer', 'GET /healthz HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n'],
    ['after something that is no HTTP', 'hello\r\n\r\n'],
    ['after a body that never came', `POST ${HOME}/session HTTP/1.1\r\n${HEAD}content-length: 9\r\n\r\n`],
    [
      'after an upgrade that was refused',
      `GET ${HOME}/connect HTTP/1.1\r\nhost: 127.0.0.1\r\n${UPGRADE}\r\n`,
    ],
  ])('half-open %s: a client that never closes its half is closed', async (_, request) => {
    const sockets: Socket[] = [];
    for (let i = 0; i < 20; i++) {
      const socket = await rawConnection(server.url);
      socket.write(request);
      socket.resume();
      sockets.push(socket);
    }
    await until(() => sockets.every(({ readableEnded }) => readableEnded), 'the server has closed its half');
    await expectNobodyLeft();
    for (const socket of sockets) socket.destroy();
    await expectUnharmed();
  });
});

describe('somebody who never reads', () => {
  useServer({ unreadMs: 900 });
  beforeAll(() =>
    server.create('wide', {
      minParticipants: 1,
      retryMs: 10,
      maxWaitMs: 50,
      scale: 'none',
      stop: { gap: 0, rounds: 100_000 },
    }),
  );

  /** Takes part in the wide federation, whose every round is 400 kB for it. */
  async function joined(participant: string): Promise<WsParticipant> {
    const link = await connected(server.url, {
      participant,
      features: WIDE,
      tellNames: false,
      federation: 'wide',
    });
    const unknown = { session: 1, base: 0, pending: 0, edition: 0 };
    link.send({ kind: 'join', id: participant, rows: 1, features: WIDE.length, benchmarkMs: 1, ...unknown });
    return link;
  }

  test('what it is sent: held back, then closed as too slow', async () => {
    const before = await measured('kindred_turned_away_total', { reason: 'TOO_SLOW' });
    const memory = await measured('process_resident_memory_bytes');
    const link = await joined('deaf');
    // Nothing is scaled: names of classes are all that is asked for.
    const none = new Float64Array(0);
    link.send({ kind: 'moments', count: 0, mean: none, m2: none, ...USUAL_CLASSES });
    await link.next('round');
    link.deafen();
    const isTurnedOut = async () =>
      (await measured('kindred_turned_away_total', { reason: 'TOO_SLOW' })) > before;
    await until(isTurnedOut, 'it is turned out');
    const sent = await measured('kindred_frames_sent_total', { federation: 'wide', kind: 'round' });
    const more = (await measured('process_resident_memory_bytes')) - memory;
    expect(more, `${(more / MEGABYTE).toFixed(0)} MB more for ${sent} rounds`).toBeLessThan(100 * MEGABYTE);
    await until(
      async () => (await measured('kindred_connected', { federation: 'wide' })) === 0,
      'it is gone',
    );
    link.terminate();
    await expectUnharmed();
  });

  test('an answer over HTTP: closed as too slow', async () => {
    const before = await measured('kindred_turned_away_total', { reason: 'TOO_SLOW' });
    const sockets: Socket[] = [];
    for (let i = 0; i < 2; i++) {
      const socket = await rawConnection(server.url);
      // Enough of them that no buffer on the way can hold the answers.
      socket.write(`GET /v1/federations/wide/model HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n`.repeat(20));
      socket.pause();
      sockets.push(socket);
    }
    await until(
      async () => (await measured('kindred_turned_away_total', { reason: 'TOO_SLOW' })) >= before + 2,
      'all are turned away',
    );
    for (const socket of sockets) socket.destroy();
    await expectUnharmed();
  });
});
