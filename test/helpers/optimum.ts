/** What a federation should have come to, from the participants' own rows: for tests that look at models rather than messages. */
import { Arena } from '../../src/math/arena.ts';
import { scaledShard } from '../../src/participant/scaled-rows.ts';
import type { Simulation } from '../../src/sim/simulation.ts';
import { boundsOf, scalarsAt } from '../../src/solver/answer.ts';
import { certifiedAnswer } from '../../src/solver/certified-answer.ts';
import { dot } from '../../src/solver/vector.ts';

type Node = Simulation['participants'] extends ReadonlyMap<string, infer N> ? N : never;

/** F_k(w), by the rows it has. */
export function leastValue(node: Node, w: Float64Array): number {
  const { certificate } = withShard(node, (shard) =>
    certifiedAnswer(shard, w, { gap: 1e-7, passes: 100_000, seedOf: (solve) => solve }),
  );
  return certificate.dual;
}

/** P(w) of a federation of these, with the personal parts minimised out. */
export function primalOf(nodes: Iterable<Node>, w: Float64Array): number {
  let sum = dot(w, w) / 2;
  for (const node of nodes) sum += leastValue(node, w);
  return sum;
}

/** How far the model that a participant predicts with is from the best one for its w: excess of its local objective. */
export function personalExcess(node: Node): { readonly absolute: number; readonly relative: number } {
  const { w, u } = node.disk!.model!;
  const { c2 } = node.disk!.settings!;
  const best = leastValue(node, w);
  const { scalars } = withShard(node, (shard) => ({
    scalars: scalarsAt(shard, w, shard.startingBeta(), u!),
  }));
  const absolute = boundsOf(scalars, c2).value - best;
  return { absolute, relative: absolute / Math.max(best, 1e-9) };
}

function withShard<T>(node: Node, use: (shard: ReturnType<typeof scaledShard>) => T): T {
  const { settings, scaling } = node.disk!;
  const { x, y, profile } = node.data;
  const shard = scaledShard(new Arena(), settings!, scaling!, { x, y, features: profile.features });
  try {
    return use(shard);
  } finally {
    shard.release();
  }
}
