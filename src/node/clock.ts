/** The clock and timers of the process. */
import type { HostClock } from '../host/ports.ts';

export const systemClock: HostClock = {
  now: () => performance.now(),
  wallClock: () => Date.now(),
  at(atMs, run) {
    const timer = new Timer();
    timer.set(atMs - performance.now(), run);
    return () => timer.clear();
  },
};

/** Timers of Node take at most this many milliseconds; more fires at once. */
const LONGEST_MS = 2 ** 31 - 1;

export class Timer {
  private handle: NodeJS.Timeout | NodeJS.Immediate | undefined;

  /** Infinity: never. What is due at once comes as soon as the event loop turns. */
  set(ms: number, run: () => void): void {
    if (ms === Number.POSITIVE_INFINITY) return;
    this.clear();
    if (ms <= 0) this.handle = setImmediate(run);
    else if (ms <= LONGEST_MS) this.handle = setTimeout(run, Math.ceil(ms));
    else this.handle = setTimeout(() => this.set(ms - LONGEST_MS, run), LONGEST_MS);
  }

  clear(): void {
    // Each of the two takes no notice of the other's handles.
    clearTimeout(this.handle as NodeJS.Timeout);
    clearImmediate(this.handle as NodeJS.Immediate);
    this.handle = undefined;
  }
}
