/**
 * Jobs that other processes do. A job is a message of a work-queue stream, under an id that is the hash of its content; the data it needs
 * are in a bucket, under theirs. A worker acknowledges a job when its result is stored, and until then it goes to another one if the
 * worker is silent. The first result of a job counts: a second one, which would be the same, is dropped. So nothing depends on how often a
 * message is delivered.
 *
 * Programs of another version are other programs: each version has a queue of its own.
 */
import { createHash } from 'node:crypto';
import {
  AckPolicy,
  type Consumer,
  DeliverPolicy,
  type JetStreamClient,
  type JetStreamManager,
  jetstream,
  jetstreamManager,
  RetentionPolicy,
  StorageType,
} from '@nats-io/jetstream';
import type { NatsConnection, Subscription } from '@nats-io/transport-node';
import type { ErrorKind } from '../base/errors.ts';
import { pack, unpack } from '../base/packed.ts';
import { Bucket, Conflict } from './bucket.ts';
import { contentName, pieceBytesFor, Values } from './store-values.ts';

/** Raise it when messages or results mean something else. */
const FORMAT = 1;
const STREAM = 'kindred-work';
const SUBJECT = 'kindred-work.job';
const DONE = 'kindred-work.done';
const BUCKET = 'kindred-work';
/** What nobody has asked for in so long is removed. */
const KEPT_MS = 30 * 24 * 3_600_000;
const NANOS = 1e6;

export interface WorkJob {
  /** What is to be done: known to client and worker. */
  readonly kind: string;
  /** Name of the data; undefined: it needs none. */
  readonly data: string | undefined;
  readonly request: unknown;
}

export type WorkOutcome =
  | { readonly kind: 'done'; readonly result: unknown }
  | { readonly kind: 'failed'; readonly code: string; readonly message: string; readonly as: ErrorKind };

export interface QueueOptions {
  /** Of the program. */
  readonly version: string;
  /** A worker that is silent for so long has lost its job. */
  readonly silentMs?: number | undefined;
  /** Servers of the cluster that keep stream and bucket; undefined: 1 for new ones, otherwise as they are. */
  readonly replicas?: number | undefined;
}

export class WorkQueue {
  readonly version: string;
  readonly silentMs: number;
  private readonly connection: NatsConnection;
  private readonly js: JetStreamClient;
  private readonly manager: JetStreamManager;
  private readonly bucket: Bucket;
  private readonly values: Values;

  private constructor(
    connection: NatsConnection,
    manager: JetStreamManager,
    bucket: Bucket,
    { version, silentMs = 10_000 }: QueueOptions,
  ) {
    this.version = version;
    this.silentMs = silentMs;
    this.connection = connection;
    this.js = jetstream(connection);
    this.manager = manager;
    this.bucket = bucket;
    this.values = new Values(bucket, pieceBytesFor(connection.info?.max_payload ?? 1 << 20), bucket.name);
  }

  /** Makes what is not there. */
  static async open(connection: NatsConnection, options: QueueOptions): Promise<WorkQueue> {
    const manager = await jetstreamManager(connection);
    const { replicas } = options;
    const bucket = await Bucket.create(connection, { name: BUCKET, maxAgeMs: KEPT_MS, replicas });
    const { config } = await manager.streams.info(STREAM).catch(() =>
      manager.streams.add({
        name: STREAM,
        subjects: [`${SUBJECT}.>`],
        retention: RetentionPolicy.Workqueue,
        storage: StorageType.File,
        max_age: KEPT_MS * NANOS,
        num_replicas: replicas ?? 1,
      }),
    );
    if (replicas !== undefined && config.num_replicas !== replicas)
      await manager.streams.update(STREAM, { num_replicas: replicas });
    return new WorkQueue(connection, manager, bucket, options);
  }

  /** The name of the data: written once, however many jobs and clients need it. */
  async putData(data: unknown): Promise<string> {
    const bytes = pack(data);
    const name = contentName(bytes, this.values.pieceBytes);
    if (!(await this.values.has(name))) await this.values.put(new Map([[name, bytes]]));
    return name;
  }

