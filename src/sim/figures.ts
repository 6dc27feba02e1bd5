/** What a simulation and a calibration show, as figures. */
import { COLOURS, type Figure, type Series } from '../charts/figure.ts';
import { type Calibration, formulaText } from './calibration.ts';
import type { ObservedRow } from './observe.ts';
import type { RunRecord } from './summary.ts';

const TITLES = { balancedAccuracy: 'balanced accuracy on test rows', r2: 'R2 on test rows' } as const;
const REPEATS = ['#1f5fa8', '#c4561b', '#2c8a4b', '#8a3ea1', '#a68a00', '#167d8d'];

/** The metric over virtual time: one line for each repeat. Without test rows the figure has a note instead. */
export function curveFigure(title: string, records: readonly RunRecord[]): Figure {
  const seeds = records.map(({ summary }) => summary.seed);
  const named = records.length <= REPEATS.length;
  const series = records.map(({ rows }, r): Series => {
    const points = rows.flatMap(pointOf);
    const name = named ? `seed ${seeds[r]}` : '';
    return { name, colour: REPEATS[r % REPEATS.length], shape: 'steps', points };
  });
  const all = series.flatMap(({ points }) => points);
  const metric = records[0]?.rows[0]?.metric.name ?? 'balancedAccuracy';
  // A start far below zero (R2) would flatten everything that follows.
  const low = Math.max(
    -0.5,
    Math.floor(all.reduce((least, point) => Math.min(least, point.low!), 1) * 20) / 20,
  );
  return {
    id: 'curve',
    title,
    caption: '',
    spread:
      all.length === 0
        ? 'No test rows: no metric.'
        : `Line: mean of the participants; band: from the worst to the best.${named ? '' : ` Seeds ${seeds[0]} to ${seeds.at(-1)}.`}`,
    columns: 1,
    panels: [
      {
        kind: 'lines',
        title: '',
        x: { title: 'virtual time, s', scale: 'linear', low: 0 },
        y: { title: TITLES[metric], scale: 'linear', low, high: 1 },
        series,
      },
    ],
  };
}

function pointOf({ atMs, metric: { mean, worst, participants } }: ObservedRow): Series['points'] {
  if (mean === null) return [];
  const high = Object.values(participants).reduce((a, b) => Math.max(a, b));
  return [{ x: atMs / 1000, y: mean, low: worst!, high }];
}

/** Measured against fitted, both on logarithmic scales: sizes span orders of magnitude. */
export function calibrationFigure(fit: Calibration): Figure {
  const all = fit.points.flatMap(({ measuredMs, fittedMs }) => [measuredMs, fittedMs]);
  const [low, high] = [Math.min(...all) / 1.5, Math.max(...all) * 1.5];
  const axis = (title: string) => ({ title, scale: 'log', low, high }) as const;
  const points = fit.points.map(({ measuredMs, fittedMs }) => ({ x: fittedMs, y: measuredMs }));
  const equal = [low, high].map((ms) => ({ x: ms, y: ms }));
  return {
    id: 'calibration',
    title: 'Time of a local pass: measured against fitted',
    caption: '',
    spread: `${formulaText(fit)}, spread ${fit.spread.toPrecision(2)}`,
    columns: 1,
    panels: [
      {
        kind: 'lines',
        title: '',
        x: axis('fitted time of a pass, ms'),
        y: axis('measured, ms'),
        series: [
          { name: 'measured', colour: COLOURS.mtl, shape: 'dots', points },
          { name: 'as fitted', colour: '#888888', dash: '4 3', shape: 'line', points: equal },
        ],
      },
    ],
  };
}
