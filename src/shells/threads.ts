/**
 * Worker threads that take requests one by one, each as soon as it is free. Results come in the order of the requests: they
 * do not depend on how many threads there are.
 */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';

/** What a thread says: news as often as it likes, then the result. */
export type FromThread<News, Result> =
  | { readonly kind: 'news'; readonly news: News }
  | { readonly kind: 'done'; readonly result: Result };

export interface Crew<Request> {
  /** Name of a file in this folder, without its ending. */
  readonly file: string;
  readonly workerData: unknown;
  readonly requests: readonly Request[];
  readonly threads: number;
}

export async function onThreads<Request, News, Result>(
  { file, workerData, requests, threads }: Crew<Request>,
  onNews: (news: News) => void,
  onResult: (result: Result, place: number) => void = () => {},
): Promise<Result[]> {
  const results: Result[] = [];
  let next = 0;
  const crew = Array.from({ length: Math.min(threads, requests.length) }, async () => {
    const worker = new Worker(threadFile(file), { workerData });
    try {
      while (next < requests.length) {
        const place = next++;
        results[place] = await oneRequest<Request, News, Result>(worker, requests[place], onNews);
        onResult(results[place], place);
      }
    } finally {
      await worker.terminate();
    }
  });
  await Promise.all(crew);
  return results;
}

function oneRequest<Request, News, Result>(
  worker: Worker,
  request: Request,
  onNews: (news: News) => void,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    worker.removeAllListeners();
    worker.on('message', (message: FromThread<News, Result>) => {
      if (message.kind === 'news') onNews(message.news);
      else resolve(message.result);
    });
    worker.on('error', reject);
    worker.on('exit', (code) => reject(new Error(`a worker thread ended with code ${code}`)));
    worker.postMessage(request);
  });
}

/** Rows once, not once for each thread. */
export function inSharedMemory(x: Float64Array): Float64Array {
  const shared = new Float64Array(new SharedArrayBuffer(x.byteLength));
  shared.set(x);
  return shared;
}

/** Threads need the built file, also where this one runs from source (tests). The name is that of a file in this folder. */
export function threadFile(name: string): URL {
  const beside = new URL(`./${name}.js`, import.meta.url);
  if (existsSync(fileURLToPath(beside))) return beside;
  return new URL(`../../dist/shells/${name}.js`, import.meta.url);
}
