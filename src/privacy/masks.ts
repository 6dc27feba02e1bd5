/**
 * Masking of updates, as the paper proposes it (section 6.2): instead of sum_i (change of beta_i) x_i a participant sends
 * sum_i p_i (change of beta_i) x_i, with a random p_i for every row and round that nobody else knows.
 *
 *   bernoulli  p_i is 1 with probability `keep`, else 0
 *   beta       p_i is 1 with probability `unmasked`, else drawn from Beta(a, b)
 *
 * Two semantics. `paper`: the participant's own v_k takes the unmasked step, so w is the sum of what was sent and no longer
 * C2 sum v_k; what was kept back is never made good, and no dual value is known for the pair (w, v). `consistent`: the
 * masked step is the step, for w and v_k alike; with p in [0, 1] it is a convex combination of two feasible points row by
 * row, so it stays feasible, the certificate holds, and what was kept back comes in a later round.
 */
import { expPortable, logPortable, type Stream } from '../base/random.ts';
import type { MaskSettings } from '../settings/wire.ts';
import { type Solution, sentPart, solutionOf } from '../solver/member.ts';
import type { Shard } from '../solver/shard.ts';
import { plusScaled } from '../solver/vector.ts';

export type MaskSemantics = MaskSettings['semantics'];

/** One factor in [0, 1] for each row. */
export function drawMask(mask: MaskSettings, rows: number, random: Stream): Float64Array {
  const factors = new Float64Array(rows);
  for (let i = 0; i < rows; i++) {
    const u = random.uniform();
    if (mask.kind === 'bernoulli') factors[i] = u < mask.keep ? 1 : 0;
    else factors[i] = u < mask.unmasked ? 1 : drawBeta(mask.a, mask.b, random);
  }
  return factors;
}

/** X / (X + Y) with X, Y of Gamma(a), Gamma(b). */
export function drawBeta(a: number, b: number, random: Stream): number {
  for (;;) {
    const x = drawGamma(a, random);
    const y = drawGamma(b, random);
    // Both may be too small for a number where a and b are tiny.
    if (x + y > 0) return x / (x + y);
  }
}

/** Marsaglia and Tsang (2000); below 1 from Gamma(shape + 1) by a power of a uniform number. */
function drawGamma(shape: number, random: Stream): number {
  if (shape < 1) {
    const u = 1 - random.uniform();
    return drawGamma(shape + 1, random) * expPortable(logPortable(u) / shape);
  }
  const d = shape - 1 / 3;
  const c = 1 / Math.sqrt(9 * d);
  for (;;) {
    const x = random.normal();
    const t = 1 + c * x;
    if (t <= 0) continue;
    const v = t * t * t;
    const u = 1 - random.uniform();
    if (logPortable(u) < x * x * 0.5 + d - d * v + d * logPortable(v)) return d * v;
  }
}

/** The duals that are left of a solve which started from `before`. */
export function maskedDuals(before: Float64Array, solved: Float64Array, factors: Float64Array): Float64Array {
  return solved.map((value, i) => before[i] + factors[i] * (value - before[i]));
}

/** The masked step of a shard whose solve started from `committed`. */
export function maskedStep(
  shard: Shard,
  committed: Solution,
  semantics: MaskSemantics,
  factors: Float64Array,
): Solution {
  const solved = shard.beta;
  const masked = maskedDuals(committed.beta, solved, factors);
  if (semantics === 'consistent') return solutionOf(shard, masked);
  // The own step as it is, and a masked one that is sent.
  const before = sentPart(committed);
  const du = shard.combine(masked.map((value, i) => value - committed.beta[i]));
  const ds = shard.dualSum(masked) - shard.dualSum(committed.beta);
  return { ...solutionOf(shard, solved), sent: { u: plusScaled(before.u, 1, du), s: before.s + ds } };
}
