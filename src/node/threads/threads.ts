/**
 * Worker threads that take requests one by one, each as soon as it is free. Results come in the order of the requests: they
 * do not depend on how many threads there are.
 */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parentPort, Worker } from 'node:worker_threads';
import { type ErrorKind, KindredError } from '../../base/errors.ts';

/** What a thread sends: progress as often as it likes, then how the request ended. */
type FromThread<Progress, Result> =
  | { readonly kind: 'progress'; readonly progress: Progress }
  | { readonly kind: 'done'; readonly result: Result }
  | { readonly kind: 'failed'; readonly failure: ThreadFailure };

/** One worker thread, for one request at a time (its inner side: `takeRequests`). */
export class Thread<Request, Progress, Result> {
  private readonly worker: Worker;
  private readonly onProgress: (progress: Progress) => void;
  private waiting: { resolve(result: Result): void; reject(error: Error): void } | undefined;
  /** Why there is no thread any more. */
  private gone: Error | undefined;

  /** `file` is the name of a file in this folder, without its ending. */
  constructor(file: string, workerData: unknown, onProgress: (progress: Progress) => void = () => {}) {
    this.onProgress = onProgress;
    // Not this process's own flags: some of them (--input-type) would keep a thread from starting.
    this.worker = new Worker(threadFile(file), { workerData, execArgv: [] });
    this.worker.on('message', (message: FromThread<Progress, Result>) => this.take(message));
    this.worker.on('error', (error) => this.lose(error as Error));
    this.worker.on('exit', (code) => this.lose(new Error(`a worker thread ended with code ${code}`)));
  }

  ask(request: Request): Promise<Result> {
    return new Promise((resolve, reject) => {
      if (this.gone) return reject(this.gone);
      this.waiting = { resolve, reject };
      this.worker.postMessage(request);
    });
  }

  async end(): Promise<void> {
    await this.worker.terminate();
  }

  private take(message: FromThread<Progress, Result>): void {
    if (message.kind === 'progress') this.onProgress(message.progress);
    else if (message.kind === 'done') this.waiting?.resolve(message.result);
    else this.waiting?.reject(errorFrom(message.failure));
  }

  /** The first reason counts: an error is followed by an exit. */
  private lose(error: Error): void {
    this.gone ??= error;
    this.waiting?.reject(this.gone);
  }
}

interface Crew<Request> {
  /** Name of a file in this folder, without its ending. */
  readonly file: string;
  readonly workerData: unknown;
  readonly requests: readonly Request[];
  readonly threads: number;
}

/** The first failure ends all threads, and is thrown. */
export async function onThreads<Request, Progress, Result>(
  { file, workerData, requests, threads }: Crew<Request>,
  onProgress: (progress: Progress) => void,
  onResult: (result: Result, place: number) => void = () => {},
): Promise<Result[]> {
  const crew = newThreads<Request, Progress, Result>(
    file,
    workerData,
    Math.min(threads, requests.length),
    onProgress,
  );
  try {
    // The memory of a thread is not needed while the others finish.
    return await spread(crew, requests, onResult, (thread) => thread.end());
  } finally {
    await Promise.all(crew.map((thread) => thread.end()));
  }
}

export function newThreads<Request, Progress, Result>(
  file: string,
  workerData: unknown,
  count: number,
  onProgress: (progress: Progress) => void,
): Thread<Request, Progress, Result>[] {
  return Array.from({ length: count }, () => new Thread(file, workerData, onProgress));
}

/** Requests, each to the first thread that is free; results come in the order of the requests. */
export async function spread<Request, Progress, Result>(
  crew: readonly Thread<Request, Progress, Result>[],
  requests: readonly Request[],
  onResult: (result: Result, place: number) => void = () => {},
  onIdle: (thread: Thread<Request, Progress, Result>) => void | Promise<void> = () => {},
): Promise<Result[]> {
  const results: Result[] = [];
  let next = 0;
  const workThrough = async (thread: Thread<Request, Progress, Result>) => {
    while (next < requests.length) {
      const place = next++;
      results[place] = await thread.ask(requests[place]);
      onResult(results[place], place);
    }
    await onIdle(thread);
  };
  await Promise.all(crew.map(workThrough));
  return results;
}

/** Rows once, not once for each thread. */
export function inSharedMemory(x: Float64Array): Float64Array {
  if (x.buffer instanceof SharedArrayBuffer) return x;
  const shared = new Float64Array(new SharedArrayBuffer(x.byteLength));
  shared.set(x);
  return shared;
}

/** Threads need the built file, also where this one runs from source (tests). The name is that of a file in src/node. */
export function threadFile(name: string): URL {
  const beside = new URL(`../${name}.js`, import.meta.url);
  if (existsSync(fileURLToPath(beside))) return beside;
  return new URL(`../../../dist/node/${name}.js`, import.meta.url);
}

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

interface ThreadFailure {
  readonly message: string;
  readonly stack: string | undefined;
  /** Of a KindredError. */
  readonly known: { readonly code: string; readonly kind: ErrorKind } | undefined;
}

function failureOf(error: unknown): ThreadFailure {
  if (!(error instanceof Error)) return { message: String(error), stack: undefined, known: undefined };
  const { message, stack } = error;
  const known = error instanceof KindredError ? { code: error.code, kind: error.kind } : undefined;
  return { message, stack, known };
}

function errorFrom({ message, stack, known }: ThreadFailure): Error {
  const error = known ? new KindredError(known.code, message, known.kind) : new Error(message);
  if (stack !== undefined) error.stack = stack;
  return error;
}
