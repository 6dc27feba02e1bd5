/** Hands jobs to workers through a queue, and waits for their results, for as long as it takes. */

import { KindredError } from '../base/errors.ts';
import type { JobRunner } from '../base/job-runner.ts';
import { pause } from './leases.ts';
import type { WorkJob, WorkOutcome, WorkQueue } from './work-queue.ts';

/** How often what has not been heard of is looked for. */
const LOOK_MS = 3000;
const AT_ONCE = 32;
/** Before anything is said: workers may be starting. */
const TIMES_ALONE = 2;

export interface ClientOptions {
  readonly kind: string;
  /** What all jobs need; undefined: nothing. */
  readonly data: unknown;
  /** No worker is there: called once. */
  readonly onNobody?: (() => void) | undefined;
}

export class NatsRunner<Request, Result> implements JobRunner<Request, Result> {
  private readonly queue: WorkQueue;
  private readonly kind: string;
  private readonly data: unknown;
  private readonly onNobody: () => void;
  /** How often no worker of this version was seen. */
  private timesAlone = 0;

  constructor(queue: WorkQueue, { kind, data, onNobody = () => {} }: ClientOptions) {
    this.queue = queue;
    this.kind = kind;
    this.data = data;
    this.onNobody = onNobody;
  }

  async run(
    requests: readonly Request[],
    onResult: (result: Result, place: number) => void,
  ): Promise<Result[]> {
    const data = this.data === undefined ? undefined : await this.queue.putData(this.data);
    const open = new OpenJobs(this.queue, (result, place) => onResult(result as Result, place));
    for (const [place, request] of requests.entries()) open.expect({ kind: this.kind, data, request }, place);
    const told = this.queue.onDone((id) => open.look(id));
    try {
      await open.askForAll();
      while (!open.isOver) {
        await Promise.race([open.over, pause(LOOK_MS, open.signal)]);
        if (!open.isOver) await this.lookAround(open, data).catch(() => {});
      }
      return (await open.over) as Result[];
    } finally {
      told.unsubscribe();
      await open.withdraw();
    }
  }

  end(): void {}

  /** Results whose message was lost, jobs that have vanished with their stream, and workers that are not there. */
  private async lookAround(open: OpenJobs, data: string | undefined): Promise<void> {
    if (data !== undefined && !(await this.queue.hasData(data))) await this.queue.putData(this.data);
    await open.askForAll();
    const { version } = this.queue;
    const versions = await this.queue.versionsAtWork();
    if (versions.includes(version)) this.timesAlone = 0;
    else this.timesAlone++;
    if (open.isOver || this.timesAlone !== TIMES_ALONE) return;
    if (versions.length > 0) open.fail(otherVersion(version, versions));
    else this.onNobody();
  }
}

class OpenJobs {
  private readonly queue: WorkQueue;
  private readonly onResult: (result: unknown, place: number) => void;
  private readonly jobs = new Map<string, { readonly job: WorkJob; readonly places: number[] }>();
  private readonly results: unknown[] = [];
  private readonly ended = new AbortController();
  private resolve: (results: unknown[]) => void = () => {};
  private reject: (error: Error) => void = () => {};
  readonly over = new Promise<unknown[]>((resolve, reject) => {
    this.resolve = resolve;
    this.reject = reject;
  });

  constructor(queue: WorkQueue, onResult: (result: unknown, place: number) => void) {
    this.queue = queue;
    this.onResult = onResult;
    this.over.catch(() => {});
  }

  get isOver(): boolean {
    return this.ended.signal.aborted;
  }

  get signal(): AbortSignal {
    return this.ended.signal;
  }

  expect(job: WorkJob, place: number): void {
    const id = this.queue.idOf(job);
    const known = this.jobs.get(id);
    if (known) known.places.push(place);
    else this.jobs.set(id, { job, places: [place] });
  }

  /** Takes what is done already, and puts into the queue what is not in it. */
  async askForAll(): Promise<void> {
    if (this.jobs.size === 0) return this.finish();
    const ids = [...this.jobs.keys()];
    for (let i = 0; i < ids.length; i += AT_ONCE)
      await Promise.all(ids.slice(i, i + AT_ONCE).map((id) => this.askFor(id)));
  }

  look(id: string): void {
    if (this.jobs.has(id)) void this.take(id).catch(() => {});
  }

  fail(error: Error): void {
    this.reject(error);
    this.ended.abort();
  }

  /** What is still open is for nobody. */
  async withdraw(): Promise<void> {
    this.ended.abort();
    const ids = [...this.jobs.keys()];
    await Promise.all(ids.map((id) => this.queue.withdraw(id))).catch(() => {});
  }

  private async askFor(id: string): Promise<void> {
    const open = this.jobs.get(id);
    if (!open || (await this.take(id)) || (await this.queue.isQueued(id))) return;
    // Between the two it may have been done, and its message be gone.
    if (!(await this.take(id))) await this.queue.add(id, open.job);
  }

  private async take(id: string): Promise<boolean> {
    const outcome = await this.queue.outcome(id);
    const open = this.jobs.get(id);
    if (!outcome || !open || this.isOver) return outcome !== undefined;
    this.jobs.delete(id);
    if (outcome.kind === 'failed') await this.failed(id, outcome);
    else {
      for (const place of open.places) {
        this.results[place] = outcome.result;
        this.onResult(outcome.result, place);
      }
      if (this.jobs.size === 0) this.finish();
    }
    return true;
  }

  private async failed(id: string, { code, message, as }: WorkOutcome & { kind: 'failed' }): Promise<void> {
    this.fail(new KindredError(code, message, as));
    await this.queue.forgetFailure(id);
  }

  private finish(): void {
    this.resolve(this.results);
    this.ended.abort();
  }
}

function otherVersion(own: string, versions: readonly string[]): KindredError {
  return new KindredError(
    'WORKER_VERSION',
    `workers: expected kindred ${own}, got ${[...new Set(versions)].join(', ')}; start kindred work of the same version`,
    'run',
  );
}
