import { describe, expect, test } from 'vitest';
import {
  KEPT,
  LEARNT,
  RATE,
  RECORDING,
  Resampler,
  recordingWindows,
  type Sample,
  STEP,
  WINDOW,
  WindowCutter,
} from '../../src/data/motion-windows.ts';

function resampled(samples: readonly Sample[]) {
  const out: number[] = [];
  let gaps = 0;
  const resampler = new Resampler(
    (x) => out.push(x),
    () => gaps++,
  );
  for (const sample of samples) resampler.push(sample);
  return { out, gaps };
}

/** What a sensor at this rate sees of a line that rises by 1 a second. */
const rising = (hz: number, seconds: number, fromMs = 0) =>
  Array.from({ length: Math.floor(seconds * hz) + 1 }, (_, i) => {
    const atMs = fromMs + (1000 * i) / hz;
    return { atMs, x: atMs / 1000, y: 0, z: 0 };
  });

describe('samples at the common rate', () => {
  test.each([20, 50, 60, 100])('from a sensor at %i Hz', (hz) => {
    const { out, gaps } = resampled(rising(hz, 3));
    expect(gaps).toBe(0);
    expect(out.length).toBeGreaterThanOrEqual(3 * RATE);
    expect(out.length).toBeLessThanOrEqual(3 * RATE + 1);
    for (const [i, x] of out.entries()) expect(x).toBeCloseTo(i / RATE, 9);
  });

  test('a gap begins anew, and nothing is made up for it', () => {
    const { out, gaps } = resampled([...rising(50, 1), ...rising(50, 1, 5000)]);
    expect(gaps).toBe(1);
    expect(out.filter((x) => x > 1.001 && x < 4.999)).toEqual([]);
    expect(out).toHaveLength(2 * (RATE + 1));
  });

  test('events of one moment, or from the past, are left out', () => {
    const twice = rising(50, 1).flatMap((sample) => [
      sample,
      sample,
      { ...sample, atMs: sample.atMs - 30, x: 99 },
    ]);
    expect(resampled(twice).out).toEqual(resampled(rising(50, 1)).out);
  });
});

describe('windows', () => {
  test('come at every half, each with the last samples', () => {
    const windows: Float64Array[] = [];
    const cutter = new WindowCutter((window) => windows.push(window));
    for (let i = 0; i < WINDOW + 2 * STEP; i++) cutter.push(i, -i, 0);
    expect(windows.map((window) => window[0])).toEqual([0, STEP, 2 * STEP]);
    for (const window of windows) {
      expect(window).toHaveLength(3 * WINDOW);
      expect(window[3 * (WINDOW - 1)]).toBe(window[0] + WINDOW - 1);
      expect(window[1]).toBe(-window[0]);
    }
  });

  test('after a gap it takes a whole one', () => {
    let windows = 0;
    const cutter = new WindowCutter(() => windows++);
    for (let i = 0; i < WINDOW - 1; i++) cutter.push(i, 0, 0);
    cutter.reset();
    for (let i = 0; i < WINDOW - 1; i++) cutter.push(i, 0, 0);
    expect(windows).toBe(0);
    cutter.push(0, 0, 0);
    expect(windows).toBe(1);
  });

  test('of a recording: what is tested on shares no sample with what is learnt', () => {
    const samples = Float64Array.from({ length: 3 * RECORDING }, (_, i) => Math.floor(i / 3));
    const { learnt, kept } = recordingWindows(samples);
    expect([learnt.length, kept.length]).toEqual([LEARNT, KEPT]);
    for (const window of [...learnt, ...kept]) expect(window).toHaveLength(3 * WINDOW);
    const last = Math.max(...learnt.map((window) => window[window.length - 1]));
    const first = Math.min(...kept.map((window) => window[0]));
    expect(first).toBeGreaterThan(last);
    expect(Math.max(...kept.map((window) => window[window.length - 1]))).toBe(RECORDING - 1);
    expect(RECORDING / RATE).toBeCloseTo(10.24);
  });
});
