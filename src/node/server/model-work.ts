/**
 * Requests about rows, one at a time in a thread of their own, so that no round waits for them. The thread is started when it is first
 * needed. A request has so much time from its arrival; one that is under way when that is over ends with its thread.
 */
import { KindredError } from '../../base/errors.ts';
import { Thread } from '../threads/threads.ts';
import { ApiError, ERRORS, type ErrorCode } from './api-error.ts';
import type { ServerLimits } from './limits.ts';
import type { ModelRequest } from './model-requests.ts';

type ModelThread = Thread<ModelRequest, never, string>;

export class ModelWork {
  private readonly limits: Pick<ServerLimits, 'rowRequests' | 'rowRequestMs'>;
  private thread: ModelThread | undefined;
  /** Under way or waiting. */
  private waiting = 0;
  private last: Promise<unknown> = Promise.resolve();

  constructor(limits: Pick<ServerLimits, 'rowRequests' | 'rowRequestMs'>) {
    this.limits = limits;
  }

  /** JSON of the answer. */
  async answer(request: ModelRequest): Promise<string> {
    const { rowRequests, rowRequestMs } = this.limits;
    if (this.waiting >= rowRequests)
      throw new ApiError('TOO_MANY', `${this.waiting} requests about rows are waiting; try again later`);
    this.waiting++;
    const untilMs = performance.now() + rowRequestMs;
    const turn = this.last.then(() => this.ask(request, untilMs));
    this.last = turn.catch(() => {});
    try {
      return await turn;
    } finally {
      this.waiting--;
    }
  }

  async close(): Promise<void> {
    await this.thread?.end();
    await this.last;
  }

  private async ask(request: ModelRequest, untilMs: number): Promise<string> {
    const leftMs = untilMs - performance.now();
    if (leftMs <= 0) throw this.tooLong();
    this.thread ??= new Thread('server/model-worker', undefined);
    const { thread } = this;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(this.tooLong()), leftMs);
    });
    try {
      return await Promise.race([thread.ask(request), late]);
    } catch (error) {
      const refusal = refusalFrom(error);
      // Whatever it is that it does now, or has died of: the next request gets another one.
      if (refusal.code === 'TOO_LONG' || refusal.status >= 500) await this.drop(thread);
      throw refusal.status >= 500 ? error : refusal;
    } finally {
      clearTimeout(timer);
    }
  }

  private async drop(thread: ModelThread): Promise<void> {
    this.thread = undefined;
    await thread.end();
  }

  private tooLong(): ApiError {
    const seconds = this.limits.rowRequestMs / 1000;
    return new ApiError(
      'TOO_LONG',
      `expected an answer within ${seconds} s; send fewer rows, or ask for less accuracy (gap, passes)`,
    );
  }
}

/** Refusals come out of the thread as plain errors with their codes. */
function refusalFrom(error: unknown): ApiError {
  if (error instanceof KindredError && error.code in ERRORS)
    return new ApiError(error.code as ErrorCode, error.message);
  return new ApiError('INTERNAL', String(error));
}
