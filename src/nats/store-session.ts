/**
 * The right to write to a store in JetStream, and its changes. A change writes values under new names, and then replaces the record by
 * compare-and-set (`store-record.ts`): that write is the change, all of it.
 *
 * Where no answer comes to it, the same write is tried again until the answer is known: a second one cannot happen beside the first. When
 * patience runs out the change has failed, and before anything else the record as it was is written again, which makes sure of that even
 * if the lost write arrives late. Operations run one after the other.
 */
import { randomBytes } from 'node:crypto';
import { KindredError } from '../base/errors.ts';
import { Beaten, type Bucket, Conflict } from './bucket.ts';
import { NodeCache } from './store-reader.ts';
import {
  currentRecord,
  type FoundRecord,
  recordBytes,
  type StoreRecord,
  takeRecord,
} from './store-record.ts';
import { namesIn, type TreeChanges, type TreeReader, updateTree } from './store-tree.ts';
import { epochOfName, ValueNames, type Values } from './store-values.ts';

export type StoreAccess = 'write' | 'read';

/** What is there is older than what we have written. */
class Behind extends Error {}

/** Who has the store open for reading sees what the record refers to at each operation. */
interface View {
  readonly reader: TreeReader;
  readonly root: StoreRecord['root'];
}

export interface SessionOptions {
  readonly name: string;
  readonly bucket: Bucket;
  readonly values: Values;
  /** How long a change is tried again before it has failed. */
  readonly patienceMs?: number | undefined;
}

/** The election of a leader takes up to ten seconds. */
const PATIENCE_MS = 15_000;
const RETRY_MS = 200;
/** How often a reader begins again because a server has replaced what it was reading. */
const READS = 5;

export class StoreSession {
  readonly name: string;
  private readonly bucket: Bucket;
  private readonly values: Values;
  private readonly patienceMs: number;
  private readonly cache: NodeCache;
  /** Undefined: for reading. */
  private held: FoundRecord | undefined;
  private names = new ValueNames(0);
  /** The outcome of the last change is not known, and it must not have happened. */
  private isInDoubt = false;
  private last: Promise<unknown> = Promise.resolve();
  private isClosed = false;
  private fencing: Error | undefined;
  private onFenced: (error: Error) => void = () => {};
  readonly whenFenced = new Promise<Error>((resolve) => {
    this.onFenced = resolve;
  });
  /** Names that the present record does not refer to: those of the one before it do. */
  private old: readonly string[] = [];
  private garbage: string[] = [];
  private collecting: Promise<void> = Promise.resolve();

  private constructor({ name, bucket, values, patienceMs = PATIENCE_MS }: SessionOptions) {
    this.name = name;
    this.bucket = bucket;
    this.values = values;
    this.patienceMs = patienceMs;
    this.cache = new NodeCache(values, name);
  }

  static async open(options: SessionOptions, access: StoreAccess): Promise<StoreSession> {
    const session = new StoreSession(options);
    if (access === 'read') return session;
    const writer = randomBytes(12).toString('hex');
    const held = await session.patiently(() => takeRecord(options.bucket, writer, options.name));
    session.held = held;
    session.names = new ValueNames(held.record.epoch);
    session.collecting = session.sweep(held.record);
    return session;
  }

  /** Undefined: for reading. */
  get epoch(): number | undefined {
    return this.held?.record.epoch;
  }

  read<T>(act: (view: View) => Promise<T>): Promise<T> {
    return this.inTurn(async () => {
      if (this.held) return await act({ reader: this.cache, root: this.held.record.root });
      for (let attempt = 1; ; attempt++) {
        const found = await currentRecord(this.bucket, this.name);
        try {
          return await act({ reader: this.cache, root: found?.record.root });
        } catch (error) {
          if (attempt === READS || (error as KindredError).code !== 'CORRUPT') throw error;
        }
      }
    });
  }

  /** All or nothing, and durable. `changes` are not looked at any more once this has returned. */
  change(changes: TreeChanges | ((view: View) => Promise<TreeChanges>)): Promise<void> {
    return this.inTurn(async () => {
      const { held } = this;
      if (!held) throw new Error(`${this.name}: opened for reading`);
      const view = { reader: this.cache, root: held.record.root };
      const wanted = typeof changes === 'function' ? await changes(view) : changes;
      if (wanted.size === 0) return;
      const { root, written, replaced } = await updateTree(
        this.cache,
        (bytes) => this.names.next(bytes, this.values.pieceBytes),
        held.record.root,
        wanted,
      );
      await this.collecting;
      try {
        await this.patiently(() => this.values.put(written));
        await this.commit(held, { root });
      } catch (error) {
        this.garbage.push(...written.keys());
        throw error;
      }
      this.cache.add(written);
      this.collect(replaced);
    });
  }

  /** Whether another one has taken the store over, without changing anything. */
  async check(): Promise<void> {
    await this.inTurn(async () => {
      const { held } = this;
      const found = held && (await currentRecord(this.bucket, this.name));
      if (held && found?.record.writer !== held.record.writer) throw this.fence();
    });
  }

