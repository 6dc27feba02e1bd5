/**
 * Curves: a metric over time, as a training made it. A model holds until the next one, so a curve is a staircase, and
 * curves of several repeats are averaged on a common grid of times.
 */
import type { Point } from '../charts/figure.ts';
import { estimate } from './statistics.ts';

export interface Curve {
  /** Milliseconds of virtual time, rising. */
  readonly atMs: readonly number[];
  /** Mean over participants at each time. */
  readonly metric: readonly number[];
}

/** The value that holds at a time; undefined before the first. */
export function valueAt({ atMs, metric }: Curve, ms: number): number | undefined {
  return metric[atMs.findLastIndex((time) => time <= ms)];
}

export function finalOf({ metric }: Curve): number {
  return metric[metric.length - 1];
}

/** When the metric first reaches a target; Infinity: never. */
export function timeTo({ atMs, metric }: Curve, target: number): number {
  const place = metric.findIndex((value) => value >= target);
  return place < 0 ? Number.POSITIVE_INFINITY : atMs[place];
}

/** The mean of the metric from 0 to a time: who is early and stays high has much of it. `before` holds until there is a model. */
export function areaUnder(curve: Curve, untilMs: number, before: number): number {
  const steps = 400;
  let sum = 0;
  for (let i = 1; i <= steps; i++) sum += valueAt(curve, (untilMs * i) / steps) ?? before;
  return sum / steps;
}

/**
 * How unstable a curve is: the largest fall below the best value so far, after the first time it came within `near` of
 * its best. What comes before is the way up.
 */
export function largestDrop({ metric }: Curve, near = 0.05): number {
  const best = Math.max(...metric);
  const start = metric.findIndex((value) => value >= best - near);
  let [highest, drop] = [Number.NEGATIVE_INFINITY, 0];
  for (const value of metric.slice(start)) {
    highest = Math.max(highest, value);
    drop = Math.max(drop, highest - value);
  }
  return drop;
}

/** Mean and 95% interval of several curves on a grid of times, from where all of them have begun. */
export function averaged(curves: readonly Curve[], untilMs: number, places = 160): Point[] {
  const begin = Math.max(...curves.map(({ atMs }) => atMs[0]));
  const points: Point[] = [];
  for (let i = 0; i <= places; i++) {
    const ms = begin + ((untilMs - begin) * i) / places;
    const values = curves.map((curve) => valueAt(curve, ms)).filter((value) => value !== undefined);
    if (values.length < curves.length) continue;
    const { mean, low, high } = estimate(values);
    points.push({ x: ms / 1000, y: mean, low, high });
  }
  return points;
}
