/**
 * The buckets that owners of shards keep their states and leases in. The root makes and deletes them: owners need no right to make streams,
 * with which they could have one that writes into what the root commits.
 */
import { jetstreamManager } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import type { FederationRecord } from '../host/ports.ts';
import { Bucket } from './bucket.ts';
import { leaseRequestMs } from './leases.ts';
import { nodesIn, shapeOf } from './shape.ts';
import { leaseBucket, shardBucket } from './subjects.ts';

/** Requests at a time. */
const WINDOW = 16;

interface ShardBucketsOptions {
  readonly connection: NatsConnection;
  readonly namespace: string;
  /** Undefined: 1 for new ones, otherwise as they are. */
  readonly replicas: number | undefined;
}

export class ShardBuckets {
  private readonly options: ShardBucketsOptions;
  /** Ids of federations whose buckets have as many replicas as they are to have. */
  private readonly settled = new Set<string>();
  private last: Promise<unknown> = Promise.resolve();

  constructor(options: ShardBucketsOptions) {
    this.options = options;
  }

  /** Of the leases of roots and shards. */
  leases(ttlMs?: number): Promise<Bucket> {
    const { connection, namespace, replicas } = this.options;
    return Bucket.create(connection, {
      ...{ name: leaseBucket(namespace), replicas, requestMs: leaseRequestMs(ttlMs) },
    });
  }

  /** Those of a federation that are not there. The first time the replicas of the others are changed, too, where another number is asked for. */
  make(record: FederationRecord): Promise<void> {
    return this.inTurn(async () => {
      if (!this.settled.has(record.id)) {
        await this.each(this.namesOf(record), (name) => this.create(name));
        this.settled.add(record.id);
        return;
      }
      const manager = await jetstreamManager(this.options.connection);
      const there = new Set<string>();
      for await (const name of manager.streams.names()) there.add(name);
      const missing = this.namesOf(record).filter((name) => !there.has(`KV_${name}`));
      await this.each(missing, (name) => this.create(name));
    });
  }

  remove(record: FederationRecord): Promise<void> {
    const { connection } = this.options;
    return this.inTurn(() =>
      this.each(this.namesOf(record), async (name) => (await Bucket.open(connection, name))?.destroy()),
    );
  }

  private create(name: string): Promise<Bucket> {
    const { connection, replicas } = this.options;
    return Bucket.create(connection, { name, replicas });
  }

  private namesOf(record: FederationRecord): string[] {
    const { namespace } = this.options;
    return Array.from({ length: nodesIn(shapeOf(record)) }, (_, node) =>
      shardBucket(namespace, record.id, node),
    );
  }

  private async each(names: readonly string[], act: (name: string) => Promise<unknown>): Promise<void> {
    for (let i = 0; i < names.length; i += WINDOW) await Promise.all(names.slice(i, i + WINDOW).map(act));
  }

  /** What is deleted is not made again by somebody who began before. */
  private inTurn<T>(act: () => Promise<T>): Promise<T> {
    const result = this.last.then(act);
    this.last = result.catch(() => {});
    return result;
  }
}
