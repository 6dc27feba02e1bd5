/** Virtual time: a queue of what will happen, in order of time, then in order of being put in. */
interface Entry {
  readonly atMs: number;
  /** Undefined: it has been taken back. */
  run: (() => void) | undefined;
  readonly place: number;
}

/** Taken back entries stay where they are until they are most of what there is. */
const LEAST_TO_CLEAR = 1024;

/** A binary heap. */
export class EventQueue {
  now = 0;
  private readonly heap: Entry[] = [];
  private placed = 0;
  private dead = 0;

  get size(): number {
    return this.heap.length;
  }

  /** Gives a way to take it back. */
  at(atMs: number, run: () => void): () => void {
    const entry: Entry = { atMs: Math.max(atMs, this.now), run, place: this.placed++ };
    this.heap.push(entry);
    this.rise(this.heap.length - 1);
    return () => this.takeBack(entry);
  }

  /** A retry far away, set anew with every message, would otherwise be kept for ever. */
  private takeBack(entry: Entry): void {
    if (!entry.run) return;
    entry.run = undefined;
    this.dead++;
    const { heap } = this;
    if (this.dead < LEAST_TO_CLEAR || this.dead < heap.length / 2) return;
    const alive = heap.filter(({ run }) => run);
    heap.length = 0;
    this.dead = 0;
    // Sorted is a heap; the order of what happens depends on time and place alone.
    for (const left of alive.sort((a, b) => (before(a, b) ? -1 : 1))) heap.push(left);
  }

  private rise(i: number): void {
    const { heap } = this;
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
    const { run } = first;
    if (!run) {
      this.dead--;
      return true;
    }
    this.now = first.atMs;
    // It happens now: taking it back later changes nothing.
    first.run = undefined;
    run();
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
