/**
 * One participant's soft-margin problem by itself, 1/2 |w|^2 + C1 sum c loss, on its way to a target gap. The shard keeps the
 * iterate from one improvement to the next.
 */
import { type Certificate, certificate } from '../solver/certificate.ts';
import { LocalSolve, type LocalSolveOptions } from '../solver/local-solve.ts';
import type { Shard } from '../solver/shard.ts';
import { dot } from '../solver/vector.ts';

/** C2 = Infinity: no personal part beside the one model. */
export const ALONE = Number.POSITIVE_INFINITY;

export interface Iterate {
  readonly beta: Float64Array;
  readonly u: Float64Array;
  readonly proof: Certificate;
  /** Made to come here from the iterate before. */
  readonly passes: number;
}

export function beginAlone(shard: Shard, near: Float64Array | undefined): Iterate {
  return examined(shard, shard.startingBeta(near), 0);
}

/** sigma = 1 and no personal part: nobody else moves, and the step is LIBLINEAR's. */
export function improveAlone(
  shard: Shard,
  { passes, ...options }: Omit<LocalSolveOptions, 'sigma'> & { readonly passes: number },
): Iterate {
  const solve = new LocalSolve(shard, { ...options, sigma: 1 });
  solve.runPasses(passes);
  return examined(shard, shard.beta, solve.passes);
}

function examined(shard: Shard, beta: Float64Array, passes: number): Iterate {
  const u = shard.combine(beta);
  shard.load(beta, u);
  const uNorm2 = dot(u, u);
  const proof = certificate(uNorm2, ALONE, [{ loss: shard.loss(), dualSum: shard.dualSum(beta), uNorm2 }]);
  return { beta, u, proof, passes };
}
