/** Arrows in the plane, both directions to one scale, names beside the heads. */
import { element, type Frame, line, text } from '../../sim/svg.ts';
import { drawHead, drawNoData, type Margins, marginsOf, plotOf, type Room } from './axes.ts';
import { darker } from './colours.ts';
import type { Arrow, VectorPanel } from './figure.ts';
import { type Box, freeBox } from './labels.ts';
import { drawable } from './scale.ts';
import { SIZE } from './style.ts';
import { BOLD, shortened, textWidth } from './words.ts';

type Place = readonly [number, number];

const HEAD = 9;
const NAME_SIZE = SIZE.name * BOLD;
const ABOVE = 26;

export function vectorMargins(panel: VectorPanel, width: number): Margins {
  return marginsOf(width, panel.title);
}

export function drawVectorPanel(panel: VectorPanel, room: Room): string[] {
  const head = drawHead(room, panel.title);
  const arrows = panel.arrows.filter(({ from, to }) => [...from, ...to].every((value) => drawable(value)));
  if (arrows.length === 0) return [...head, ...drawNoData(room)];
  const frame = { ...plotOf(room), left: 4, width: room.width - 8 };
  const place = placing(arrows, frame);
  const drawn = arrows.map((arrow) => ({ arrow, from: place(arrow.from), to: place(arrow.to) }));
  return [
    ...head,
    element('rect', {
      class: 'kc-shade',
      x: frame.left,
      y: frame.top,
      width: frame.width,
      height: frame.height,
    }),
    ...drawCross(place([0, 0]), frame),
    ...drawn.map(drawArrow),
    ...drawNames(drawn, frame),
  ];
}

interface DrawnArrow {
  readonly arrow: Arrow;
  readonly from: Place;
  readonly to: Place;
}

/** The largest equal scale that leaves room for the names. */
function placing(arrows: readonly Arrow[], { left, top, width, height }: Frame) {
  const ends = arrows.flatMap(({ from, to }) => [from, to]);
  const range = (axis: 0 | 1) => {
    const values = ends.map((end) => end[axis]);
    const [low, high] = [Math.min(...values), Math.max(...values)];
    return { middle: low / 2 + high / 2, size: high - low };
  };
  const [x, y] = [range(0), range(1)];
  // Names may stand outside all arrows.
  const longest = Math.max(...arrows.map(({ name }) => textWidth(name ?? '', NAME_SIZE)));
  const side = Math.min(0.3 * width, longest + 14);
  const unit = Math.max(
    x.size / Math.max(20, width - 2 * side),
    y.size / Math.max(20, height - 2 * ABOVE),
    1e-99,
  );
  return (end: Place): Place => [
    left + width / 2 + (end[0] - x.middle) / unit,
    top + height / 2 - (end[1] - y.middle) / unit,
  ];
}

/** Where the coordinate axes run, if they pass here. */
function drawCross([x, y]: Place, { left, top, width, height }: Frame): string[] {
  const style = { stroke: '#c9d0d8', 'stroke-width': 1, 'stroke-dasharray': '2 3' };
  return [
    x > left && x < left + width ? line([x, top], [x, top + height], style) : '',
    y > top && y < top + height ? line([left, y], [left + width, y], style) : '',
  ];
}

/** The shaft ends inside the head, so that its tip stays sharp. A vector of no length is a dot. */
function drawArrow({ arrow, from, to }: DrawnArrow): string {
  const [dx, dy] = [to[0] - from[0], to[1] - from[1]];
  const length = Math.sqrt(dx * dx + dy * dy);
  if (length < 1) return element('circle', { cx: to[0], cy: to[1], r: 3, fill: arrow.colour });
  const [ux, uy] = [dx / length, dy / length];
  const size = Math.min(HEAD, Math.max(4, length / 2));
  const neck: Place = [to[0] - ux * size, to[1] - uy * size];
  const wing = size * 0.42;
  const corners: Place[] = [
    to,
    [neck[0] - uy * wing, neck[1] + ux * wing],
    [neck[0] + uy * wing, neck[1] - ux * wing],
  ];
  const points = corners.map(([x, y]) => `${x.toFixed(1)},${y.toFixed(1)}`).join(' ');
  const shaft = { stroke: arrow.colour, 'stroke-width': 2, 'stroke-dasharray': arrow.dash };
  return line(from, neck, shaft) + element('polygon', { points, fill: arrow.colour });
}

/** Each name stands where it covers least: no arrow, no other name. */
function drawNames(drawn: readonly DrawnArrow[], frame: Frame): string[] {
  const obstacles: Box[] = drawn.flatMap(({ from, to }) => along(from, to));
  return drawn.map(({ arrow, from, to }) => {
    if (!arrow.name) return '';
    const words = shortened(arrow.name, frame.width / 2, NAME_SIZE);
    const size = { width: textWidth(words, NAME_SIZE), height: SIZE.name + 3 };
    const box = freeBox(to, [to[0] - from[0], to[1] - from[1]], size, frame, obstacles);
    obstacles.push({ ...box, weight: 10 });
    return text(box.left + size.width / 2, box.top + SIZE.name, words, {
      class: 'kc-tag',
      style: `fill:${darker(arrow.colour)}`,
      'text-anchor': 'middle',
    });
  });
}

/** Small boxes along a shaft. */
function along(from: Place, to: Place): Box[] {
  const steps = Math.min(60, 2 + Math.ceil((Math.abs(to[0] - from[0]) + Math.abs(to[1] - from[1])) / 8));
  return Array.from({ length: steps + 1 }, (_, i) => {
    const [x, y] = [0, 1].map((axis) => from[axis] + ((to[axis] - from[axis]) * i) / steps);
    return { left: x - 2, top: y - 2, width: 4, height: 4, weight: 1 };
  });
}
