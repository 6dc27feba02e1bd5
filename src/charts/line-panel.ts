/** Curves over a numeric axis: lines, staircases or dots, with their spread. */
import { area, curveLinear, curveStepAfter, line } from 'd3-shape';
import {
  drawCorner,
  drawDot,
  drawHorizontal,
  drawVertical,
  heightBelow,
  horizontalScale,
  plotOf,
  type Sheet,
  verticalScale,
  widthBeside,
} from './axes.ts';
import { distinct, Pen, type Placed, thinned, within } from './curve.ts';
import type { LinePanel, Series } from './figure.ts';
import { drawable, type Scale } from './scale.ts';
import { BAND_OPACITY } from './style.ts';
import { element, type Frame } from './svg.ts';

export function lineSheet(panel: LinePanel, width: number, plotHeight: number): Sheet {
  // A point counts only if it has a place on both axes.
  const valid = panel.series.map(({ points }) =>
    points.filter((point) => drawable(point.x, panel.x.scale) && drawable(point.y, panel.y.scale)),
  );
  const all = valid.flat();
  const values = all.flatMap((point) => [point.y, point.low, point.high]);
  const y = verticalScale(panel.y, values, plotHeight);
  const fit = panel.series.some(({ shape }) => shape === 'dots') ? 'padded' : 'tight';
  return {
    unit: panel.y.title,
    left: widthBeside(y),
    bottom: () => heightBelow(width, panel.x.title),
    draw: (room, id) => {
      const plot = plotOf(room);
      const xs = all.map((point) => point.x);
      const x = horizontalScale(panel.x, xs, plot.width, fit);
      if (x === undefined || y === undefined) return undefined;
      // The first series is the one that matters most: it lies on top.
      const curves = panel.series
        .map((series, s) => ({
          series,
          places: placesOf(valid[s], series, { x, y, plot, up: panel.y.scale }),
        }))
        .reverse();
      const { left, top, height } = plot;
      // A pixel of air, or a curve along the edge would lose half its width.
      const clip = element('rect', { x: left - 1, y: top - 1, width: plot.width + 2, height: height + 2 });
      return [
        ...drawVertical(room, y),
        ...drawHorizontal(room, x, panel.x.title),
        element('clipPath', { id }, clip),
        element(
          'g',
          { 'clip-path': `url(#${id})` },
          ...curves.map((curve) => drawBand(curve, curves.length)),
          ...curves.map(drawLine),
        ),
        drawCorner(room),
        ...curves.map((curve) => drawDots(curve, plot)),
      ];
    },
  };
}

interface Curve {
  readonly series: Series;
  readonly places: readonly Placed[];
}

interface Axes {
  readonly x: Scale;
  readonly y: Scale;
  readonly plot: Frame;
  readonly up: 'linear' | 'log';
}

function placesOf(points: Series['points'], { shape }: Series, { x, y, plot, up: kind }: Axes): Placed[] {
  const { left, top, width, height } = plot;
  // Far outside is far outside: renderers need no numbers beyond that.
  const near = (value: number) => Math.min(5000, Math.max(-5000, value));
  const up = (value: number) => near(top + height * (1 - y.place(value)));
  const places = points.map((point): Placed => {
    const whole = drawable(point.low, kind) && drawable(point.high, kind);
    const spread = whole ? { low: up(point.low!), high: up(point.high!) } : {};
    return { x: near(left + width * x.place(point.x)), y: up(point.y), ...spread };
  });
  if (shape === 'dots') return distinct(places);
  return thinned(within(places, left, left + width), left, width);
}

const curveOf = ({ shape }: Series) => (shape === 'steps' ? curveStepAfter : curveLinear);

function drawLine({ series, places }: Curve): string {
  if (series.shape === 'dots' || places.length === 0) return '';
  const d = lineData(places, curveOf(series));
  return element('path', { class: 'kc-line', stroke: series.colour, 'stroke-dasharray': series.dash, d });
}

/** The `d` of a path through the places. */
export function lineData(places: readonly Placed[], curve: typeof curveLinear): string {
  const pen = new Pen();
  const draw = line<Placed>(
    ({ x }) => x,
    ({ y }) => y,
  ).curve(curve);
  draw.context(pen as unknown as CanvasRenderingContext2D)([...places]);
  return String(pen);
}

/** More bands than that lie on each other: each is fainter. */
const MANY = 8;

/** One surface for each run of points that have a spread. */
function drawBand({ series, places }: Curve, bands: number): string {
  if (series.shape === 'dots' || !places.some(({ low }) => low !== undefined)) return '';
  const pen = new Pen();
  const draw = area<Placed>(
    ({ x }) => x,
    ({ low }) => low!,
    ({ high }) => high!,
  )
    .defined(({ low }) => low !== undefined)
    .curve(curveOf(series));
  draw.context(pen as unknown as CanvasRenderingContext2D)([...places]);
  const style = bands > MANY ? `fill-opacity:${(3 * BAND_OPACITY) / bands}` : undefined;
  return element('path', { class: 'kc-band', style, fill: series.colour, d: String(pen) });
}

function drawDots({ series: { shape, colour }, places }: Curve, plot: Frame): string {
  if (shape !== 'dots') return '';
  const style = { colour, radius: 3.4, cap: 3 };
  return places.map(({ x, y, low, high }) => drawDot(plot, [x, y], [low, high], style)).join('');
}