  hasData(name: string): Promise<boolean> {
    return this.values.has(name);
  }

  async data(name: string): Promise<unknown> {
    const bytes = await this.values.get(name);
    if (!bytes) throw new Error(`data ${name} are not there`);
    return unpack(bytes);
  }

  idOf(job: WorkJob): string {
    return createHash('sha256')
      .update(pack([FORMAT, this.version, job]))
      .digest('hex');
  }

  async add(id: string, job: WorkJob): Promise<void> {
    await this.js.publish(this.subjectOf(id), pack(job));
  }

  async isQueued(id: string): Promise<boolean> {
    return (await this.manager.streams.getMessage(STREAM, { last_by_subj: this.subjectOf(id) })) !== null;
  }

  /** Nobody needs it any more. */
  async withdraw(id: string): Promise<void> {
    await this.manager.streams.purge(STREAM, { filter: this.subjectOf(id) });
  }

  /** Undefined: not yet. */
  async outcome(id: string): Promise<WorkOutcome | undefined> {
    const found = await this.bucket.get(`result.${id}`);
    if (!found) return undefined;
    const stored = unpack(found.bytes) as { readonly at: string } | WorkOutcome;
    if (!('at' in stored)) return stored;
    const bytes = await this.values.get(stored.at);
    return bytes && (unpack(bytes) as WorkOutcome);
  }

  /** The first one counts. Whoever waits for it is told. */
  async store(id: string, outcome: WorkOutcome): Promise<void> {
    let bytes = pack(outcome);
    if (bytes.length > this.values.pieceBytes) {
      const at = contentName(bytes, this.values.pieceBytes);
      await this.values.put(new Map([[at, bytes]]));
      bytes = pack({ at });
    }
    await this.bucket.put(`result.${id}`, bytes, 0).catch((error: unknown) => {
      if (!(error instanceof Conflict)) throw error;
    });
    this.connection.publish(`${DONE}.${id}`);
  }

  /** A failure is no result for others: they may try the job again. */
  async forgetFailure(id: string): Promise<void> {
    await this.bucket.erase(`result.${id}`);
  }

  /** Says which jobs are done; some may be missed. */
  onDone(act: (id: string) => void): Subscription {
    const callback = (_: unknown, { subject }: { subject: string }) => act(subject.slice(DONE.length + 1));
    return this.connection.subscribe(`${DONE}.*`, { callback });
  }

  /** The queue of this version, for workers. */
  async consumer(): Promise<Consumer> {
    await this.manager.consumers.add(STREAM, {
      durable_name: this.token,
      filter_subject: this.subjectOf('*'),
      ack_policy: AckPolicy.Explicit,
      deliver_policy: DeliverPolicy.All,
      ack_wait: this.silentMs * NANOS,
      max_deliver: -1,
      max_ack_pending: 10_000,
    });
    return await this.js.consumers.get(STREAM, this.token);
  }

  /** Versions of which somebody works, or waits for work. */
  async versionsAtWork(): Promise<string[]> {
    const versions: string[] = [];
    for await (const consumer of this.manager.consumers.list(STREAM)) {
      const { name, num_waiting, num_ack_pending } = consumer;
      if (num_waiting > 0 || num_ack_pending > 0) versions.push(versionIn(name));
    }
    return versions;
  }

  /** Of which jobs wait. */
  async versionsWaiting(): Promise<string[]> {
    const { state } = await this.manager.streams.info(STREAM, { subjects_filter: `${SUBJECT}.>` });
    const tokens = Object.keys(state.subjects ?? {}).map((subject) => subject.split('.')[2]);
    return [...new Set(tokens)].map(versionIn);
  }

  private subjectOf(id: string): string {
    return `${SUBJECT}.${this.token}.${id}`;
  }

  private get token(): string {
    return `${FORMAT}-${Buffer.from(this.version).toString('base64url')}`;
  }
}

function versionIn(token: string): string {
  return Buffer.from(token.slice(token.indexOf('-') + 1), 'base64url').toString();
}
