/**
 * One worker at a time takes part as a participant, however many tabs show it: the leader. By Web Locks, where there are some: the browser
 * gives the lock to the next in line when a tab is closed or crashes. On plain http there are none: then the owner's record in the database
 * has a beat, and whoever has waited for several beats in vain takes it over. Either way every write checks the owner (ownership.ts).
 */
import type { KindredError } from '../base/errors.ts';
import { openDatabase, reading, writing } from './database.ts';
import { randomBytes } from './entropy.ts';
import { inUse, type Owner, readOwner, removed, writeOwner } from './ownership.ts';

export interface Leadership {
  readonly token: string;
  /** Fulfilled with the reason when it is over without `release`: another tab has taken over from one that was asleep, or the state was removed. */
  readonly lost: Promise<KindredError>;
  /** The same, now; undefined: it is not over. */
  whyLost(): Promise<KindredError | undefined>;
  release(): Promise<void>;
}

const BEAT_MS = 1000;
/** So many beats without a change: the owner is gone, or asleep. */
const PATIENCE = 5;

/** As soon as nobody else leads; rejects when the signal is aborted. */
export function lead(name: string, signal: AbortSignal): Promise<Leadership> {
  return hasLocks() ? byLock(name, { signal }) : byLease(name, signal);
}

/** Now; refused where somebody else leads. */
export async function leadAtOnce(name: string): Promise<Leadership> {
  if (hasLocks()) return byLock(name, { ifAvailable: true });
  const owner = await ownerOf(name);
  if (owner && (await isBeating(name, owner))) throw inUse(name);
  return byLease(name, new AbortController().signal);
}

export function hasLocks(): boolean {
  return (navigator as Partial<Navigator>).locks !== undefined;
}

function newToken(): string {
  return randomBytes(16).join('.');
}

function byLock(name: string, options: LockOptions): Promise<Leadership> {
  return new Promise((resolve, reject) => {
    const hold = async (lock: Lock | null) => {
      if (!lock) throw inUse(name);
      const token = newToken();
      await claim(name, { token, beat: 0 }, 'anybody');
      await new Promise<void>((letGo) => {
        const release = async () => letGo();
        resolve({ token, lost: new Promise(() => {}), whyLost: () => whyLost(name, token), release });
      });
    };
    navigator.locks.request(`kindred ${name}`, options, hold).catch(reject);
  });
}

async function byLease(name: string, signal: AbortSignal): Promise<Leadership> {
  const token = newToken();
  for (;;) {
    signal.throwIfAborted();
    const owner = await ownerOf(name);
    if (!owner || !(await isBeating(name, owner, signal))) {
      signal.throwIfAborted();
      // Others may have waited as long: the first whose transaction finds the old owner has it.
      if (await claim(name, { token, beat: 0 }, owner)) return new Lease(name, token);
    }
  }
}

class Lease implements Leadership {
  readonly token: string;
  readonly lost: Promise<KindredError>;
  private readonly name: string;
  private readonly timer: ReturnType<typeof setInterval>;
  private beat = 0;

  constructor(name: string, token: string) {
    this.name = name;
    this.token = token;
    let lose = (_: KindredError) => {};
    this.lost = new Promise((resolve) => {
      lose = resolve;
    });
    this.timer = setInterval(() => {
      this.sign().then((why) => why && lose(why), lose);
    }, BEAT_MS);
  }

  async release(): Promise<void> {
    clearInterval(this.timer);
    await withDatabase((database) =>
      writing(database, ['owners'], async (transaction) => {
        const owner = await readOwner(transaction, this.name);
        if (owner?.token === this.token) transaction.objectStore('owners').delete(this.name);
      }),
    ).catch(() => {});
  }

  whyLost(): Promise<KindredError | undefined> {
    return whyLost(this.name, this.token);
  }

  /** Gives the reason why it is lost. */
  private async sign(): Promise<KindredError | undefined> {
    const before = this.beat;
    this.beat++;
    const { name, token, beat } = this;
    if (await claim(name, { token, beat }, { token, beat: before })) return undefined;
    return this.whyLost();
  }
}

/** Writes the owner, if the one before is who it was; undefined: nobody. */
function claim(name: string, owner: Owner, before: Owner | undefined | 'anybody'): Promise<boolean> {
  return withDatabase((database) =>
    writing(database, ['owners'], async (transaction) => {
      const found = await readOwner(transaction, name);
      if (before !== 'anybody' && (found?.token !== before?.token || found?.beat !== before?.beat))
        return false;
      await writeOwner(transaction, name, owner);
      return true;
    }),
  );
}

function ownerOf(name: string): Promise<Owner | undefined> {
  return withDatabase((database) =>
    reading(database, ['owners'], (transaction) => readOwner(transaction, name)),
  );
}

async function whyLost(name: string, token: string): Promise<KindredError | undefined> {
  const owner = await ownerOf(name);
  if (owner?.token === token) return undefined;
  return owner ? inUse(name) : removed(name);
}

/** Whether it shows a sign of life within the patience. */
async function isBeating(name: string, before: Owner, signal?: AbortSignal): Promise<boolean> {
  for (let beats = 0; beats < PATIENCE && !signal?.aborted; beats++) {
    await new Promise((resolve) => setTimeout(resolve, BEAT_MS));
    const owner = await ownerOf(name);
    if (!owner) return false;
    if (owner.token !== before.token || owner.beat !== before.beat) return true;
  }
  return false;
}

async function withDatabase<T>(act: (database: IDBDatabase) => Promise<T>): Promise<T> {
  const database = await openDatabase();
  try {
    return await act(database);
  } finally {
    database.close();
  }
}
