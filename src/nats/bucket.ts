/**
 * A key-value bucket of JetStream, read and written at the leader of its stream: no answer comes from a replica that is behind
 * (`allow_direct` is off). The layout is that of NATS itself (`nats kv` reads it): a stream KV_<name> with subjects $KV.<name>.<key>.
 *
 * A write may name the revision that the key must have (0: none), which is compare-and-set. No write relies on message ids or on a time
 * to live.
 */
import {
  DiscardPolicy,
  JetStreamApiError,
  type JetStreamClient,
  type JetStreamManager,
  jetstream,
  jetstreamManager,
  RetentionPolicy,
  StorageType,
  type StoredMsg,
  type StreamInfo,
} from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';

export interface Entry {
  readonly key: string;
  readonly bytes: Uint8Array;
  /** Of the stream: whatever is written later has a larger one. */
  readonly revision: number;
}

export interface BucketOptions {
  /** Letters, digits, - and _. */
  readonly name: string;
  /** Undefined: 1 for a new one, otherwise as it is. */
  readonly replicas?: number | undefined;
  /** After which values are gone; default: never. Nothing may rely on that they are still there, or gone. */
  readonly maxAgeMs?: number | undefined;
  /** For people who list buckets. */
  readonly description?: string | undefined;
  /** After which a request has failed. */
  readonly requestMs?: number | undefined;
}

/** Of one request. An election of a leader takes longer: whoever writes tries again. */
const REQUEST_MS = 5000;
/** Entries that are kept for each key: enough to see which of several writes came first. */
const HISTORY = 64;
const NANOS = 1e6;
const WRONG_LAST_SEQUENCE = new Set([10071, 10164]);
/** From this status on a request may succeed later. */
const UNAVAILABLE = 500;
const STREAM_NOT_FOUND = 10059;
const NAME_IN_USE = 10058;

/** Requests that nobody has answered, one after the other, before another server of the cluster is tried. */
const UNANSWERED = 2;
const RECONNECT_MS = 5000;

/** The key has another revision than the one that was named: nothing was written. */
export class Conflict extends Error {}

/**
 * Another write that named the same revision came before this one, and both were taken: nats-server 2.9 does that in a cluster, when
 * both are under way at the same time. The first one counts.
 */
export class Beaten extends Error {}

export class Bucket {
  readonly name: string;
  private readonly js: JetStreamClient;
  private readonly manager: JetStreamManager;
  private readonly health: Health;
  private readonly requestMs: number;

  private constructor(
    name: string,
    requestMs: number,
    { js, manager, health }: { js: JetStreamClient; manager: JetStreamManager; health: Health },
  ) {
    this.name = name;
    this.requestMs = requestMs;
    this.js = js;
    this.manager = manager;
    this.health = health;
  }

  /** Makes it if it is not there. */
  static async create(connection: NatsConnection, options: BucketOptions): Promise<Bucket> {
    const bucket = await Bucket.of(connection, options);
    const found = (await bucket.info()) ?? (await bucket.make(options));
    const { config } = found;
    const replicas = options.replicas ?? config.num_replicas;
    if (config.num_replicas !== replicas || config.allow_direct)
      await bucket.manager.streams.update(bucket.stream, { num_replicas: replicas, allow_direct: false });
    return bucket;
  }

  /** Undefined: there is none. */
  static async open(
    connection: NatsConnection,
    name: string,
    requestMs?: number,
  ): Promise<Bucket | undefined> {
    const bucket = await Bucket.of(connection, { name, requestMs });
    return (await bucket.info()) && bucket;
  }

  private static async of(
    connection: NatsConnection,
    { name, requestMs = REQUEST_MS }: Pick<BucketOptions, 'name' | 'requestMs'>,
  ): Promise<Bucket> {
    const options = { timeout: requestMs };
    const health = healthOf(connection);
    const manager = await health.watched(() => jetstreamManager(connection, options));
    return new Bucket(name, requestMs, { js: jetstream(connection, options), manager, health });
  }

  async get(key: string): Promise<Entry | undefined> {
    return await this.last(key);
  }

  /** The newest entry of all keys that match: `record.*`. */
  async last(filter: string): Promise<Entry | undefined> {
    const query = { last_by_subj: this.subject(filter) };
    const found = await this.health.watched(() => this.manager.streams.getMessage(this.stream, query));
    return found ? this.entryOf(found) : undefined;
  }

