/** Ctrl-c for what takes a while to stop: the first stops in good order, a later one at once. */
import type { Io } from './io.ts';

/** npm passes the terminal's signal on to a process that has it already: that is no second ctrl-c. */
const SAME_MS = 1000;

export class Interruption {
  /** Fulfilled at the first one. */
  readonly first: Promise<void>;
  readonly signal: AbortSignal;
  private readonly io: Io;
  private readonly controller = new AbortController();
  private firstMs = 0;
  private again = () => {};
  private takeBack: (() => void) | undefined;

  constructor(io: Io) {
    this.io = io;
    this.signal = this.controller.signal;
    this.first = new Promise((resolve) => this.signal.addEventListener('abort', () => resolve()));
    this.listen();
  }

  onAgain(act: () => void): void {
    this.again = act;
  }

  release(): void {
    this.takeBack?.();
  }

  private listen(): void {
    this.takeBack = this.io.onInterrupt?.(() => {
      this.listen();
      const now = this.io.now();
      if (!this.signal.aborted) {
        this.firstMs = now;
        this.controller.abort();
      } else if (now - this.firstMs > SAME_MS) {
        this.again();
      }
    });
  }
}
