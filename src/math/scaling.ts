/**
 * Federated scaling: x' = (x - shift) * factor. Each participant computes the moments of its own training rows; merged,
 * they give the scaling of all rows without a row leaving its owner. The scaling is part of the model.
 *
 * standard: x' = (x - mean) / std / sqrt(d), population std; a feature without variance becomes 0
 * center:   x' = (x - mean) / rms(|x - mean|), one number for all features, |.| over the d features of a row
 * none:     x' = x
 *
 * Moments are kept as mean and sum of squared deviations and merged as Chan, Golub and LeVeque (1979) do: sums of
 * squares would lose every digit under a large mean.
 */
import { invariant } from '../base/errors.ts';

export type ScaleMode = 'standard' | 'center' | 'none';

export interface Moments {
  readonly count: number;
  readonly mean: Float64Array;
  /** Sum of squared deviations from the mean. */
  readonly m2: Float64Array;
}

export interface Scaling {
  readonly mode: ScaleMode;
  readonly shift: Float64Array;
  readonly factor: Float64Array;
}

/**
 * A feature whose std is below this share of its mean is constant but for rounding: a constant 0.1 has a mean that is
 * off by 1e-17 and deviations to match, real variation so small has only a few hundred representable values.
 */
const ROUNDING = 1e-13;

export function isRounding(std: number, mean: number): boolean {
  return std <= ROUNDING * Math.abs(mean);
}

/** Moments of some rows of an n x d table. Two passes, the second correcting the first one's mean. */
export function featureMoments(x: Float64Array, d: number, rows: Uint32Array): Moments {
  const count = rows.length;
  const mean = new Float64Array(d);
  const m2 = new Float64Array(d);
  if (count === 0) return { count, mean, m2 };
  for (const i of rows) {
    for (let j = 0, at = i * d; j < d; j++, at++) mean[j] += x[at];
  }
  for (let j = 0; j < d; j++) mean[j] /= count;
  const drift = new Float64Array(d);
  for (const i of rows) {
    for (let j = 0, at = i * d; j < d; j++, at++) {
      const deviation = x[at] - mean[j];
      drift[j] += deviation;
      m2[j] += deviation * deviation;
    }
  }
  for (let j = 0; j < d; j++) {
    m2[j] = Math.max(0, m2[j] - (drift[j] * drift[j]) / count);
    mean[j] += drift[j] / count;
  }
  return { count, mean, m2 };
}

export function mergeMoments(a: Moments, b: Moments): Moments {
  invariant(a.mean.length === b.mean.length, 'moments of the same features');
  if (a.count === 0) return b;
  if (b.count === 0) return a;
  const count = a.count + b.count;
  const share = b.count / count;
  const mean = new Float64Array(a.mean.length);
  const m2 = new Float64Array(a.mean.length);
  for (let j = 0; j < mean.length; j++) {
    const delta = b.mean[j] - a.mean[j];
    mean[j] = a.mean[j] + delta * share;
    m2[j] = a.m2[j] + b.m2[j] + delta * delta * a.count * share;
  }
  return { count, mean, m2 };
}

export function scalingFrom(moments: Moments, mode: ScaleMode): Scaling {
  const { count, mean, m2 } = moments;
  const d = mean.length;
  if (mode === 'none') return { mode, shift: new Float64Array(d), factor: new Float64Array(d).fill(1) };
  invariant(count > 0, 'scaling needs the moments of at least one row');
  if (mode === 'center') {
    return { mode, shift: mean.slice(), factor: new Float64Array(d).fill(centerFactor(moments)) };
  }
  const factor = new Float64Array(d);
  for (let j = 0; j < d; j++) {
    const std = Math.sqrt(m2[j] / count);
    factor[j] = isRounding(std, mean[j]) ? 0 : 1 / (std * Math.sqrt(d));
  }
  return { mode, shift: mean.slice(), factor };
}

function centerFactor({ count, mean, m2 }: Moments): number {
  let spread = 0;
  let size = 0;
  for (let j = 0; j < mean.length; j++) {
    spread += m2[j] / count;
    size += mean[j] * mean[j];
  }
  return isRounding(Math.sqrt(spread), Math.sqrt(size)) ? 0 : 1 / Math.sqrt(spread);
}

/** Writes row i of an n x d table, scaled, to `out` from position `at` on. */
export function scaleRow(
  x: Float64Array,
  i: number,
  scaling: Pick<Scaling, 'shift' | 'factor'>,
  out: Float64Array | Float32Array,
  at: number,
): void {
  const { shift, factor } = scaling;
  const d = shift.length;
  for (let j = 0, from = i * d; j < d; j++) out[at + j] = (x[from + j] - shift[j]) * factor[j];
}
