/** Bars to both sides of zero, a row for each name, with whiskers and a mark for their sum. */
import {
  drawHorizontal,
  heightBelow,
  horizontalScale,
  plotOf,
  type Room,
  type Sheet,
  shade,
} from './axes.ts';
import type { AcrossPanel, Bar } from './figure.ts';
import { drawable, type Scale } from './scale.ts';
import { MARK_COLOUR, SIZE } from './style.ts';
import { element, type Frame, line, text } from './svg.ts';
import { shortened, textWidth } from './text-width.ts';

const BAR = 9;
const WIDEST_NAME = 190;

/** Of a row: its bars with some air. */
function bandOf({ rows }: AcrossPanel): number {
  return 10 + BAR * Math.max(1, ...rows.map(({ bars }) => bars.length));
}

export function acrossHeight(panel: AcrossPanel): number {
  return Math.max(1, panel.rows.length) * bandOf(panel);
}

export function acrossSheet(panel: AcrossPanel, width: number, plotHeight: number): Sheet {
  const names = panel.rows.map(({ name }) => shortened(name, WIDEST_NAME, SIZE.tick));
  const left = Math.ceil(Math.max(20, ...names.map((name) => textWidth(name, SIZE.tick))) + 10);
  const scaleIn = (room: Room) => horizontalScale(panel.x, valuesOf(panel), plotOf(room).width, 'padded');
  return {
    unit: '',
    left,
    bottom: () => heightBelow(width, panel.x.title),
    draw: (room) => {
      const scale = scaleIn({ ...room, plotHeight });
      if (scale === undefined) return undefined;
      const plot = plotOf(room);
      const band = bandOf(panel);
      const rows = panel.rows.map((_, r) => ({ ...plot, top: plot.top + r * band, height: band }));
      return [
        ...rows.filter((_, r) => r % 2 === 1).map(shade),
        ...gridOf(plot, scale),
        ...drawHorizontal(room, scale, panel.x.title),
        ...rows.map((frame, r) =>
          text(plot.left - 8, frame.top + band / 2 + 4, names[r], { class: 'kc-unit', 'text-anchor': 'end' }),
        ),
        ...panel.rows.flatMap(({ bars, mark }, r) => [
          ...bars.flatMap((bar, b) => drawBar(bar, scale, rows[r], b - (bars.length - 1) / 2)),
          ...drawMark(mark, scale, rows[r]),
        ]),
      ];
    },
  };
}

/** With zero, from which bars begin. */
function valuesOf({ rows, x }: AcrossPanel): number[] {
  const all = rows.flatMap(({ bars, mark }) => [
    mark,
    ...bars.flatMap(({ value, low, high }) => [value, low, high]),
  ]);
  const values = all.filter((value) => drawable(value, x.scale));
  return values.length === 0 || x.scale === 'log' ? values : [0, ...values];
}

function gridOf({ left, top, width, height }: Frame, scale: Scale): string[] {
  const at = (value: number) => left + width * scale.place(value);
  const down = (value: number, style: string) =>
    line([at(value), top], [at(value), top + height], { class: style });
  const lines = scale.ticks.map(({ value }) => down(value, value === 0 ? 'kc-axis' : 'kc-grid'));
  return [...lines, line([left, top + height], [left + width, top + height], { class: 'kc-axis' })];
}

/** `place`: so many bars below the middle of the row. */
function drawBar(
  { name, colour, value, low, high }: Bar,
  scale: Scale,
  frame: Frame,
  place: number,
): string[] {
  const across = acrossIn(scale, frame);
  const to = across(value);
  if (to === undefined) return [];
  const from = across(0) ?? frame.left;
  const y = frame.top + frame.height / 2 + place * BAR;
  const size = { x: Math.min(from, to), y: y - BAR / 2 + 0.5, width: Math.abs(to - from), height: BAR - 1 };
  const ends = [across(low), across(high)];
  const whisker =
    ends[0] === undefined || ends[1] === undefined
      ? []
      : [
          line([ends[0], y], [ends[1], y], { class: 'kc-whisker', stroke: MARK_COLOUR }),
          ...[ends[0], ends[1]].map((x) =>
            line([x, y - 3], [x, y + 3], { class: 'kc-whisker', stroke: MARK_COLOUR }),
          ),
        ];
  return [element('g', { 'aria-label': name }, element('rect', { ...size, fill: colour }), ...whisker)];
}

function drawMark(mark: number | undefined, scale: Scale, frame: Frame): string[] {
  const x = acrossIn(scale, frame)(mark);
  if (x === undefined) return [];
  const [top, bottom] = [frame.top + 3, frame.top + frame.height - 3];
  return [line([x, top], [x, bottom], { stroke: MARK_COLOUR, 'stroke-width': 2 })];
}

/** Inside the plot; what lies outside ends at its edge. */
function acrossIn(scale: Scale, { left, width }: Frame): (value: number | undefined) => number | undefined {
  return (value) =>
    drawable(value) && Number.isFinite(scale.place(value))
      ? left + width * Math.min(1, Math.max(0, scale.place(value)))
      : undefined;
}
