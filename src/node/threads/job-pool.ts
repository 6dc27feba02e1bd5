/**
 * Jobs of a reproduction on worker threads, each done once: a result is stored under the content of its job, so whoever
 * starts again goes on where it was. What measures times runs last and by itself.
 */
import { createHash } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { JobRunner } from '../../base/job-runner.ts';
import type { Table } from '../../data/table.ts';
import { isTimed, type Job, type JobResult } from '../../reproduce/jobs.ts';
import { keyOf } from '../../reproduce/reproduce.ts';
import { onFile } from '../files/file-error.ts';
import { kindOf, readText, writeAtomically } from '../files/files.ts';
import { inSharedMemory, onThreads } from './threads.ts';

/** Results of an earlier version of the programs are not results of this one: raise it when numbers change. */
const RESULTS_VERSION = 2;

export interface DoneJob {
  readonly result: JobResult;
  readonly tookMs: number;
}

interface JobProgress {
  readonly job: Job;
  readonly tookMs: number;
  readonly from: 'cache' | 'work';
}

export interface JobPoolOptions {
  /** Folder of stored results. */
  readonly cache: string;
  readonly threads: number;
  readonly given: Table | undefined;
  /** Who does jobs that measure no times; default: threads of this process. */
  readonly runner?: JobRunner<Job, DoneJob> | undefined;
  readonly onDone: (progress: JobProgress) => void;
}

export class JobPool {
  private readonly options: JobPoolOptions;
  private readonly given: Table | undefined;

  constructor(options: JobPoolOptions) {
    this.options = options;
    const { given } = options;
    this.given = given && { ...given, x: inSharedMemory(given.x) };
  }

  /** Results in the order of the jobs. */
  async run(jobs: readonly Job[]): Promise<JobResult[]> {
    await onFile(this.options.cache, () => mkdir(this.options.cache, { recursive: true }));
    const stored = await Promise.all(jobs.map((job) => this.stored(job)));
    const results = stored.map((done) => done?.result);
    for (const [i, done] of stored.entries())
      if (done) this.options.onDone({ job: jobs[i], tookMs: done.tookMs, from: 'cache' });
    const open = [...jobs.keys()].filter((i) => results[i] === undefined);
    const timed = open.filter((i) => isTimed(jobs[i]));
    const others = open.filter((i) => !isTimed(jobs[i]));
    const { threads, runner = this.onThreads(threads) } = this.options;
    await this.work(jobs, others, runner, results);
    await this.work(jobs, timed, this.onThreads(1), results);
    return results as JobResult[];
  }

  private async work(
    jobs: readonly Job[],
    places: readonly number[],
    runner: JobRunner<Job, DoneJob>,
    results: (JobResult | undefined)[],
  ): Promise<void> {
    const writing: Promise<void>[] = [];
    const requests = places.map((i) => jobs[i]);
    if (requests.length === 0) return;
    await runner.run(requests, (done, place) => {
      const job = requests[place];
      results[places[place]] = done.result;
      const stored = JSON.stringify({ key: keyOf(job), ...done });
      writing.push(writeAtomically(this.pathOf(job), [stored]));
      this.options.onDone({ job, tookMs: done.tookMs, from: 'work' });
    });
    await Promise.all(writing);
  }

  private onThreads(threads: number): JobRunner<Job, DoneJob> {
    const { given } = this;
    return {
      run: (requests, onResult) =>
        onThreads<Job, never, DoneJob>(
          { file: 'threads/job-worker', workerData: { given }, requests, threads },
          () => {},
          onResult,
        ),
      end: () => {},
    };
  }

  private async stored(job: Job): Promise<DoneJob | undefined> {
    const path = this.pathOf(job);
    if ((await kindOf(path)) !== 'file') return undefined;
    try {
      const { key, ...done } = JSON.parse(await readText(path)) as DoneJob & { key: string };
      return key === keyOf(job) ? done : undefined;
    } catch {
      // Not whole, or not ours: it is computed again.
      return undefined;
    }
  }

  private pathOf(job: Job): string {
    const hash = createHash('sha256')
      .update(`${RESULTS_VERSION}|${keyOf(job)}`)
      .digest('hex');
    return join(this.options.cache, `${job.kind}-${hash.slice(0, 32)}.json`);
  }
}
