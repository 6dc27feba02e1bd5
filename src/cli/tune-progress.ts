/** A search on threads, with its progress on one line of a terminal. */
import type { JobRunner } from '../base/job-runner.ts';
import type { Table } from '../data/table.ts';
import type { Chain, TuneWork } from '../methods/tune/chain.ts';
import type { TuneOptions, TuneResult } from '../methods/tune.ts';
import type { CachePlace } from '../node/threads/chain-cache.ts';
import { tuneOnThreads } from '../node/threads/tuning-pool.ts';
import type { Io } from './io.ts';
import { Progress } from './progress.ts';
import { TuneRemaining } from './tune-remaining.ts';

const REFRESH_MS = 250;

interface TuneRun {
  readonly threads?: number | undefined;
  readonly cache?: CachePlace | undefined;
  /** Who does the chains; default: threads. */
  readonly runnerFor?: ((work: TuneWork) => JobRunner<Chain, Float64Array[]>) | undefined;
}

export async function tuneWithProgress(
  io: Io,
  table: Table,
  options: TuneOptions,
  { threads, cache, runnerFor }: TuneRun,
): Promise<TuneResult> {
  const progress = new Progress(io);
  const remaining = new TuneRemaining(io.now);
  const show = () => progress.show(remaining.text);
  const refresh = setInterval(show, REFRESH_MS);
  const onProgress = (done: number, total: number) => {
    remaining.progress(done, total);
    show();
  };
  const context = { cache, runnerFor, onStart: remaining.start, onProgress };
  return progress
    .during(() => tuneOnThreads(threads, table, options, context))
    .finally(() => clearInterval(refresh));
}
