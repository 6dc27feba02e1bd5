/** A table of colours, such as a confusion matrix: the stronger the colour, the larger the share; numbers in the cells. */
import { plotOf, type Sheet } from './axes.ts';
import { bandNames } from './band-names.ts';
import type { HeatCell, HeatPanel } from './figure.ts';
import { drawable } from './scale.ts';
import { SIZE } from './style.ts';
import { element, type Frame, text } from './svg.ts';
import { shortened, textWidth } from './text-width.ts';

const WIDEST_NAME = 150;
const TITLE_LINE = 17;
const GAP = 1.5;
const MIDDLE = { 'text-anchor': 'middle' } as const;
/** Room that lines of text in a cell need. */
const LINE = 15;
/** Cells wider than that, in heights, look like stripes. */
const WIDEST_CELL = 1.8;
/** From here on a colour needs white text. */
const DARK = 0.55;

export function heatSheet(panel: HeatPanel, width: number, plotHeight: number): Sheet {
  const { rows, columns, cells } = panel;
  const names = rows.names.map((name) => shortened(name, WIDEST_NAME, SIZE.tick));
  const widest = Math.max(0, ...names.map((name) => textWidth(name, SIZE.tick)));
  return {
    unit: rows.title,
    left: Math.ceil(widest) + 14,
    bottom: (left) =>
      bandNames(columns.names, narrowed(plotOf({ width, left, top: 0, plotHeight }), panel)).height +
      TITLE_LINE +
      4,
    draw: (room) => {
      const plot = narrowed(plotOf(room), panel);
      if (!names.length || !columns.names.length || !cells.length) return undefined;
      const below = bandNames(columns.names, plot);
      const height = plot.height / names.length;
      const middle = plot.left + plot.width / 2;
      const place = { class: 'kc-unit', ...MIDDLE };
      return [
        ...names.map((name, r) =>
          text(plot.left - 8, plot.top + (r + 0.5) * height + 4, name, {
            class: 'kc-unit',
            'text-anchor': 'end',
          }),
        ),
        ...cells
          .slice(0, names.length)
          .flatMap((row, r) =>
            row
              .slice(0, columns.names.length)
              .map((cell, c) => drawCell(cell, cellFrame(plot, [names.length, columns.names.length], r, c))),
          ),
        ...below.parts,
        text(middle, plot.top + plot.height + below.height + TITLE_LINE - 4, columns.title, place),
      ];
    },
  };
}

function narrowed(plot: Frame, { rows, columns }: HeatPanel): Frame {
  const height = plot.height / Math.max(1, rows.names.length);
  return { ...plot, width: Math.min(plot.width, WIDEST_CELL * height * columns.names.length) };
}

function cellFrame({ left, top, width, height }: Frame, [down, across]: number[], r: number, c: number) {
  const [w, h] = [width / across, height / down];
  return { left: left + c * w + GAP / 2, top: top + r * h + GAP / 2, width: w - GAP, height: h - GAP };
}

function drawCell({ colour, strength, lines }: HeatCell, frame: Frame): string {
  const share = drawable(strength) ? Math.min(1, Math.max(0, strength)) : 0;
  const { left: x, top: y, width, height } = frame;
  const ground = element('rect', { x, y, width, height, rx: 2, fill: '#f3f5f8' });
  const fill = element('rect', { x, y, width, height, rx: 2, fill: colour, 'fill-opacity': share });
  const room = Math.floor(height / LINE);
  const shown = lines
    .slice(0, room)
    .filter((words) => textWidth(words, SIZE.name) <= width - 4)
    .map((words, i, all) =>
      text(x + width / 2, y + height / 2 + 4 + LINE * (i - (all.length - 1) / 2), words, {
        class: i === 0 && share > 0 ? 'kc-cell' : 'kc-cell-note',
        fill: share > DARK ? '#fff' : share > 0 ? '#1a1f26' : '#8a94a0',
        ...MIDDLE,
      }),
    );
  return [ground, ...(share > 0 ? [fill] : []), ...shown].join('');
}
