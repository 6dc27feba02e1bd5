/**
 * What has arrived and is still to be taken, in order. It is taken in slices of some milliseconds: while thousands of frames wait, leases are
 * renewed, beats are sent and answers of the store are read between them. What would take too much memory is lost, as NATS may lose it.
 */
const SLICE_MS = 10;
const MOST_BYTES = 128 * 1024 * 1024;

interface Arrived {
  readonly bytes: number;
  take(): void;
}

export class Inbox {
  private waiting: Arrived[] = [];
  private next = 0;
  private bytes = 0;
  private isDue = false;

  /** False: it was lost. */
  put(bytes: number, take: () => void): boolean {
    if (this.bytes + bytes > MOST_BYTES) return false;
    this.bytes += bytes;
    this.waiting.push({ bytes, take });
    this.goOn();
    return true;
  }

  private goOn(): void {
    if (this.isDue) return;
    this.isDue = true;
    setImmediate(() => this.slice());
  }

  private slice(): void {
    const endMs = performance.now() + SLICE_MS;
    this.isDue = false;
    try {
      while (this.next < this.waiting.length && performance.now() < endMs) {
        const { bytes, take } = this.waiting[this.next++];
        this.bytes -= bytes;
        take();
      }
    } finally {
      if (this.next === this.waiting.length) this.clear();
      else this.goOn();
    }
  }

  private clear(): void {
    this.waiting = [];
    this.next = 0;
  }
}
