/** How long to wait before trying again: longer each time, up to a bound, and never in step with the others. */
import { randomInt } from 'node:crypto';

export interface BackoffOptions {
  readonly fromMs: number;
  readonly mostMs: number;
}

export class Backoff {
  private readonly options: BackoffOptions;
  private tries = 0;

  constructor(options: BackoffOptions) {
    this.options = options;
  }

  /** "Full jitter": anything from nothing to twice the last bound, evenly. */
  next(): number {
    const { fromMs, mostMs } = this.options;
    // The exponent has a bound of its own: the power would not stay finite.
    const bound = Math.min(mostMs, fromMs * 2 ** Math.min(this.tries, 30));
    this.tries++;
    return randomInt(Math.max(1, Math.floor(bound)) + 1);
  }

  reset(): void {
    this.tries = 0;
  }
}

/** Resolves after the time, or at once when the signal says so. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const over = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', over);
      resolve();
    };
    const timer = setTimeout(over, ms);
    signal.addEventListener('abort', over);
  });
}
