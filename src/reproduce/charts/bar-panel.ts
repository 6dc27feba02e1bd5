/** Groups of values with their spread, side by side: dots and whiskers, since bars would have to start at zero. */
import { element, type Frame, line, text } from '../../sim/svg.ts';
import {
  drawCorner,
  drawHead,
  drawNoData,
  drawVertical,
  type Margins,
  marginsOf,
  plotOf,
  type Room,
  verticalScale,
} from './axes.ts';
import type { Bar, BarPanel } from './figure.ts';
import { drawable, type Scale } from './scale.ts';
import { SIZE } from './style.ts';
import { shortened, textWidth, wrapped } from './words.ts';

const NAME_LINE = 14;
const MOST_LINES = 3;
const SLANT = 35;
const SLANTED_WIDTH = 110;

/** With at least that much on the left: how names are set depends on what is left of the width. */
export function barMargins(panel: BarPanel, width: number, plotHeight: number, least: number): Margins {
  const margins = marginsOf(width, panel.title, panel.y, undefined, scaleUp(panel, plotHeight));
  const { top } = margins;
  const left = Math.max(least, margins.left);
  const { lines, slanted } = namesOf(panel, plotOf({ ...margins, left, width, plotHeight }));
  const depth = slanted
    ? 20 + 0.6 * Math.max(...lines.map(([words]) => textWidth(words, SIZE.tick)))
    : 12 + NAME_LINE * Math.max(1, ...lines.map((each) => each.length));
  return { left, top, bottom: Math.ceil(depth) };
}

export function drawBarPanel(panel: BarPanel, room: Room): string[] {
  const head = drawHead(room, panel.title, panel.y.title);
  const scale = scaleUp(panel, room.plotHeight);
  if (scale === undefined) return [...head, ...drawNoData(room)];
  const plot = plotOf(room);
  const { left, top, height } = plot;
  const band = plot.width / panel.groups.length;
  const shades = panel.groups.map((_, g) =>
    g % 2 === 1
      ? element('rect', { class: 'kc-shade', x: left + g * band, y: top, width: band, height })
      : '',
  );
  return [
    ...head,
    ...shades,
    ...drawVertical(room, scale),
    drawCorner(room),
    ...drawNames(panel, plot),
    ...panel.groups.flatMap(({ bars }, g) =>
      drawGroup(bars, scale, { ...plot, left: left + g * band, width: band }),
    ),
  ];
}

function scaleUp(panel: BarPanel, height: number): Scale | undefined {
  const values = panel.groups
    .flatMap(({ bars }) => bars)
    .filter(({ value }) => drawable(value, panel.y.scale))
    .flatMap(({ value, low, high }) => [value, low, high]);
  return verticalScale(panel.y, values, height, 'round');
}

function drawGroup(bars: readonly Bar[], scale: Scale, { left, top, width, height }: Frame): string[] {
  const gap = Math.min(26, (width * 0.84) / Math.max(1, bars.length));
  const cap = Math.min(4, gap / 3.5);
  const inside = (value: number) =>
    Math.min(top + height, Math.max(top, top + height * (1 - scale.place(value))));
  return bars.map(({ name, colour, value, low, high }, b) => {
    const x = left + width / 2 + (b - (bars.length - 1) / 2) * gap;
    const place = top + height * (1 - scale.place(value));
    // Also false for what has no place at all.
    if (!(place >= top - 1 && place <= top + height + 1)) return '';
    const style = { class: 'kc-whisker', stroke: colour };
    const [from, to] = [low, high].map((end) => (drawable(end) ? inside(end) : Number.NaN));
    const ends = [from, to].filter((end) => Number.isFinite(end));
    const whisker =
      ends.length === 2
        ? [line([x, from], [x, to], style), ...ends.map((y) => line([x - cap, y], [x + cap, y], style))].join(
            '',
          )
        : '';
    const dot = element('circle', {
      class: 'kc-dot',
      cx: x,
      cy: place,
      r: Math.min(4, gap / 2.6),
      fill: colour,
    });
    return element('g', { 'aria-label': name }, whisker + dot);
  });
}

/** Under their group, in lines; slanted when a single word is wider than its group. */
function namesOf(panel: BarPanel, { left, width }: Pick<Frame, 'left' | 'width'>) {
  const room = width / Math.max(1, panel.groups.length) - 6;
  const slanted = panel.groups.some(({ name }) =>
    name.split(/\s+/).some((word) => textWidth(word, SIZE.tick) > room),
  );
  // A slanted name must not run out of the panel on the left.
  const slantedRoom = (g: number) => Math.min(SLANTED_WIDTH, (left + (g + 0.5) * (room + 6)) / 0.85);
  const lines = panel.groups.map(({ name }, g) =>
    slanted ? [shortened(name, slantedRoom(g), SIZE.tick)] : wrapped(name, room, SIZE.tick, MOST_LINES),
  );
  return { lines, slanted };
}

function drawNames(panel: BarPanel, plot: Frame): string[] {
  const { left, top, width, height } = plot;
  const { lines, slanted } = namesOf(panel, plot);
  const band = width / panel.groups.length;
  return lines.flatMap((each, g) => {
    const [x, y] = [left + (g + 0.5) * band, top + height + 16];
    if (!slanted)
      return each.map((words, i) =>
        text(x, y + NAME_LINE * i, words, { class: 'kc-unit', 'text-anchor': 'middle' }),
      );
    const turned = `rotate(-${SLANT} ${Math.round(x + 4)} ${Math.round(y)})`;
    return text(x + 4, y, each[0], { class: 'kc-unit', 'text-anchor': 'end', transform: turned });
  });
}
