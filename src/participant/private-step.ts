/**
 * The participant's half of differential privacy (privacy/dp/settings.ts): its step is clipped, for w and v_k alike, and
 * nothing is told but the step. The scalars of the certificate and of the line search are functions of the same private
 * rows, and no noise is added to them: they are sent as zeros.
 */
import type { Stream } from '../base/random.ts';
import { clipProposal, type DpSettings, discreteNoise, gridShare } from '../privacy/dp/index.ts';
import type { Proposal } from '../privacy/index.ts';
import type { Precision, SecureSettings } from '../protocol/index.ts';
import type { CommitContext, Solution } from '../solver/index.ts';
import type { SolveResult } from './effects.ts';

const NOTHING_TOLD = { loss: 0, dualSum: 0, uNorm2: 0 };

/** The shorter step is the step. */
export function clipped(
  context: CommitContext,
  committed: Solution,
  { update, atom }: Proposal,
  { clip }: DpSettings,
  precision: Precision,
): Proposal {
  // Rounding to f32 may lengthen a vector by 2^-24 of it.
  const bound = precision === 'f32' ? clip * (1 - 2 ** -23) : clip;
  const shorter = clipProposal(context, { update, state: { committed, atoms: [atom] } }, bound);
  return { update: shorter.update, atom: shorter.state.atoms[0] };
}

/**
 * The own share of the noise on what goes into a secret sum; the own step stays as it was. On the grid, from a discrete
 * Gaussian: nothing is rounded after the noise.
 */
export function withNoise(
  proposal: Proposal,
  dp: DpSettings & { readonly honest: number },
  { scaleBits }: SecureSettings,
  secret: Stream,
): Proposal {
  const { update } = proposal;
  const noise = discreteNoise(update.du.length, gridShare(dp, dp.honest, scaleBits), secret);
  const du = update.du.map((value, j) => value + Number(noise[j]) / 2 ** scaleBits);
  return { ...proposal, update: { ...update, du, duNorm2: 0 } };
}

/** What is left to say: the step, and its norm, which whoever has the step can compute. */
export function withoutScalars<T extends Omit<SolveResult, 'computeMs'>>(outcome: T): T {
  const { proposal } = outcome;
  const update = proposal && { ...proposal.update, ds: 0, uDotDu: 0 };
  return { ...outcome, scalars: NOTHING_TOLD, proposal: proposal && { ...proposal, update } };
}
