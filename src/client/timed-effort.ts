/**
 * How much of a solve there is time for, decided while it solves. Before each pass it is asked whether there is time for
 * it; if not, as many of its rows are taken as the time allows, by the speed of the passes before. Without a deadline and without
 * an interruption it is the whole solve, to the bit.
 */
import type { Effort } from '../participant/solve.ts';

export interface EffortClock {
  now(): number;
  /** Comes back early when the solve is to stop. */
  sleep(ms: number): void;
}

interface EffortLimits {
  readonly untilMs: number;
  /** Asked between passes. */
  isStopped(): boolean;
}

export class TimedEffort {
  private readonly clock: EffortClock;
  private readonly slowdown: number;
  /** Of the first pass of a solve, in which most rows move; later ones are faster. */
  private firstPassRowMs: number;

  constructor(clock: EffortClock, slowdown: number, rowMs: number) {
    this.clock = clock;
    this.slowdown = slowdown;
    this.firstPassRowMs = rowMs;
  }

  within({ untilMs, isStopped }: EffortLimits): Effort {
    return (solve, most) => {
      let rowMs = this.firstPassRowMs;
      while (!solve.done && solve.passes < most && !isStopped()) {
        const { activeRows, passes } = solve;
        const leftMs = untilMs - this.clock.now();
        const rows = Math.min(activeRows, Math.floor(leftMs / rowMs));
        if (rows < 1) {
          // One slow pass must not be the last one ever: where nothing can be measured, the speed is hoped to be better.
          if (passes === 0 && leftMs > 0) this.firstPassRowMs /= 2;
          return;
        }
        const isWhole = rows === activeRows;
        rowMs = this.timed(() => (isWhole ? solve.pass() : solve.partOfPass(rows)), untilMs) / rows;
        if (passes === 0) this.firstPassRowMs = rowMs;
        if (!isWhole) return;
      }
    };
  }

  /** Runs something as slowly as is pretended, but not beyond the deadline, and says how long it took. */
  private timed(act: () => void, untilMs: number): number {
    const { clock, slowdown } = this;
    const started = clock.now();
    act();
    const tookMs = clock.now() - started;
    const restMs = Math.min((slowdown - 1) * tookMs, untilMs - clock.now());
    if (restMs > 0) clock.sleep(restMs);
    return slowdown * tookMs;
  }
}
