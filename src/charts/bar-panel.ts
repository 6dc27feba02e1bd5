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
import { bandNames } from './band-names.ts';
import type { Bar, BarPanel } from './figure.ts';
import { drawable, type Scale } from './scale.ts';
import { element, type Frame } from './svg.ts';

export function barSheet(panel: BarPanel, width: number, plotHeight: number): Sheet {
  const { groups, y } = panel;
  const drawn = groups.flatMap(({ bars }) => bars).filter(({ value }) => drawable(value, y.scale));
  const data = drawn.flatMap(({ value, low, high }) => [value, low, high]);
  const scale = verticalScale(y, data, plotHeight);
  const names = groups.map(({ name }) => name);
  return {
    unit: y.title,
    left: widthBeside(scale),
    bottom: (left) => bandNames(names, plotOf({ width, left, top: 0, plotHeight })).height,
    draw: (room) => {
      if (scale === undefined) return undefined;
      const plot = plotOf(room);
      const band = plot.width / groups.length;
      const parts = groups.map((_, g) => ({ ...plot, left: plot.left + g * band, width: band }));
      return [
        ...parts.filter((_, g) => g % 2 === 1).map(shade),
        ...drawVertical(room, scale),
        drawCorner(room),
        ...bandNames(names, plot).parts,
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
