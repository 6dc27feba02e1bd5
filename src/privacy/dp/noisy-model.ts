/**
 * What becomes of the method's two checks when noise is added to w.
 *
 * Without noise w = sum_k u_k. With noise w = sum_k u_k + N, N the noise of all rounds so far; participants solve from
 * this w, so their steps are steps from a slightly wrong place: feasible always, no longer sure to raise the dual.
 *
 * Conservation. If the coordinator added the noise and keeps N, w - N = sum_k u_k must hold as before, and a lost or
 * doubled update still shows: `conservationError`. N undoes the protection: it stays with the coordinator, who has seen the
 * updates anyway. If participants added shares, nobody knows N: conservation then holds for the sent sums only.
 *
 * Certificate. P(w, v) is measured at the noisy w as ever: it is the objective of the model people use. D(beta) is a
 * lower bound of the optimum as ever, but its quadratic part is |sum_k u_k|^2 = |w - N|^2, not |w|^2. `certificate` of
 * solver/ takes |w|^2 for both, so under noise the gap it prints certifies nothing: it can even be below the true one.
 * With the two norms kept apart (`certificateUnderNoise`) P - D still bounds how far (w, v) is from the optimum, because
 * weak duality asks for no link between the two points; but it does not go to 0: about |N|^2/2 and more stays. Where N
 * is unknown there is a primal value and no gap.
 *
 * All of this reads losses and dual sums, which are private too: showing them to others costs privacy that the
 * accountant does not see.
 */
import {
  addScaled,
  type Certificate,
  certificateOf,
  dot,
  type MemberScalars,
  norm,
} from '../../solver/index.ts';

/** |w - N - sum_k u_k| / |w - N|. */
export function conservationError(
  w: Float64Array,
  noise: Float64Array,
  contributions: Iterable<Float64Array>,
): number {
  const rest = withoutNoise(w, noise);
  const size = norm(rest);
  for (const u of contributions) addScaled(rest, -1, u);
  const error = norm(rest);
  return error === 0 ? 0 : error / Math.max(size, Number.MIN_VALUE);
}

/** Primal at the noisy w, dual at beta: the losses must have been measured at the noisy w. */
export function certificateUnderNoise(
  w: Float64Array,
  noise: Float64Array,
  c2: number,
  members: Iterable<MemberScalars>,
): Certificate {
  let loss = 0;
  let gain = 0;
  let uNorm2 = 0;
  for (const member of members) {
    loss += member.loss;
    gain += member.dualSum;
    uNorm2 += member.uNorm2;
  }
  const sum = withoutNoise(w, noise);
  const personal = uNorm2 / (2 * c2);
  return certificateOf(dot(w, w) / 2 + personal + loss, gain - dot(sum, sum) / 2 - personal);
}

function withoutNoise(w: Float64Array, noise: Float64Array): Float64Array {
  return w.map((value, j) => value - noise[j]);
}
