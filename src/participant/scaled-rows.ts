/** A participant's raw rows, scaled as the federation has agreed and placed where they are solved. */

import type { Arena } from '../math/arena.ts';
import { type Scaling, scaleRow } from '../math/scaling.ts';
import { type FederationSettings, personalCost } from '../settings/federation.ts';
import { rowWeights } from '../solver/problem.ts';
import { Shard } from '../solver/shard.ts';

interface RawRows {
  /** rows x features. */
  readonly x: Float64Array;
  /** -1 and +1, or values. */
  readonly y: Float64Array;
  readonly features: number;
}

export function scaledShard(
  arena: Arena,
  settings: FederationSettings,
  scaling: Scaling,
  { x, y, features }: RawRows,
): Shard {
  return new Shard(
    arena,
    { ...settings, c2: personalCost(settings) },
    {
      n: y.length,
      d: features + (settings.bias ? 1 : 0),
      y,
      weights: rowWeights(settings, y),
      write: (i, row) => {
        scaleRow(x, i, scaling, row, 0);
        if (settings.bias) row[features] = 1;
      },
    },
  );
}
