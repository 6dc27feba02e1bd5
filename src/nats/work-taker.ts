/** Takes jobs from a queue and does them, one at a time in each slot, until it is stopped. */
import type { Consumer, JsMsg } from '@nats-io/jetstream';
import { KindredError } from '../base/errors.ts';
import { unpack } from '../base/packed.ts';
import { pause } from './leases.ts';
import type { WorkJob, WorkOutcome, WorkQueue } from './work-queue.ts';

/** A job that has failed, or ended its worker, so often is given up. */
const ATTEMPTS = 4;
const FETCH_MS = 5000;
const RETRY_MS = 500;
const STORING_MS = 60_000;

/** Does one job at a time. */
export interface WorkSlot {
  /** `dataOf`: the data of the job, which may be those of the one before. */
  perform(job: WorkJob, dataOf: (name: string) => Promise<unknown>): Promise<unknown>;
}

export interface TakerOptions {
  readonly slots: readonly WorkSlot[];
  /** Ends the wait for jobs; what has begun is finished. */
  readonly signal: AbortSignal;
  readonly onDone: (job: WorkJob, outcome: WorkOutcome['kind'], tookMs: number) => void;
}

export async function takeJobs(queue: WorkQueue, options: TakerOptions): Promise<void> {
  const { slots, signal } = options;
  await Promise.all(slots.map((slot) => new Taker(queue, slot, options).run(signal)));
}

class Taker {
  private readonly queue: WorkQueue;
  private readonly slot: WorkSlot;
  private readonly options: TakerOptions;

  constructor(queue: WorkQueue, slot: WorkSlot, options: TakerOptions) {
    this.queue = queue;
    this.slot = slot;
    this.options = options;
  }

  async run(signal: AbortSignal): Promise<void> {
    const stopped = new Promise<null>((resolve) => {
      signal.addEventListener('abort', () => resolve(null));
    });
    let consumer: Consumer | undefined;
    while (!signal.aborted) {
      try {
        // After trouble from the beginning: the stream may be another one.
        consumer ??= await this.queue.consumer();
        const message = await Promise.race([next(consumer, signal), stopped]);
        if (message) await this.take(message);
      } catch {
        consumer = undefined;
        await pause(RETRY_MS, signal);
      }
    }
  }

  private async take(message: JsMsg): Promise<void> {
    const id = message.subject.split('.').at(-1)!;
    if (await this.queue.outcome(id)) return message.ack();
    const job = unpack(message.data) as WorkJob;
    const started = performance.now();
    const alive = setInterval(() => message.working(), this.queue.silentMs / 4);
    try {
      const outcome = await this.outcomeOf(job, message.info.deliveryCount);
      if (!outcome) return message.nak(RETRY_MS);
      await this.stored(id, outcome);
      message.ack();
      this.options.onDone(job, outcome.kind, performance.now() - started);
    } finally {
      clearInterval(alive);
    }
  }

  /** Undefined: somebody should try again. */
  private async outcomeOf(job: WorkJob, attempt: number): Promise<WorkOutcome | undefined> {
    if (attempt > ATTEMPTS) return givenUp(job, `it has ended ${ATTEMPTS} workers`);
    try {
      const result = await this.slot.perform(job, (name) => this.queue.data(name));
      return { kind: 'done', result };
    } catch (error) {
      const { message } = error as Error;
      if (error instanceof KindredError) return { kind: 'failed', code: error.code, message, as: error.kind };
      return attempt === ATTEMPTS ? givenUp(job, message) : undefined;
    }
  }

  /** What was computed is not thrown away because the connection is gone for a while. */
  private async stored(id: string, outcome: WorkOutcome): Promise<void> {
    const end = performance.now() + STORING_MS;
    for (;;) {
      try {
        return await this.queue.store(id, outcome);
      } catch (error) {
        if (performance.now() > end) throw error;
        await pause(RETRY_MS);
      }
    }
  }
}

async function next(consumer: Consumer, signal: AbortSignal): Promise<JsMsg | null> {
  const message = await consumer.next({ expires: FETCH_MS });
  if (!signal.aborted) return message;
  // What comes after the end goes to others at once.
  message?.nak();
  return null;
}

function givenUp({ kind }: WorkJob, why: string): WorkOutcome {
  return {
    kind: 'failed',
    ...{
      code: 'JOB_FAILED',
      message: `job (${kind}): given up after ${ATTEMPTS} attempts: ${why}`,
      as: 'run',
    },
  };
}
