/**
 * kindred bench network: rounds per second of a real server, in a process of its own, with a real store that is written through
 * every round, and many participants over loopback that solve tiny problems. Then how much memory thousands of connections take.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { median } from '../../reproduce/statistics.ts';
import { LoadFleet } from '../../shells/load/load-fleet.ts';
import { ServedCoordinator } from '../../shells/served.ts';

/** With the bias, vectors of 562 numbers. */
const FEATURES = 561;
const SIZES = [30, 100, 300, 1000];
const WARM_UP_MS = 1500;
const WINDOWS = 5;
const WINDOW_MS = 1000;
const IDLE = 5000;
const ACTIVE = 1000;

export interface NetworkPoint {
  readonly participants: number;
  readonly aggregation: string;
  /** Median of the windows. */
  readonly roundsPerSecond: number;
  /** Of one participant in one round, both ways. */
  readonly bytesPerRound: number;
}

export interface NetworkReport {
  readonly features: number;
  readonly points: readonly NetworkPoint[];
  readonly memory: { readonly idle: number; readonly active: number; readonly bytes: number };
}

export async function benchNetwork(onProgress: (what: string) => void): Promise<NetworkReport> {
  const points: NetworkPoint[] = [];
  for (const aggregation of ['answers', 'safe']) {
    for (const size of SIZES) {
      onProgress(`network: ${size} participants, ${aggregation}`);
      points.push(await measured(size, aggregation));
    }
  }
  onProgress(`network: ${IDLE} idle and ${ACTIVE} active connections`);
  const memory = { idle: IDLE, active: ACTIVE, bytes: await memoryOf(IDLE, ACTIVE) };
  return { features: FEATURES + 1, points, memory };
}

/** Trains without end: what is measured is rounds, not convergence. */
function serveFlags(participants: number, aggregation: string): string[] {
  return [
    ...['--min-participants', `${participants}`, '--aggregation', aggregation],
    ...['--gap', '0', '--rounds', '1000000000', '--passes', '2', '--wait', 'all'],
  ];
}

async function measured(participants: number, aggregation: string): Promise<NetworkPoint> {
  return await inFolder(async (store) => {
    const server = await ServedCoordinator.start(store, serveFlags(participants, aggregation));
    const fleet = new LoadFleet(server.url, participants, FEATURES);
    try {
      await fleet.connect();
      fleet.start();
      await firstRounds(fleet);
      const rates: number[] = [];
      for (let window = 0; window < WINDOWS; window++) rates.push(await rate(fleet));
      const roundsPerSecond = median(rates);
      return { participants, aggregation, roundsPerSecond, bytesPerRound: fleet.bytesPerRound() };
    } finally {
      fleet.close();
      await server.stop();
    }
  });
}

async function memoryOf(idle: number, active: number): Promise<number> {
  return await inFolder(async (store) => {
    const server = await ServedCoordinator.start(store, serveFlags(active, 'answers'));
    const training = new LoadFleet(server.url, active, FEATURES);
    // Of a federation that never starts: they are connected and known, and that is all.
    const waiting = new LoadFleet(`${server.url}/idle`, idle, FEATURES);
    try {
      await server.post('/v1/federations', { name: 'idle', options: { minParticipants: 2 * idle } });
      await training.connect();
      training.start();
      await firstRounds(training);
      await waiting.connect();
      await rate(training);
      return await server.memory();
    } finally {
      training.close();
      waiting.close();
      await server.stop();
    }
  });
}

async function firstRounds(fleet: LoadFleet): Promise<void> {
  for (let rounds = 0; rounds < 3; rounds++) await fleet.opening();
  await pause(WARM_UP_MS);
}

/** Rounds per second, from one opening of a round to another. */
async function rate(fleet: LoadFleet): Promise<number> {
  const first = await fleet.opening();
  await pause(WINDOW_MS);
  const last = await fleet.opening();
  return (1000 * (last.round - first.round)) / (last.atMs - first.atMs);
}

async function inFolder<T>(act: (store: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'kindred-bench-'));
  try {
    return await act(join(folder, 'kindred.db'));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
