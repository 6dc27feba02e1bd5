/** From values to places along an axis, with round numbers on it. */
import { bisectLeft, bisectRight, extent, ticks as linearTicks } from 'd3-array';
import { scaleLinear, scaleLog, tickFormat } from 'd3-scale';
import type { Axis } from './figure.ts';

export interface Scale {
  readonly low: number;
  readonly high: number;
  readonly ticks: readonly { readonly value: number; readonly label: string }[];
  readonly minor: readonly number[];
  /** 0 at the low end, 1 at the high end; may lie outside. */
  place(value: number): number;
}

/** Tight: from the first value to the last. Padded: some air. Round: on to the next tick or half tick. */
type Fit = 'tight' | 'padded' | 'round';

/** Larger numbers are no measurement, and their differences would overflow. */
const MOST = 1e100;

export function drawable(value: number | undefined, scale: Axis['scale'] = 'linear'): value is number {
  return typeof value === 'number' && Math.abs(value) <= MOST && (scale === 'linear' || value >= 1 / MOST);
}

/** About `wanted` ticks, never fewer than two. Undefined where there is no value to place. */
export function scaleOf(
  axis: Axis,
  data: readonly (number | undefined)[],
  wanted: number,
  fit: Fit,
): Scale | undefined {
  const [low, high] = extent(data.filter((value) => drawable(value, axis.scale)));
  if (low === undefined) return undefined;
  return (axis.scale === 'log' ? logScale : linearScale)(axis, low, high!, wanted, fit);
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
  // Half a step: a whole one would leave up to a third of the panel empty.
  if (fit === 'round') {
    const [below, above] = scaleLinear([low, high], [0, 1])
      .nice(2 * wanted)
      .domain();
    if (!drawable(axis.low)) low = below;
    if (!drawable(axis.high)) high = above;
  }
  const ticks = labelled(linearTicks(low, high, wanted), low, high, wanted);
  return { low, high, ticks, minor: [], place: scaleLinear([low, high], [0, 1]) };
}

function logScale(axis: Axis, low: number, high: number, wanted: number, fit: Fit): Scale {
  const air = fit === 'padded' ? (high / low) ** 0.04 : 1;
  [low, high] = fixedEnds(axis, low / air, high * air);
  if (!(high > low * (1 + 1e-6))) [low, high] = [low / 2, low * 2];
  if (fit === 'round') {
    const whole = scaleLog([low, high], [0, 1]).nice();
    // More than there are decades: d3 then gives all multiples in them.
    const round = whole.ticks(Math.log10(high / low) + 3).filter((value) => '125'.includes(leadOf(value)));
    if (!drawable(axis.low, 'log')) low = round[bisectRight(round, low) - 1] ?? low;
    if (!drawable(axis.high, 'log')) high = round[bisectLeft(round, high)] ?? high;
  }
  const place = scaleLog([low, high], [0, 1]);
  const all = place.ticks(wanted);
  const decades = all.filter((value) => leadOf(value) === '1');
  if (decades.length >= 2) return { low, high, place, ...majors(all, decades, powers(decades)) };
  const round = all.filter((value) => '125'.includes(leadOf(value)));
  if (round.length >= 2 && round.length <= wanted + 1)
    return { low, high, place, ...majors(all, round, plain(round)) };
  return { low, high, place, minor: [], ticks: labelled(linearTicks(low, high, wanted), low, high, wanted) };
}

/** Decades where there are two or more; else 1, 2, 5; in a range narrower than that the multiples of a step. */
function majors(all: readonly number[], chosen: readonly number[], labels: readonly string[]) {
  const ticks = chosen.map((value, i) => ({ value, label: labels[i] }));
  return { ticks, minor: all.filter((value) => !chosen.includes(value)) };
}

/** The first digit; 'many' where there are more of them than one. */
function leadOf(value: number): string {
  const [digits] = Number(value.toPrecision(12)).toExponential().split('e');
  return digits.length === 1 ? digits : 'many';
}

/** The ends that are asked for, unless they leave no room between them. */
function fixedEnds(axis: Axis, low: number, high: number): [number, number] {
  const first = drawable(axis.low, axis.scale) ? axis.low : low;
  const last = drawable(axis.high, axis.scale) ? axis.high : high;
  return first <= last ? [first, last] : [low, high];
}

/** One way of writing for all ticks of an axis. */
function labelled(values: readonly number[], low: number, high: number, wanted: number): Scale['ticks'] {
  const most = Math.max(...values.map(Math.abs));
  const kind = most >= 1e12 || most < 1e-3 ? 'e' : most >= 1e5 ? 's' : 'f';
  const format = tickFormat(low, high, wanted, kind);
  return values.map((value) => ({ value, label: value === 0 ? '0' : format(value).replace('e+', 'e') }));
}

/** Each with its own digits. */
function plain(values: readonly number[]): string[] {
  return values.map((value) => labelled([value], 0, value, 1)[0].label);
}

/** Powers of ten, written as such as soon as one of them is long. */
function powers(values: readonly number[]): string[] {
  const exponents = values.map((value) => Math.round(Math.log10(value)));
  if (exponents.every((e) => e >= -3 && e <= 4)) return plain(values);
  return exponents.map(
    (e) => `10${[...String(e)].map((c) => (c === '-' ? '⁻' : '⁰¹²³⁴⁵⁶⁷⁸⁹'[Number(c)])).join('')}`,
  );
}
