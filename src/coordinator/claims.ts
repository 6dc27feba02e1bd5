/**
 * Losses and dual sums are claims that nobody can check against rows. They count for what they prove, and for no more than others could
 * bear to be added to:
 *
 *   own gap   loss - s + u.(model) is a sum over rows of numbers that are never negative (Fenchel-Young). Whoever claims a dual sum above
 *             loss + u.(model) would pay for the gaps of others: it counts as if it were equal. (Answers: solver/inquiry.ts.)
 *   size      a constant added to loss and dual sum alike changes no gap and no minimiser, but 1e50 beside the values of others leaves none
 *             of their digits in a sum. A claim of more than a million times the median, and of a million rows' losses, is brought down to it, by the
 *             same constant for good. (The losses of honest ones may all be next to 0 but one.)
 */
import { typicalValue } from '../solver/last-answers.ts';
import { dot } from '../solver/vector.ts';
import type { Member } from './member.ts';
import type { CoordinatorState } from './state.ts';
import { combinerOf, localProblem } from './training.ts';

interface Claim {
  readonly loss: number;
  readonly dualSum: number;
}

const FAR = 1e6;

/** Steps: u.(model), where the model is of the open round and u what was accepted last. Undefined: they are not known here. */
export function ownProduct(state: CoordinatorState, { index }: Member): number | undefined {
  const combiner = combinerOf(state);
  const { dp, mask } = state.options;
  if (!combiner || dp || mask?.semantics === 'paper') return undefined;
  return dot(combiner.modelOf(index), combiner.members.get(index)!.u);
}

/** Steps: what a member's scalars prove. */
export function provenBy<C extends Claim>(state: CoordinatorState, member: Member, claim: C): C {
  const product = ownProduct(state, member);
  if (product === undefined) return claim;
  return { ...claim, dualSum: Math.min(claim.dualSum, claim.loss + product) };
}

/** What counts of a claim of which so much was taken off before: the same as ever, so that later claims can be compared with it. */
export function without<C extends Claim>(claim: C, offset: number): C {
  return offset === 0 ? claim : { ...claim, loss: claim.loss - offset, dualSum: claim.dualSum - offset };
}

/** Without what would drown the others: the gaps stay as they are. */
export function comparable<C extends Claim>({ options }: CoordinatorState, claims: readonly C[]): C[] {
  const median = typicalValue(claims.map(({ loss }) => loss));
  if (median === undefined) return [...claims];
  const typical = Math.max(median, localProblem(options).c1);
  return claims.map((claim) => (claim.loss > FAR * typical ? without(claim, claim.loss - typical) : claim));
}
