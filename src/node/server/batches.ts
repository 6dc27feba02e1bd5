/**
 * Group commit: what arrives while a batch is being dealt with goes into the next one together. A store takes about as long for one durable
 * change as for a hundred that are made at once.
 */
const MOST_AT_ONCE = 1000;

interface Waiting<Request, Result> {
  readonly request: Request;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

/** What becomes of each request of a batch, in the same order. */
export type Outcome<Result> = { readonly result: Result } | { readonly error: unknown };

interface BatchesPorts<Request, Result> {
  /** Begins a turn as soon as the one before it is over. */
  inTurn(act: () => Promise<void>): Promise<void>;
  /** Where it fails all requests of the batch have failed. */
  decide(requests: readonly Request[]): Promise<readonly Outcome<Result>[]>;
}

export class Batches<Request, Result> {
  private readonly ports: BatchesPorts<Request, Result>;
  private waiting: Waiting<Request, Result>[] = [];
  private isDue = false;

  constructor(ports: BatchesPorts<Request, Result>) {
    this.ports = ports;
  }

  take(request: Request): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ request, resolve, reject });
      if (!this.isDue) this.next();
    });
  }

  private next(): void {
    this.isDue = true;
    void this.ports.inTurn(async () => {
      // A store that answers at once holds up everybody meanwhile: those who have arrived by then are read first.
      await new Promise((resolve) => setImmediate(resolve));
      const batch = this.waiting.splice(0, MOST_AT_ONCE);
      this.isDue = false;
      if (this.waiting.length > 0) this.next();
      await this.deal(batch);
    });
  }

  private async deal(batch: readonly Waiting<Request, Result>[]): Promise<void> {
    try {
      const outcomes = await this.ports.decide(batch.map(({ request }) => request));
      for (const [i, outcome] of outcomes.entries()) {
        if ('error' in outcome) batch[i].reject(outcome.error);
        else batch[i].resolve(outcome.result);
      }
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }
}
