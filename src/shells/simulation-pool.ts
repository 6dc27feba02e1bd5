/** Repeats of a scenario, here or spread over worker threads. The results do not depend on how many there are. */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import {
  type ObservedRow,
  type RunRecord,
  type RunRequest,
  runScenario,
  type Scenario,
  type ScenarioInputs,
} from '../sim/index.ts';

/** What is told of a row while it runs. */
export type RowNews = Pick<ObservedRow, 'seed' | 'round' | 'relativeGap'>;

type FromWorker =
  | { readonly kind: 'row'; readonly row: RowNews }
  | { readonly kind: 'done'; readonly record: RunRecord };

/** Records come in the order of the requests. */
export async function runRepeats(
  scenario: Scenario,
  inputs: ScenarioInputs,
  requests: readonly RunRequest[],
  workers: number,
  onRow: (row: RowNews) => void,
): Promise<RunRecord[]> {
  const threads = Math.min(workers, requests.length);
  if (threads <= 1) return requests.map((request) => runScenario(scenario, inputs, request, onRow));
  const shared = { ...inputs, table: { ...inputs.table, x: inSharedMemory(inputs.table.x) } };
  const records: RunRecord[] = [];
  let next = 0;
  const crew = Array.from({ length: threads }, async () => {
    const worker = new Worker(workerFile(), { workerData: { scenario, inputs: shared } });
    try {
      while (next < requests.length) {
        const place = next++;
        records[place] = await oneRun(worker, requests[place], onRow);
      }
    } finally {
      await worker.terminate();
    }
  });
  await Promise.all(crew);
  return records;
}

function oneRun(worker: Worker, request: RunRequest, onRow: (row: RowNews) => void): Promise<RunRecord> {
  return new Promise((resolve, reject) => {
    worker.removeAllListeners();
    worker.on('message', (message: FromWorker) => {
      if (message.kind === 'row') onRow(message.row);
      else resolve(message.record);
    });
    worker.on('error', reject);
    worker.on('exit', (code) => reject(new Error(`a simulation worker ended with code ${code}`)));
    worker.postMessage(request);
  });
}

/** The rows once, not once for each thread. */
function inSharedMemory(x: Float64Array): Float64Array {
  const shared = new Float64Array(new SharedArrayBuffer(x.byteLength));
  shared.set(x);
  return shared;
}

/** Threads need the built file, also where this one runs from source (tests). */
function workerFile(): URL {
  const beside = new URL('./simulation-worker.js', import.meta.url);
  if (existsSync(fileURLToPath(beside))) return beside;
  return new URL('../../dist/shells/simulation-worker.js', import.meta.url);
}
