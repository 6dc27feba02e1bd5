/**
 * Tells when something has stood still for too long, on the clock of whoever looks at it: clocks of different machines are never compared.
 * Time in which nobody looked does not count, so whoever was cut off, or asleep, begins anew and gives others the time to be heard.
 */
export class Observed<T> {
  private readonly ttlMs: number;
  private last: T | undefined;
  private sinceMs = 0;
  private seenMs = Number.NEGATIVE_INFINITY;

  constructor(ttlMs: number) {
    this.ttlMs = ttlMs;
  }

  /** Whether it has not changed for the time to live. `nowMs`: monotonic. */
  isStill(value: T, nowMs: number): boolean {
    if (value !== this.last || nowMs - this.seenMs > this.ttlMs / 2) {
      this.last = value;
      this.sinceMs = nowMs;
    }
    this.seenMs = nowMs;
    return nowMs - this.sinceMs >= this.ttlMs;
  }
}
