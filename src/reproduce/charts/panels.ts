/** All panels of a figure, each on its own sheet, with plots of one size that line up beside each other. */
import { element } from '../../sim/svg.ts';
import { drawHead, drawNoData, type Margins, marginsOf, type Room } from './axes.ts';
import { barMargins, drawBarPanel } from './bar-panel.ts';
import type { Figure, Panel, SvgPanel } from './figure.ts';
import { drawLinePanel, lineMargins } from './line-panel.ts';
import { embedded } from './svg-panel.ts';
import { drawVectorPanel, vectorMargins } from './vector-panel.ts';

export interface DrawnPanel {
  readonly kind: Panel['kind'];
  readonly title: string;
  readonly width: number;
  readonly height: number;
  readonly content: string;
}

/** Fewer columns, larger panels: text has the same size in all of them. */
const SIZES = {
  1: { width: 680, plotHeight: 300 },
  2: { width: 510, plotHeight: 230 },
  3: { width: 336, plotHeight: 190 },
} as const;

/** Alone in its row a finished document may take the whole width of the page. */
const WIDEST = 1040;

/** All ids inside begin with `prefix`, which must be the figure's own. */
export function drawPanels(figure: Figure, prefix: string): DrawnPanel[] {
  const { width, plotHeight } = SIZES[figure.columns] ?? SIZES[2];
  const alone = figure.panels.map((panel) => marginsOfPanel(panel, width, plotHeight, 0));
  const left = most(alone, 'left');
  const margins = figure.panels.map((panel) => marginsOfPanel(panel, width, plotHeight, left));
  return figure.panels.map((panel, p): DrawnPanel => {
    // No id of a figure has "_p": panel 2 of figure "a" is not figure "a-2".
    const id = `${prefix}_p${p + 1}`;
    const { kind, title } = panel;
    const row = margins.slice(p - (p % figure.columns), p - (p % figure.columns) + figure.columns);
    const room = { width, plotHeight, left, top: most(row, 'top'), bottom: most(row, 'bottom') };
    const height = room.top + plotHeight + room.bottom;
    if (panel.kind === 'svg') return drawSvgPanel(panel, figure.columns === 1 ? WIDEST : width, id);
    const parts =
      panel.kind === 'lines'
        ? drawLinePanel(panel, room, id)
        : panel.kind === 'bars'
          ? drawBarPanel(panel, room)
          : drawVectorPanel(panel, room);
    return { kind, title, width, height, content: parts.join('\n') };
  });
}

function most(margins: readonly (Margins | undefined)[], side: keyof Margins): number {
  return Math.max(0, ...margins.map((each) => each?.[side] ?? 0));
}

/** Finished documents have their own measures and take no part in the common ones. */
function marginsOfPanel(panel: Panel, width: number, plotHeight: number, left: number): Margins | undefined {
  if (panel.kind === 'lines') return lineMargins(panel, width, plotHeight);
  if (panel.kind === 'bars') return barMargins(panel, width, plotHeight, left);
  return panel.kind === 'vectors' ? vectorMargins(panel, width) : undefined;
}

/** Made smaller when too wide, never larger. */
function drawSvgPanel({ kind, title, svg }: SvgPanel, widest: number, id: string): DrawnPanel {
  const inner = embedded(svg, id);
  const width = Math.ceil(Math.min(widest, Math.max(336, inner?.width ?? 0)));
  const { top } = title === '' ? { top: 0 } : marginsOf(width, title);
  const room: Room = { width, left: 0, top, bottom: 0, plotHeight: 80 };
  const head = drawHead(room, title);
  if (inner === undefined)
    return { kind, title, width, height: top + 80, content: [...head, ...drawNoData(room)].join('\n') };
  const scale = Math.min(1, width / inner.width);
  const transform = `translate(0 ${top}) scale(${Number(scale.toFixed(5))})`;
  const content = [...head, element('g', { transform }, inner.content)].join('\n');
  return { kind, title, width, height: Math.ceil(top + inner.height * scale), content };
}
