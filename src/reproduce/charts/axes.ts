/** What surrounds a plot: title, axes, grid. A panel is drawn from its own upper left corner. */
import { element, type Frame, line, text } from '../../sim/svg.ts';
import type { Axis } from './figure.ts';
import { type Fit, type Scale, scaleOf } from './scale.ts';
import { SIZE } from './style.ts';
import { BOLD, textWidth, wrapped } from './words.ts';

/** The room of a panel around its plot. Panels of one figure share it, so that their plots line up. */
export interface Room {
  readonly width: number;
  readonly left: number;
  readonly top: number;
  readonly bottom: number;
  readonly plotHeight: number;
}

export type Margins = Pick<Room, 'left' | 'top' | 'bottom'>;

const RIGHT = 18;
const TITLE_LINE = 17;
const UNIT_LINE = 15;
const TICK_LINE = 20;

export function plotOf(room: Room): Frame {
  const width = Math.max(20, room.width - room.left - RIGHT);
  return { left: room.left, top: room.top, width, height: room.plotHeight };
}

/** Beside what: the widest number; above: panel title and unit; below: numbers and the other unit. */
export function marginsOf(width: number, title: string, y?: Axis, x?: Axis, scale?: Scale): Margins {
  const widest = Math.max(0, ...(scale?.ticks ?? []).map(({ label }) => textWidth(label, SIZE.tick)));
  const units = y ? unitLines(y.title, width).length : 0;
  return {
    left: y ? Math.max(30, Math.ceil(widest) + 14) : 4,
    top: 8 + TITLE_LINE * titleLines(title, width).length + UNIT_LINE * units + (units > 0 ? 4 : 0),
    bottom: x ? TICK_LINE + UNIT_LINE * unitLines(x.title, width).length + 6 : 6,
  };
}

export function verticalScale(axis: Axis, data: readonly (number | undefined)[], height: number, fit: Fit) {
  return scaleOf(axis, data, Math.max(3, Math.floor(height / 42)), fit);
}

/** As many numbers as stand beside each other without touching. */
export function horizontalScale(
  axis: Axis,
  data: readonly (number | undefined)[],
  width: number,
  fit: Fit,
): Scale | undefined {
  for (let wanted = Math.max(3, Math.floor(width / 56)); ; wanted--) {
    const scale = scaleOf(axis, data, wanted, fit);
    if (scale === undefined || wanted <= 3 || labelsFit(scale, width)) return scale;
  }
}

function labelsFit({ ticks, place }: Scale, width: number): boolean {
  return ticks.every(({ value, label }, i) => {
    if (i === 0) return true;
    const room = (place(value) - place(ticks[i - 1].value)) * width;
    return room >= (textWidth(label, SIZE.tick) + textWidth(ticks[i - 1].label, SIZE.tick)) / 2 + 8;
  });
}

/** Panel title, and the title of the vertical axis where it is read without turning the head. */
export function drawHead(room: Room, title: string, yTitle = ''): string[] {
  const units = unitLines(yTitle, room.width);
  const first = room.top - 9 - UNIT_LINE * (units.length - 1);
  return [
    ...titleLines(title, room.width).map((words, i) =>
      text(0, 14 + TITLE_LINE * i, words, { class: 'kc-panel' }),
    ),
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
  const middle = { 'text-anchor': 'middle' };
  return [
    ...scale.minor.map((value) => mark(value, 3)),
    ...scale.ticks.map(({ value }) => mark(value, 5)),
    ...scale.ticks.map(({ value, label }) => {
      const half = textWidth(label, SIZE.tick) / 2;
      const inside = Math.min(room.width - half, Math.max(half, at(value)));
      return text(inside, floor + 17, label, { class: 'kc-tick', ...middle });
    }),
    ...unitLines(title, room.width).map((words, i) =>
      text(centreOf(room, words), floor + TICK_LINE + 13 + UNIT_LINE * i, words, {
        class: 'kc-unit',
        ...middle,
      }),
    ),
  ];
}

/** Under the middle of the plot, but never past the edge of the panel. */
function centreOf(room: Room, words: string): number {
  const { left, width } = plotOf(room);
  const half = textWidth(words, SIZE.tick) / 2;
  return Math.max(half, Math.min(room.width - half, left + width / 2));
}

/** The two axis lines. */
export function drawCorner(room: Room): string {
  const { left, top, width, height } = plotOf(room);
  return element('path', { class: 'kc-axis', d: `M${left} ${top}v${height}h${width}` });
}

export function drawNoData(room: Room): string[] {
  const { left, top, width, height } = plotOf(room);
  return [
    element('rect', { class: 'kc-shade', x: left, y: top, width, height }),
    text(left + width / 2, top + height / 2 + 4, 'no data', { class: 'kc-none', 'text-anchor': 'middle' }),
  ];
}

function titleLines(title: string, width: number): string[] {
  return wrapped(title, width, SIZE.panel * BOLD, 3);
}

function unitLines(title: string, width: number): string[] {
  return wrapped(title, width, SIZE.tick, 2);
}
