/** How long a tuning will still take: guessed from the size of the data at first, then from the trainings that are done. */
import { duration } from './number-text.ts';

/** The guess counts as much as so many trainings. */
const WEIGHT_OF_GUESS = 3;

export class TuneRemaining {
  private readonly now: () => number;
  private startedMs: number;
  private guessMs = 0;
  private done = 0;
  private total = 0;

  constructor(now: () => number) {
    this.now = now;
    this.startedMs = now();
  }

  /** `trainingMs`: what one training is guessed to take, in a thread of its own. */
  readonly start = (trainingMs: number, threads: number): void => {
    this.startedMs = this.now();
    this.guessMs = trainingMs / threads;
  };

  progress(done: number, total: number): void {
    this.done = done;
    this.total = total;
  }

  get leftMs(): number {
    const spent = this.now() - this.startedMs;
    const each = (WEIGHT_OF_GUESS * this.guessMs + spent) / (WEIGHT_OF_GUESS + this.done);
    return each * (this.total - this.done);
  }

  get text(): string {
    const left = duration(1000 * Math.ceil(this.leftMs / 1000)).replace('.00', '');
    return `tune: ${this.done} of about ${this.total} trainings, about ${left} left`;
  }
}
