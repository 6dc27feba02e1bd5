/** A thread that does jobs of a reproduction, one after another, as they are asked for. */
import { workerData } from 'node:worker_threads';
import type { Table } from '../../data/table.ts';
import type { Job } from '../../reproduce/jobs.ts';
import { runJob } from '../../reproduce/run-job.ts';
import { tablesWith } from '../../reproduce/table-spec.ts';
import type { DoneJob } from './job-pool.ts';
import { takeRequests } from './threads.ts';

const tableOf = tablesWith((workerData as { given: Table | undefined }).given);
const now = () => performance.now();

takeRequests((job: Job): DoneJob => {
  const started = now();
  const result = runJob(job, tableOf, now);
  return { result, tookMs: now() - started };
});
