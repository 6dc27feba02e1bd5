/**
 * Enrolled participants that join in ever new sessions, as often as the limit of frames allows, at a server in a process of its own: every
 * join that is taken is answered, some with a whole w, and what is stored is stored before anything else is done.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import { LimitedServer } from '../../helpers/limited-server.ts';
import { metric } from '../../helpers/metrics.ts';
import { until } from '../../helpers/server.ts';
import { connected, type WsParticipant } from '../../helpers/ws-participant.ts';
import { Trainer } from '../../helpers/ws-trainer.ts';
import { useBuilt } from '../client/helpers.ts';

useBuilt();

const HOME = '/v1/federations/default';
const ATTACKERS = 4;
/** Below the thousand frames a second that a connection is closed for. */
const JOINS_PER_SECOND = 900;
const FLOOD_MS = 4000;
/** Within which the server answers whoever asks for its health. */
const HEALTH_MS = 200;

const folder = mkdtempSync(join(tmpdir(), 'kindred-joining-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Joins in a new session each time, as many as the time since the beginning makes; gives how many. */
async function joinAgainAndAgain(link: WsParticipant, id: string): Promise<number> {
  const beganMs = performance.now();
  let session = 0;
  for (let ms = 0; ms < FLOOD_MS; ms = performance.now() - beganMs) {
    while (session < (JOINS_PER_SECOND * ms) / 1000) {
      session++;
      const known = { session, base: 0, pending: 0, edition: 0 };
      link.send({ kind: 'join', id, rows: 5, features: 2, benchmarkMs: 1, ...known });
    }
    await pause(10);
  }
  return session;
}

let attempts = 0;

test('[JOIN-8] four that join 900 times a second keep nobody from an answer, and training goes on', async () => {
  const server = await LimitedServer.start(join(folder, `store-${++attempts}.db`));
  try {
    const options = { minParticipants: 2, retryMs: 100, maxWaitMs: 500, stop: { gap: 0, rounds: 100_000 } };
    await server.create('default', options);
    for (const id of ['ada', 'ben']) await new Trainer(id).join(server.url);
    const round = async () => (await server.operate(HOME)).json.round;
    await until(async () => (await round()) > 1, 'training has begun');
    const ids = Array.from({ length: ATTACKERS }, (_, k) => `attacker ${k}`);
    const links = await Promise.all(ids.map((participant) => connected(server.url, { participant })));

    let isOver = false;
    const flood = Promise.all(links.map((link, k) => joinAgainAndAgain(link, ids[k]))).finally(() => {
      isOver = true;
    });
    const before = await round();
    const answeredMs: number[] = [];
    while (!isOver) {
      const askedMs = performance.now();
      expect((await server.operate('/healthz')).status).toBe(200);
      answeredMs.push(performance.now() - askedMs);
      await pause(10);
    }
    const joins = (await flood).reduce((sum, count) => sum + count, 0);
    expect(joins).toBeGreaterThan(0.9 * ATTACKERS * JOINS_PER_SECOND * (FLOOD_MS / 1000));
    const { stalledMs } = await server.observed();
    const worst = Math.max(...answeredMs);
    const about = `${answeredMs.length} answers, the slowest after ${worst.toFixed(1)} ms; stalled for ${stalledMs.toFixed(1)} ms`;
    expect(worst, about).toBeLessThan(HEALTH_MS + stalledMs);
    expect(await round(), 'rounds during the flood').toBeGreaterThan(before);
    // Nobody was closed for its rate, so it was the limit of joins that helped.
    const { text } = await server.operate('/metrics');
    expect(metric(text, 'kindred_connected', { federation: 'default' })).toBe(2 + ATTACKERS);
    for (const link of links) link.terminate();
  } finally {
    await server.stop();
  }
});
