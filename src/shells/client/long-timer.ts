/** One timer at a time, for any time: those of the runtime fire at once where they are asked to wait for more than 24 days. */
const LONGEST_MS = 2 ** 31 - 1;

export class LongTimer {
  private readonly fire: () => void;
  private timer: NodeJS.Timeout | undefined;

  constructor(fire: () => void) {
    this.fire = fire;
  }

  /** By the clock of `performance.now`; Infinity: never. */
  set(atMs: number): void {
    this.clear();
    if (atMs === Number.POSITIVE_INFINITY) return;
    const waitMs = Math.max(0, atMs - performance.now());
    this.timer = setTimeout(
      () => (waitMs > LONGEST_MS ? this.set(atMs) : this.fire()),
      Math.min(waitMs, LONGEST_MS),
    );
  }

  clear(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
  }
}
