/** Federations for `kindred bench scale`: one process, gateways and shards on NATS, and a whole tree in one process. */
import { setTimeout as pause } from 'node:timers/promises';
import { ServedCoordinator } from '../../node/admin/served.ts';
import { LoadFleet } from '../../node/load/load-fleet.ts';
import type { LoadTreeOptions } from '../../node/load/load-tree.ts';
import { runTreeApart } from '../../node/load/load-tree-run.ts';
import { NatsFloor } from '../../node/load/nats-floor.ts';
import { NatsProcess } from '../../node/load/nats-process.ts';
import { median } from '../../reproduce/statistics.ts';
import { inFolder, nextRound, windows } from './network.ts';

export interface Tree {
  readonly root: ServedCoordinator;
  readonly gateways: readonly ServedCoordinator[];
  readonly fleets: readonly LoadFleet[];
}

export interface TreeSize {
  readonly gateways: number;
  readonly participants: number;
  readonly features: number;
  readonly shards: number;
}

/** Rounds that are measured of a crowd, and of a tree in one process: of a small one as many as it takes until its code is compiled. */
const CROWD_ROUNDS = 5;
const SIMULATED_ROUNDS = { least: 5, most: 50, answers: 100_000 };
/** A crowd joins before its first round, and has two cores for all of its processes and of the federation's. */
const LONGEST_JOINING_MS = 600_000;
/** With everybody connected and nothing to do. */
const IDLE_MS = 3000;

/** Trains without end: what is measured is rounds, not convergence. */
function federation(participants: number): string[] {
  return [
    ...['--min-participants', `${participants}`, '--gap', '0', '--rounds', '1000000000', '--passes', '2'],
    ...['--wait', 'all', '--max-enrolments', '200000'],
  ];
}

/** Rounds a second of bare frames. */
export async function floorOf(participants: number, frameBytes: number): Promise<number[]> {
  return await inFolder(async (store) => {
    const nats = await NatsProcess.start(`${store}-nats`);
    const floor = await NatsFloor.start(nats.url, participants, frameBytes);
    try {
      floor.open();
      return await windows(floor.openings);
    } finally {
      await floor.stop();
      await nats.stop();
    }
  });
}

export async function throughOne(participants: number, features: number) {
  return await inFolder(async (store) => {
    const server = await ServedCoordinator.start(store, federation(participants));
    const fleet = new LoadFleet(server.url, participants, features);
    try {
      await fleet.connect();
      fleet.start();
      return await rates(server, [fleet]);
    } finally {
      fleet.close();
      await server.stop();
    }
  });
}

/** Gateways that own the shards between them, each with its share of the participants. Nobody is connected yet. */
export async function inTree<T>(size: TreeSize, act: (tree: Tree) => Promise<T>): Promise<T> {
  const { participants, features, shards } = size;
  return await inFolder(async (store) => {
    const nats = await NatsProcess.start(`${store}-nats`);
    const ended: (() => unknown)[] = [() => nats.stop()];
    try {
      const on = ['--nats', nats.url];
      const token = ['--operator-token-file', `${store}.token`];
      const rootFlags = [...on, '--shards', `${shards}`, ...token, ...federation(participants)];
      const root = await ServedCoordinator.run('serve', rootFlags);
      ended.push(() => root.stop());
      const gateways: ServedCoordinator[] = [];
      const fleets: LoadFleet[] = [];
      for (let g = 0; g < size.gateways; g++) {
        const flags = [...on, '--aggregate', '--max-connections', '100000'];
        const gateway = await ServedCoordinator.run('gateway', flags);
        ended.push(() => gateway.stop());
        gateways.push(gateway);
        const [first, last] = [g, g + 1].map((k) => Math.floor((k * participants) / size.gateways));
        const fleet = new LoadFleet(gateway.url, last - first, features, first + 1);
        ended.push(() => fleet.close());
        fleets.push(fleet);
      }
      return await act({ root, gateways, fleets });
    } finally {
      for (const end of ended.reverse()) await end();
    }
  });
}

/** Rounds a second with everybody connected, and what the root takes for one. */
export async function measured({ root, fleets }: Tree) {
  await Promise.all(fleets.map((fleet) => fleet.connect()));
  const before = await root.cpuSeconds();
  await pause(IDLE_MS);
  const idleShare = (1000 * ((await root.cpuSeconds()) - before)) / IDLE_MS;
  for (const fleet of fleets) fleet.start();
  const found = await rates(root, fleets);
  // Leases, signs of life and the like: the slower the rounds, the more of it falls on each.
  const netMs = Math.max(0, found.rootMs - (1000 * idleShare) / found.perSecond);
  return { ...found, netMs, rootMemory: await root.memory() };
}

