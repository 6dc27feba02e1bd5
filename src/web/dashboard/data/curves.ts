/** Runs as what a chart draws. */
import type { ChartBand, ChartSeries, ChartX } from '../../shared/chart-options.ts';
import { drawn, type RoundPoint, type Run, type Summary } from './history.ts';
import type { Metric } from './metric.ts';

export type Along = 'round' | 'elapsed';

/** From the opening of a run: its first round has taken time, too, which nobody has noted. */
function xOf(points: readonly RoundPoint[], along: Along): number[] {
  const [first] = points;
  return points.map(({ round, closedMs }) =>
    along === 'round' ? round : (closedMs - (first?.closedMs ?? 0)) / 1000,
  );
}

function axis(values: readonly number[], along: Along): ChartX {
  return { label: along === 'round' ? 'Round' : 'Time', values, kind: along };
}

export interface GapCurve {
  readonly x: ChartX;
  readonly series: readonly ChartSeries[];
}

export function gapCurve(run: Run | undefined, along: Along): GapCurve {
  const points = drawn(run?.points ?? []);
  const values = points.map(({ gap }) => gap);
  return {
    x: axis(xOf(points, along), along),
    series: [{ label: 'Relative gap', colour: 'series-1', values }],
  };
}

export interface MetricCurve extends GapCurve {
  /** Undefined: nobody has reported one in this run. */
  readonly metric: Metric | undefined;
  readonly bands: readonly ChartBand[];
}

export function metricCurve(run: Run | undefined, along: Along): MetricCurve {
  const points = drawn(run?.points.filter(({ tests }) => tests) ?? []);
  const metric = points.at(-1)?.tests?.metric;
  const own = (of: (summary: Summary) => number | null) => points.map(({ tests }) => of(tests!.own));
  const shared = points.map(({ tests }) => tests!.shared?.mean ?? null);
  const worst = own((summary) => summary.worst);
  const isShare = metric === 'balancedAccuracy';
  const within = (value: number) => (isShare ? Math.min(1, Math.max(0, value)) : Math.max(0, value));
  return {
    metric,
    x: axis(xOf(points, along), along),
    series: [
      { label: 'Own models', colour: 'series-1', values: own(({ mean }) => mean) },
      ...(shared.some((value) => value !== null)
        ? [{ label: 'Shared model', colour: 'series-2', values: shared }]
        : []),
      ...(worst.some((value) => value !== null)
        ? [{ label: 'Worst', colour: 'series-4', values: worst, shape: 'dash' as const }]
        : []),
    ],
    bands: [
      {
        label: 'Spread',
        colour: 'series-1',
        low: own(({ mean, spread }) => within(mean - spread)),
        high: own(({ mean, spread }) => within(mean + spread)),
      },
    ],
  };
}

/** One line of a comparison. */
export interface NamedRun {
  readonly label: string;
  readonly run: Run;
}

export type Compared = 'gap' | 'metric';

/** Several runs over one axis: each from its own beginning, with nothing where it has no point. */
export function overlaid(runs: readonly NamedRun[], along: Along, what: Compared): GapCurve {
  const lines = runs.map(({ label, run }) => {
    const points = drawn(what === 'gap' ? run.points : run.points.filter(({ tests }) => tests));
    const from = run.points[0];
    const at = points.map(({ round, closedMs }) =>
      along === 'round' ? round - from.round + 1 : (closedMs - from.closedMs) / 1000,
    );
    const value = (point: RoundPoint) => (what === 'gap' ? point.gap : (point.tests?.own.mean ?? null));
    return { label, values: new Map(points.map((point, i) => [at[i], value(point)])) };
  });
  const xs = [...new Set(lines.flatMap(({ values }) => [...values.keys()]))].sort((a, b) => a - b);
  return {
    x: axis(xs, along),
    series: lines.map(({ label, values }, i) => ({
      label,
      colour: `series-${(i % 6) + 1}`,
      values: filled(xs, values),
    })),
  };
}

/** Between two points of its own a line holds its value, so that it is one line; not beyond its end. */
function filled(xs: readonly number[], values: ReadonlyMap<number, number | null>): (number | null)[] {
  const end = Math.max(...values.keys());
  let last: number | null = null;
  return xs.map((x) => {
    if (x > end) return null;
    last = values.get(x) ?? last;
    return last;
  });
}
