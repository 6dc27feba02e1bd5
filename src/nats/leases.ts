/**
 * Leases: who leads at present. A lease is an entry of a bucket that its holder rewrites at intervals, by compare-and-set. Whoever wants
 * it watches the entry, and takes it over when it has stood still for the time to live, on their own clock. Each acquisition has an epoch
 * one higher than the one before, for ever: entries are never deleted.
 *
 * Leases decide who acts, not what is true: a holder that is paused may believe for a while that it still holds one. What it does must
 * be refused elsewhere, by its epoch.
 */
import { randomBytes } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { Beaten, type Bucket, Conflict, type Entry } from './bucket.ts';
import { Observed } from './observed.ts';

export const LEASE_TTL_MS = 10_000;
/** Of the time to live. A holder gives up before anybody may take over. */
export const BEATS = 4;
const LAPSE = 2 / 3;
const LONGEST_POLL_MS = 500;

/** After which a request about leases has failed: one that was lost must not outlast the lease. */
export function leaseRequestMs(ttlMs = LEASE_TTL_MS): number {
  return ttlMs / BEATS;
}

/** `taken`: somebody else has it. `lapsed`: it could not be renewed in time. */
export type LeaseEnd = 'released' | 'taken' | 'lapsed';

export interface Lease {
  readonly epoch: number;
  readonly lost: Promise<LeaseEnd>;
  /** Others may take it at once. Never fails: then they take it later. */
  release(): Promise<void>;
}

/** What is stored. */
interface LeaseRecord {
  /** For people. */
  readonly owner: string;
  /** Empty: it is free. */
  readonly holder: string;
  readonly epoch: number;
  readonly beat: number;
}

export interface AcquireOptions {
  /** Ends the wait: `acquire` fails with its reason. */
  readonly signal?: AbortSignal | undefined;
}

export class Leases {
  readonly ttlMs: number;
  private readonly bucket: Bucket;

  constructor(bucket: Bucket, ttlMs = LEASE_TTL_MS) {
    this.bucket = bucket;
    this.ttlMs = ttlMs;
  }

  /** Waits until it is free, for as long as it takes; a bucket that cannot be reached is waited for as well. */
  async acquire(key: string, owner: string, { signal }: AcquireOptions = {}): Promise<Lease> {
    const seen = new Observed<number>(this.ttlMs);
    for (;;) {
      signal?.throwIfAborted();
      const lease = await this.attempt(key, owner, seen).catch(() => undefined);
      if (lease && 'epoch' in lease) return lease;
      await pause(Math.min(this.ttlMs / BEATS, LONGEST_POLL_MS), signal);
    }
  }

  /** Undefined: somebody holds it, and is alive. Waits as long as it takes to know, and fails where the bucket cannot be reached. */
  async acquireUnlessHeld(key: string, owner: string): Promise<Lease | undefined> {
    const seen = new Observed<number>(this.ttlMs);
    let first: number | undefined;
    for (;;) {
      const result = await this.attempt(key, owner, seen);
      if ('epoch' in result) return result;
      first ??= result.revision;
      if (result.revision !== first) return undefined;
      await pause(Math.min(this.ttlMs / BEATS, LONGEST_POLL_MS));
    }
  }

  /** The lease, or the entry that is in the way. */
  private async attempt(key: string, owner: string, seen: Observed<number>): Promise<Lease | Entry> {
    const found = await this.bucket.get(key);
    const before = found && recordOf(found);
    if (found && before?.holder !== '' && !seen.isStill(found.revision, performance.now())) return found;
    const holder = randomBytes(9).toString('base64url');
    const record = { owner, holder, epoch: (before?.epoch ?? 0) + 1, beat: 0 };
    const sentMs = performance.now();
    try {
      const revision = await this.bucket.put(key, bytesOf(record), found?.revision ?? 0);
      return new HeldLease(this.bucket, key, record, { revision, sentMs, ttlMs: this.ttlMs });
    } catch (error) {
      const now = await this.bucket.get(key);
      if (!now) throw error;
      if (error instanceof Beaten) return now;
      // The answer was lost, and it is ours.
      if (recordOf(now).holder === holder) {
        await this.bucket.checkFirst(key, found?.revision ?? 0, now.revision);
        return new HeldLease(this.bucket, key, record, { revision: now.revision, sentMs, ttlMs: this.ttlMs });
      }
      if (!(error instanceof Conflict)) throw error;
      return now;
    }
  }
}

class HeldLease implements Lease {
  readonly epoch: number;
  readonly lost: Promise<LeaseEnd>;
  private readonly bucket: Bucket;
  private readonly key: string;
  private readonly ttlMs: number;
  private record: LeaseRecord;
  private revision: number;
  /** When the last renewal that has succeeded was sent. */
  private renewedMs: number;
  private readonly over = new AbortController();
  private readonly beating: Promise<void>;

  constructor(
    bucket: Bucket,
    key: string,
    record: LeaseRecord,
    { revision, sentMs, ttlMs }: { revision: number; sentMs: number; ttlMs: number },
  ) {
    this.bucket = bucket;
    this.key = key;
    this.record = record;
    this.epoch = record.epoch;
    this.ttlMs = ttlMs;
    this.revision = revision;
    this.renewedMs = sentMs;
    const { signal } = this.over;
    this.lost = new Promise((resolve) => {
      signal.addEventListener('abort', () => resolve(signal.reason as LeaseEnd));
    });
    void this.watch();
    this.beating = this.beat();
  }

  async release(): Promise<void> {
    this.over.abort('released' satisfies LeaseEnd);
    await this.beating;
  }

  /** Whatever becomes of the requests: it ends in time. */
  private async watch(): Promise<void> {
    const { signal } = this.over;
    while (!signal.aborted) {
      const leftMs = this.lapsesMs - performance.now();
      if (leftMs <= 0) this.over.abort('lapsed' satisfies LeaseEnd);
      else await pause(leftMs, signal);
    }
  }

  private async beat(): Promise<void> {
    const { signal } = this.over;
    while (!signal.aborted) {
      await pause(this.ttlMs / BEATS, signal);
      if (!signal.aborted && performance.now() < this.lapsesMs) await this.renew();
    }
    if (signal.reason === 'taken') return;
    // Others need not wait. Where that fails they do.
    const free = { ...this.record, holder: '', owner: '' };
    await this.bucket.put(this.key, bytesOf(free), this.revision).catch(() => {});
  }

  private get lapsesMs(): number {
    return this.renewedMs + this.ttlMs * LAPSE;
  }

  private async renew(): Promise<void> {
    const sentMs = performance.now();
    const record = { ...this.record, beat: this.record.beat + 1 };
    try {
      this.revision = await this.bucket.put(this.key, bytesOf(record), this.revision);
      this.record = record;
      this.renewedMs = sentMs;
    } catch {
      await this.findOut().catch(() => {});
    }
  }

  /** Whether it is still ours, after a renewal that is not known to have succeeded. The next one counts. */
  private async findOut(): Promise<void> {
    const found = await this.bucket.get(this.key);
    if (!found) return;
    const record = recordOf(found);
    if (record.holder !== this.record.holder) return this.over.abort('taken' satisfies LeaseEnd);
    this.record = record;
    this.revision = found.revision;
  }
}

function recordOf({ bytes }: Entry): LeaseRecord {
  return JSON.parse(new TextDecoder().decode(bytes)) as LeaseRecord;
}

function bytesOf(record: LeaseRecord): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(record));
}

/** Ends early, without a word, where the signal says so. */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  await setTimeout(ms, undefined, signal && { signal }).catch(() => {});
}