async function rates(root: ServedCoordinator, fleets: readonly LoadFleet[]) {
  const [{ openings }] = fleets;
  await windows(openings, 1);
  const [beforeCpu, beforeRound] = [await root.cpuSeconds(), openings.round];
  const perSecond = median(await windows(openings));
  const rootMs = (1000 * ((await root.cpuSeconds()) - beforeCpu)) / Math.max(1, openings.round - beforeRound);
  return { perSecond, rootMs, bytes: bytesEach(fleets) };
}

/** From nobody to rounds of everybody: admission, the first round, and some more of them. */
export async function crowded({ root, gateways, fleets }: Tree, show: (what: string) => void) {
  const participants = fleets.reduce((sum, fleet) => sum + fleet.participants.length, 0);
  const idle = await memoryOf(gateways);
  const rootIdle = await root.memory();
  const seconds = stopwatch();
  await Promise.all(fleets.map((fleet) => fleet.connect()));
  const admittedS = seconds();
  const admissionRootMs = (1000 * (await root.cpuSeconds())) / participants;
  show(`${participants} admitted in ${admittedS.toFixed(0)} s`);
  const untilRound = stopwatch();
  for (const fleet of fleets) fleet.start();
  const [{ openings }] = fleets;
  await nextRound(openings, LONGEST_JOINING_MS);
  const firstRoundS = untilRound();
  const firstMemory = await memoryOf(gateways);
  await nextRound(openings, LONGEST_JOINING_MS);
  const bytesBefore = sum(fleets.map((fleet) => fleet.bytes));
  const [rootBefore, gatewaysBefore] = [await root.cpuSeconds(), await cpuOf(gateways)];
  const first = openings.round;
  const roundSeconds: number[] = [];
  for (let round = 0; round < CROWD_ROUNDS; round++) {
    show(`${participants} participants, round ${openings.round} is open`);
    const inRound = stopwatch();
    await nextRound(openings, LONGEST_JOINING_MS);
    roundSeconds.push(inRound());
  }
  const rounds = openings.round - first;
  const rootMemory = await root.memory();
  return {
    ...{ participants, admittedS, admissionRootMs, firstRoundS, roundSeconds },
    roundS: median(roundSeconds),
    rootMs: (1000 * ((await root.cpuSeconds()) - rootBefore)) / rounds,
    gatewaysMs: (1000 * ((await cpuOf(gateways)) - gatewaysBefore)) / rounds,
    firstMemoryEach: (firstMemory - idle) / participants,
    memoryEach: ((await memoryOf(gateways)) - idle) / participants,
    ...{ rootMemory, rootMemoryEach: (rootMemory - rootIdle) / participants },
    bytes: (sum(fleets.map((fleet) => fleet.bytes)) - bytesBefore) / participants / rounds,
  };
}

/** Of one participant in one round, both ways. */
function bytesEach(fleets: readonly LoadFleet[]): number {
  return fleets.reduce((sum, fleet) => sum + fleet.bytesPerRound(), 0) / fleets.length;
}

async function memoryOf(processes: readonly ServedCoordinator[]): Promise<number> {
  return sum(await Promise.all(processes.map((one) => one.memory())));
}

async function cpuOf(processes: readonly ServedCoordinator[]): Promise<number> {
  return sum(await Promise.all(processes.map((one) => one.cpuSeconds())));
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function stopwatch(): () => number {
  const started = performance.now();
  return () => (performance.now() - started) / 1000;
}

/** The whole tree in one process, without a network or a disk: medians. */
export async function simulation(size: LoadTreeOptions, show: (what: string) => void) {
  const { participants, shards, fanIn } = size;
  const name = `${participants} participants in one process, ${shards} shards`;
  const { least, most, answers } = SIMULATED_ROUNDS;
  const count = Math.max(least, Math.min(most, Math.floor(answers / participants)));
  const run = await runTreeApart(size, count, (what) => show(`${name}: ${what}`));
  const { rounds, joinedS, memory, bytesEach: bytes } = run;
  const middle = (key: keyof (typeof rounds)[number]) => median(rounds.map((round) => round[key]));
  return {
    ...{ participants, shards, ...(fanIn && { fanIn }), joinedS, bytes },
    ...{ memory, memoryEach: memory / participants },
    ...{ rootMs: middle('rootMs'), branchesMs: middle('branchesMs'), shardsMs: middle('shardsMs') },
    rootBytes: middle('rootBytes'),
  };
}