  /** The revision it gets. `expected`: the one it must have, 0 for none; undefined: whichever it has. */
  async put(key: string, bytes: Uint8Array, expected?: number): Promise<number> {
    const expect = expected === undefined ? {} : { expect: { lastSubjectSequence: expected } };
    try {
      const options = { timeout: this.requestMs, ...expect };
      const { seq } = await this.health.watched(() => this.js.publish(this.subject(key), bytes, options));
      if (expected !== undefined) await this.checkFirst(key, expected, seq);
      return seq;
    } catch (error) {
      if (error instanceof JetStreamApiError && WRONG_LAST_SEQUENCE.has(error.code))
        throw new Conflict(`${key}: ${error.message}`);
      throw error;
    }
  }

  /** Fails with `Beaten` if the entry of this revision is not the one that has followed the expected one. */
  async checkFirst(key: string, expected: number, revision: number): Promise<void> {
    const query = { seq: expected + 1, next_by_subj: this.subject(key) };
    const first = await this.health.watched(() => this.manager.streams.getMessage(this.stream, query));
    if (first?.seq !== revision) throw new Beaten(`${key}: another write came first`);
  }

  /** With all that it had before: no trace is left, not even of its revision. */
  async erase(key: string): Promise<void> {
    const filter = this.subject(key);
    await this.health.watched(() => this.manager.streams.purge(this.stream, { filter }));
  }

  /** All that match (`shard.*`, `>`), in no order. */
  async keys(filter: string): Promise<string[]> {
    const options = { subjects_filter: this.subject(filter) };
    const { state } = await this.health.watched(() => this.manager.streams.info(this.stream, options));
    return Object.keys(state.subjects ?? {}).map((subject) => this.keyOf(subject));
  }

  /** With everything in it. */
  async destroy(): Promise<void> {
    await this.manager.streams.delete(this.stream);
  }

  get stream(): string {
    return `KV_${this.name}`;
  }

  private subject(key: string): string {
    return `$KV.${this.name}.${key}`;
  }

  private keyOf(subject: string): string {
    return subject.slice(this.subject('').length);
  }

  private entryOf({ subject, data, seq }: StoredMsg): Entry {
    return { key: this.keyOf(subject), bytes: data, revision: seq };
  }

  private async info(): Promise<StreamInfo | undefined> {
    try {
      return await this.manager.streams.info(this.stream);
    } catch (error) {
      if (error instanceof JetStreamApiError && error.code === STREAM_NOT_FOUND) return undefined;
      throw error;
    }
  }

  private async make({ replicas = 1, description, maxAgeMs }: BucketOptions): Promise<StreamInfo> {
    try {
      return await this.manager.streams.add({
        name: this.stream,
        subjects: [this.subject('>')],
        ...(description !== undefined && { description }),
        num_replicas: replicas,
        max_msgs_per_subject: HISTORY,
        ...(maxAgeMs !== undefined && { max_age: maxAgeMs * NANOS }),
        retention: RetentionPolicy.Limits,
        storage: StorageType.File,
        discard: DiscardPolicy.New,
        allow_rollup_hdrs: true,
        allow_direct: false,
      });
    } catch (error) {
      // Somebody else has made it in between.
      const isMade = error instanceof JetStreamApiError && error.code === NAME_IN_USE;
      const found = isMade ? await this.info() : undefined;
      if (!found) throw error;
      return found;
    }
  }
}

/**
 * A node that is cut off from its cluster keeps its clients, and cannot serve them: a connection whose requests nobody answers goes to
 * another server of the cluster.
 */
class Health {
  private readonly connection: NatsConnection;
  private unanswered = 0;
  private reconnectedMs = Number.NEGATIVE_INFINITY;

  constructor(connection: NatsConnection) {
    this.connection = connection;
  }

  async watched<T>(request: () => Promise<T>): Promise<T> {
    try {
      const result = await request();
      this.unanswered = 0;
      return result;
    } catch (error) {
      if (error instanceof JetStreamApiError && error.status < UNAVAILABLE) this.unanswered = 0;
      else this.noteUnanswered();
      throw error;
    }
  }

  private noteUnanswered(): void {
    this.unanswered++;
    const now = performance.now();
    if (this.unanswered < UNANSWERED || now - this.reconnectedMs < RECONNECT_MS || this.connection.isClosed())
      return;
    this.unanswered = 0;
    this.reconnectedMs = now;
    this.connection.reconnect().catch(() => {});
  }
}

const HEALTH = new WeakMap<NatsConnection, Health>();

function healthOf(connection: NatsConnection): Health {
  let health = HEALTH.get(connection);
  if (!health) HEALTH.set(connection, (health = new Health(connection)));
  return health;
}
