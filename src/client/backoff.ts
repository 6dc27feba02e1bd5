/** How long to wait before trying again: longer each time, up to a bound, and never in step with the others. */
import type { Clock } from '../base/ports.ts';
import type { RandomShare } from './ports.ts';

export interface BackoffOptions {
  readonly fromMs: number;
  readonly mostMs: number;
}

export class Backoff {
  private readonly options: BackoffOptions;
  private readonly random: RandomShare;
  private tries = 0;

  constructor(options: BackoffOptions, random: RandomShare) {
    this.options = options;
    this.random = random;
  }

  /** "Full jitter": anything from nothing to twice the last bound, evenly. */
  next(): number {
    const { fromMs, mostMs } = this.options;
    // The exponent has a bound of its own: the power would not stay finite.
    const bound = Math.min(mostMs, fromMs * 2 ** Math.min(this.tries, 30));
    this.tries++;
    return Math.floor(this.random() * (Math.max(1, Math.floor(bound)) + 1));
  }

  reset(): void {
    this.tries = 0;
  }
}

/** Resolves after the time, or at once when the signal is aborted. */
export function pause(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const over = () => {
      takeBack();
      signal.removeEventListener('abort', over);
      resolve();
    };
    const takeBack = clock.at(clock.now() + ms, over);
    signal.addEventListener('abort', over);
  });
}
