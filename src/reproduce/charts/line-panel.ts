/** Curves over a numeric axis: lines, staircases or dots, with their spread. */
import { element, line } from '../../sim/svg.ts';
import {
  drawCorner,
  drawHead,
  drawHorizontal,
  drawNoData,
  drawVertical,
  horizontalScale,
  type Margins,
  marginsOf,
  plotOf,
  type Room,
  verticalScale,
} from './axes.ts';
import type { Axis, LinePanel, Series } from './figure.ts';
import { pathData, staircase } from './path-data.ts';
import { drawable, type Scale } from './scale.ts';
import { distinct, type Placed, thinned, within } from './thin.ts';

export function lineMargins(panel: LinePanel, width: number, plotHeight: number): Margins {
  return marginsOf(width, panel.title, panel.y, panel.x, scaleUp(panel, plotHeight));
}

export function drawLinePanel(panel: LinePanel, room: Room, id: string): string[] {
  const { left, top, width, height } = plotOf(room);
  const dots = panel.series.some(({ shape }) => shape === 'dots');
  const valid = validPoints(panel);
  const x = horizontalScale(
    panel.x,
    valid.flat().map((point) => point.x),
    width,
    dots ? 'padded' : 'tight',
  );
  const y = scaleUp(panel, room.plotHeight);
  const head = drawHead(room, panel.title, panel.y.title);
  if (x === undefined || y === undefined) return [...head, ...drawNoData(room)];
  const frame: Drawing = { x, y, room, up: panel.y.scale };
  const curves = panel.series.map((series, s) => ({ series, places: placesOf(valid[s], series, frame) }));
  // The first series is the one that matters most: it lies on top.
  curves.reverse();
  // A pixel of air, or a curve along the edge would lose half its width.
  const clip = element('rect', { x: left - 1, y: top - 1, width: width + 2, height: height + 2 });
  return [
    ...head,
    ...drawVertical(room, y),
    ...drawHorizontal(room, x, panel.x.title),
    element('clipPath', { id }, clip),
    element(
      'g',
      { 'clip-path': `url(#${id})` },
      [...curves.map(drawBand), ...curves.map(drawCurve)].join('') || undefined,
    ),
    drawCorner(room),
    ...curves.flatMap((curve) => drawDots(curve, frame)),
  ];
}

interface Drawing {
  readonly x: Scale;
  readonly y: Scale;
  readonly room: Room;
  readonly up: Axis['scale'];
}

interface Curve {
  readonly series: Series;
  readonly places: readonly Placed[];
}

/** A point counts only if it has a place on both axes. */
function validPoints(panel: LinePanel) {
  return panel.series.map(({ points }) =>
    points.filter(({ x, y }) => drawable(x, panel.x.scale) && drawable(y, panel.y.scale)),
  );
}

function scaleUp(panel: LinePanel, height: number): Scale | undefined {
  const values = validPoints(panel)
    .flat()
    .flatMap(({ y, low, high }) => [y, low, high]);
  return verticalScale(panel.y, values, height, 'round');
}

function placesOf(points: Series['points'], { shape }: Series, { x, y, room, up: kind }: Drawing): Placed[] {
  const { left, top, width, height } = plotOf(room);
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

function drawCurve({ series, places }: Curve): string {
  if (series.shape === 'dots' || places.length === 0) return '';
  const straight = places.map(({ x, y }) => [x, y] as const);
  const d = pathData(series.shape === 'steps' ? staircase(straight) : straight);
  return element('path', { class: 'kc-line', stroke: series.colour, 'stroke-dasharray': series.dash, d });
}

/** One surface for each run of points that have a spread. */
function drawBand({ series, places }: Curve): string {
  if (series.shape === 'dots') return '';
  const runs: Placed[][] = [[]];
  for (const place of places) {
    if (place.low !== undefined) runs[runs.length - 1].push(place);
    else if (runs[runs.length - 1].length > 0) runs.push([]);
  }
  const edge = (run: Placed[], side: 'low' | 'high') => {
    const straight = run.map((place) => [place.x, place[side]!] as const);
    return series.shape === 'steps' ? staircase(straight) : straight;
  };
  return runs
    .filter((run) => run.length > 1)
    .map((run) => `${pathData([...edge(run, 'high'), ...[...edge(run, 'low')].reverse()])}z`)
    .map((d) => element('path', { class: 'kc-band', fill: series.colour, d }))
    .join('');
}

/** Dots are left out, not cut, where they fall outside. */
function drawDots({ series, places }: Curve, { room }: Drawing): string[] {
  if (series.shape !== 'dots') return [];
  const { left, top, width, height } = plotOf(room);
  const inside = ({ x, y }: Placed) =>
    x >= left - 1 && x <= left + width + 1 && y >= top - 1 && y <= top + height + 1;
  const kept = (value: number) => Math.min(top + height, Math.max(top, value));
  const style = { class: 'kc-whisker', stroke: series.colour };
  return places.filter(inside).map(({ x, y, low, high }) => {
    const ends = low === undefined ? [] : [kept(low), kept(high!)];
    const caps = ends.map((end) => line([x - 3, end], [x + 3, end], style)).join('');
    const whisker = ends.length > 0 ? line([x, ends[0]], [x, ends[1]], style) : '';
    return whisker + caps + element('circle', { class: 'kc-dot', cx: x, cy: y, r: 3.4, fill: series.colour });
  });
}
