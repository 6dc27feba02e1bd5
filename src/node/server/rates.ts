/** How often somebody has done something lately, for a bounded number of somebodies: beyond it the oldest is forgotten. */
interface RatesOptions {
  readonly now: () => number;
  readonly windowMs: number;
  /** In one window, by each. */
  readonly most: number;
  readonly mostKeys: number;
}

export class Rates {
  private readonly options: RatesOptions;
  private readonly counts = new Map<string, { readonly untilMs: number; count: number }>();

  constructor(options: RatesOptions) {
    this.options = options;
  }

  /** False: not now. */
  take(key: string): boolean {
    const { now, windowMs, most, mostKeys } = this.options;
    const nowMs = now();
    const known = this.counts.get(key);
    if (known && known.untilMs > nowMs) return known.count++ < most;
    this.counts.delete(key);
    if (this.counts.size >= mostKeys) {
      const [oldest] = this.counts.keys();
      this.counts.delete(oldest);
    }
    this.counts.set(key, { untilMs: nowMs + windowMs, count: 1 });
    return most > 0;
  }

  get size(): number {
    return this.counts.size;
  }
}
