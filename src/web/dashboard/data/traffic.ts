/** Bytes a second, from totals that are seen now and then. */
const WINDOW_MS = 10_000;

interface Totals {
  readonly inBytes: number;
  readonly outBytes: number;
}

interface Seen extends Totals {
  readonly atMs: number;
}

export class Traffic {
  private readonly seen: Seen[] = [];

  note({ inBytes, outBytes }: Totals, atMs: number): void {
    const last = this.seen.at(-1);
    // The server has started anew, and counts from zero.
    if (last && (inBytes < last.inBytes || atMs < last.atMs)) this.seen.length = 0;
    this.seen.push({ inBytes, outBytes, atMs });
    while (this.seen.length > 2 && this.seen[1].atMs < atMs - WINDOW_MS) this.seen.shift();
  }

  /** Both ways together, over the last seconds; 0 where nothing has come for a while. */
  bytesPerSecond(nowMs: number): number {
    const first = this.seen[0];
    const last = this.seen.at(-1);
    if (!first || !last || first === last || nowMs - last.atMs > WINDOW_MS) return 0;
    const moved = last.inBytes + last.outBytes - first.inBytes - first.outBytes;
    return (1000 * moved) / Math.max(1, last.atMs - first.atMs);
  }
}
