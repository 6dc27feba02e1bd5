/** What a figure shows, as plain data: it can be stored as JSON and drawn later, or by something else. */
export { COLOURS, levelColour, type Method } from './colours.ts';

/** `low` and `high` bound the spread: a band around a line, a whisker through a dot. */
export interface Point {
  readonly x: number;
  readonly y: number;
  readonly low?: number | undefined;
  readonly high?: number | undefined;
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

/** Without `low` or `high` that end follows the data. */
export interface Axis {
  /** With the unit: "virtual time, s". */
  readonly title: string;
  readonly scale: 'linear' | 'log';
  readonly low?: number | undefined;
  readonly high?: number | undefined;
}

export interface LinePanel {
  readonly kind: 'lines';
  readonly title: string;
  readonly x: Axis;
  readonly y: Axis;
  readonly series: readonly Series[];
}

export interface Bar {
  readonly name: string;
  readonly colour: string;
  readonly value: number;
  readonly low?: number | undefined;
  readonly high?: number | undefined;
}

/** Drawn as dots with whiskers: the axis need not start at zero, and small differences stay visible. */
export interface BarPanel {
  readonly kind: 'bars';
  readonly title: string;
  readonly y: Axis;
  readonly groups: readonly { readonly name: string; readonly bars: readonly Bar[] }[];
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

/** A document that is drawn already, such as a message sequence chart. */
export interface SvgPanel {
  readonly kind: 'svg';
  readonly title: string;
  readonly svg: string;
}

export type Panel = LinePanel | BarPanel | VectorPanel | SvgPanel;

export interface Figure {
  readonly id: string;
  readonly title: string;
  /** What there is to see. */
  readonly caption: string;
  readonly panels: readonly Panel[];
  readonly columns: 1 | 2 | 3;
  /** What the bands and whiskers are: "band: 95% interval of the mean over 5 repeats". */
  readonly spread?: string | undefined;
}
