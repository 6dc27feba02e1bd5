/** Virtual time: a queue of what will happen, in order of time, then in order of being put in. */
export interface ScheduledEvent {
  readonly atMs: number;
  readonly run: () => void;
}

interface Entry extends ScheduledEvent {
  readonly place: number;
}

/** A binary heap. */
export class EventQueue {
  now = 0;
  private readonly heap: Entry[] = [];
  private placed = 0;

  get size(): number {
    return this.heap.length;
  }

  at(atMs: number, run: () => void): void {
    const { heap } = this;
    heap.push({ atMs: Math.max(atMs, this.now), run, place: this.placed++ });
    let i = heap.length - 1;
    while (i > 0) {
      const parent = (i - 1) >> 1;
      if (!before(heap[i], heap[parent])) break;
      [heap[i], heap[parent]] = [heap[parent], heap[i]];
      i = parent;
    }
  }

  /** Lets the next thing happen; false when there is none, or none before `untilMs`. */
  next(untilMs = Number.POSITIVE_INFINITY): boolean {
    const { heap } = this;
    if (heap.length === 0 || heap[0].atMs > untilMs) return false;
    const [first] = heap;
    const last = heap.pop()!;
    if (heap.length > 0) {
      heap[0] = last;
      this.sink();
    }
    this.now = first.atMs;
    first.run();
    return true;
  }

  private sink(): void {
    const { heap } = this;
    let i = 0;
    for (;;) {
      let least = i;
      for (const child of [2 * i + 1, 2 * i + 2]) {
        if (child < heap.length && before(heap[child], heap[least])) least = child;
      }
      if (least === i) return;
      [heap[i], heap[least]] = [heap[least], heap[i]];
      i = least;
    }
  }
}

function before(a: Entry, b: Entry): boolean {
  return a.atMs < b.atMs || (a.atMs === b.atMs && a.place < b.place);
}