  /** When all that is under way is done. */
  async close(): Promise<void> {
    this.isClosed = true;
    await this.last;
    await this.collecting;
  }

  /** The linearisation point. */
  private async commit(
    { record, expected }: FoundRecord,
    { root }: Pick<StoreRecord, 'root'>,
  ): Promise<void> {
    const next: StoreRecord = {
      ...record,
      ...{ changes: record.changes + 1, root, previousRoot: record.root },
    };
    const bytes = recordBytes(next);
    try {
      const revision = await this.patiently(() => this.replace(next, bytes, expected));
      this.held = { record: next, bytes, expected: revision };
    } catch (error) {
      this.isInDoubt = true;
      throw error instanceof Behind ? this.fence() : error;
    }
  }

  /** The revision of the record that has these bytes, whether this write has put them there or an earlier one like it. */
  private async replace(record: StoreRecord, bytes: Uint8Array, expected: number): Promise<number> {
    const { next, changes, epoch, writer } = record;
    try {
      return await this.bucket.put(next, bytes, expected);
    } catch (error) {
      if (error instanceof Beaten) throw this.fence();
      if (!(error instanceof Conflict)) throw error;
      const found = await currentRecord(this.bucket, this.name);
      if (found && isSame(found.bytes, bytes)) {
        await this.bucket.checkFirst(next, expected, found.expected).catch((cause: unknown) => {
          throw cause instanceof Beaten ? this.fence() : cause;
        });
        return found.expected;
      }
      // Ours, or none: a leader that has just been elected may not know what is there. Unless it stays so.
      if (!found || found.record.writer === writer) throw new Behind('the store is behind');
      const fenced = this.fence();
      // It has happened, and only then has another one come: what comes next is refused.
      if (found?.record.epoch === epoch + 1 && found.record.takenAt === changes) return 0;
      throw fenced;
    }
  }

  /**
   * Makes sure that the change in doubt has not happened, and cannot happen any more: the record as it was is written again, in the place
   * of whatever of ours is there. What the change replaced is still there.
   */
  private async settle({ record }: FoundRecord): Promise<void> {
    const bytes = recordBytes(record);
    const settled = this.patiently(async () => {
      for (;;) {
        const found = await currentRecord(this.bucket, this.name);
        if (!found) throw new Behind('the store is behind');
        if (found.record.writer !== record.writer) throw this.fence();
        // Values that the record refers to may be gone.
        if (found.record.changes < record.changes) throw new Behind('the store is behind');
        try {
          return { record, bytes, expected: await this.bucket.put(record.next, bytes, found.expected) };
        } catch (error) {
          if (error instanceof Beaten) throw this.fence();
          if (!(error instanceof Conflict)) throw error;
        }
      }
    });
    this.held = await settled.catch((error: unknown) => {
      throw error instanceof Behind ? this.fence() : error;
    });
    this.isInDoubt = false;
  }

  private inTurn<T>(act: () => Promise<T>): Promise<T> {
    if (this.isClosed) return Promise.reject(this.failure('it is closed'));
    const result = this.last.then(async () => {
      if (this.fencing) throw this.fencing;
      try {
        if (this.held && this.isInDoubt) await this.settle(this.held);
        return await act();
      } catch (error) {
        throw error instanceof KindredError ? error : this.failure((error as Error).message);
      }
    });
    this.last = result.catch(() => {});
    return result;
  }

  /** Tries again what fails, but not what is refused. */
  private async patiently<T>(act: () => Promise<T>): Promise<T> {
    const end = performance.now() + this.patienceMs;
    for (;;) {
      try {
        return await act();
      } catch (error) {
        if (error instanceof KindredError || performance.now() + RETRY_MS > end || this.isClosed) throw error;
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      }
    }
  }

  /** What the record before the last one referred to is removed; what the last one did stays until the next change. */
  private collect(replaced: readonly string[]): void {
    const names = [...this.old, ...this.garbage];
    this.old = replaced;
    this.garbage = [];
    if (names.length > 0) this.collecting = this.removed(names);
  }

  private async removed(names: readonly string[]): Promise<void> {
    this.cache.forget(names);
    await this.values.remove(names).catch(() => this.garbage.push(...names));
  }

  /** What earlier writers have left behind. What comes from later ones is none of our business. */
  private async sweep({ epoch, root, previousRoot }: StoreRecord): Promise<void> {
    try {
      const all = await this.values.names();
      const earlier = all.filter((name) => epochOfName(name) < epoch);
      if (earlier.length === 0) return;
      const used = await namesIn(this.cache, root);
      await namesIn(this.cache, previousRoot, used);
      await this.removed(earlier.filter((name) => !used.has(name)));
    } catch {
      // The next opening tries again.
    }
  }

  private fence(): Error {
    const why = 'another server has taken the store over, or it was restored from a copy';
    this.fencing = new KindredError('FENCED', `${this.name}: ${why}; this server has stopped writing`, 'run');
    this.onFenced(this.fencing);
    return this.fencing;
  }

  private failure(why: string): KindredError {
    return new KindredError('STORE_FAILED', `${this.name}: ${why}`, 'run');
  }
}

function isSame(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i]);
}
