/**
 * Strangers: they have no identity and no invitation, only a socket, and use it as they should not, while honest participants train on
 * the same server, which is `kindred serve` as a process.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { stream } from '../../../src/base/random.ts';
import { ERRORS } from '../../../src/node/server/api-error.ts';
import { AttackedFederation, HOME } from '../../helpers/attacked-federation.ts';
import { HttpFuzz } from '../../helpers/http-fuzz.ts';
import { type RawAnswer, rawAnswer, rawConnection } from '../../helpers/raw-http.ts';
import { until } from '../../helpers/server.ts';
import { useBuilt } from '../client/helpers.ts';

useBuilt();

const SEED = Number(process.env.KINDRED_TEST_SEED ?? 20261115);
const MEGABYTE = 1024 * 1024;
/** The server has to get along with this, whatever is done to it. */
const MOST_MEMORY = 400 * MEGABYTE;

let attacked: AttackedFederation;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'kindred-strangers-'));
  attacked = await AttackedFederation.start(folder);
});

afterAll(async () => {
  await attacked?.close();
  rmSync(folder, { recursive: true, force: true });
});

async function expectUnharmed(): Promise<void> {
  const round = await attacked.round();
  await until(async () => (await attacked.round()) > round, 'training goes on');
  const memory = await attacked.metric('process_resident_memory_bytes');
  expect(memory, `${(memory / MEGABYTE).toFixed(0)} MB`).toBeLessThan(MOST_MEMORY);
  expect(attacked.isRunning).toBe(true);
}

/** In the one form that refusals have, with a code that goes with its status. */
function expectOurForm({ status, head, body }: RawAnswer, about: string): string {
  expect(head, about).toMatch(/\r\ncontent-type: application\/json/i);
  const { error } = JSON.parse(body) as { error: { code: keyof typeof ERRORS; message: string } };
  expect(Object.keys(JSON.parse(body)), about).toEqual(['error']);
  expect(ERRORS[error.code]?.[0], about).toBe(status);
  expect(error.message, about).toMatch(/\S/);
  return error.code;
}

/** How many files this process may have open. */
function openFiles(): number {
  const limits = readFileSync('/proc/self/limits', 'utf8');
  return Number(/^Max open files +(\d+)/m.exec(limits)?.[1]);
}

test('ten thousand connections that never say who they are', async () => {
  const wanted = 10_000;
  const count = Math.min(wanted, openFiles() - 1000);
  if (count < wanted) process.stderr.write(`\nonly ${count} connections: no more files may be open\n`);
  const before = await attacked.metric('kindred_turned_away_total', { reason: 'STRANGERS' });
  const sockets: Socket[] = [];
  try {
    for (let opened = 0; opened < count; opened += 500) {
      const batch = Array.from({ length: Math.min(500, count - opened) }, () => rawConnection(attacked.url));
      sockets.push(...(await Promise.all(batch)));
    }
    await expectUnharmed();
    await attacked.newcomer();
    expect(await attacked.metric('kindred_strangers')).toBeLessThanOrEqual(1000);
    const away = await attacked.metric('kindred_turned_away_total', { reason: 'STRANGERS' });
    expect(away - before).toBeGreaterThanOrEqual(count - 1000);
  } finally {
    for (const socket of sockets) socket.destroy();
  }
  await expectUnharmed();
});

test('requests that an eavesdropper has recorded are good for nothing', async () => {
  const requests = [...attacked.recording.requests.values()];
  const recorded = (part: string) => requests.find((bytes) => bytes.includes(part))!;
  const cases = [
    ['/session', 'CHALLENGE_EXPIRED'],
    ['/connect', 'TICKET_INVALID'],
  ] as const;
  for (const [part, code] of cases) {
    const before = await attacked.refused(code);
    const answer = await rawAnswer(attacked.url, recorded(part));
    expect(expectOurForm(answer, part)).toBe(code);
    expect(await attacked.refused(code)).toBe(before + 1);
  }
  await expectUnharmed();
});

/** Requests that are not answered wait for it in full; on a busy machine the others need some of it. */
const ANSWER_MS = 500;

test('three thousand odd requests: never a failure of ours, always our form', async () => {
  await attacked.operate('/v1/federations', { body: { name: 'other' } });
  const fuzz = new HttpFuzz(stream(SEED, 'http fuzz'), attacked.operatorToken);
  const requests = Array.from({ length: 3000 }, () => fuzz.next());
  const codes = new Set<string>();
  let answered = 0;
  const one = async () => {
    for (let request = requests.pop(); request; request = requests.pop()) {
      const answer = await rawAnswer(attacked.url, request.bytes, ANSWER_MS);
      if (answer.status === 0) continue;
      answered++;
      expect(answer.status, request.about).toBeLessThan(500);
      if (answer.status >= 400 && !request.about.startsWith('HEAD'))
        codes.add(expectOurForm(answer, request.about));
    }
  };
  await Promise.all(Array.from({ length: 20 }, one));
  expect(answered).toBeGreaterThan(2500);
  // It has come to many parts of the server.
  expect(codes.size, [...codes].join()).toBeGreaterThan(10);
  await expectUnharmed();
});

test('half-open requests: nobody is kept by a client that goes without a word', async () => {
  const upgrade = 'connection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\n';
  const starts = [
    'GET /metrics HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n',
    `POST ${HOME}/challenge HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: 2\r\n\r\n{`,
    `GET ${HOME}/connect HTTP/1.1\r\nhost: 127.0.0.1\r\n${upgrade}\r\n`,
    'GET /healthz HTT',
    'no HTTP at all\r\n\r\n',
  ];
  const sockets: Socket[] = [];
  for (const start of starts) {
    for (let i = 0; i < 20; i++) {
      const socket = await rawConnection(attacked.url);
      socket.write(start);
      // Its half is closed, and nothing that comes is read.
      if (i % 2 === 0) socket.end();
      sockets.push(socket);
    }
  }
  await expectUnharmed();
  for (const socket of sockets) socket.destroy();
});

test('afterwards the honest ones are as good as without, and nothing is lost', async () => {
  const results = await attacked.finish();
  expect(results).toHaveLength(4);
  expect(results.map(({ reason }) => reason)).toEqual(results.map(() => 'operator'));
  expect((await attacked.ask(HOME)).json.relativeGap).toBeLessThanOrEqual(1e-3);
  const { participants, conservation, ok } = await attacked.verified();
  expect(ok, JSON.stringify({ participants, conservation })).toBe(true);
});
