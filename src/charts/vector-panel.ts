/** Arrows in the plane, both directions to one scale, names beside the heads. */
import { extent, minIndex } from 'd3-array';
import { plotOf, type Sheet, shade } from './axes.ts';
import type { Arrow, VectorPanel } from './figure.ts';
import { drawable } from './scale.ts';
import { SIZE } from './style.ts';
import { element, type Frame, line, type Place, text } from './svg.ts';
import { BOLD, shortened, textWidth } from './text-width.ts';

const HEAD = 9;
const NAME_SIZE = SIZE.name * BOLD;
const ABOVE = 26;

export function vectorSheet(panel: VectorPanel): Sheet {
  return {
    unit: '',
    left: 0,
    bottom: () => 6,
    draw: (room) => {
      const arrows = panel.arrows.filter(({ from, to }) =>
        [...from, ...to].every((value) => drawable(value)),
      );
      if (arrows.length === 0) return undefined;
      const frame = { ...plotOf(room), left: 4, width: room.width - 8 };
      const place = placing(arrows, frame);
      const drawn = arrows.map((arrow) => ({ arrow, from: place(arrow.from), to: place(arrow.to) }));
      return [
        shade(frame),
        ...drawCross(place([0, 0]), frame),
        ...drawn.map(drawArrow),
        ...drawNames(drawn, frame),
      ];
    },
  };
}

interface DrawnArrow {
  readonly arrow: Arrow;
  readonly from: Place;
  readonly to: Place;
}

/** The largest equal scale that leaves room for the names, which may stand outside all arrows. */
function placing(arrows: readonly Arrow[], { left, top, width, height }: Frame) {
  const ends = arrows.flatMap(({ from, to }) => [from, to]);
  const [x, y] = [0, 1].map((axis) => {
    const [low, high] = extent(ends, (end) => end[axis]) as [number, number];
    return { middle: low / 2 + high / 2, size: high - low };
  });
  const longest = Math.max(...arrows.map(({ name }) => textWidth(name ?? '', NAME_SIZE)));
  const across = Math.max(20, width - 2 * Math.min(0.3 * width, longest + 14));
  const unit = Math.max(x.size / across, y.size / Math.max(20, height - 2 * ABOVE), 1e-99);
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
function drawArrow({ arrow: { colour, dash }, from, to }: DrawnArrow): string {
  const [dx, dy] = [to[0] - from[0], to[1] - from[1]];
  const length = Math.sqrt(dx * dx + dy * dy);
  if (length < 1) return element('circle', { cx: to[0], cy: to[1], r: 3, fill: colour });
  const [ux, uy] = [dx / length, dy / length];
  const size = Math.min(HEAD, Math.max(4, length / 2));
  const neck: Place = [to[0] - ux * size, to[1] - uy * size];
  const wing = size * 0.42;
  const corners = [
    to,
    [neck[0] - uy * wing, neck[1] + ux * wing],
    [neck[0] + uy * wing, neck[1] - ux * wing],
  ];
  const points = corners.map(([x, y]) => `${x.toFixed(1)},${y.toFixed(1)}`).join(' ');
  const shaft = line(from, neck, { stroke: colour, 'stroke-width': 2, 'stroke-dasharray': dash });
  return shaft + element('polygon', { points, fill: colour });
}

/** An area that should stay uncovered, and how much that matters. */
interface Obstacle extends Frame {
  readonly weight: number;
}

/** Each name stands where it covers least: no arrow, no other name. */
function drawNames(drawn: readonly DrawnArrow[], frame: Frame): string[] {
  const obstacles = drawn.flatMap(along);
  return drawn.map((each) => {
    const { name, colour } = each.arrow;
    if (!name) return '';
    const words = shortened(name, frame.width / 2, NAME_SIZE);
    const box = freeBox(each, textWidth(words, NAME_SIZE), frame, obstacles);
    obstacles.push({ ...box, weight: 10 });
    const style = `fill:${darker(colour)}`;
    const attributes = { class: 'kc-tag', style, 'text-anchor': 'middle' };
    return text(box.left + box.width / 2, box.top + SIZE.name, words, attributes);
  });
}

/** Dark enough for words on white; a colour that is not written as #rrggbb gives the colour of all other words. */
function darker(colour: string): string {
  if (!/^#[0-9a-f]{6}$/i.test(colour)) return '#1a1f26';
  const parts = [1, 3, 5].map((at) => Math.round(0.6 * Number.parseInt(colour.slice(at, at + 2), 16)));
  return `rgb(${parts.join(' ')})`;
}

/** Small boxes along a shaft. */
function along({ from, to }: DrawnArrow): Obstacle[] {
  const steps = Math.min(60, 2 + Math.ceil((Math.abs(to[0] - from[0]) + Math.abs(to[1] - from[1])) / 8));
  return Array.from({ length: steps + 1 }, (_, i) => {
    const [x, y] = [0, 1].map((axis) => from[axis] + ((to[axis] - from[axis]) * i) / steps);
    return { left: x - 2, top: y - 2, width: 4, height: 4, weight: 1 };
  });
}

const DIRECTIONS = 16;
const RINGS = 5;

/** Of boxes around the head of an arrow, the one that covers least; straight on in its direction where that is free. */
function freeBox(
  { from, to }: DrawnArrow,
  width: number,
  frame: Frame,
  obstacles: readonly Obstacle[],
): Frame {
  const height = SIZE.name + 3;
  const [dx, dy] = [to[0] - from[0], to[1] - from[1]];
  const length = Math.sqrt(dx * dx + dy * dy) || 1;
  const kept = (value: number, first: number, room: number) => Math.max(first, Math.min(first + room, value));
  const tried = Array.from({ length: RINGS * DIRECTIONS }, (_, i) => {
    const angle = (2 * Math.PI * i) / DIRECTIONS;
    const [ax, ay] = [Math.cos(angle), Math.sin(angle)];
    const gap = 6 + 8 * Math.floor(i / DIRECTIONS);
    const left = kept(to[0] + ax * (gap + width / 2) - width / 2, frame.left, frame.width - width);
    const top = kept(to[1] + ay * (gap + height / 2) - height / 2, frame.top, frame.height - height);
    const box = { left, top, width, height };
    const turned = 1 - (ax * dx + ay * dy) / length;
    // Rounded, so that ties do not hang on the last bit of a cosine.
    return { box, cost: Math.round(1e3 * (100 * covered(box, obstacles) + turned + gap / 8)) };
  });
  return tried[minIndex(tried, ({ cost }) => cost)].box;
}

function covered(box: Frame, obstacles: readonly Obstacle[]): number {
  const touching = obstacles.filter(
    (other) =>
      other.left <= box.left + box.width + 2 &&
      other.left + other.width + 2 >= box.left &&
      other.top <= box.top + box.height + 1 &&
      other.top + other.height + 1 >= box.top,
  );
  return touching.reduce((sum, { weight }) => sum + weight, 0);
}
