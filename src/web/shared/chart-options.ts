/** What uPlot is given for a chart of ours: axes, scales and lines in the colours of the page. */
import uPlot from 'uplot';
import { elapsedSteps, elapsedText, powersOfTen } from './chart-ticks.ts';
import { cssColour, translucent } from './css-colour.ts';

export interface ChartSeries {
  readonly label: string;
  /** A custom property of the style sheet, without dashes. */
  readonly colour: string;
  readonly values: readonly (number | null)[];
  readonly shape?: 'line' | 'dash' | 'bars';
}

/** Between two series, by their places. */
export interface ChartBand {
  readonly label: string;
  readonly colour: string;
  readonly low: readonly (number | null)[];
  readonly high: readonly (number | null)[];
}

/** A level to reach, across the whole width. */
export interface ChartLine {
  readonly value: number;
  readonly label: string;
}

export interface ChartX {
  readonly label: string;
  readonly values: readonly number[];
  /** Whole numbers, or seconds since the start. */
  readonly kind: 'round' | 'elapsed';
}

export interface ChartY {
  readonly scale: 'linear' | 'log';
  format(value: number): string;
  /** Always in view; the rest follows from the data. */
  readonly include?: readonly number[];
  /** Never beyond. */
  readonly most?: number;
}

export interface ChartContent {
  readonly x: ChartX;
  readonly y: ChartY;
  readonly series: readonly ChartSeries[];
  readonly bands?: readonly ChartBand[];
  readonly line?: ChartLine | undefined;
}

const FONT = '11px system-ui, -apple-system, "Segoe UI", Roboto, "Liberation Sans", sans-serif';

/** Changes only if the chart has to be made anew. */
export function structureOf({ x, y, series, bands = [], line }: ChartContent): string {
  const lines = series.map(({ label, colour, shape = 'line' }) => `${label}|${colour}|${shape}`);
  return [x.kind, x.label, y.scale, line?.value, bands.map(({ colour }) => colour), ...lines].join(';');
}

/** x, the series, then low and high of each band. */
export function alignedData({ x, y, series, bands = [] }: ChartContent): uPlot.AlignedData {
  const columns = [...series.map(({ values }) => values), ...bands.flatMap(({ high, low }) => [high, low])];
  // A logarithm has no place for zero and below.
  const drawn = (value: number | null) => (y.scale === 'log' && value !== null && value <= 0 ? null : value);
  return [x.values as number[], ...columns.map((values) => values.map(drawn))] as uPlot.AlignedData;
}

export function chartOptions(
  content: ChartContent,
  size: { readonly width: number; readonly height: number },
  hooks: { readonly sync: string | undefined; onCursor(index: number | null): void },
): uPlot.Options {
  const { series, bands = [], line } = content;
  const border = cssColour('border');
  return {
    ...size,
    legend: { show: false },
    cursor: {
      y: false,
      ...(hooks.sync !== undefined && { sync: { key: hooks.sync, setSeries: false } }),
      points: { size: 6, width: 0, fill: (self, i) => String(strokeOf(self, i)) },
      drag: { x: true, y: false, dist: 6 },
    },
    scales: { x: { time: false, range: xRange }, y: yScale(content) },
    axes: [xAxis(content, border), yAxis(content, border)],
    series: [{}, ...series.map(lineOf), ...bands.flatMap(() => [edge(), edge()])],
    bands: bands.map(({ colour }, i) => ({
      series: [series.length + 1 + 2 * i, series.length + 2 + 2 * i] as uPlot.Band.Bounds,
      fill: translucent(cssColour(colour), 0.14),
    })),
    hooks: {
      setCursor: [({ cursor }) => hooks.onCursor(cursor.idx ?? null)],
      ...(line && { drawAxes: [(self: uPlot) => drawLine(self, line)] }),
    },
    padding: [8, 8, 0, 0],
  };
}

/** Uniform: every point is a round, also if there is only one. */
function xRange(_: uPlot, least: number, most: number): uPlot.Range.MinMax {
  return least === most ? [least - 1, most + 1] : [least, most];
}

function strokeOf({ series }: uPlot, i: number): unknown {
  const { stroke } = series[i];
  return typeof stroke === 'function' ? stroke(null as unknown as uPlot, i) : stroke;
}

