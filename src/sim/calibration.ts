/**
 * Calibration of the compute model: from measured times of local passes to its constants.
 *
 *     time(n, d) = fixedMs + perRowMs n + perValueMs n d
 *
 * by least squares on relative errors (each mean weighted by 1 / mean^2), because the model's deviation is a share of its
 * mean: in absolute terms the largest grid point alone would decide. `spread` is the root mean square of the single
 * measurements' relative deviation from the fit, so what the fit does not explain is in it too.
 */
import { inputError, invariant } from '../base/errors.ts';
import { number, object, readSettings } from '../settings/kinds.ts';
import type { ComputeModel } from './compute.ts';
import { meanPassMs } from './compute.ts';
import { axes, document, element, line, text } from './svg.ts';

export interface PassTimes {
  readonly rows: number;
  readonly columns: number;
  /** Time of one pass, measured several times. */
  readonly ms: readonly number[];
}

export interface CalibrationPoint {
  readonly rows: number;
  readonly columns: number;
  readonly measuredMs: number;
  readonly fittedMs: number;
  /** (measured - fitted) / fitted. */
  readonly residual: number;
  /** Standard deviation of the measurements, as a share of the fitted time. */
  readonly deviation: number;
}

export interface Calibration extends Required<ComputeModel> {
  readonly points: readonly CalibrationPoint[];
}

export function fitCalibration(times: readonly PassTimes[]): Calibration {
  invariant(times.length >= 2, 'calibration: expected at least two sizes');
  const means = times.map(({ ms }) => ms.reduce((sum, value) => sum + value, 0) / ms.length);
  const model = { ...fitTerms(times, means), spread: 0 };
  let squares = 0;
  let measured = 0;
  const points = times.map(({ rows, columns, ms }, p) => {
    const fittedMs = meanPassMs(model, rows, columns);
    let own = 0;
    for (const value of ms) {
      squares += (value / fittedMs - 1) ** 2;
      own += (value - means[p]) ** 2;
      measured++;
    }
    const deviation = Math.sqrt(own / ms.length) / fittedMs;
    return { rows, columns, measuredMs: means[p], fittedMs, residual: means[p] / fittedMs - 1, deviation };
  });
  return { ...model, spread: Math.sqrt(squares / measured), points };
}

/**
 * Three terms, none below zero. There are so few that every set of terms can be tried: the best fit with only positive
 * constants is the answer.
 */
function fitTerms(times: readonly PassTimes[], means: readonly number[]) {
  const terms = times.map(({ rows, columns }, p) => [1, rows, rows * columns].map((x) => x / means[p]));
  let best = { constants: [0, 0, 0], error: Number.POSITIVE_INFINITY };
  for (const chosen of [[0, 1, 2], [1, 2], [0, 2], [0, 1], [2], [1], [0]]) {
    const solved = leastSquares(terms.map((row) => chosen.map((t) => row[t])));
    if (!solved?.every((value) => value >= 0)) continue;
    const constants = [0, 0, 0];
    for (const [c, t] of chosen.entries()) constants[t] = solved[c];
    let error = 0;
    for (const row of terms) error += (row.reduce((sum, x, t) => sum + x * constants[t], 0) - 1) ** 2;
    if (error < best.error) best = { constants, error };
  }
  const [fixedMs, perRowMs, perValueMs] = best.constants;
  return { fixedMs, perRowMs, perValueMs };
}

/** c that minimises sum over rows of (row . c - 1)^2, by the normal equations; undefined: not determined. */
function leastSquares(rows: readonly (readonly number[])[]): number[] | undefined {
  const m = rows[0].length;
  // Columns differ by orders of magnitude: each is scaled to length 1 first.
  const lengths = Array.from({ length: m }, (_, t) =>
    Math.sqrt(rows.reduce((sum, row) => sum + row[t] ** 2, 0)),
  );
  const a = lengths.map((li, i) => [
    ...lengths.map((lj, j) => rows.reduce((sum, row) => sum + row[i] * row[j], 0) / (li * lj)),
    rows.reduce((sum, row) => sum + row[i], 0) / li,
  ]);
  for (let i = 0; i < m; i++) {
    // Positive definite: no pivoting needed.
    if (!(a[i][i] > 1e-12)) return undefined;
    for (let k = i + 1; k < m; k++) {
      const factor = a[k][i] / a[i][i];
      for (let j = i; j <= m; j++) a[k][j] -= factor * a[i][j];
    }
  }
  const c = new Array<number>(m).fill(0);
  for (let i = m - 1; i >= 0; i--) {
    let rest = a[i][m];
    for (let j = i + 1; j < m; j++) rest -= a[i][j] * c[j];
    c[i] = rest / a[i][i];
  }
  return c.map((value, i) => value / lengths[i]);
}

const constant = number({ min: 0 });
/** What a scenario needs of a calibration file; the rest of it is for people. */
const fileKind = object(
  {
    fixedMs: constant,
    perRowMs: constant.default(0),
    perValueMs: constant,
    spread: number({ min: 0, max: 2 }),
  },
  'ignored',
);

export function calibrationFromText(name: string, content: string): ComputeModel {
  let given: unknown;
  try {
    given = JSON.parse(content);
  } catch {
    throw inputError('BAD_CALIBRATION', `${name}: expected JSON as kindred calibrate writes it`);
  }
  return readSettings(fileKind, given, { code: 'BAD_CALIBRATION', name });
}

/** "0.002 ms + 3e-5 ms x rows + 3e-7 ms x rows x columns" */
export function formulaText({ fixedMs, perRowMs, perValueMs }: Calibration): string {
  const ms = (value: number) => `${Number(value.toPrecision(3))} ms`;
  return `${ms(fixedMs)} + ${ms(perRowMs)} x rows + ${ms(perValueMs)} x rows x columns`;
}

const FRAME = { left: 70, top: 74, width: 560, height: 360 };

/** Measured against fitted, both on logarithmic scales: sizes span orders of magnitude. */
export function calibrationChart(fit: Calibration): string {
  const { spread, points } = fit;
  const logs = points.flatMap(({ measuredMs, fittedMs }) => [Math.log10(measuredMs), Math.log10(fittedMs)]);
  const low = Math.floor(Math.min(...logs) * 2) / 2;
  const high = Math.ceil(Math.max(...logs) * 2) / 2;
  const { across, up, parts } = axes(
    FRAME,
    { low, high, title: 'fitted time of a pass, log10 of ms' },
    { low, high, title: 'measured, log10 of ms' },
  );
  parts.push(
    line([across(low), up(low)], [across(high), up(high)], { stroke: '#888', 'stroke-dasharray': '4 3' }),
  );
  for (const { rows, columns, measuredMs, fittedMs } of points) {
    const words = element('title', {}, `${rows} x ${columns}`);
    const at = { cx: across(Math.log10(fittedMs)), cy: up(Math.log10(measuredMs)) };
    parts.push(element('circle', { ...at, r: 4, fill: '#1f5fa8', 'fill-opacity': 0.7 }, words));
  }
  const formula = `${formulaText(fit)}, spread ${spread.toPrecision(2)}`;
  const title = 'Time of a local pass: measured against fitted';
  const heading = [text(20, 28, title, { class: 'title' }), text(20, 46, formula, { class: 'small' })];
  return document(680, 500, title, [...heading, ...parts]);
}
