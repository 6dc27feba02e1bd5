/** What a figure shows, as plain data: it can be stored as JSON and drawn later, or by something else. */
/** A band around a line, a whisker through a dot. On an axis: without them that end follows the data. */
interface Range {
  readonly low?: number | undefined;
  readonly high?: number | undefined;
}

export interface Point extends Range {
  readonly x: number;
  readonly y: number;
}

export interface Series {
  readonly name: string;
  readonly colour: string;
  /** As in `stroke-dasharray`: "6 3". */
  readonly dash?: string | undefined;
  readonly points: readonly Point[];
  /** Steps: a value holds until the next one. */
  readonly shape: 'line' | 'steps' | 'dots';
}

export interface Axis extends Range {
  /** With the unit: "virtual time, s". */
  readonly title: string;
  readonly scale: 'linear' | 'log';
}

export interface LinePanel {
  readonly kind: 'lines';
  readonly title: string;
  readonly x: Axis;
  readonly y: Axis;
  readonly series: readonly Series[];
}

export interface Bar extends Range {
  readonly name: string;
  readonly colour: string;
  readonly value: number;
}

/** Drawn as dots with whiskers: the axis need not start at zero, and small differences stay visible. */
export interface BarPanel {
  readonly kind: 'bars';
  readonly title: string;
  readonly y: Axis;
  readonly groups: readonly { readonly name: string; readonly bars: readonly Bar[] }[];
}

/** Bars from zero to the left and to the right, a row for each name: long names stay readable, and signs can be seen. */
export interface AcrossPanel {
  readonly kind: 'across';
  readonly title: string;
  readonly x: Axis;
  readonly rows: readonly {
    readonly name: string;
    /** Below each other; low and high are drawn as a whisker. */
    readonly bars: readonly Bar[];
    /** Drawn as a tick across the row: a sum, for example. */
    readonly mark?: number | undefined;
  }[];
  /** What the marks are, for the legend. */
  readonly markName?: string | undefined;
}

export interface Arrow {
  readonly from: readonly [number, number];
  readonly to: readonly [number, number];
  readonly colour: string;
  readonly name?: string | undefined;
  readonly dash?: string | undefined;
}

/** Vectors in the plane, both axes to the same scale. */
export interface VectorPanel {
  readonly kind: 'vectors';
  readonly title: string;
  readonly arrows: readonly Arrow[];
}

/** One field of a table of colours. */
export interface HeatCell {
  readonly value: number;
  readonly colour: string;
  /** 0 to 1: how much of the colour. */
  readonly strength: number;
  /** Below each other, the first one larger; what has no room is left out. */
  readonly lines: readonly string[];
}

/** A table of colours: names along two sides, a cell for each pair. */
export interface HeatPanel {
  readonly kind: 'heat';
  readonly title: string;
  readonly rows: { readonly title: string; readonly names: readonly string[] };
  readonly columns: { readonly title: string; readonly names: readonly string[] };
  /** By row, then by column. */
  readonly cells: readonly (readonly HeatCell[])[];
}

/** A document that is drawn already, such as a message sequence chart. */
export interface SvgPanel {
  readonly kind: 'svg';
  readonly title: string;
  readonly svg: string;
}

export type Panel = LinePanel | BarPanel | AcrossPanel | VectorPanel | HeatPanel | SvgPanel;

export interface Figure {
  readonly id: string;
  readonly title: string;
  readonly caption: string;
  readonly panels: readonly Panel[];
  readonly columns: 1 | 2 | 3;
  /** What the bands and whiskers are: "band: 95% interval of the mean over 5 repeats". */
  readonly spread?: string | undefined;
}

/**
 * One colour for each method in the whole report. Taken near the Okabe-Ito set, which readers with red-green blindness can
 * tell apart, and moved so that lightness differs too: grey print keeps the order paper, mtl, mocha, global, local.
 */
export const COLOURS = {
  mtl: '#14539a',
  local: '#e5a100',
  global: '#1aa27c',
  mocha: '#c23b22',
  paper: '#262626',
} as const;

/** Dark to light along viridis, cut before it gets too light for white paper. */
const RAMP = [
  [68, 1, 84],
  [65, 68, 135],
  [42, 120, 142],
  [34, 168, 132],
  [122, 209, 81],
] as const;

/** The colour of level `i` of `n`: the order of the levels can be read from the lightness alone. */
export function levelColour(i: number, n: number): string {
  const share = n > 1 ? Math.min(1, Math.max(0, i / (n - 1))) : 0.25;
  const at = (Number.isFinite(share) ? share : 0) * (RAMP.length - 1);
  const from = Math.min(RAMP.length - 2, Math.floor(at));
  const mixed = RAMP[from].map((value, c) => value + (at - from) * (RAMP[from + 1][c] - value));
  return `#${mixed.map((part) => Math.round(part).toString(16).padStart(2, '0')).join('')}`;
}
