/**
 * kindred bench scale: updates a second through gateways and shards on NATS, against one process and against bare frames over NATS; processor
 * time of the root by the number of participants; and very many participants, over real connections and in one process.
 */
import { ServedCoordinator } from '../../node/admin/served.ts';
import { LoadFleet } from '../../node/load/load-fleet.ts';
import { LoadTree } from '../../node/load/load-tree.ts';
import { NatsFloor } from '../../node/load/nats-floor.ts';
import { NatsProcess } from '../../node/load/nats-process.ts';
import { median } from '../../reproduce/statistics.ts';
import { inFolder, windows } from './network.ts';
import { ms, part } from './part.ts';

const FEATURES = 100;
const FRAME_BYTES = 104 + 8 * (FEATURES + 1);
const SHARDS = 8;
/** Features of those who are very many. */
const FEW_FEATURES = 20;
const EXTENTS = {
  usual: { gateways: [1, 2], people: 100, rootSizes: [50, 200], crowd: 500, simulated: [1000, 4000] },
  full: {
    gateways: [1, 2, 4],
    people: 400,
    rootSizes: [50, 200, 800],
    crowd: 10_000,
    simulated: [1000, 10_000, 100_000],
  },
} as const;
const ROUNDS = 3;

export const scale = part(
  async ({ show, extent }) => {
    const { gateways, people, rootSizes, crowd, simulated } = EXTENTS[extent];
    show('scale: bare frames over NATS');
    const floor = await floorOf(people);
    show('scale: one process');
    const alone = await inFolder((store) => throughOne(store, people));
    const through = [];
    for (const count of gateways) {
      show(`scale: ${count} gateways`);
      through.push({ gateways: count, ...(await inTree(count, people, FEATURES, measured)) });
    }
    const root = [];
    for (const size of rootSizes) {
      show(`scale: the root with ${size} participants`);
      const { rootMs, rootMemory } = await inTree(2, size, FEATURES, measured);
      root.push({ participants: size, rootMs, rootMemory });
    }
    show(`scale: ${crowd} participants over real connections`);
    const many = { participants: crowd, ...(await inTree(2, crowd, FEW_FEATURES, measured)) };
    const inOne = [];
    for (const size of simulated) {
      show(`scale: ${size} participants in one process`);
      inOne.push(await simulation(size));
    }
    return {
      extent,
      features: FEATURES + 1,
      shards: SHARDS,
      people,
      floor,
      alone,
      through,
      root,
      many,
      inOne,
    };
  },
  ({ people, features, shards, floor, alone, through, root, many, inOne }, { table }) => [
    `Scale: ${people} participants, vectors of ${features} numbers, ${shards} shards, all processes on this machine`,
    ...table(
      ['<way', 'rounds/s', 'updates/s', 'root CPU/round', 'bytes each'],
      [
        ['bare frames over NATS', floor.toFixed(1), whole(floor * people), '', ''],
        [
          'one process',
          alone.perSecond.toFixed(1),
          whole(alone.perSecond * people),
          ms(alone.rootMs),
          whole(alone.bytes),
        ],
        ...through.map((one) => [
          `${one.gateways} gateways`,
          one.perSecond.toFixed(1),
          whole(one.perSecond * people),
          ms(one.rootMs),
          whole(one.bytes),
        ]),
      ],
    ),
    '  Processor time of the root per round, at the same number of shards:',
    ...table(
      ['participants', 'root CPU/round', 'memory of the root'],
      root.map((one) => [whole(one.participants), ms(one.rootMs), mib(one.rootMemory)]),
    ),
    `  ${whole(many.participants)} participants over real connections: ${many.perSecond.toFixed(2)} rounds/s, ` +
      `${whole(many.gatewayMemory / many.participants)} bytes of memory each in gateways and shards, ${whole(many.bytes)} bytes a round each`,
    '  In one process, without a network:',
    ...table(
      ['participants', 'root CPU/round', 'shards CPU/round', 'bytes at the root', 'memory each'],
      inOne.map((one) => [
        whole(one.participants),
        ms(one.rootMs),
        ms(one.shardsMs),
        whole(one.rootBytes),
        whole(one.memoryEach),
      ]),
    ),
  ],
);

const whole = (value: number) => Math.round(value).toLocaleString('en');
const mib = (bytes: number) => `${(bytes / 2 ** 20).toFixed(0)} MiB`;

