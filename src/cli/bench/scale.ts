/**
 * kindred bench scale: updates a second through gateways and shards on NATS, against one process and against bare frames over NATS; processor
 * time of the root by the number of participants and by the number of shards; enrolments a second; and very many participants, over real
 * connections and in one process. What docs/scale.md extrapolates from is in one run.
 */
import { cpus, loadavg } from 'node:os';
import { median } from '../../reproduce/statistics.ts';
import { ms, part, times } from './part.ts';
import { enrolments } from './scale-enrolment.ts';
import { crowded, floorOf, inTree, measured, simulation, throughOne } from './scale-trees.ts';

const FEATURES = 100;
const FRAME_BYTES = 104 + 8 * (FEATURES + 1);
const SHARDS = 8;
/** Features of those who are very many. */
const FEW_FEATURES = 20;
const EXTENTS = {
  usual: {
    ...{ gateways: [1, 2], people: 100, rootSizes: [50, 200], crowd: 500 },
    trees: [
      { shards: 8, participants: 320 },
      { shards: 32, participants: 320 },
      { shards: 64, participants: 640 },
      { shards: 64, participants: 640, fanIn: 8 },
    ],
    simulated: [1000, 4000],
  },
  full: {
    ...{ gateways: [1, 2, 4], people: 400, rootSizes: [50, 200, 800], crowd: 10_000 },
    trees: [
      { shards: 8, participants: 1280 },
      { shards: 32, participants: 1280 },
      { shards: 128, participants: 1280 },
      { shards: 1000, participants: 10_000 },
      { shards: 1000, participants: 10_000, fanIn: 32 },
    ],
    simulated: [1000, 10_000, 100_000],
  },
} as const;

