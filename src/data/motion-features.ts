/**
 * What a window of acceleration is described by: numbers that a linear model can use, each with a name that people understand.
 *
 * Only sizes of the means are used, not their signs: browsers of Apple's devices count every axis the other way round.
 */
import { RATE, WINDOW, type Window } from './motion-windows.ts';

const AXES = ['x', 'y', 'z'] as const;

export const FEATURES: readonly string[] = [
  ...AXES.map((axis) => `gravity along ${axis}`),
  ...AXES.map((axis) => `spread along ${axis}`),
  'spread of the strength',
  'range of the strength',
  'energy of the movement',
  'x and y together',
  'y and z together',
  'x and z together',
  'main rhythm',
  'share of the main rhythm',
  'energy below 1 Hz',
  'energy from 1 to 3 Hz',
  'energy from 3 to 8 Hz',
  'jerk',
];

/** In the order of FEATURES. Energies and jerk as logarithms: shaking is a thousand times as strong as sitting. */
export function featuresOf(window: Window): Float64Array {
  const axes = AXES.map((_, a) => Float64Array.from({ length: WINDOW }, (_, i) => window[3 * i + a]));
  const means = axes.map(mean);
  const moving = axes.map((axis, a) => axis.map((value) => value - means[a]));
  const spreads = moving.map((axis) => Math.sqrt(mean(axis.map(square))));
  const strength = Float64Array.from({ length: WINDOW }, (_, i) =>
    Math.hypot(axes[0][i], axes[1][i], axes[2][i]),
  );
  const energy = spreads.reduce((sum, spread) => sum + spread * spread, 0);
  const spectrum = powerOf(moving);
  const { frequency, share } = mainRhythm(spectrum);
  return rounded([
    ...means.map(Math.abs),
    ...spreads,
    Math.sqrt(mean(strength.map((value) => square(value - mean(strength))))),
    strength.reduce((a, b) => Math.max(a, b)) - strength.reduce((a, b) => Math.min(a, b)),
    Math.log1p(energy),
    correlation(moving, spreads, 0, 1),
    correlation(moving, spreads, 1, 2),
    correlation(moving, spreads, 0, 2),
    frequency,
    share,
    Math.log1p(band(spectrum, 0, 1)),
    Math.log1p(band(spectrum, 1, 3)),
    Math.log1p(band(spectrum, 3, 8)),
    Math.log1p(jerkOf(axes)),
  ]);
}

/** Engines may round sines and logarithms differently in the last bits; six decimals are the same everywhere. */
function rounded(values: readonly number[]): Float64Array {
  return Float64Array.from(values, (value) => Math.round(1e6 * value) / 1e6);
}

function mean(values: Float64Array): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function square(value: number): number {
  return value * value;
}

/** Where nothing moves there is nothing to correlate. */
const STILL = 1e-9;

function correlation(
  moving: readonly Float64Array[],
  spreads: readonly number[],
  a: number,
  b: number,
): number {
  const size = spreads[a] * spreads[b];
  return size < STILL ? 0 : mean(moving[a].map((value, i) => value * moving[b][i])) / size;
}

/** Mean size of the change from sample to sample, in m/s³. */
function jerkOf(axes: readonly Float64Array[]): number {
  let sum = 0;
  for (let i = 1; i < WINDOW; i++) sum += Math.hypot(...axes.map((axis) => axis[i] - axis[i - 1]));
  return (RATE * sum) / (WINDOW - 1);
}

/** Faster movement than this is noise of the sensor. */
const HIGHEST_HZ = 10;
const BINS = Math.floor((HIGHEST_HZ * WINDOW) / RATE);

/** One turn of a circle in WINDOW steps: an angle of bin k at sample i is step k * i of it. */
const COS = Float64Array.from({ length: WINDOW }, (_, i) => Math.cos((2 * Math.PI * i) / WINDOW));
const SIN = Float64Array.from({ length: WINDOW }, (_, i) => Math.sin((2 * Math.PI * i) / WINDOW));

/** Power at each multiple of RATE / WINDOW, from the first on, of all axes together; in all about the energy (Parseval). */
function powerOf(moving: readonly Float64Array[]): Float64Array {
  return Float64Array.from({ length: BINS }, (_, bin) => {
    let power = 0;
    for (const axis of moving) {
      let [re, im] = [0, 0];
      for (let i = 0; i < WINDOW; i++) {
        const step = ((bin + 1) * i) % WINDOW;
        re += axis[i] * COS[step];
        im += axis[i] * SIN[step];
      }
      power += (2 * (re * re + im * im)) / (WINDOW * WINDOW);
    }
    return power;
  });
}

function frequencyOf(bin: number): number {
  return ((bin + 1) * RATE) / WINDOW;
}

/** 0 where nothing moves. */
function mainRhythm(spectrum: Float64Array): { readonly frequency: number; readonly share: number } {
  const total = spectrum.reduce((sum, power) => sum + power, 0);
  let main = 0;
  for (let bin = 1; bin < spectrum.length; bin++) if (spectrum[bin] > spectrum[main]) main = bin;
  return total < STILL
    ? { frequency: 0, share: 0 }
    : { frequency: frequencyOf(main), share: spectrum[main] / total };
}

function band(spectrum: Float64Array, fromHz: number, belowHz: number): number {
  return spectrum.reduce((sum, power, bin) => {
    const frequency = frequencyOf(bin);
    return frequency >= fromHz && frequency < belowHz ? sum + power : sum;
  }, 0);
}
