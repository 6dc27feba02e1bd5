/** Functions that run in a worker, called like local ones that give promises. Expected failures keep their code. */
import { KindredError } from '../../base/errors.ts';

/** What a worker can be asked for. */
export type Calls = Readonly<Record<string, (...args: never[]) => unknown>>;

export type Remote<C extends Calls> = {
  readonly [Name in keyof C]: (...args: Parameters<C[Name]>) => Promise<Awaited<ReturnType<C[Name]>>>;
};

interface Call {
  readonly id: number;
  readonly name: string;
  readonly args: readonly unknown[];
}

type Reply =
  | { readonly id: number; readonly result: unknown }
  | {
      readonly id: number;
      readonly failure: { readonly code: string | undefined; readonly message: string };
    };

/** Of a worker, or of what stands for one in a test. */
interface Port {
  postMessage(message: unknown): void;
  onmessage: ((event: MessageEvent) => void) | null;
}

/** In the worker: answers calls, one after the other. */
export function answerCalls(calls: Calls, port: Port): void {
  let last: Promise<unknown> = Promise.resolve();
  const answer = async ({ id, name, args }: Call): Promise<Reply> => {
    try {
      return { id, result: await calls[name](...(args as never[])) };
    } catch (error) {
      const code = error instanceof KindredError ? error.code : undefined;
      return { id, failure: { code, message: error instanceof Error ? error.message : String(error) } };
    }
  };
  port.onmessage = ({ data }: MessageEvent) => {
    last = last.then(async () => port.postMessage(await answer(data as Call)));
  };
}

interface Waiting {
  resolve(result: unknown): void;
  reject(error: Error): void;
}

/** Beside the calls: how to end it. Nothing is started before the first call. */
export class WorkerCalls<C extends Calls> {
  readonly calls: Remote<C>;
  private readonly start: () => Worker;
  private worker: Worker | undefined;
  private readonly waiting = new Map<number, Waiting>();
  private next = 0;

  constructor(start: () => Worker) {
    this.start = start;
    this.calls = new Proxy({} as Remote<C>, {
      get:
        (_, name) =>
        (...args: unknown[]) =>
          this.call(String(name), args),
    });
  }

  /** What is under way is never answered. */
  close(): void {
    this.worker?.terminate();
    this.worker = undefined;
    this.waiting.clear();
  }

  private call(name: string, args: readonly unknown[]): Promise<unknown> {
    this.worker ??= this.open();
    const id = this.next++;
    const { worker } = this;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      worker.postMessage({ id, name, args } satisfies Call);
    });
  }

  private open(): Worker {
    const worker = this.start();
    worker.onmessage = ({ data }: MessageEvent) => this.answered(data as Reply);
    // It could not be loaded, or has failed outside any call: nothing comes from it any more.
    worker.onerror = (event) => {
      event.preventDefault();
      const error = new KindredError(
        'WORKER_FAILED',
        event.message || 'the worker could not be loaded',
        'run',
      );
      for (const { reject } of this.waiting.values()) reject(error);
      this.close();
    };
    return worker;
  }

  private answered(reply: Reply): void {
    const waiting = this.waiting.get(reply.id);
    this.waiting.delete(reply.id);
    if ('result' in reply) waiting?.resolve(reply.result);
    else waiting?.reject(errorFrom(reply.failure));
  }
}

function errorFrom({
  code,
  message,
}: {
  readonly code: string | undefined;
  readonly message: string;
}): Error {
  return code === undefined ? new Error(message) : new KindredError(code, message);
}
