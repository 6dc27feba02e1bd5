/**
 * Many leases, kept in balance over those who are alive: which shard belongs to whom. One entry of a bucket lists the members and the
 * holder and epoch of each shard; each member rewrites it at intervals by compare-and-set, and with that says that it is alive. A member
 * whose count has stood still for the time to live, on the clock of the one who looks, is dropped from the list by that one.
 *
 * A shard goes to the member with the highest hash of both (rendezvous hashing): when somebody comes or goes, no shard moves but theirs.
 * Its holder lets it go first, and only then does another one take it, with an epoch one higher. As with every lease, this decides who
 * acts, and epochs decide whose acts count.
 */
import { createHash, randomBytes } from 'node:crypto';
import { Beaten, type Bucket, Conflict } from './bucket.ts';
import { BEATS, LEASE_TTL_MS, pause } from './leases.ts';
import { Observed } from './observed.ts';

const LAPSE = 2 / 3;

export interface LeaseSetOptions {
  readonly bucket: Bucket;
  readonly key: string;
  /** For people. */
  readonly owner: string;
  /** The same number for all members. */
  readonly shards: number;
  readonly ttlMs?: number | undefined;
  /** It is ours now, under this epoch. */
  onGain(shard: number, epoch: number): void;
  /**
   * It is ours no more. Where it is moved to another member, that one gets it when the promise is fulfilled, or a quarter of the time to
   * live later; where it is lost already nobody waits.
   */
  onLoss(shard: number, epoch: number): void | Promise<void>;
}

interface Member {
  readonly owner: string;
  readonly beat: number;
}

interface Shard {
  /** Empty: nobody. */
  readonly holder: string;
  readonly epoch: number;
}

interface SetRecord {
  readonly members: Readonly<Record<string, Member>>;
  readonly shards: readonly Shard[];
}

export class LeaseSet {
  private readonly options: LeaseSetOptions;
  private readonly ttlMs: number;
  /** Another one for each process that ever takes part. */
  private readonly id = randomBytes(9).toString('base64url');
  /** Epochs of what is ours, by shard. */
  private readonly epochs = new Map<number, number>();
  private readonly observed = new Map<string, Observed<number>>();
  private beat = 0;
  /** When the last write that has succeeded was sent. */
  private renewedMs = Number.NEGATIVE_INFINITY;
  private readonly over = new AbortController();
  private readonly running: Promise<void>;

  constructor(options: LeaseSetOptions) {
    this.options = options;
    this.ttlMs = options.ttlMs ?? LEASE_TTL_MS;
    this.running = Promise.all([this.run(), this.watch()]).then(() => {});
  }

  /** Shards that are ours, with their epochs. */
  get held(): ReadonlyMap<number, number> {
    return this.epochs;
  }

  /** Lets everything go, so that others take it at once. */
  async close(): Promise<void> {
    this.over.abort();
    await this.running;
  }

  private async run(): Promise<void> {
    const { signal } = this.over;
    while (!signal.aborted) {
      await this.turn().catch(() => {});
      await pause(this.ttlMs / BEATS, signal);
    }
    await this.loseAll();
    await this.leave().catch(() => {});
  }

  /**
   * What could not be renewed in time is lost, whatever becomes of the requests. A process that was too busy to run may find an answer
   * waiting: then it is read first. Somebody else may have what was ours by then, and the store of a shard tells them apart.
   */
  private async watch(): Promise<void> {
    const { signal } = this.over;
    const stepMs = this.ttlMs / BEATS / 2;
    for (let lastMs = performance.now(); !signal.aborted; ) {
      await pause(stepMs, signal);
      const nowMs = performance.now();
      const isLate = nowMs - lastMs > 2 * stepMs;
      lastMs = nowMs;
      if (!isLate && nowMs > this.renewedMs + this.ttlMs * LAPSE) void this.loseAll();
    }
  }

  /** Until a write has succeeded, or cannot be made. */
  private async turn(): Promise<void> {
    for (;;) {
      const sentMs = performance.now();
      const { record, revision } = await this.read();
      this.loseTaken(record);
      const alive = this.alive(record, performance.now());
      const owners = record.shards.map((_, shard) => chosen(alive.keys(), shard));
      await this.letGo(owners);
      const next = this.wanted(record, alive, owners);
      try {
        await this.write(next, revision);
      } catch (error) {
        const isTaken = error instanceof Conflict || error instanceof Beaten;
        if (isTaken && !this.over.signal.aborted) continue;
        throw error;
      }
      this.renewedMs = sentMs;
      return this.gain(next);
    }
  }

