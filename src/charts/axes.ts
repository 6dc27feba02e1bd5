/** What surrounds a plot: title, axes, grid; and the marks that panels have in common. A panel is drawn from its own upper left corner. */
import { extent, max } from 'd3-array';
import type { Axis } from './figure.ts';
import { drawable, type Scale, scaleOf } from './scale.ts';
import { SIZE } from './style.ts';
import { element, type Frame, line, type Place, text } from './svg.ts';
import { BOLD, textWidth, wrapped } from './text-width.ts';

/** The room of a panel around its plot. Panels of one figure share it, so that their plots line up. */
export interface Room {
  readonly width: number;
  readonly left: number;
  readonly top: number;
  readonly plotHeight: number;
}

/** A panel before it has its room. */
export interface Sheet {
  /** What the vertical axis is of. */
  readonly unit: string;
  /** What the numbers of the vertical axis need. */
  readonly left: number;
  /** With so much on the left. */
  bottom(left: number): number;
  /** Undefined: there is nothing to draw. */
  draw(room: Room, id: string): string[] | undefined;
}

const RIGHT = 18;
const TITLE_LINE = 17;
const UNIT_LINE = 15;
const TICK_LINE = 20;
const MIDDLE = { 'text-anchor': 'middle' } as const;

export function plotOf({ width, left, top, plotHeight }: Room): Frame {
  return { left, top, width: Math.max(20, width - left - RIGHT), height: plotHeight };
}

const titleLines = (title: string, width: number) => wrapped(title, width, SIZE.panel * BOLD, 3);
const unitLines = (title: string, width: number) => wrapped(title, width, SIZE.tick, 2);

/** Panel title and unit. */
export function heightAbove(width: number, title: string, unit = ''): number {
  const units = unitLines(unit, width).length;
  return 8 + TITLE_LINE * titleLines(title, width).length + (units > 0 ? UNIT_LINE * units + 4 : 0);
}

/** Numbers and the other unit. */
export function heightBelow(width: number, unit: string): number {
  return TICK_LINE + UNIT_LINE * unitLines(unit, width).length + 6;
}

export function widthBeside(scale: Scale | undefined): number {
  const widest = max(scale?.ticks ?? [], ({ label }) => textWidth(label, SIZE.tick)) ?? 0;
  return Math.max(30, Math.ceil(widest) + 14);
}

export function verticalScale(axis: Axis, data: readonly (number | undefined)[], height: number) {
  return scaleOf(axis, data, Math.max(3, Math.floor(height / 42)), 'round');
}

/** As many numbers as stand beside each other without touching. */
export function horizontalScale(
  axis: Axis,
  data: readonly number[],
  width: number,
  fit: 'tight' | 'padded',
): Scale | undefined {
  const ends = extent(data);
  for (let wanted = Math.max(3, Math.floor(width / 56)); ; wanted--) {
    const scale = scaleOf(axis, ends, wanted, fit);
    if (scale === undefined || wanted <= 3 || labelsFit(scale, width)) return scale;
  }
}

function labelsFit({ ticks, place }: Scale, width: number): boolean {
  const half = (i: number) => textWidth(ticks[i].label, SIZE.tick) / 2;
  const at = (i: number) => place(ticks[i].value) * width;
  return ticks.every((_, i) => i === 0 || at(i) - at(i - 1) >= half(i) + half(i - 1) + 8);
}

/** Panel title, and the title of the vertical axis where it is read without turning the head. */
export function drawHead({ width, top }: Room, title: string, unit = ''): string[] {
  const units = unitLines(unit, width);
  const first = top - 9 - UNIT_LINE * (units.length - 1);
  return [
    ...titleLines(title, width).map((words, i) => text(0, 14 + TITLE_LINE * i, words, { class: 'kc-panel' })),
    ...units.map((words, i) => text(0, first + UNIT_LINE * i, words, { class: 'kc-unit' })),
  ];
}

export function drawVertical(room: Room, scale: Scale): string[] {
  const { left, top, width, height } = plotOf(room);
  const up = (value: number) => top + height * (1 - scale.place(value));
  const across = (value: number, style: string) =>
    line([left, up(value)], [left + width, up(value)], { class: style });
  return [
    ...scale.minor.map((value) => across(value, 'kc-fine')),
    ...scale.ticks.map(({ value }) => across(value, 'kc-grid')),
    ...scale.ticks.map(({ value, label }) =>
      text(left - 7, up(value) + 4, label, { class: 'kc-tick', 'text-anchor': 'end' }),
    ),
  ];
}

export function drawHorizontal(room: Room, scale: Scale, title: string): string[] {
  const { left, top, width, height } = plotOf(room);
  const floor = top + height;
  const at = (value: number) => left + width * scale.place(value);
  const mark = (value: number, length: number) =>
    line([at(value), floor], [at(value), floor + length], { class: 'kc-axis' });
  /** Centred on a place, but never past the edge of the panel. */
  const centred = (x: number, y: number, words: string, style: string) => {
    const half = textWidth(words, SIZE.tick) / 2;
    return text(Math.max(half, Math.min(room.width - half, x)), y, words, { class: style, ...MIDDLE });
  };
  return [
    ...scale.minor.map((value) => mark(value, 3)),
    ...scale.ticks.map(({ value }) => mark(value, 5)),
    ...scale.ticks.map(({ value, label }) => centred(at(value), floor + 17, label, 'kc-tick')),
    ...unitLines(title, room.width).map((words, i) =>
      centred(left + width / 2, floor + TICK_LINE + 13 + UNIT_LINE * i, words, 'kc-unit'),
    ),
  ];
}

export function drawCorner(room: Room): string {
  const { left, top, width, height } = plotOf(room);
  return element('path', { class: 'kc-axis', d: `M${left} ${top}v${height}h${width}` });
}

export function shade({ left, top, width, height }: Frame): string {
  return element('rect', { class: 'kc-shade', x: left, y: top, width, height });
}

export function drawNoData(room: Room): string[] {
  const plot = plotOf(room);
  const [x, y] = [plot.left + plot.width / 2, plot.top + plot.height / 2 + 4];
  return [shade(plot), text(x, y, 'no data', { class: 'kc-none', ...MIDDLE })];
}

/** A dot with its spread as whiskers; what lies outside the plot is left out, not cut. */
export function drawDot(
  plot: Frame,
  [x, y]: Place,
  spread: readonly (number | undefined)[],
  { colour, radius, cap }: { readonly colour: string; readonly radius: number; readonly cap: number },
): string {
  const bottom = plot.top + plot.height;
  const inside =
    x >= plot.left - 1 && x <= plot.left + plot.width + 1 && y >= plot.top - 1 && y <= bottom + 1;
  if (!inside) return '';
  const style = { class: 'kc-whisker', stroke: colour };
  const ends = spread.filter((end) => drawable(end)).map((end) => Math.min(bottom, Math.max(plot.top, end)));
  const whisker =
    ends.length === 2
      ? [
          line([x, ends[0]], [x, ends[1]], style),
          ...ends.map((end) => line([x - cap, end], [x + cap, end], style)),
        ]
      : [];
  return [...whisker, element('circle', { class: 'kc-dot', cx: x, cy: y, r: radius, fill: colour })].join('');
}
