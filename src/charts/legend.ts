/** One entry for everything that looks the same in all panels of a figure. */
import type { AcrossPanel, Figure, Panel } from './figure.ts';
import { MARK_COLOUR, SIZE } from './style.ts';
import { element, line, text } from './svg.ts';
import { shortened, textWidth } from './text-width.ts';

export interface LegendEntry {
  readonly name: string;
  readonly colour: string;
  readonly dash?: string | undefined;
  readonly mark: 'line' | 'dot' | 'bar' | 'tick';
}

export const SWATCH = { width: 26, height: 12 } as const;
const LINE = 20;

export function legendOf(figure: Figure): LegendEntry[] {
  const entries = new Map<string, LegendEntry>();
  for (const entry of figure.panels.flatMap(entriesOf)) {
    const key = JSON.stringify([entry.name, entry.colour, entry.dash ?? '']);
    if (entry.name !== '' && !entries.has(key)) entries.set(key, entry);
  }
  return [...entries.values()];
}

function entriesOf(panel: Panel): LegendEntry[] {
  if (panel.kind === 'bars')
    return panel.groups.flatMap(({ bars }) =>
      bars.map(({ name, colour }) => ({ name, colour, mark: 'dot' })),
    );
  if (panel.kind === 'across') return acrossEntries(panel);
  if (panel.kind !== 'lines') return [];
  return panel.series.map(({ name, colour, dash, shape }) =>
    shape === 'dots' ? { name, colour, mark: 'dot' } : { name, colour, dash, mark: 'line' },
  );
}

function acrossEntries({ rows, markName = '' }: AcrossPanel): LegendEntry[] {
  const bars = rows.flatMap(({ bars }) => bars);
  const marks = rows.some(({ mark }) => mark !== undefined) ? [MARK_COLOUR] : [];
  return [
    ...bars.map(({ name, colour }) => ({ name, colour, mark: 'bar' }) as const),
    ...marks.map((colour) => ({ name: markName, colour, mark: 'tick' }) as const),
  ];
}

export function drawSwatch({ colour, dash, mark }: LegendEntry, x: number, y: number): string {
  const middle = x + SWATCH.width / 2;
  if (mark === 'bar') return element('rect', { x: x + 4, y: y - 5, width: 18, height: 10, fill: colour });
  if (mark === 'tick') return line([middle, y - 6], [middle, y + 6], { stroke: colour, 'stroke-width': 2.4 });
  if (mark === 'dot') return element('circle', { cx: middle, cy: y, r: 4, fill: colour });
  return line([x, y], [x + SWATCH.width, y], {
    stroke: colour,
    'stroke-width': 2.4,
    'stroke-dasharray': dash,
  });
}

/** Entries beside each other as long as they fit, then on the next line. */
export function drawLegend(figure: Figure, left: number, top: number, width: number) {
  let [x, row] = [0, 0];
  const parts = legendOf(figure).map((entry) => {
    const words = shortened(entry.name, width - SWATCH.width - 8, SIZE.name);
    const needed = SWATCH.width + 7 + textWidth(words, SIZE.name);
    if (x > 0 && x + needed > width) [x, row] = [0, row + 1];
    const [here, y] = [left + x, top + LINE * row + 10];
    x += needed + 20;
    return drawSwatch(entry, here, y) + text(here + SWATCH.width + 7, y + 4, words, { class: 'kc-name' });
  });
  return { parts, height: parts.length === 0 ? 0 : LINE * (row + 1) + 2 };
}
