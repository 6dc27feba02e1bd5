/** How fast this device is, before it knows what it will be asked: passes over its real rows, scaled by themselves. */

import type { Arena } from '../math/arena.ts';
import { featureMoments, type Moments, scaleRow, scalingFrom } from '../math/scaling.ts';
import { LocalSolve } from '../solver/local-solve.ts';
import { Shard } from '../solver/shard.ts';
import type { RawTrainingRows } from './ports.ts';

/** Passes of a benchmark solve: the most that a round asks for by default. */
export const BENCHMARK_PASSES = 100;
/** A pass that takes less is measured again: the first one also warms up. */
const SHORT_MS = 50;
const MOST_TRIES = 3;

interface Benchmark {
  readonly moments: Moments;
  readonly passMs: number;
}

export function benchmark(arena: Arena, { x, n, d }: RawTrainingRows, now: () => number): Benchmark {
  const moments = featureMoments(
    x,
    d,
    Uint32Array.from({ length: n }, (_, i) => i),
  );
  const scaling = scalingFrom(moments, 'standard');
  // The targets are not known yet; from zero duals a pass moves nearly every row whatever they are.
  const y = Float64Array.from({ length: n }, (_, i) => (i % 2 === 0 ? 1 : -1));
  const settings = { objective: 'classification', c1: 1, c2: 1, epsilon: 0 } as const;
  const write = (i: number, row: Float32Array) => scaleRow(x, i, scaling, row, 0);
  // Not the Gram form: its matrix would be made for the measurement alone.
  const shard = new Shard(arena, settings, { n, d, y, write }, 'rows');
  let passMs = Number.POSITIVE_INFINITY;
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    passMs = Math.min(passMs, onePassMs(shard, now));
    if (passMs > SHORT_MS) break;
  }
  shard.release();
  return { moments, passMs };
}

function onePassMs(shard: Shard, now: () => number): number {
  shard.load(new Float64Array(shard.n), new Float64Array(shard.d));
  const solve = new LocalSolve(shard, { sigma: 1, tolerance: 1e-3, seed: 1 });
  const started = now();
  solve.pass();
  return now() - started;
}
