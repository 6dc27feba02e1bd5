/**
 * Owns shards: as many of each federation as its share is among the owners that are alive (lease-set.ts). A lease says who acts; that the
 * store of a shard was opened here makes sure that nobody else does.
 */
import '../crc32.ts';
import type { NatsConnection } from '@nats-io/transport-node';
import { type Logger, pino } from 'pino';
import type { FederationRecord } from '../../host/ports.ts';
import { type FederationList, fromJson, type ListedFederation, toJson } from '../../nats/admission.ts';
import { Bucket } from '../../nats/bucket.ts';
import type { Bus } from '../../nats/bus.ts';
import { JetStreamStore } from '../../nats/jetstream-store.ts';
import { LeaseSet } from '../../nats/lease-set.ts';
import { leaseRequestMs, pause } from '../../nats/leases.ts';
import { RootVersion } from '../../nats/nodes-version.ts';
import { nodesIn, shapeOf } from '../../nats/shape.ts';
import { leaseBucket, type Subjects, shardBucket } from '../../nats/subjects.ts';
import { systemClock } from '../clock.ts';
import { nodePrimitives } from '../crypto.ts';
import { InnerHost } from './inner-host.ts';
import { ListedRecords } from './listed-records.ts';
import { ShardHost } from './shard-host.ts';
import type { ShardPorts } from './shard-ports.ts';

const BEAT_MS = 1000;
const RETURN_MS = 5000;
const ANSWER_MS = 2000;
/** Between looks at the list of federations: a word that it has changed may be lost. */
const REFRESH_MS = 2000;
const RETRY_MS = 500;

/** A shard, or a branch between shards and root. */
export type BranchHost = ShardHost | InnerHost;

export interface OwnerOptions {
  readonly connection: NatsConnection;
  readonly bus: Bus;
  readonly subjects: Subjects;
  /** For people. */
  readonly name: string;
  /** After which others take over from an owner that has died. */
  readonly ttlMs?: number | undefined;
  readonly beatMs?: number | undefined;
  readonly returnMs?: number | undefined;
  /** How long a change of a store is tried again before it has failed. */
  readonly patienceMs?: number | undefined;
  readonly log?: Logger | undefined;
  /** Version of the messages between nodes; default: `NODES_VERSION`. Another one for tests. */
  readonly nodes?: number | undefined;
}

/** One that a lease says is ours, by its number in the tree. */
interface Holding {
  readonly record: FederationRecord;
  readonly shard: number;
  readonly over: AbortController;
  readonly running: Promise<void>;
  host: BranchHost | undefined;
}

export class Owner {
  private readonly options: OwnerOptions;
  private readonly log: Logger;
  private readonly ports: Omit<ShardPorts, 'log'>;
  /** Of the root. */
  readonly version: RootVersion;
  private readonly records: ListedRecords;
  private readonly sets = new Map<string, LeaseSet>();
  private readonly holdings = new Map<string, Holding>();
  private list: FederationList | undefined;
  private readonly over = new AbortController();
  private woken = new AbortController();
  private running: Promise<void> = Promise.resolve();
  private unsubscribe = () => {};

  constructor(options: OwnerOptions) {
    const { bus, subjects, beatMs = BEAT_MS, returnMs = RETURN_MS } = options;
    this.options = options;
    this.log = options.log ?? pino({ level: 'silent' });
    this.ports = { bus, subjects, clock: systemClock, primitives: nodePrimitives(), beatMs, returnMs };
    this.records = new ListedRecords(this.log, systemClock.now);
    const { namespace } = subjects;
    this.version = new RootVersion({
      nodes: options.nodes,
      onWait: (why) => this.log.warn({ namespace }, why),
      onGoOn: () => this.log.info({ namespace }, 'the root speaks our version again'),
    });
  }

  start(): void {
    const { bus, subjects } = this.options;
    this.unsubscribe = bus.subscribe(subjects.changed, () => this.woken.abort());
    this.running = this.run();
  }

  /** Of those that run here. */
  *shards(): Generator<{ readonly federation: string; readonly shard: number; readonly host: BranchHost }> {
    for (const { record, shard, host } of this.holdings.values())
      if (host) yield { federation: record.name, shard, host };
  }

  /** Whether the leading root has answered since the start. */
  get isInformed(): boolean {
    return this.list !== undefined;
  }

  /** Lets everything go, so that others take it at once. */
  async close(): Promise<void> {
    this.over.abort();
    this.woken.abort();
    this.unsubscribe();
    await this.running;
    await Promise.all([...this.sets.values()].map((set) => set.close()));
  }

  /** As a crash: nothing is let go, nothing is said. For tests. */
  async crash(): Promise<void> {
    this.over.abort();
    this.woken.abort();
    this.unsubscribe();
    for (const { host } of this.holdings.values()) void host?.stop();
    await this.options.connection.close();
  }

  private async run(): Promise<void> {
    while (!this.over.signal.aborted) {
      await this.refresh().catch((error: Error) => this.log.debug({ err: error }, 'no list of federations'));
      this.woken = new AbortController();
      if (!this.over.signal.aborted) await pause(REFRESH_MS, this.woken.signal);
    }
  }

