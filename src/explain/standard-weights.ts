/**
 * Standardised weights, which can be compared across features: what the decision (for a regression the prediction, in its units) changes by when a feature
 * rises by one standard deviation,
 *
 *   weight_j = z_j std(x'_j)        x' being the scaled feature; under `standard` std(x'_j) = 1 / sqrt(d) for all
 *
 * Under `center` and `none` a model does not know how much its features vary: rows say it, and without rows weights are for one unit of
 * the scaled feature.
 */
import type { Table } from '../data/table.ts';
import { featureMoments } from '../math/scaling.ts';
import type { Model } from '../solver/model.ts';

export type WeightUnit = 'standard deviation' | 'scaled unit';

export interface StandardWeights {
  readonly unit: WeightUnit;
  /** Of one head's columns of z, feature by feature; the bias has none. */
  of(z: Float64Array, head: number): Float64Array;
}

export function standardWeights(model: Model, rows: Table | undefined): StandardWeights {
  const d = model.features.length;
  const columns = d + (model.bias ? 1 : 0);
  const size = model.target?.scale ?? 1;
  const spread = spreadOf(model, rows);
  return {
    unit: spread ? 'standard deviation' : 'scaled unit',
    of: (z, head) =>
      Float64Array.from({ length: d }, (_, j) => size * z[head * columns + j] * (spread?.[j] ?? 1)),
  };
}

/** Standard deviations of the scaled features; undefined where nobody knows. */
function spreadOf(
  { scaling: { mode, factor }, features }: Model,
  rows: Table | undefined,
): Float64Array | undefined {
  const d = features.length;
  if (mode === 'standard') return factor.map((each) => (each === 0 ? 0 : 1 / Math.sqrt(d)));
  if (!rows) return undefined;
  const all = Uint32Array.from({ length: rows.n }, (_, i) => i);
  const { m2, count } = featureMoments(rows.x, d, all);
  return factor.map((each, j) => each * Math.sqrt(m2[j] / count));
}
