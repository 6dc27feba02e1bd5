/** Tuning with its parts, a scaling and a fold each, spread over worker threads. */
import { availableParallelism } from 'node:os';
import type { Table } from '../../data/table.ts';
import type { TuneContext, TuneOptions, TuneResult } from '../../methods/tune.ts';
import { planTuning, progressOf, type TunePlan, tuneResult } from '../../methods/tune.ts';
import { decideFold, type TunePart } from '../../methods/tune-fold.ts';
import { inSharedMemory, onThreads } from './threads.ts';

/** Fewer values (rows x features, once for each training) are done with sooner than threads start. */
const PAYS_FROM = 20e6;

/** On at most so many threads, by default one for each core where that pays. */
export async function tuneOnThreads(
  threads: number | undefined,
  table: Table,
  options: TuneOptions = {},
  context: TuneContext = {},
): Promise<TuneResult> {
  const plan = planTuning(table, options);
  const onSolved = progressOf(plan, context);
  const most = Math.min(threads ?? threadsFor(plan), plan.parts.length);
  if (most <= 1)
    return tuneResult(
      plan,
      plan.parts.map((part) => decideFold(plan.work, part, onSolved)),
    );
  const { prepared } = plan.work;
  const shared = { ...prepared.table, x: inSharedMemory(prepared.table.x) };
  const workerData = { ...plan.work, prepared: { ...prepared, table: shared } };
  const crew = { file: 'threads/tuning-worker', workerData, requests: plan.parts, threads: most };
  return tuneResult(plan, await onThreads<TunePart, 'solved', Float64Array[]>(crew, onSolved));
}

function threadsFor({ work, parts }: TunePlan): number {
  const values = work.prepared.table.x.length * work.points.length * parts.length;
  return values < PAYS_FROM ? 1 : availableParallelism();
}
