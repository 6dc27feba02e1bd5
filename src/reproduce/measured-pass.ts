/** A pass over random rows, to be timed again and again: from zero, where nearly every row moves, so every pass costs the same. */
import { stream } from '../base/random.ts';
import { Arena } from '../math/arena.ts';
import type { Kernels } from '../math/kernels.ts';
import type { Objective } from '../settings/losses.ts';
import { LocalSolve } from '../solver/local-solve.ts';
import { lossOf } from '../solver/losses/losses.ts';
import { Shard } from '../solver/shard.ts';

interface PassShape {
  readonly objective: Objective;
  readonly n: number;
  readonly d: number;
}

/** Gives the duals, so that results can be compared. */
export function passOver({ objective, n, d }: PassShape, kernels?: Kernels): () => Float64Array {
  const settings = { objective, c1: 1, c2: Number.POSITIVE_INFINITY, epsilon: 0.1 };
  const shard = new Shard(new Arena(kernels), settings, randomRows({ objective, n, d }), 'rows');
  const beta = shard.startingBeta();
  shard.load(beta, new Float64Array(d));
  const margins = shard.margins.slice();
  return () => {
    shard.reset(beta, margins);
    new LocalSolve(shard, { sigma: 1, tolerance: 1e-9, seed: 1 }).pass();
    return shard.beta;
  };
}

/** Of norm 1 on average. */
function randomRows({ objective, n, d }: PassShape) {
  const random = stream(1, 'bench');
  const { classes } = lossOf({ objective });
  // A pool of values, read at random offsets: making n x d normal numbers would take longer than the measurement.
  const pool = Float32Array.from({ length: 65_536 + d }, () => random.normal() / Math.sqrt(d));
  const offsets = Uint32Array.from({ length: n }, () => random.below(65_536));
  const target = () => (random.uniform() < 0.5 ? 1 : -1);
  return {
    n,
    d,
    y: Float64Array.from({ length: n }, () => (classes ? target() : random.normal())),
    write: (i: number, row: Float32Array) => row.set(pool.subarray(offsets[i], offsets[i] + d)),
  };
}
