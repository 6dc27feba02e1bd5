/**
 * The synthetic regression of the paper's section 7.3: 20 tasks of 200 rows and 200 features, noise at 20 dB, mean and
 * variance of x controlled for each participant.
 *
 *     x_ik ~ N(mean_k, deviation_k^2) in every feature,   y_ik = x_ik . (w + p_k) + noise
 *
 * same:     mean 0, deviation 1 and p_k = 0 for everyone
 * diverse:  mean_k ~ N(0, 1), deviation_k uniform in [0.5, 2], and a personal part p_k that holds `personalShare` of the
 *           model's energy (|w|^2 : |p_k|^2 = 1 - share : share, |w|^2 + |p_k|^2 = 1)
 *
 * The noise is scaled to each participant's own signal, so the ratio holds for everyone.
 */
import { inputError } from '../base/errors.ts';
import { type Stream, stream } from '../base/random.ts';
import type { Table } from './table.ts';

export interface RegressionOptions {
  readonly heterogeneity?: 'same' | 'diverse';
  /** Participants (default 20). */
  readonly tasks?: number;
  /** Rows of each (default 200). */
  readonly rows?: number;
  /** Default 200. */
  readonly features?: number;
  /** Variance of the signal to that of the noise, in whole decibels from 0 to 200 (default 20). */
  readonly snrDb?: number;
  /** Share of a participant's model that is its own, from 0 to 1; for `diverse` only (default 0.3). */
  readonly personalShare?: number;
  readonly seed?: number;
}

/** 10^(1/20). */
const AMPLITUDE_OF_A_DECIBEL = 1.1220184543019633;

export function makeRegression(options: RegressionOptions = {}): Table {
  const { heterogeneity = 'same', tasks = 20, rows = 200, features: d = 200, seed = 1 } = options;
  const { snrDb = 20, personalShare = 0.3 } = options;
  checkOptions({ tasks, rows, features: d }, snrDb, personalShare);
  const n = tasks * rows;
  const x = new Float64Array(n * d);
  const y = new Float64Array(n);
  const common = unitVector(d, stream(seed, 'regression model'));
  const share = heterogeneity === 'same' ? 0 : personalShare;
  for (let k = 0; k < tasks; k++) {
    const random = stream(seed, 'regression task', 0, k + 1);
    const diverse = heterogeneity === 'diverse';
    const mean = diverse ? random.normal() : 0;
    const deviation = diverse ? 0.5 + 1.5 * random.uniform() : 1;
    const own = unitVector(d, random);
    const model = common.map((w, j) => Math.sqrt(1 - share) * w + Math.sqrt(share) * own[j]);
    const first = k * rows;
    for (let at = first * d; at < (first + rows) * d; at++) x[at] = mean + deviation * random.normal();
    const signal = y.subarray(first, first + rows);
    for (let i = 0; i < rows; i++) signal[i] = dot(x, (first + i) * d, model);
    addNoise(signal, snrDb, random);
  }
  return {
    source: `synthetic regression (${heterogeneity})`,
    features: Array.from({ length: d }, (_, j) => `x${j + 1}`),
    n,
    x,
    participants: Array.from({ length: tasks }, (_, k) => String(k + 1)),
    participantOf: Uint32Array.from(y, (_, i) => Math.floor(i / rows)),
    targets: Array.from(y, String),
    lines: undefined,
  };
}

function checkOptions(counts: Record<string, number>, snrDb: number, personalShare: number): void {
  const refused = (name: string, expected: string, got: number) =>
    inputError('GENERATOR_OPTION', `synthetic regression: expected ${name} ${expected}, got ${got}`);
  for (const [name, value] of Object.entries(counts)) {
    if (!(Number.isInteger(value) && value >= 1))
      throw refused(name, 'to be a whole number of at least 1', value);
  }
  if (!(Number.isInteger(snrDb) && snrDb >= 0 && snrDb <= 200))
    throw refused('snrDb', 'to be a whole number from 0 to 200', snrDb);
  if (!(personalShare >= 0 && personalShare <= 1))
    throw refused('personalShare', 'from 0 to 1', personalShare);
}

function addNoise(signal: Float64Array, snrDb: number, random: Stream): void {
  const mean = signal.reduce((sum, value) => sum + value, 0) / signal.length;
  const variance = signal.reduce((sum, value) => sum + (value - mean) ** 2, 0) / signal.length;
  let size = Math.sqrt(variance);
  // One decibel at a time: a power function may differ between engines.
  for (let db = 0; db < snrDb; db++) size /= AMPLITUDE_OF_A_DECIBEL;
  for (let i = 0; i < signal.length; i++) signal[i] += size * random.normal();
}

function unitVector(d: number, random: Stream): Float64Array {
  const vector = Float64Array.from({ length: d }, () => random.normal());
  const length = Math.sqrt(dot(vector, 0, vector));
  return vector.map((value) => value / length);
}

function dot(x: Float64Array, at: number, model: Float64Array): number {
  let sum = 0;
  for (let j = 0; j < model.length; j++) sum += x[at + j] * model[j];
  return sum;
}
