/** Groups of values with their spread, side by side: dots and whiskers, since bars would have to start at zero. */
import {
  drawCorner,
  drawDot,
  drawVertical,
  plotOf,
  type Sheet,
  shade,
  verticalScale,
  widthBeside,
} from './axes.ts';
import type { Bar, BarPanel } from './figure.ts';
import { drawable, type Scale } from './scale.ts';
import { SIZE } from './style.ts';
import { element, type Frame, text } from './svg.ts';
import { shortened, textWidth, wrapped } from './text-width.ts';

const NAME_LINE = 14;
const MOST_LINES = 3;
const SLANT = 35;
const SLANTED_WIDTH = 180;

export function barSheet(panel: BarPanel, width: number, plotHeight: number): Sheet {
  const { groups, y } = panel;
  const drawn = groups.flatMap(({ bars }) => bars).filter(({ value }) => drawable(value, y.scale));
  const data = drawn.flatMap(({ value, low, high }) => [value, low, high]);
  const scale = verticalScale(y, data, plotHeight);
  return {
    unit: y.title,
    left: widthBeside(scale),
    bottom: (left) => namesOf(panel, plotOf({ width, left, top: 0, plotHeight })).height,
    draw: (room) => {
      if (scale === undefined) return undefined;
      const plot = plotOf(room);
      const band = plot.width / groups.length;
      const parts = groups.map((_, g) => ({ ...plot, left: plot.left + g * band, width: band }));
      return [
        ...parts.filter((_, g) => g % 2 === 1).map(shade),
        ...drawVertical(room, scale),
        drawCorner(room),
        ...namesOf(panel, plot).parts,
        ...groups.flatMap(({ bars }, g) => drawGroup(bars, scale, parts[g])),
      ];
    },
  };
}

function drawGroup(bars: readonly Bar[], scale: Scale, plot: Frame): string[] {
  const gap = Math.min(26, (plot.width * 0.84) / Math.max(1, bars.length));
  const up = (value: number | undefined) =>
    drawable(value) ? plot.top + plot.height * (1 - scale.place(value)) : undefined;
  return bars.map(({ name, colour, value, low, high }, b) => {
    const x = plot.left + plot.width / 2 + (b - (bars.length - 1) / 2) * gap;
    const style = { colour, radius: Math.min(4, gap / 2.6), cap: Math.min(4, gap / 3.5) };
    const dot = drawDot(plot, [x, up(value) ?? Number.NaN], [up(low), up(high)], style);
    return dot && element('g', { 'aria-label': name }, dot);
  });
}

/** Under their group, in lines; slanted when a single word is wider than its group. */
function namesOf({ groups }: BarPanel, { left, top, width, height }: Frame) {
  const band = width / Math.max(1, groups.length);
  const words = groups.flatMap(({ name }) => name.split(/\s+/));
  const slanted = words.some((word) => textWidth(word, SIZE.tick) > band - 6);
  const [centre, y] = [(g: number) => left + (g + 0.5) * band, top + height + 16];
  if (!slanted) {
    const lines = groups.map(({ name }) => wrapped(name, band - 6, SIZE.tick, MOST_LINES));
    const parts = lines.flatMap((each, g) =>
      each.map((words, i) =>
        text(centre(g), y + NAME_LINE * i, words, { class: 'kc-unit', 'text-anchor': 'middle' }),
      ),
    );
    return { parts, height: 12 + NAME_LINE * Math.max(1, ...lines.map((each) => each.length)) };
  }
  // A slanted name must not run out of the panel on the left.
  const names = groups.map(({ name }, g) =>
    shortened(name, Math.min(SLANTED_WIDTH, centre(g) / 0.85), SIZE.tick),
  );
  const parts = names.map((name, g) => {
    const x = centre(g) + 4;
    const transform = `rotate(-${SLANT} ${Math.round(x)} ${Math.round(y)})`;
    return text(x, y, name, { class: 'kc-unit', 'text-anchor': 'end', transform });
  });
  const longest = Math.max(...names.map((name) => textWidth(name, SIZE.tick)));
  return { parts, height: Math.ceil(20 + 0.6 * longest) };
}
