/** The inner side of a worker thread (threads.ts): requests in, progress and results out. */
import { parentPort } from 'node:worker_threads';
import { failureOf } from './thread-failure.ts';
import type { FromThread } from './threads.ts';

/** A failed request is reported, and the next one is taken: the outer side decides what to do. */
export function takeRequests<Request, Progress, Result>(
  work: (request: Request, onProgress: (progress: Progress) => void) => Result,
): void {
  const send = (message: FromThread<Progress, Result>) => parentPort?.postMessage(message);
  parentPort?.on('message', (request: Request) => {
    try {
      send({ kind: 'done', result: work(request, (progress) => send({ kind: 'progress', progress })) });
    } catch (error) {
      send({ kind: 'failed', failure: failureOf(error) });
    }
  });
}
