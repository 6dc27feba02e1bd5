import { describe, expect, test } from 'vitest';
import { FEATURES, featuresOf } from '../../src/data/motion-features.ts';
import { RATE, WINDOW, type Window } from '../../src/data/motion-windows.ts';

/** A window from what each axis does at time t, in seconds. */
function windowOf(at: (t: number) => readonly [number, number, number]): Window {
  const window = new Float64Array(3 * WINDOW);
  for (let i = 0; i < WINDOW; i++) window.set(at(i / RATE), 3 * i);
  return window;
}

function feature(window: Window, name: string): number {
  expect(FEATURES).toContain(name);
  return featuresOf(window)[FEATURES.indexOf(name)];
}

/** Of a whole number of turns in a window. */
const HZ = (4 * RATE) / WINDOW;
const wave = (t: number, hz = HZ) => Math.sin(2 * Math.PI * hz * t);

describe('features of a window', () => {
  test('there is one number for each name, and all are finite', () => {
    for (const window of [windowOf(() => [0, 0, 0]), windowOf((t) => [wave(t), 9.8, t])]) {
      const values = featuresOf(window);
      expect(values).toHaveLength(FEATURES.length);
      expect([...values].every(Number.isFinite)).toBe(true);
    }
    expect(new Set(FEATURES).size).toBe(FEATURES.length);
  });

  test('a phone that lies still: gravity and nothing else', () => {
    const still = windowOf(() => [0, 0, 9.81]);
    expect(feature(still, 'gravity along z')).toBeCloseTo(9.81, 5);
    for (const name of FEATURES.filter((name) => !name.startsWith('gravity')))
      expect(feature(still, name), name).toBeCloseTo(0, 5);
  });

  test('the sign of gravity does not matter: Apple counts the other way round', () => {
    const up = windowOf((t) => [0.3 * wave(t), 9.81, wave(t, 2 * HZ)]);
    const down = up.map((value) => -value);
    expect([...featuresOf(down)]).toEqual([...featuresOf(up)]);
  });

  test('a wave: its spread, its rhythm, its energy', () => {
    const waving = windowOf((t) => [2 * wave(t), 0, 0]);
    expect(feature(waving, 'spread along x')).toBeCloseTo(Math.SQRT2, 5);
    expect(feature(waving, 'main rhythm')).toBeCloseTo(HZ, 5);
    expect(feature(waving, 'share of the main rhythm')).toBeCloseTo(1, 5);
    expect(feature(waving, 'energy of the movement')).toBeCloseTo(Math.log1p(2), 5);
    expect(feature(waving, 'energy from 1 to 3 Hz')).toBeCloseTo(Math.log1p(2), 5);
    expect(feature(waving, 'energy below 1 Hz')).toBeCloseTo(0, 5);
  });

  test('of two waves the stronger is the main rhythm', () => {
    const both = windowOf((t) => [wave(t), 3 * wave(t, 3 * HZ), 0]);
    expect(feature(both, 'main rhythm')).toBeCloseTo(3 * HZ, 5);
    expect(feature(both, 'share of the main rhythm')).toBeCloseTo(0.9, 5);
  });

  test('axes that move together, against each other, and on their own', () => {
    const moving = windowOf((t) => [wave(t), 2 * wave(t), wave(t, 2 * HZ)]);
    expect(feature(moving, 'x and y together')).toBeCloseTo(1, 5);
    expect(feature(moving, 'x and z together')).toBeCloseTo(0, 5);
    const against = windowOf((t) => [wave(t), -wave(t), 0]);
    expect(feature(against, 'x and y together')).toBeCloseTo(-1, 5);
    expect(feature(against, 'y and z together')).toBe(0);
  });

  test('jerk grows with the speed of the movement, the range with its size', () => {
    const slow = windowOf((t) => [0, 9.81 + wave(t), 0]);
    const fast = windowOf((t) => [0, 9.81 + wave(t, 4 * HZ), 0]);
    expect(feature(fast, 'jerk')).toBeGreaterThan(feature(slow, 'jerk') + 1);
    expect(feature(slow, 'range of the strength')).toBeCloseTo(2, 1);
    // Mean of |change| of a wave: 4 times its size in each turn.
    expect(Math.expm1(feature(slow, 'jerk'))).toBeCloseTo(4 * HZ, 0);
  });
});
