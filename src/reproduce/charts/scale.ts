/** From values to places along an axis. */
import type { Axis } from './figure.ts';
import { decadeLabels, linearTicks, logTicks, roundStep, roundUp, tickLabels } from './ticks.ts';

export interface Tick {
  readonly value: number;
  readonly label: string;
}

export interface Scale {
  readonly low: number;
  readonly high: number;
  readonly ticks: readonly Tick[];
  readonly minor: readonly number[];
  /** 0 at the low end, 1 at the high end; may lie outside. */
  place(value: number): number;
}

/** Tight: from the first value to the last. Padded: some air. Round: on to the next tick or half tick. */
export type Fit = 'tight' | 'padded' | 'round';

/** Larger numbers are no measurement, and their differences would overflow. */
const MOST = 1e100;

export function drawable(value: number | undefined, scale: Axis['scale'] = 'linear'): value is number {
  return typeof value === 'number' && Math.abs(value) <= MOST && (scale === 'linear' || value >= 1 / MOST);
}

/** Undefined where there is nothing to place. */
export function scaleOf(
  axis: Axis,
  data: readonly (number | undefined)[],
  wanted: number,
  fit: Fit,
): Scale | undefined {
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (const value of data) {
    if (!drawable(value, axis.scale)) continue;
    if (value < low) low = value;
    if (value > high) high = value;
  }
  if (low > high) return undefined;
  return axis.scale === 'log'
    ? logScale(axis, low, high, wanted, fit)
    : linearScale(axis, low, high, wanted, fit);
}

function linearScale(axis: Axis, low: number, high: number, wanted: number, fit: Fit): Scale {
  const air = fit === 'padded' ? 0.04 * (high - low) : 0;
  [low, high] = fixedEnds(axis, low - air, high + air);
  const size = Math.max(Math.abs(low), Math.abs(high));
  // One value only, or so little between them that the digits run out.
  if (!(high - low > 1e-9 * size && high - low > 1 / MOST)) {
    const half = size > 1 / MOST ? 0.05 * size : 0.5;
    [low, high] = [low - half, low + half];
  }
  if (fit === 'round') {
    // Half a step: a whole one would leave up to a third of the panel empty.
    const step = roundStep((high - low) / wanted) / 2;
    if (!drawable(axis.low)) low = Number((Math.floor(low / step + 1e-6) * step).toPrecision(12));
    if (!drawable(axis.high)) high = Number((Math.ceil(high / step - 1e-6) * step).toPrecision(12));
  }
  const values = linearTicks(low, high, wanted);
  const labels = tickLabels(values);
  const [from, width] = [low, high - low];
  return {
    low,
    high,
    ticks: values.map((value, i) => ({ value, label: labels[i] })),
    minor: [],
    place: (value) => (value - from) / width,
  };
}

function logScale(axis: Axis, low: number, high: number, wanted: number, fit: Fit): Scale {
  const air = fit === 'padded' ? (high / low) ** 0.04 : 1;
  [low, high] = fixedEnds(axis, low / air, high * air);
  if (!(high > low * (1 + 1e-6))) [low, high] = [low / 2, low * 2];
  if (fit === 'round') {
    if (!drawable(axis.low, 'log')) low = roundDown(low);
    if (!drawable(axis.high, 'log')) high = roundUp(high);
  }
  const { values, minor } = logTicks(low, high, wanted);
  const decades = values.every((value) => value.toExponential().startsWith('1e'));
  const labels = decades ? decadeLabels(values) : plainLabels(values);
  const [from, width] = [Math.log10(low), Math.log10(high) - Math.log10(low)];
  return {
    low,
    high,
    ticks: values.map((value, i) => ({ value, label: labels[i] })),
    minor,
    place: (value) => (Math.log10(value) - from) / width,
  };
}

/** Each with its own digits, unless the ticks are as close as on a linear axis. */
function plainLabels(values: readonly number[]): string[] {
  const wide = values.length > 1 && values[values.length - 1] / values[0] >= 5;
  return wide ? values.map((value) => tickLabels([value])[0]) : tickLabels(values);
}

/** The ends that are asked for, unless they leave no room between them. */
function fixedEnds(axis: Axis, low: number, high: number): [number, number] {
  const first = drawable(axis.low, axis.scale) ? axis.low : low;
  const last = drawable(axis.high, axis.scale) ? axis.high : high;
  return first <= last ? [first, last] : [low, high];
}

function roundDown(value: number): number {
  const above = roundUp(value);
  if (above <= value * (1 + 1e-9)) return above;
  const lead = Number(above.toExponential().split('e')[0]);
  return Number((lead === 5 ? above * 0.4 : above / 2).toPrecision(12));
}
