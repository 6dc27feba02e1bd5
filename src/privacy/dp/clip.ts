/**
 * Clipping: the first half of the Gaussian mechanism at participant level (McMahan, Ramage, Talwar, Zhang 2018,
 * "Learning differentially private recurrent language models").
 *
 * The unit of protection is a participant with its whole data set. Clipping every step to |du_k| <= clip bounds what
 * the presence of one participant can change in the sum of a round: its sensitivity is `clip` when neighbours differ by
 * a participant whose step is there or is zero, and 2 clip when one participant's data are replaced by other data
 * (then double the noise multiplier). It is a shorter step (`partOfStep`), taken by w and v_k alike.
 *
 * What clipping does not cover: the scalars beside u are functions of the same private data and are neither clipped nor
 * noised here. A run that claims (epsilon, delta) must not send them: only `safe` and `sum` go on without them, with their
 * fixed step. The same goes for the sums of the federated scaling.
 */
import { inputError } from '../../base/errors.ts';
import { partOfStep, type Solution, sentPart } from '../../solver/member.ts';
import type { BoxContext } from '../../solver/problem.ts';
import { norm, plusScaled } from '../../solver/vector.ts';

/** The factor c in [0, 1] that brings a vector of this norm down to `clip`. */
export function clipFactor(norm: number, clip: number): number {
  if (!(clip > 0 && Number.isFinite(clip)))
    throw inputError('DP_CLIP', `clip: expected a positive norm, got ${clip}`);
  if (Number.isNaN(norm)) throw inputError('DP_UPDATE', 'clip: expected a norm, got NaN');
  return norm > clip ? clip / norm : 1;
}

/** The part of a step whose norm is at most `clip` (to rounding). */
export function clippedStep(context: BoxContext, from: Solution, to: Solution, clip: number): Solution {
  const du = plusScaled(sentPart(to).u, -1, sentPart(from).u);
  return partOfStep(context, from, to, clipFactor(norm(du), clip));
}
