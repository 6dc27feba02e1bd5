/** The last seconds of motion, for a curve: a ring of samples that is drawn from the oldest on. */
import { RATE } from '../../data/motion-windows.ts';

const SECONDS = 5;

export class Trace {
  static readonly length = SECONDS * RATE;
  private readonly ring = new Float64Array(3 * Trace.length);
  private pushed = 0;

  push(x: number, y: number, z: number): void {
    this.ring.set([x, y, z], 3 * (this.pushed++ % Trace.length));
  }

  get count(): number {
    return Math.min(this.pushed, Trace.length);
  }

  clear(): void {
    this.pushed = 0;
  }

  /** Whatever its sign. */
  get largest(): number {
    return this.ring.subarray(0, 3 * this.count).reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  }

  /** Axis 0 to 2; `i` counts from the oldest on. */
  value(i: number, axis: number): number {
    const first = this.pushed - this.count;
    return this.ring[3 * ((first + i) % Trace.length) + axis];
  }
}
