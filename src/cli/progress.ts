/** One line on stderr that is rewritten while something takes long, and gone when it is done. */
import type { Io } from './io.ts';
import { printable } from './printable.ts';

/** What is done sooner than this needs no progress. */
const PATIENCE_MS = 2000;
/** For what is known to take longer, in steps of seconds. */
export const AT_ONCE = 0;
const REFRESH_MS = 100;

export class Progress {
  private readonly io: Io;
  private readonly startedMs: number;
  private shownMs = Number.NEGATIVE_INFINITY;
  private visible = false;
  private readonly patienceMs: number;

  constructor(io: Io, patienceMs = PATIENCE_MS) {
    this.io = io;
    this.patienceMs = patienceMs;
    this.startedMs = io.now();
  }

  show(text: string): void {
    if (!this.io.stderr.isTerminal) return;
    const now = this.io.now();
    if (now - this.startedMs < this.patienceMs || now - this.shownMs < REFRESH_MS) return;
    this.shownMs = now;
    this.visible = true;
    // Not awaited: a terminal takes a line at once, and training does not stop to breathe.
    void this.io.stderr.write(`\r\x1b[2K${printable(text)}`);
  }

  /** Runs what shows progress; the line is gone afterwards, whatever happened. */
  async during<T>(act: () => T | Promise<T>): Promise<T> {
    try {
      return await act();
    } finally {
      this.clear();
    }
  }

  clear(): void {
    if (this.visible) void this.io.stderr.write('\r\x1b[2K');
    this.visible = false;
  }
}
