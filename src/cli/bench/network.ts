/**
 * kindred bench network: rounds per second of a real server, in a process of its own, with a real store that is written through
 * every round, and many participants over loopback that solve tiny problems; against the floor, a bare barrier over WebSocket in
 * the same arrangement of processes. Then how much memory thousands of connections take.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { ServedCoordinator } from '../../node/admin/served.ts';
import { Barrier } from '../../node/load/barrier.ts';
import { LoadFleet } from '../../node/load/load-fleet.ts';
import type { Openings } from '../../node/load/load-participant.ts';
import { median } from '../../reproduce/statistics.ts';

/** With the bias, vectors of 562 numbers. */
const FEATURES = 561;
const SIZES = [30, 100, 300, 1000];
/** The default first: it is the one that also trains while memory is measured. */
const AGGREGATIONS = ['answers'] as const;
const WARM_UP_MS = 1500;
const WINDOWS = 5;
const WINDOW_MS = 1000;
const IDLE = 5000;
const ACTIVE = 1000;

interface NetworkPoint {
  readonly participants: number;
  readonly aggregation: string;
  /** Median of the windows. */
  readonly roundsPerSecond: number;
  /** Of a bare barrier with as many clients, before and after: median of the windows. */
  readonly floorPerSecond: number;
  readonly ratioToFloor: number;
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
  for (const size of SIZES) {
    const floors: number[] = [];
    const rounds: Rounds[] = [];
    onProgress(`network: ${size} participants, floor`);
    floors.push(...(await floor(size)));
    for (const aggregation of AGGREGATIONS) {
      onProgress(`network: ${size} participants, ${aggregation}`);
      rounds.push(await measured(size, aggregation));
    }
    // Once more: the machine may have become slower or faster meanwhile.
    onProgress(`network: ${size} participants, floor`);
    floors.push(...(await floor(size)));
    points.push(...rounds.map((run) => against(median(floors), run)));
  }
  onProgress(`network: ${IDLE} idle and ${ACTIVE} active connections`);
  const memory = { idle: IDLE, active: ACTIVE, bytes: await memoryOf(IDLE, ACTIVE) };
  return { features: FEATURES + 1, points, memory };
}

type Rounds = Omit<NetworkPoint, 'floorPerSecond' | 'ratioToFloor'>;

function against(floorPerSecond: number, rounds: Rounds): NetworkPoint {
  return { ...rounds, floorPerSecond, ratioToFloor: rounds.roundsPerSecond / floorPerSecond };
}

/** Trains without end: what is measured is rounds, not convergence. */
function serveFlags(participants: number, aggregation: string): string[] {
  return [
    ...['--min-participants', `${participants}`, '--aggregation', aggregation],
    ...['--gap', '0', '--rounds', '1000000000', '--passes', '2', '--wait', 'all'],
  ];
}

/** Rounds per second of a bare barrier, in windows. */
async function floor(participants: number): Promise<number[]> {
  const barrier = await Barrier.start(participants, FEATURES + 1);
  try {
    barrier.open();
    return await windows(barrier.openings);
  } finally {
    await barrier.stop();
  }
}

async function measured(participants: number, aggregation: string): Promise<Rounds> {
  return await inFolder(async (store) => {
    const server = await ServedCoordinator.start(store, serveFlags(participants, aggregation));
    const fleet = new LoadFleet(server.url, participants, FEATURES);
    try {
      await fleet.connect();
      fleet.start();
      const roundsPerSecond = median(await windows(fleet.openings));
      return { participants, aggregation, roundsPerSecond, bytesPerRound: fleet.bytesPerRound() };
    } finally {
      fleet.close();
      await server.stop();
    }
  });
}

async function memoryOf(idle: number, active: number): Promise<number> {
  return await inFolder(async (store) => {
    const server = await ServedCoordinator.start(store, serveFlags(active, AGGREGATIONS[0]));
    const training = new LoadFleet(server.url, active, FEATURES);
    // Of a federation that never starts: they are connected and known, and that is all.
    const waiting = new LoadFleet(`${server.url}/idle`, idle, FEATURES);
    try {
      await server.post('/v1/federations', { name: 'idle', options: { minParticipants: 2 * idle } });
      await training.connect();
      training.start();
      await firstRounds(training.openings);
      await waiting.connect();
      await rate(training.openings);
      return await server.memory();
    } finally {
      training.close();
      waiting.close();
      await server.stop();
    }
  });
}

async function windows(openings: Openings): Promise<number[]> {
  await firstRounds(openings);
  const rates: number[] = [];
  for (let window = 0; window < WINDOWS; window++) rates.push(await rate(openings));
  return rates;
}

async function firstRounds(openings: Openings): Promise<void> {
  for (let rounds = 0; rounds < 3; rounds++) await openings.next();
  await pause(WARM_UP_MS);
}

/** Rounds per second, from one opening of a round to another. */
async function rate(openings: Openings): Promise<number> {
  const first = await openings.next();
  await pause(WINDOW_MS);
  const last = await openings.next();
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