export const scale = part(
  async ({ show, extent, now }) => {
    const { gateways, people, rootSizes, crowd, trees, simulated } = EXTENTS[extent];
    const started = now();
    const loadBefore = loadavg()[0];
    const tell = (what: string) => show(`scale, ${((now() - started) / 60_000).toFixed(1)} min: ${what}`);
    tell('bare frames over NATS');
    const floors = await floorOf(people, FRAME_BYTES);
    tell('one process');
    const alone = await throughOne(people, FEATURES);
    const through = [];
    for (const count of gateways) {
      tell(`${count} gateways`);
      const size = { gateways: count, participants: people, features: FEATURES, shards: SHARDS };
      through.push({ gateways: count, ...(await inTree(size, measured)) });
    }
    tell('bare frames over NATS, again');
    const floor = median([...floors, ...(await floorOf(people, FRAME_BYTES))]);
    const root = [];
    for (const participants of rootSizes) {
      tell(`the root with ${participants} participants`);
      const size = { gateways: 2, participants, features: FEATURES, shards: SHARDS };
      const { rootMs, netMs, rootMemory } = await inTree(size, measured);
      root.push({ participants, rootMs, netMs, rootMemory });
    }
    tell('enrolments a second');
    const enrolled = await enrolments();
    tell(`${crowd} participants over real connections`);
    const size = { gateways: 2, participants: crowd, features: FEW_FEATURES, shards: SHARDS };
    const many = await inTree(size, (tree) => crowded(tree, tell));
    const byShards = [];
    for (const tree of trees) {
      const below = 'fanIn' in tree ? `, ${tree.fanIn} below each branch and the root` : '';
      tell(`${tree.shards} shards in one process${below}`);
      byShards.push(await simulation({ ...tree, features: FEW_FEATURES }, tell));
    }
    const inOne = [];
    for (const participants of simulated) {
      tell(`${participants} participants in one process`);
      inOne.push(await simulation({ participants, shards: SHARDS, features: FEW_FEATURES }, tell));
    }
    const machine = { cores: cpus().length, load: [loadBefore, loadavg()[0]] };
    const minutes = (now() - started) / 60_000;
    return {
      ...{ extent, machine, minutes, features: FEATURES + 1, shards: SHARDS, people },
      ...{ floor, alone, through, root, byShards, enrolled, many, inOne },
    };
  },
  ({ machine, minutes, people, features, shards, ...measures }, { table }) => {
    const { floor, alone, through, root, byShards, enrolled, many, inOne } = measures;
    const way = (name: string, one: typeof alone) => [
      ...[name, one.perSecond.toFixed(1), whole(one.perSecond * people)],
      ...[times(one.perSecond / alone.perSecond), times(one.perSecond / floor)],
      ...[ms(one.rootMs), whole(one.bytes)],
    ];
    return [
      `Scale: ${machine.cores} cores, load ${machine.load.map((load) => load.toFixed(1)).join(' to ')}, ${minutes.toFixed(1)} minutes`,
      `  ${people} participants, vectors of ${features} numbers, ${shards} shards, all processes on this machine:`,
      ...table(
        ['<way', 'rounds/s', 'updates/s', 'to one process', 'to the floor', 'root CPU/round', 'bytes each'],
        [
          ['bare frames over NATS (floor)', floor.toFixed(1), whole(floor * people)],
          way('one process', alone),
          ...through.map((one) => way(`${one.gateways} gateway${one.gateways > 1 ? 's' : ''}, root`, one)),
        ],
      ),
      '',
      `  Root, ${shards} shards, by participants:`,
      ...table(
        ['participants', 'root CPU/round', 'without idle work', 'memory of the root'],
        root.map((one) => [whole(one.participants), ms(one.rootMs), ms(one.netMs), mib(one.rootMemory)]),
      ),
      '',
      `  Root by shards, in one process without a network, ${FEW_FEATURES + 1} numbers:`,
      ...table(
        [
          ...['shards', 'fan-in', 'participants', 'root CPU/round', 'for each shard'],
          ...['branches CPU/round', 'bytes at the root'],
        ],
        byShards.map((one) => [
          ...[whole(one.shards), one.fanIn ? whole(one.fanIn) : '', whole(one.participants)],
          ...[ms(one.rootMs), `${((1000 * one.rootMs) / one.shards).toFixed(0)} us`],
          ...[one.fanIn ? ms(one.branchesMs) : '', whole(one.rootBytes)],
        ]),
      ),
      '',
      '  Enrolments a second, without a network:',
      ...table(
        ['<store', 'one by one', 'together', 'ratio'],
        enrolled.map(({ store, alone: slow, together }) => [
          ...[store, whole(slow), whole(together), times(together / slow)],
        ]),
      ),
      '',
      `  ${whole(many.participants)} participants over real connections to 2 gateways, ${FEW_FEATURES + 1} numbers, ${shards} shards:`,
      ...table(
        ['<', 'in all', 'for each'],
        [
          ['admission', seconds(many.admittedS), ms((1000 * many.admittedS) / many.participants)],
          ['root CPU of admission', '', ms(many.admissionRootMs)],
          ['first round open after', seconds(many.firstRoundS), ''],
          ['a round (median)', seconds(many.roundS), ms((1000 * many.roundS) / many.participants)],
          ['slowest of them', seconds(Math.max(...many.roundSeconds)), ''],
          ['root CPU/round', ms(many.rootMs), ''],
          ['gateways and shards CPU/round', ms(many.gatewaysMs), ms(many.gatewaysMs / many.participants)],
          [
            ...['their memory, first round', mib(many.firstMemoryEach * many.participants)],
            bytes(many.firstMemoryEach),
          ],
          ['their memory, last round', mib(many.memoryEach * many.participants), bytes(many.memoryEach)],
          ['memory of the root', mib(many.rootMemory), ''],
          ['bytes a round, both ways', '', bytes(many.bytes)],
        ],
      ),
      '',
      `  In one process, without a network, ${FEW_FEATURES + 1} numbers, ${shards} shards; memory with that of the participants:`,
      ...table(
        [
          ...['participants', 'joined in', 'root CPU/round', 'shards CPU/round', 'for each'],
          ...['bytes at the root', 'bytes each', 'memory', 'memory each'],
        ],
        inOne.map((one) => [
          ...[whole(one.participants), seconds(one.joinedS), ms(one.rootMs), ms(one.shardsMs)],
          ...[ms(one.shardsMs / one.participants), whole(one.rootBytes), bytes(one.bytes)],
          ...[mib(one.memory), bytes(one.memoryEach)],
        ]),
      ),
    ];
  },
);

const whole = (value: number) => Math.round(value).toLocaleString('en');
const bytes = (value: number) => `${whole(value)} B`;
const mib = (value: number) => `${(value / 2 ** 20).toFixed(0)} MiB`;
const seconds = (value: number) => `${value.toFixed(1)} s`;
