/**
 * Windows of acceleration, cut as in UCI HAR: 2.56 s at 50 samples a second, each overlapping the one before by half. Sensors deliver at times of
 * their own; what lies between two samples is interpolated, and a longer gap begins anew.
 */

/** Acceleration with gravity, in m/s². */
export interface Sample {
  readonly atMs: number;
  readonly x: number;
  readonly y: number;
  readonly z: number;
}

export const RATE = 50;
export const WINDOW = 128;
export const STEP = WINDOW / 2;
export const STEP_MS = (1000 * STEP) / RATE;
/** So many windows of a recording are learnt from; those behind them that share no sample with them are kept for testing. */
export const LEARNT = 4;
export const KEPT = 2;
/** Of a recording: 10.24 s, in samples at the common rate. */
export const RECORDING = WINDOW + STEP * (LEARNT - 1) + WINDOW + STEP * (KEPT - 1);
export const RECORDING_MS = (1000 * RECORDING) / RATE;

/** x, y and z of each sample, one after the other: WINDOW x 3. */
export type Window = Float64Array;

/** Beyond this there is no telling what happened in between. */
const LONGEST_GAP_MS = 250;
const PERIOD_MS = 1000 / RATE;

/** Samples at whatever times to samples at the common rate. */
export class Resampler {
  private last: Sample | undefined;
  private nextMs = 0;
  private readonly onSample: (x: number, y: number, z: number) => void;
  private readonly onGap: () => void;

  constructor(onSample: (x: number, y: number, z: number) => void, onGap: () => void = () => {}) {
    this.onSample = onSample;
    this.onGap = onGap;
  }

  push(sample: Sample): void {
    const { last } = this;
    // Two events of one moment, or a clock that was set back.
    if (last && sample.atMs <= last.atMs) return;
    this.last = sample;
    if (!last || sample.atMs - last.atMs > LONGEST_GAP_MS) {
      if (last) this.onGap();
      this.nextMs = sample.atMs;
    }
    const from = last ?? sample;
    for (; this.nextMs <= sample.atMs; this.nextMs += PERIOD_MS) {
      const span = sample.atMs - from.atMs;
      const share = span > 0 ? Math.max(0, (this.nextMs - from.atMs) / span) : 1;
      const between = (a: number, b: number) => a + share * (b - a);
      this.onSample(between(from.x, sample.x), between(from.y, sample.y), between(from.z, sample.z));
    }
  }
}

/** The last samples at the common rate; gives a window at every step. */
export class WindowCutter {
  private readonly ring = new Float64Array(3 * WINDOW);
  private held = 0;
  private sinceWindow = 0;
  private readonly onWindow: (window: Window) => void;

  constructor(onWindow: (window: Window) => void) {
    this.onWindow = onWindow;
  }

  push(x: number, y: number, z: number): void {
    const { ring } = this;
    if (this.held === WINDOW) ring.copyWithin(0, 3);
    else this.held++;
    ring.set([x, y, z], 3 * (this.held - 1));
    this.sinceWindow++;
    if (this.held < WINDOW || this.sinceWindow < STEP) return;
    this.sinceWindow = 0;
    this.onWindow(ring.slice());
  }

  /** What comes next has nothing to do with what was. */
  reset(): void {
    this.held = 0;
    this.sinceWindow = 0;
  }
}

/** Samples of one recording, RECORDING x 3, cut into windows to learn from and windows to test on, which share no sample. */
export function recordingWindows(samples: Float64Array): {
  readonly learnt: readonly Window[];
  readonly kept: readonly Window[];
} {
  const at = (step: number) => samples.slice(3 * step * STEP, 3 * (step * STEP + WINDOW));
  const behind = LEARNT + 1;
  return {
    learnt: Array.from({ length: LEARNT }, (_, i) => at(i)),
    kept: Array.from({ length: KEPT }, (_, i) => at(behind + i)),
  };
}
