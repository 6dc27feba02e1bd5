/** The metric over virtual time: one line for each repeat, and from the worst to the best participant a band. */
import type { ObservedRow } from './observe.ts';
import type { RunRecord } from './summary.ts';
import { axes, document, path, text } from './svg.ts';

const COLOURS = ['#1f5fa8', '#c4561b', '#2c8a4b', '#8a3ea1', '#a68a00', '#167d8d'];
const TITLES = { balancedAccuracy: 'balanced accuracy on test rows', r2: 'R2 on test rows' } as const;
const FRAME = { left: 64, top: 64, width: 660, height: 320 };

type Point = readonly [number, number];

/** Without test rows there is nothing to draw, and the chart says so. */
export function curveChart(title: string, records: readonly RunRecord[]): string {
  const curves = records.map(({ rows }) => rows.filter((row) => row.metric.mean !== null));
  const all = curves.flat();
  const [heading, width, height] = [text(20, 26, title, { class: 'title' }), 760, 450];
  if (all.length === 0)
    return document(width, height, title, [heading, text(64, 100, 'No test rows: no metric.')]);
  const seconds = Math.max(...all.map((row) => row.atMs)) / 1000;
  // A start far below zero (R2) would flatten everything that follows.
  const low = Math.max(-0.5, Math.min(...all.map((row) => row.metric.worst!)));
  const { name } = all[0].metric;
  const { across, up, parts } = axes(
    FRAME,
    { low: 0, high: seconds, title: 'virtual time, s' },
    { low: Math.floor(low * 20) / 20, high: 1, title: `${TITLES[name]}: mean, and from worst to best` },
  );
  const floor = FRAME.top + FRAME.height;
  const point = (row: ObservedRow, value: number): Point => [
    across(row.atMs / 1000),
    Math.min(floor, up(value)),
  ];
  for (const [c, rows] of curves.entries()) {
    if (rows.length === 0) continue;
    const colour = COLOURS[c % COLOURS.length];
    const best = (row: ObservedRow) =>
      Object.values(row.metric.participants).reduce((a, b) => Math.max(a, b));
    const band = [
      ...steps(rows.map((row) => point(row, best(row)))),
      ...steps(rows.map((row) => point(row, row.metric.worst!))).reverse(),
    ];
    const opacity = Math.max(0.04, 0.16 / curves.length);
    parts.push(path(band, { fill: colour, 'fill-opacity': opacity, stroke: 'none' }));
    const mean = steps(rows.map((row) => point(row, row.metric.mean!)));
    parts.push(path(mean, { fill: 'none', stroke: colour, 'stroke-width': curves.length > 6 ? 1 : 2 }));
  }
  const seeds = records.map(({ summary }) => summary.seed);
  const legend = seeds.length === 1 ? `seed ${seeds[0]}` : `seeds ${seeds[0]} to ${seeds.at(-1)}`;
  parts.push(text(20, 43, legend, { class: 'small' }));
  return document(width, height, title, [heading, ...parts]);
}

/** A model holds until the next one: the course is a staircase. */
function steps(points: readonly Point[]): Point[] {
  return points.flatMap((to, i): Point[] => (i === 0 ? [to] : [[to[0], points[i - 1][1]], to]));
}
