/**
 * Clipping: the first half of the Gaussian mechanism at participant level (McMahan, Ramage, Talwar, Zhang 2018,
 * "Learning differentially private recurrent language models").
 *
 * The unit of protection is a participant with its whole data set. Clipping every update to |du_k| <= clip bounds what
 * the presence of one participant can change in the sum of a round: its sensitivity is `clip` when neighbours differ by
 * a participant whose update is there or is zero, and 2 clip when one participant's data are replaced by other data
 * (then double the noise multiplier). It is a shorter step (scaled-step.ts), taken by w and v_k alike.
 *
 * What clipping does not cover: the scalars beside du (ds, u.du, |du|^2, s) and those of the certificate are functions
 * of the same private data and are neither clipped nor noised here. A run that claims (epsilon, delta) must not send
 * them: only `safe` and `sum` aggregate without them, with their fixed step; `line-search` and `exact` choose weights
 * from private scalars. The same goes for the sums of the federated scaling.
 */
import { inputError } from '../../base/errors.ts';
import { type CommitContext, type MemberState, norm, type Update } from '../../solver/index.ts';
import { scaledUpdate, shortenedState } from './scaled-step.ts';

/** The factor c in [0, 1] that brings a vector of this norm down to `clip`. */
export function clipFactor(norm: number, clip: number): number {
  if (!(clip > 0 && Number.isFinite(clip)))
    throw inputError('DP_CLIP', `clip: expected a positive norm, got ${clip}`);
  if (Number.isNaN(norm)) throw inputError('DP_UPDATE', 'clip: expected a norm, got NaN');
  return norm > clip ? clip / norm : 1;
}

/** |du|, measured and not believed: the sender's own duNorm2 is not looked at. Infinity where the square overflows. */
export function updateNorm(update: Pick<Update, 'du'>): number {
  return norm(update.du);
}

/** The update at norm at most `clip` (to rounding), and the factor c by which the step was shortened. */
export function clipUpdate<T extends Update>(update: T, clip: number): { update: T; factor: number } {
  if (!update.du.every(Number.isFinite))
    throw inputError('DP_UPDATE', 'clip: expected a finite update, got NaN or Infinity in it');
  const factor = clipFactor(updateNorm(update), clip);
  return { update: scaledUpdate(update, factor), factor };
}

/** A whole proposal: what is sent and what the participant may have to commit, shortened alike. */
export function clipProposal(
  context: CommitContext,
  proposal: { readonly update: Update; readonly state: MemberState },
  clip: number,
): { update: Update; state: MemberState; factor: number } {
  const { update, factor } = clipUpdate(proposal.update, clip);
  return { update, state: shortenedState(context, proposal.state, factor), factor };
}
