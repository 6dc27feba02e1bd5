/** How long a list of jobs will still take, from how long those of its kind took so far. */
import { isTimed, type Job } from '../reproduce/jobs.ts';

/** Milliseconds by kind, until something is known: only their ratios matter much. */
const GUESS: Readonly<Record<Job['kind'], number>> = {
  tune: 8000,
  simulate: 1500,
  train: 500,
  newcomer: 2000,
  sequence: 100,
  timing: 20_000,
  complexity: 3000,
};

export class Remaining {
  private readonly expected = new Map<Job['kind'], number>();
  private readonly finished = new Map<Job['kind'], number>();
  private readonly spentMs = new Map<Job['kind'], number>();
  private readonly total: number;
  private readonly threads: number;

  constructor(jobs: readonly Job[], threads: number) {
    this.total = jobs.length;
    this.threads = threads;
    for (const { kind } of jobs) add(this.expected, kind, 1);
  }

  done({ job, tookMs }: { readonly job: Job; readonly tookMs: number }): void {
    add(this.finished, job.kind, 1);
    add(this.spentMs, job.kind, tookMs);
  }

  get standing(): { finished: number; total: number; leftMs: number | undefined } {
    let [finished, leftMs] = [0, 0];
    for (const [kind, expected] of this.expected) {
      const done = this.finished.get(kind) ?? 0;
      const each = done > 0 ? this.spentMs.get(kind)! / done : GUESS[kind];
      const threads = isTimed({ kind }) ? 1 : this.threads;
      finished += done;
      leftMs += (Math.max(0, expected - done) * each) / threads;
    }
    return { finished, total: this.total, leftMs: finished === 0 ? undefined : leftMs };
  }
}

function add<K>(map: Map<K, number>, key: K, value: number): void {
  map.set(key, (map.get(key) ?? 0) + value);
}
