/**
 * Owns shards: as many of each federation as its share is among the owners that are alive (lease-set.ts). A lease says who acts; that the
 * store of a shard was opened here makes sure that nobody else does.
 */
import '../crc32.ts';
import type { NatsConnection } from '@nats-io/transport-node';
import { type Logger, pino } from 'pino';
import { parseOptions } from '../../coordinator/options.ts';
import type { FederationRecord } from '../../host/ports.ts';
import { type FederationList, fromJson, type ListedFederation, toJson } from '../../nats/admission.ts';
import { Bucket } from '../../nats/bucket.ts';
import type { Bus } from '../../nats/bus.ts';
import { JetStreamStore } from '../../nats/jetstream-store.ts';
import { LeaseSet } from '../../nats/lease-set.ts';
import { leaseRequestMs, pause } from '../../nats/leases.ts';
import { nodesIn } from '../../nats/shape.ts';
import { leaseBucket, type Subjects, shardBucket } from '../../nats/subjects.ts';
import { systemClock } from '../clock.ts';
import { nodePrimitives } from '../crypto.ts';
import { InnerHost } from './inner-host.ts';
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
}

/** One that a lease says is ours, by its number in the tree. */
interface Holding {
  readonly federation: ListedFederation;
  readonly shard: number;
  readonly over: AbortController;
  readonly running: Promise<void>;
  host: BranchHost | undefined;
}

export class Owner {
  private readonly options: OwnerOptions;
  private readonly log: Logger;
  private readonly ports: Omit<ShardPorts, 'log'>;
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
  }

  start(): void {
    const { bus, subjects } = this.options;
    this.unsubscribe = bus.subscribe(subjects.changed, () => this.woken.abort());
    this.running = this.run();
  }

  /** Of those that run here. */
  *shards(): Generator<{ readonly federation: string; readonly shard: number; readonly host: BranchHost }> {
    for (const { federation, shard, host } of this.holdings.values())
      if (host) yield { federation: federation.name, shard, host };
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

  private async ask(): Promise<FederationList | undefined> {
    const { bus, subjects } = this.options;
    const list = fromJson<FederationList>(await bus.request(subjects.federations, toJson({}), ANSWER_MS));
    this.list = list ?? this.list;
    return list;
  }

  private async refresh(): Promise<void> {
    const list = await this.ask();
    if (!list || this.over.signal.aborted) return;
    const ids = new Set(list.federations.map(({ id }) => id));
    for (const [id, set] of this.sets) {
      if (ids.has(id)) continue;
      this.sets.delete(id);
      await set.close();
    }
    for (const federation of list.federations)
      if (!this.sets.has(federation.id)) await this.takePart(federation);
  }

  private async takePart(federation: ListedFederation): Promise<void> {
    const { connection, subjects, name, ttlMs } = this.options;
    const bucket = await Bucket.open(connection, leaseBucket(subjects.namespace), leaseRequestMs(ttlMs));
    // The root makes it: the next look at the list finds it.
    if (!bucket) return;
    const { id } = federation;
    const shards = nodesIn(federation);
    const set = new LeaseSet({
      ...{ bucket, key: id, owner: name, shards, ttlMs },
      onGain: (shard, epoch) => this.gain(federation, shard, epoch),
      onLoss: (shard) => this.lose(federation, shard),
    });
    this.sets.set(id, set);
  }

  private gain(federation: ListedFederation, shard: number, epoch: number): void {
    const over = new AbortController();
    const holding: Holding = { federation, shard, over, host: undefined, running: Promise.resolve() };
    this.holdings.set(keyOf(federation, shard), holding);
    Object.assign(holding, { running: this.hold(holding, epoch) });
  }

  private async lose(federation: ListedFederation, shard: number): Promise<void> {
    const holding = this.holdings.get(keyOf(federation, shard));
    if (!holding) return;
    this.holdings.delete(keyOf(federation, shard));
    holding.over.abort();
    await holding.host?.stop();
    await holding.running;
  }

  /** Until the lease is lost. Whatever goes wrong with the store is tried again, from what is stored. */
  private async hold(holding: Holding, epoch: number): Promise<void> {
    const { signal } = holding.over;
    const log = this.log.child({ federation: holding.federation.name, shard: holding.shard });
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
    const { federation, shard } = holding;
    const { signal } = holding.over;
    const store = await this.openStore(federation, shard);
    if (!store) return log.debug('the shard waits for the root to make its bucket');
    try {
      const record = recordOf(federation);
      const saved = await store.loadRun(record.name);
      await this.ask().catch(() => {});
      if (signal.aborted) return;
      const known = this.list?.federations.find(({ id }) => id === federation.id)?.epochs[shard] ?? 0;
      const epoch = Math.max(leaseEpoch, store.epoch ?? 0, known + 1);
      const Host = shard < federation.shards ? ShardHost : InnerHost;
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
  private async openStore(federation: ListedFederation, shard: number): Promise<JetStreamStore | undefined> {
    const { connection, subjects, patienceMs } = this.options;
    const name = shardBucket(subjects.namespace, federation.id, shard);
    const bucket = await Bucket.open(connection, name);
    return bucket && (await JetStreamStore.open({ connection, bucket, name, patienceMs }));
  }
}

function keyOf({ id }: ListedFederation, shard: number): string {
  return `${id} ${shard}`;
}

function recordOf({ name, id, createdMs, shards, fanIn, options }: ListedFederation): FederationRecord {
  return {
    name,
    id,
    createdMs,
    shards,
    fanIn,
    options: parseOptions(`federation "${name}"`, options as never),
  };
}