  /** Those that have been heard of within the time to live, and ourselves. */
  private alive({ members }: SetRecord, nowMs: number): ReadonlyMap<string, Member> {
    const alive = new Map<string, Member>();
    for (const [id, member] of Object.entries(members)) {
      if (id === this.id) continue;
      let seen = this.observed.get(id);
      if (!seen) this.observed.set(id, (seen = new Observed(this.ttlMs)));
      if (!seen.isStill(member.beat, nowMs)) alive.set(id, member);
    }
    for (const id of this.observed.keys()) if (!members[id]) this.observed.delete(id);
    return alive.set(this.id, { owner: this.options.owner, beat: ++this.beat });
  }

  /** What is to go to another member goes from our hands first. */
  private async letGo(owners: readonly string[]): Promise<void> {
    const moving = [...this.epochs.keys()].filter((shard) => owners[shard] !== this.id);
    const gone = Promise.all(moving.map((shard) => this.lose(shard)));
    // Nothing may hold up the next sign of life.
    if (moving.length > 0) await Promise.race([gone, pause(this.ttlMs / BEATS)]);
  }

  private wanted(
    { shards }: SetRecord,
    alive: ReadonlyMap<string, Member>,
    owners: readonly string[],
  ): SetRecord {
    const next = shards.map(({ holder, epoch }, shard): Shard => {
      if (this.epochs.has(shard)) return { holder: this.id, epoch };
      const isFree = holder === this.id || !alive.has(holder);
      if (isFree && owners[shard] === this.id) return { holder: this.id, epoch: epoch + 1 };
      return { holder: isFree ? '' : holder, epoch };
    });
    return { members: Object.fromEntries(alive), shards: next };
  }

  private gain({ shards }: SetRecord): void {
    if (this.over.signal.aborted) return;
    for (const [shard, { holder, epoch }] of shards.entries()) {
      if (holder !== this.id || this.epochs.has(shard)) continue;
      this.epochs.set(shard, epoch);
      this.options.onGain(shard, epoch);
    }
  }

  private loseTaken({ shards }: SetRecord): void {
    for (const [shard, epoch] of this.epochs) {
      const now = shards[shard];
      if (now?.holder !== this.id || now.epoch !== epoch) void this.lose(shard);
    }
  }

  private async loseAll(): Promise<void> {
    await Promise.all([...this.epochs.keys()].map((shard) => this.lose(shard)));
  }

  private async lose(shard: number): Promise<void> {
    const epoch = this.epochs.get(shard);
    if (epoch === undefined) return;
    this.epochs.delete(shard);
    await this.options.onLoss(shard, epoch);
  }

  private async leave(): Promise<void> {
    for (;;) {
      const { record, revision } = await this.read();
      const { [this.id]: _, ...members } = record.members;
      const shards = record.shards.map(({ holder, epoch }) => ({
        ...{ holder: holder === this.id ? '' : holder, epoch },
      }));
      try {
        return await this.write({ members, shards }, revision);
      } catch (error) {
        if (!(error instanceof Conflict || error instanceof Beaten)) throw error;
      }
    }
  }

  private async read(): Promise<{ readonly record: SetRecord; readonly revision: number }> {
    const found = await this.options.bucket.get(this.options.key);
    const stored = found && (JSON.parse(new TextDecoder().decode(found.bytes)) as SetRecord);
    const shards = Array.from(
      { length: Math.max(this.options.shards, stored?.shards.length ?? 0) },
      (_, shard) => stored?.shards[shard] ?? { holder: '', epoch: 0 },
    );
    return { record: { members: stored?.members ?? {}, shards }, revision: found?.revision ?? 0 };
  }

  private async write(record: SetRecord, revision: number): Promise<void> {
    await this.options.bucket.put(
      this.options.key,
      new TextEncoder().encode(JSON.stringify(record)),
      revision,
    );
  }
}

/** The same for all who know the same members. */
export function chosen(members: Iterable<string>, shard: number): string {
  let [best, highest] = ['', ''];
  for (const member of members) {
    const hash = createHash('sha256').update(`${shard} ${member}`).digest('hex');
    if (hash > highest) [best, highest] = [member, hash];
  }
  return best;
}