  /** Undefined: nothing that can be read, or the list of a root of another version. */
  private async ask(): Promise<FederationList | undefined> {
    const { bus, subjects } = this.options;
    const list = fromJson<FederationList>(await bus.request(subjects.federations, toJson({}), ANSWER_MS));
    if (!list || !this.version.note(list) || !Array.isArray(list.federations)) return undefined;
    this.list = list;
    return list;
  }

  private async refresh(): Promise<void> {
    const list = await this.ask();
    if (this.over.signal.aborted) return;
    // Others may have what is ours.
    if (this.version.whyWaiting !== undefined) await this.leaveAllBut(new Set());
    if (!list) return;
    const ids = new Set(list.federations.map(({ id }) => id));
    await this.leaveAllBut(ids);
    for (const federation of list.federations) if (!this.sets.has(federation.id)) await this.join(federation);
  }

  private async leaveAllBut(ids: ReadonlySet<string>): Promise<void> {
    this.records.keep(ids);
    for (const [id, set] of this.sets) {
      if (ids.has(id)) continue;
      this.sets.delete(id);
      await set.close();
    }
  }

  /** What goes wrong with one federation is no matter of the others. */
  private async join(federation: ListedFederation): Promise<void> {
    const record = this.records.read(federation);
    const why = (error: Error) =>
      this.log.debug({ err: error, federation: federation.name }, 'no leases yet');
    if (record) await this.takePart(record).catch(why);
  }

  private async takePart(record: FederationRecord): Promise<void> {
    const { connection, subjects, name, ttlMs } = this.options;
    const bucket = await Bucket.open(connection, leaseBucket(subjects.namespace), leaseRequestMs(ttlMs));
    // The root makes it: the next look at the list finds it.
    if (!bucket) return;
    const { id } = record;
    const shards = nodesIn(shapeOf(record));
    const set = new LeaseSet({
      ...{ bucket, key: id, owner: name, shards, ttlMs },
      onGain: (shard, epoch) => this.gain(record, shard, epoch),
      onLoss: (shard) => this.lose(record, shard),
    });
    this.sets.set(id, set);
  }

  private gain(record: FederationRecord, shard: number, epoch: number): void {
    const over = new AbortController();
    const holding: Holding = { record, shard, over, host: undefined, running: Promise.resolve() };
    this.holdings.set(keyOf(record, shard), holding);
    Object.assign(holding, { running: this.hold(holding, epoch) });
  }

  private async lose(record: FederationRecord, shard: number): Promise<void> {
    const holding = this.holdings.get(keyOf(record, shard));
    if (!holding) return;
    this.holdings.delete(keyOf(record, shard));
    holding.over.abort();
    await holding.host?.stop();
    await holding.running;
  }

  /** Until the lease is lost. Whatever goes wrong with the store is tried again, from what is stored. */
  private async hold(holding: Holding, epoch: number): Promise<void> {
    const { signal } = holding.over;
    const log = this.log.child({ federation: holding.record.name, shard: holding.shard });
    while (!signal.aborted) {
      try {
        await this.runShard(holding, epoch, log);
      } catch (error) {
        if (!signal.aborted) log.warn({ err: error }, 'the shard cannot run; trying again');
      }
      holding.host = undefined;
      // Whoever has fenced us has the lease, too, and we are about to learn of it.
      await pause(RETRY_MS, signal);
    }
  }

  /** From the opening of its store to the end: the lease is lost, or somebody else has opened the store. */
  private async runShard(holding: Holding, leaseEpoch: number, log: Logger): Promise<void> {
    const { record, shard } = holding;
    const { signal } = holding.over;
    const store = await this.openStore(record, shard);
    if (!store) return log.debug('the shard waits for the root to make its bucket');
    try {
      const saved = await store.loadRun(record.name);
      await this.ask().catch(() => {});
      if (signal.aborted || this.version.whyWaiting !== undefined) return;
      const known = this.list?.federations.find(({ id }) => id === record.id)?.epochs[shard] ?? 0;
      const epoch = Math.max(leaseEpoch, store.epoch ?? 0, known + 1);
      const Host = shard < shapeOf(record).shards ? ShardHost : InnerHost;
      const host = new Host({ record, shard, epoch, store, saved }, { ...this.ports, log });
      holding.host = host;
      host.start();
      log.info({ epoch }, 'shard taken over');
      const lost = new Promise<'lost'>((resolve) => {
        signal.addEventListener('abort', () => resolve('lost'));
      });
      const why = await Promise.race([lost, store.fenced.then(() => 'fenced' as const)]);
      await host.stop();
      log.info({ why }, 'shard given up');
    } finally {
      await store.close();
    }
  }

  /** Undefined: it is not there yet. */
  private async openStore({ id }: FederationRecord, shard: number): Promise<JetStreamStore | undefined> {
    const { connection, subjects, patienceMs } = this.options;
    const name = shardBucket(subjects.namespace, id, shard);
    const bucket = await Bucket.open(connection, name);
    return bucket && (await JetStreamStore.open({ connection, bucket, name, patienceMs }));
  }
}

function keyOf({ id }: FederationRecord, shard: number): string {
  return `${id} ${shard}`;
}
