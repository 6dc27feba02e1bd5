/** A participant's raw rows, scaled and mapped as the federation has agreed and placed where they are solved. */

import type { Arena } from '../math/arena.ts';
import type { Scaling } from '../math/scaling.ts';
import { columnsOf, seededMap } from '../settings/feature-map.ts';
import { type FederationSettings, personalCost } from '../settings/wire.ts';
import { rowWeights } from '../solver/problem.ts';
import { rowWriter } from '../solver/row-writer.ts';
import { Shard } from '../solver/shard.ts';

interface RawRows {
  /** Rows x features. */
  readonly x: Float64Array;
  /** -1 and +1, or values, a block for each head. */
  readonly y: Float64Array;
  readonly features: number;
  /** Of the rows, with a mean of 1; absent: all weigh the same. */
  readonly weights?: Float64Array | undefined;
}

export function scaledShard(
  arena: Arena,
  settings: FederationSettings,
  scaling: Scaling,
  { x, y, features, weights }: RawRows,
): Shard {
  const write = rowWriter({ scaling, map: seededMap(settings.map, settings.seed), bias: settings.bias });
  const n = x.length / features;
  return new Shard(
    arena,
    { ...settings, c2: personalCost(settings) },
    {
      n,
      d: columnsOf({ ...settings, features }),
      y,
      weights: rowWeights(settings, y, n, weights),
      write: (i, row) => write(x, i, row, 0),
    },
  );
}
