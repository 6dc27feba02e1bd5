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
import { solvePositive } from '../math/normal-equations.ts';
import { number } from '../settings/kinds.ts';
import { object, readSettings } from '../settings/objects.ts';
import { type ComputeModel, meanPassMs } from './compute.ts';

export interface PassTimes {
  readonly rows: number;
  readonly columns: number;
  /** Time of one pass, measured several times. */
  readonly ms: readonly number[];
}

interface CalibrationPoint {
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

const MOST_SPREAD = 2;

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
  // A busy machine can measure more than a scenario takes.
  return { ...model, spread: Math.min(MOST_SPREAD, Math.sqrt(squares / measured)), points };
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
  const scaled = rows.map((row) => row.map((value, t) => value / lengths[t]));
  const sum = (of: (row: readonly number[]) => number) => scaled.reduce((total, row) => total + of(row), 0);
  const a = lengths.map((_, i) => lengths.map((_, j) => sum((row) => row[i] * row[j])));
  const b = lengths.map((_, i) => sum((row) => row[i]));
  return solvePositive(a, b, 1e-12)?.map((value, i) => value / lengths[i]);
}

const constant = number({ min: 0 });
/** What a scenario needs of a calibration file; the rest of it is for people. */
const fileKind = object(
  {
    fixedMs: constant,
    perRowMs: constant.default(0),
    perValueMs: constant,
    spread: number({ min: 0, max: MOST_SPREAD }),
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
