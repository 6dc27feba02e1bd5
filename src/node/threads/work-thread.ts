/** One thread of a worker: does jobs of any kind, and keeps what they have in common for as long as the next one needs the same. */
import type { Table } from '../../data/table.ts';
import type { TuneWork } from '../../methods/tune/chain.ts';
import { inSharedMemory, Thread } from './threads.ts';
import { inThreads } from './tuning-pool.ts';

/** How data become what the threads of a kind start with. */
const KINDS = {
  chain: { file: 'threads/tuning-worker', ready: (data: unknown) => inThreads(data as TuneWork) },
  reproduce: {
    file: 'threads/job-worker',
    ready: (data: unknown) => ({ given: shared(data as Table | undefined) }),
  },
} as const;

export type WorkKind = keyof typeof KINDS;

interface Job {
  readonly kind: string;
  /** Name of the data. */
  readonly data: string | undefined;
  readonly request: unknown;
}

type DataOf = (name: string) => Promise<unknown>;

/** What several threads start with, once for all of them. */
export class WorkData {
  private readonly ready = new Map<string, Promise<unknown>>();

  get(kind: WorkKind, name: string | undefined, dataOf: DataOf): Promise<unknown> {
    const key = `${kind} ${name}`;
    let found = this.ready.get(key);
    if (!found) {
      found = ready(kind, name, dataOf);
      // Of the last two: jobs of two clients may come in turns.
      for (const oldest of [...this.ready.keys()].slice(0, -1)) this.ready.delete(oldest);
      this.ready.set(key, found);
      found.catch(() => this.ready.delete(key));
    }
    return found;
  }
}

export class WorkThread {
  private readonly common: WorkData;
  private held: { readonly key: string; readonly thread: Thread<unknown, unknown, unknown> } | undefined;

  constructor(common: WorkData) {
    this.common = common;
  }

  async perform({ kind, data, request }: Job, dataOf: DataOf): Promise<unknown> {
    if (!isKnown(kind))
      throw new Error(`expected ${Object.keys(KINDS).join(' or ')}, got a job of kind "${kind}"`);
    const key = `${kind} ${data}`;
    if (this.held?.key !== key) {
      await this.end();
      const thread = new Thread<unknown, unknown, unknown>(
        KINDS[kind].file,
        await this.common.get(kind, data, dataOf),
      );
      this.held = { key, thread };
    }
    const { thread } = this.held;
    try {
      return await thread.ask(request);
    } catch (error) {
      // It may be that there is no thread any more.
      await this.end();
      throw error;
    }
  }

  async end(): Promise<void> {
    const { held } = this;
    this.held = undefined;
    await held?.thread.end();
  }
}

async function ready(kind: WorkKind, name: string | undefined, dataOf: DataOf): Promise<unknown> {
  return KINDS[kind].ready(name === undefined ? undefined : await dataOf(name));
}

function isKnown(kind: string): kind is WorkKind {
  return Object.hasOwn(KINDS, kind);
}

function shared(table: Table | undefined): Table | undefined {
  return table && { ...table, x: inSharedMemory(table.x) };
}
