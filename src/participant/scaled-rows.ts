/** A participant's raw rows, scaled and mapped as the federation has agreed and placed where they are solved. */

import type { Arena } from '../math/arena.ts';
import type { Scaling } from '../math/scaling.ts';
import { columnsOf, seededMap } from '../settings/feature-map.ts';
import { type FederationSettings, personalCost } from '../settings/wire.ts';
import { rowWeights } from '../solver/problem.ts';
import { rowWriter } from '../solver/row-writer.ts';
import { Shard } from '../solver/shard.ts';

/** x is rows x features; y is -1 and +1, or values, a block for each head. */
export function scaledShard(
  arena: Arena,
  settings: FederationSettings,
  scaling: Scaling,
  { x, y, features }: { readonly x: Float64Array; readonly y: Float64Array; readonly features: number },
): Shard {
  const write = rowWriter({ scaling, map: seededMap(settings.map, settings.seed), bias: settings.bias });
  const n = x.length / features;
  return new Shard(
    arena,
    { ...settings, c2: personalCost(settings) },
    {
      n,
      d: columnsOf(settings),
      y,
      weights: rowWeights(settings, y, n),
      write: (i, row) => write(x, i, row, 0),
    },
  );
}
