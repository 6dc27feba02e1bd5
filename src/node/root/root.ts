/**
 * Roots take turns: one leads, by a lease, and the others stand by on their ports. That only one of them changes anything is the store's
 * doing, whose epoch the leader has raised; a leader that finds itself fenced ends its federations and stands by again.
 */
import type { NatsConnection } from '@nats-io/transport-node';
import type { Logger } from 'pino';
import { KindredError } from '../../base/errors.ts';
import type { Store } from '../../host/ports.ts';
import { Bucket } from '../../nats/bucket.ts';
import type { Bus } from '../../nats/bus.ts';
import { JetStreamStore } from '../../nats/jetstream-store.ts';
import { type Lease, Leases, pause } from '../../nats/leases.ts';
import { ShardBuckets } from '../../nats/shard-buckets.ts';
import type { JetStreamAddress } from '../../nats/store-address.ts';
import type { Subjects } from '../../nats/subjects.ts';
import { CoordinatorServer } from '../server/server.ts';
import type { ServerOptions } from '../server/server-options.ts';
import { StandbyServer } from './standby.ts';
import type { TreeOptions } from './tree.ts';

const LEASE = 'root';
/** Whoever leads at once has no need to stand by first. */
const AT_ONCE_MS = 1500;
/** After a store that could not be opened. */
const RETRY_MS = 1000;
/** A shard that is not heard of for so long is away. */
const SILENT_MS = 5000;
/** For which values may be missing in the store: a node of the cluster that has just become its leader may not have all of them. */
const MOST_CORRUPT_MS = 60_000;
/** Of input errors: another root is opening the store at this moment, or it has not all of its values. */
const PASSING = new Set(['STORE_IN_USE', 'CORRUPT']);

export interface RootOptions {
  readonly connection: NatsConnection;
  readonly bus: Bus;
  readonly subjects: Subjects;
  /** For people. */
  readonly name: string;
  readonly shards: number;
  readonly fanIn?: number | undefined;
  readonly store: JetStreamAddress;
  /** Default: the same connection. */
  readonly storeConnection?: NatsConnection | undefined;
  /** After which others take over from a root that has died. */
  readonly ttlMs?: number | undefined;
  readonly silentMs?: number | undefined;
  /** How long a change of the store is tried again before it has failed. */
  readonly patienceMs?: number | undefined;
  readonly server: Omit<ServerOptions, 'store' | 'tree'>;
  readonly log: Logger;
  /** The federations are there, nobody is served yet. */
  prepare?(server: CoordinatorServer): Promise<void>;
  onStandby?(url: string): void;
  onLeading?(server: CoordinatorServer): void | Promise<void>;
}

export class Root {
  /** While it leads. */
  server: CoordinatorServer | undefined;
  private readonly options: RootOptions;
  private readonly buckets: ShardBuckets;
  private readonly over = new AbortController();
  /** The one that was given first, for good. */
  private port: number | undefined;
  private running: Promise<void> = Promise.resolve();

  constructor(options: RootOptions) {
    const { connection, subjects, store } = options;
    this.options = options;
    this.buckets = new ShardBuckets({ connection, namespace: subjects.namespace, replicas: store.replicas });
  }

  /** Rejects with what cannot be put right by waiting. */
  run(): Promise<void> {
    this.running = this.takeTurns();
    return this.running;
  }

  async close(): Promise<void> {
    this.over.abort();
    await this.running.catch(() => {});
  }

  private async takeTurns(): Promise<void> {
    let corruptMs: number | undefined;
    while (!this.over.signal.aborted) {
      try {
        const lease = await this.turn();
        if (lease) await this.lead(lease).finally(() => lease.release());
        corruptMs = undefined;
      } catch (error) {
        const nowMs = performance.now();
        corruptMs = (error as KindredError).code === 'CORRUPT' ? (corruptMs ?? nowMs) : undefined;
        if (isLasting(error) || (corruptMs !== undefined && nowMs - corruptMs > MOST_CORRUPT_MS)) throw error;
        this.options.log.error({ err: error }, 'cannot lead; trying again');
        await pause(RETRY_MS, this.over.signal);
      }
    }
  }

  /** Undefined: it is over. */
  private async turn(): Promise<Lease | undefined> {
    const { name, ttlMs, onStandby, log } = this.options;
    const { signal } = this.over;
    const leases = new Leases(await this.buckets.leases(ttlMs), ttlMs);
    const waiting = leases.acquire(LEASE, name, { signal }).catch(() => undefined);
    const early = await Promise.race([waiting, pause(AT_ONCE_MS, signal)]);
    if (early || signal.aborted) return early ?? undefined;
    const standby = new StandbyServer(this.serverOptions(), this.options.bus);
    await standby.listen();
    this.notePort(standby.url);
    log.info({ url: standby.url }, 'standby');
    onStandby?.(standby.url);
    const lease = await waiting;
    await standby.close();
    return lease;
  }

  /** Until it is over, the lease is lost or another one has opened the store. */
  private async lead(lease: Lease): Promise<void> {
    const { log, prepare, onLeading } = this.options;
    const server = await CoordinatorServer.open({
      ...this.serverOptions(),
      store: await this.openStore(),
      tree: this.tree(),
    });
    try {
      await prepare?.(server);
      await server.listen();
      this.notePort(server.url);
      this.server = server;
      log.info({ epoch: lease.epoch }, 'leading');
      await onLeading?.(server);
      const { signal } = this.over;
      const isOver = new Promise<'stopped'>((resolve) => {
        if (signal.aborted) resolve('stopped');
        signal.addEventListener('abort', () => resolve('stopped'));
      });
      const why = await Promise.race([isOver, lease.lost, server.whenFenced().then(() => 'fenced')]);
      if (why !== 'stopped') log.warn({ why }, 'leads no more; standing by');
    } finally {
      this.server = undefined;
      await server.close();
    }
  }

  private serverOptions(): ServerOptions {
    const { server } = this.options;
    return { ...server, port: this.port ?? server.port, store: '' };
  }

  private notePort(url: string): void {
    const { port } = new URL(url);
    if (port !== '') this.port = Number(port);
  }

  /** Whoever had it open for writing changes nothing any more. */
  private async openStore(): Promise<Store> {
    const { store, patienceMs, storeConnection: connection = this.options.connection } = this.options;
    const { name, replicas } = store;
    const bucket = await Bucket.create(connection, {
      ...{ name: store.bucket, replicas },
      description: 'a store of Kindred',
    });
    return await JetStreamStore.open({ connection, bucket, name, patienceMs });
  }

  private tree(): TreeOptions {
    const { bus, subjects, shards, fanIn, silentMs = SILENT_MS } = this.options;
    return { bus, subjects, shards, fanIn, silentMs, buckets: this.buckets };
  }
}

/** What is wrong with options or ports is wrong for good. */
function isLasting(error: unknown): boolean {
  return error instanceof KindredError && error.kind === 'input' && !PASSING.has(error.code);
}
