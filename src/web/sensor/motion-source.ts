/** Where samples of motion come from: the device, or somebody whose signals are played. */
import type { Sample } from '../../data/motion-windows.ts';

export interface MotionSource {
  /** Calls for every sample until `stop`. */
  start(onSample: (sample: Sample) => void): void;
  stop(): void;
}