/** Trains without end: what is measured is rounds, not convergence. */
function federation(participants: number): string[] {
  return [
    ...['--min-participants', `${participants}`, '--gap', '0', '--rounds', '1000000000', '--passes', '2'],
    ...['--wait', 'all', '--max-enrolments', '200000'],
  ];
}

async function floorOf(people: number): Promise<number> {
  return await inFolder(async (store) => {
    const nats = await NatsProcess.start(`${store}-nats`);
    const floor = await NatsFloor.start(nats.url, people, FRAME_BYTES);
    try {
      floor.open();
      return median(await windows(floor.openings));
    } finally {
      await floor.stop();
      await nats.stop();
    }
  });
}

async function throughOne(store: string, people: number) {
  const server = await ServedCoordinator.start(store, federation(people));
  const fleet = new LoadFleet(server.url, people, FEATURES);
  try {
    await fleet.connect();
    fleet.start();
    return await rates(server, [fleet]);
  } finally {
    fleet.close();
    await server.stop();
  }
}

interface Tree {
  readonly root: ServedCoordinator;
  readonly gateways: readonly ServedCoordinator[];
  readonly fleets: readonly LoadFleet[];
}

/** Gateways that own the shards between them, each with its share of the participants. */
async function inTree<T>(
  count: number,
  people: number,
  features: number,
  act: (tree: Tree) => Promise<T>,
): Promise<T> {
  return await inFolder(async (store) => {
    const nats = await NatsProcess.start(`${store}-nats`);
    const ended: (() => unknown)[] = [() => nats.stop()];
    try {
      const on = ['--nats', nats.url];
      const token = ['--operator-token-file', `${store}.token`];
      const root = await ServedCoordinator.run('serve', [
        ...on,
        '--shards',
        `${SHARDS}`,
        ...token,
        ...federation(people),
      ]);
      ended.push(() => root.stop());
      const gateways: ServedCoordinator[] = [];
      const fleets: LoadFleet[] = [];
      for (let g = 0; g < count; g++) {
        const gateway = await ServedCoordinator.run('gateway', [
          ...on,
          '--aggregate',
          '--max-connections',
          '100000',
        ]);
        ended.push(() => gateway.stop());
        gateways.push(gateway);
        const [first, last] = [Math.floor((g * people) / count), Math.floor(((g + 1) * people) / count)];
        const fleet = new LoadFleet(gateway.url, last - first, features, first + 1);
        ended.push(() => fleet.close());
        fleets.push(fleet);
      }
      for (const fleet of fleets) await fleet.connect();
      for (const fleet of fleets) fleet.start();
      return await act({ root, gateways, fleets });
    } finally {
      for (const end of ended.reverse()) await end();
    }
  });
}

async function measured({ root, gateways, fleets }: Tree) {
  const result = await rates(root, fleets);
  const memories = await Promise.all(gateways.map((gateway) => gateway.memory()));
  const gatewayMemory = memories.reduce((sum, bytes) => sum + bytes, 0);
  return { ...result, gatewayMemory, rootMemory: await root.memory() };
}

/** Rounds a second, and the processor time that the root takes for one. */
async function rates(root: ServedCoordinator, fleets: readonly LoadFleet[]) {
  const [{ openings }] = fleets;
  await windows(openings, 1);
  const [beforeCpu, beforeRound] = [await root.cpuSeconds(), openings.round];
  const perSecond = median(await windows(openings));
  const rootMs = (1000 * ((await root.cpuSeconds()) - beforeCpu)) / Math.max(1, openings.round - beforeRound);
  const bytes = fleets.reduce((sum, fleet) => sum + fleet.bytesPerRound(), 0) / fleets.length;
  return { perSecond, rootMs, bytes };
}

async function simulation(participants: number) {
  const before = process.memoryUsage().rss;
  const tree = new LoadTree({ participants, shards: SHARDS, features: FEW_FEATURES });
  try {
    await tree.run(2);
    const [from, start] = [tree.round, { ...tree.spent }];
    await tree.run(from + ROUNDS);
    const rounds = tree.round - from;
    const each = (key: keyof typeof start) => (tree.spent[key] - start[key]) / rounds;
    const memoryEach = (process.memoryUsage().rss - before) / participants;
    return {
      participants,
      rootMs: each('rootMs'),
      shardsMs: each('shardsMs'),
      rootBytes: each('rootBytes'),
      memoryEach,
    };
  } finally {
    await tree.close();
  }
}
