/** One recording: samples at the common rate, as many as it takes. A gap in what the sensor delivers begins it anew. */
import type { Activity } from '../../data/motion-signals.ts';
import { RECORDING } from '../../data/motion-windows.ts';

export class Recorder {
  readonly activity: Activity;
  private readonly samples = new Float64Array(3 * RECORDING);
  private held = 0;

  constructor(activity: Activity) {
    this.activity = activity;
  }

  /** Of what is needed, in [0, 1]. */
  get share(): number {
    return this.held / RECORDING;
  }

  /** All samples, once they are there. */
  push(x: number, y: number, z: number): Float64Array | undefined {
    this.samples.set([x, y, z], 3 * this.held++);
    return this.held === RECORDING ? this.samples : undefined;
  }

  reset(): void {
    this.held = 0;
  }
}
