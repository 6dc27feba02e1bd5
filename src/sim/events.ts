/** Virtual time: a queue of events, in order of time, then in the order in which they were scheduled. */
import TinyQueue from 'tinyqueue';

interface Event {
  readonly atMs: number;
  readonly place: number;
  /** Undefined: cancelled, or run already. */
  run: (() => void) | undefined;
}

/** Cancelled events stay where they are until they are most of the queue. */
const LEAST_TO_CLEAR = 1024;

const byTime = (a: Event, b: Event) => a.atMs - b.atMs || a.place - b.place;

export class EventQueue {
  now = 0;
  private queue = new TinyQueue<Event>([], byTime);
  private scheduled = 0;
  private cancelled = 0;

  get size(): number {
    return this.queue.length;
  }

  /** Returns a function that cancels it. */
  at(atMs: number, run: () => void): () => void {
    const event: Event = { atMs: Math.max(atMs, this.now), place: this.scheduled++, run };
    this.queue.push(event);
    return () => this.cancel(event);
  }

  /** A retry far ahead, scheduled again with every message, would otherwise be kept for ever. */
  private cancel(event: Event): void {
    if (!event.run) return;
    event.run = undefined;
    this.cancelled++;
    if (this.cancelled < LEAST_TO_CLEAR || this.cancelled < this.queue.length / 2) return;
    this.queue = new TinyQueue(
      this.queue.data.filter(({ run }) => run),
      byTime,
    );
    this.cancelled = 0;
  }

  /** Runs the next event; false when there is none, or none before `untilMs`. */
  next(untilMs = Number.POSITIVE_INFINITY): boolean {
    const first = this.queue.peek();
    if (!first || first.atMs > untilMs) return false;
    this.queue.pop();
    const { run } = first;
    if (!run) {
      this.cancelled--;
      return true;
    }
    this.now = first.atMs;
    // From now on it cannot be cancelled.
    first.run = undefined;
    run();
    return true;
  }
}