function yScale({ y, line }: ChartContent): uPlot.Scale {
  const include = [...(y.include ?? []), ...(line ? [line.value] : [])];
  const range = (_: uPlot, least: number | null, most: number | null): uPlot.Range.MinMax => {
    const low = Math.min(least ?? Number.POSITIVE_INFINITY, ...include);
    const high = Math.max(most ?? Number.NEGATIVE_INFINITY, ...include);
    if (!Number.isFinite(low) || !Number.isFinite(high)) return y.scale === 'log' ? [1e-4, 1] : [0, 1];
    if (y.scale === 'log') return uPlot.rangeLog(low, high, 10, true);
    const [from, to] = uPlot.rangeNum(low, high, 0.1, true);
    const least0 = low >= 0 ? Math.max(0, from ?? 0) : from;
    return [least0, y.most === undefined ? to : Math.min(y.most, to ?? y.most)];
  };
  return { range, ...(y.scale === 'log' && { distr: 3, log: 10 }) };
}

function axis(border: string): uPlot.Axis {
  return {
    stroke: cssColour('text-3'),
    font: FONT,
    grid: { stroke: border, width: 1 },
    ticks: { show: false },
    border: { show: false },
  };
}

function xAxis({ x }: ChartContent, border: string): uPlot.Axis {
  const label = { label: x.label, labelFont: FONT, labelSize: 16, labelGap: 0 };
  const base = { ...axis(border), ...label, size: 24, gap: 6, space: 64, grid: { show: false } };
  return x.kind === 'round'
    ? { ...base, incrs: WHOLE }
    : { ...base, incrs: elapsedSteps, values: (_, splits) => splits.map(elapsedText) };
}

const WHOLE = [1, 2, 5]
  .flatMap((n) => Array.from({ length: 9 }, (_, i) => n * 10 ** i))
  .sort((a, b) => a - b);

function yAxis({ y }: ChartContent, border: string): uPlot.Axis {
  return {
    ...axis(border),
    size: 52,
    gap: 6,
    space: 32,
    values: (_, splits) => splits.map((value) => (value === null ? '' : y.format(value))),
    ...(y.scale === 'log' && {
      splits: (self: uPlot, _: number, least: number, most: number) =>
        powersOfTen(least, most, Math.max(2, self.bbox.height / uPlot.pxRatio / 32)),
      filter: (_: uPlot, splits: number[]) => splits,
    }),
  };
}

function lineOf({ colour, shape = 'line' }: ChartSeries): uPlot.Series {
  const stroke = cssColour(colour);
  const points = { size: 5, width: 0, fill: stroke };
  if (shape === 'bars') {
    const paths = uPlot.paths.bars!({ size: [0.7, 24], radius: 0.2 });
    return { stroke, fill: translucent(stroke, 0.55), width: 0, paths, points: { show: false } };
  }
  return { stroke, width: shape === 'dash' ? 1.25 : 1.75, points, ...(shape === 'dash' && { dash: [4, 4] }) };
}

/** Of a band: it has its fill only. */
function edge(): uPlot.Series {
  return { width: 0, points: { show: false } };
}

function drawLine({ ctx, bbox, valToPos }: uPlot, { value, label }: ChartLine): void {
  const y = Math.round(valToPos(value, 'y', true));
  if (y < bbox.top || y > bbox.top + bbox.height) return;
  const ratio = uPlot.pxRatio;
  ctx.save();
  ctx.strokeStyle = ctx.fillStyle = cssColour('ok');
  ctx.lineWidth = ratio;
  ctx.setLineDash([3 * ratio, 3 * ratio]);
  ctx.beginPath();
  ctx.moveTo(bbox.left, y);
  ctx.lineTo(bbox.left + bbox.width, y);
  ctx.stroke();
  ctx.font = FONT.replace('11px', `${11 * ratio}px`);
  ctx.textAlign = 'right';
  const isLow = y > bbox.top + 24 * ratio;
  ctx.textBaseline = isLow ? 'bottom' : 'top';
  ctx.fillText(label, bbox.left + bbox.width - 4 * ratio, y + (isLow ? -3 : 3) * ratio);
  ctx.restore();
}
