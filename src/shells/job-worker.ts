/** A thread that does jobs of a reproduction, one after another, as they are asked for. */
import { parentPort, workerData } from 'node:worker_threads';
import type { Table } from '../data/index.ts';
import { type Job, runJob, Tables } from '../reproduce/index.ts';
import type { DoneJob } from './job-pool.ts';
import type { FromThread } from './threads.ts';

const tables = new Tables((workerData as { given: Table | undefined }).given);
const now = () => performance.now();

parentPort?.on('message', (job: Job) => {
  const started = now();
  const result = runJob(job, tables, now);
  const message: FromThread<never, DoneJob> = { kind: 'done', result: { result, tookMs: now() - started } };
  parentPort?.postMessage(message);
});
