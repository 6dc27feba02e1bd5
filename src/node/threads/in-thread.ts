/** The inner side of a worker thread (threads.ts): requests in, news and results out. */
import { parentPort } from 'node:worker_threads';
import { failureOf } from './thread-failure.ts';
import type { FromThread } from './threads.ts';

/** Whatever goes wrong with a request is said, and the next one is taken: the outer side decides what to do. */
export function takeRequests<Request, News, Result>(
  work: (request: Request, onNews: (news: News) => void) => Result,
): void {
  const say = (message: FromThread<News, Result>) => parentPort?.postMessage(message);
  parentPort?.on('message', (request: Request) => {
    try {
      say({ kind: 'done', result: work(request, (news) => say({ kind: 'news', news })) });
    } catch (error) {
      say({ kind: 'failed', failure: failureOf(error) });
    }
  });
}
