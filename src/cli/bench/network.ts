/**
 * kindred bench network: rounds per second of a real server, in a process of its own, with a real store that is written through
 * every round, and many participants over loopback that solve tiny problems; against the floor, a bare barrier over WebSocket in
 * the same arrangement of processes. Then how much memory thousands of connections take.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { KindredError } from '../../base/errors.ts';
import { ServedCoordinator } from '../../node/admin/served.ts';
import { Barrier } from '../../node/load/barrier.ts';
import { LoadFleet } from '../../node/load/load-fleet.ts';
import type { Openings } from '../../node/load/load-participant.ts';
import { median } from '../../reproduce/statistics.ts';
import { part } from './part.ts';

/** With the bias, vectors of 562 numbers. */
const FEATURES = 561;
const EXTENTS = {
  usual: { sizes: [30, 100], idle: 1000, active: 100 },
  full: { sizes: [30, 100, 300, 1000], idle: 5000, active: 1000 },
} as const;
const AGGREGATION = 'answers';
const WARM_UP_MS = 1500;
const WINDOWS = 3;
const WINDOW_MS = 1000;
/** The largest rounds take some seconds: whatever takes this long does not go on. */
const LONGEST_ROUND_MS = 60_000;

export const network = part(
  async ({ show, extent }) => {
    const { sizes, idle, active } = EXTENTS[extent];
    const points = [];
    for (const size of sizes) {
      show(`network: ${size} participants (of ${sizes.join(', ')}), floor`);
      const before = await floor(size);
      show(`network: ${size} participants, ${AGGREGATION}`);
      const run = await measured(size);
      // Once more: the machine may have become slower or faster meanwhile.
      show(`network: ${size} participants, floor`);
      const floorPerSecond = median([...before, ...(await floor(size))]);
      points.push({ ...run, floorPerSecond, ratioToFloor: run.roundsPerSecond / floorPerSecond });
    }
    show(`network: ${idle} idle and ${active} active connections`);
    const memory = { idle, active, bytes: await memoryOf(idle, active) };
    return { features: FEATURES + 1, extent, points, memory };
  },
  ({ features, points, memory }, { table }) => {
    const rows = points.map((point) => [
      point.aggregation,
      String(point.participants),
      point.roundsPerSecond.toFixed(1),
      point.floorPerSecond.toFixed(1),
      point.ratioToFloor.toFixed(2),
      String(Math.round(point.roundsPerSecond * point.participants)),
      String(Math.round(point.bytesPerRound)),
    ]);
    return [
      `Network: vectors of ${features} numbers over loopback, durable rounds, server in a separate process`,
      ...table(['<rule', 'participants', 'rounds/s', 'floor', 'ratio', 'updates/s', 'bytes each'], rows),
      `  ${memory.idle} idle and ${memory.active} training connections: ${(memory.bytes / 2 ** 20).toFixed(0)} MiB`,
    ];
  },
);

/** Trains without end: what is measured is rounds, not convergence. */
function serveFlags(participants: number): string[] {
  return [
    ...['--min-participants', `${participants}`, '--aggregation', AGGREGATION],
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

/** Median of the windows; bytes of one participant in one round, both ways. */
async function measured(participants: number) {
  return await inFolder(async (store) => {
    const server = await ServedCoordinator.start(store, serveFlags(participants));
    const fleet = new LoadFleet(server.url, participants, FEATURES);
    try {
      await fleet.connect();
      fleet.start();
      const roundsPerSecond = median(await windows(fleet.openings));
      const bytesPerRound = fleet.bytesPerRound();
      return { participants, aggregation: AGGREGATION, roundsPerSecond, bytesPerRound };
    } finally {
      fleet.close();
      await server.stop();
    }
  });
}

async function memoryOf(idle: number, active: number): Promise<number> {
  return await inFolder(async (store) => {
    const server = await ServedCoordinator.start(store, serveFlags(active));
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

/** Rounds a second in each of some windows, after the first rounds. */
export async function windows(openings: Openings, count = WINDOWS): Promise<number[]> {
  await firstRounds(openings);
  const rates: number[] = [];
  for (let window = 0; window < count; window++) rates.push(await rate(openings));
  return rates;
}

async function firstRounds(openings: Openings): Promise<void> {
  for (let rounds = 0; rounds < 3; rounds++) await nextRound(openings);
  await pause(WARM_UP_MS);
}

/** Rounds per second, from one opening of a round to another. */
async function rate(openings: Openings): Promise<number> {
  const first = await nextRound(openings);
  await pause(WINDOW_MS);
  const last = await nextRound(openings);
  return (1000 * (last.round - first.round)) / (last.atMs - first.atMs);
}

/** Not for ever: a benchmark that waits for a round that does not open ends, and says so. */
export async function nextRound(openings: Openings, mostMs = LONGEST_ROUND_MS) {
  const waited = new AbortController();
  const tooLong = pause(mostMs, undefined, { signal: waited.signal }).then(() => {
    const expected = `expected a round within ${mostMs / 1000} s after round ${openings.round}`;
    throw new KindredError('BENCH_STALLED', `bench: ${expected}, got none`, 'run');
  });
  try {
    return await Promise.race([openings.next(), tooLong]);
  } finally {
    tooLong.catch(() => {});
    waited.abort();
  }
}

export async function inFolder<T>(act: (store: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'kindred-bench-'));
  try {
    return await act(join(folder, 'kindred.db'));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
