/** A participant's raw rows, scaled as the federation has agreed and placed where they are solved. */

import type { Arena } from '../math/arena.ts';
import { type Scaling, scaleRow } from '../math/scaling.ts';
import { type FederationSettings, personalCost } from '../settings/wire.ts';
import { rowWeights } from '../solver/problem.ts';
import { Shard } from '../solver/shard.ts';

/** x is rows x features; y is -1 and +1, or values, a block for each head. */
export function scaledShard(
  arena: Arena,
  settings: FederationSettings,
  scaling: Scaling,
  { x, y, features }: { readonly x: Float64Array; readonly y: Float64Array; readonly features: number },
): Shard {
  const n = x.length / features;
  return new Shard(
    arena,
    { ...settings, c2: personalCost(settings) },
    {
      n,
      d: features + (settings.bias ? 1 : 0),
      y,
      weights: rowWeights(settings, y, n),
      write: (i, row) => {
        scaleRow(x, i, scaling, row, 0);
        if (settings.bias) row[features] = 1;
      },
    },
  );
}
