/**
 * A shorter step. In the dual method an update is a step from beta to beta', and every point between them is feasible
 * (the box is convex). So whatever must make an update smaller, clipping for differential privacy or the coordinator's
 * norm bound, does it by one factor c in [0, 1] for the whole step: du becomes c du, and w and v_k move by the same
 * amount. Conservation holds exactly as for a full step, and D along the step is concave, so a gain shrinks to no less
 * than c times the gain. Cutting du alone, or component by component, would break both.
 */
import { invariant } from '../../base/errors.ts';
import { type CommitContext, commit, type MemberState, type Update } from '../../solver/index.ts';

/**
 * The update of c times the step. For classification s is linear along the step and c ds is exact; for regression s is
 * concave and c ds is a lower bound, as in the line search: a decision taken on it is safe.
 */
export function scaledUpdate<T extends Update>(update: T, c: number): T {
  checkFactor('scaledUpdate', c);
  if (c === 1) return update;
  return {
    ...update,
    du: update.du.map((value) => c * value),
    ds: c * update.ds,
    uDotDu: c * update.uDotDu,
    // Where the square overflowed c is 0, and 0 times Infinity would be NaN.
    duNorm2: c === 0 ? 0 : c * c * update.duNorm2,
  };
}

/**
 * The participant's side of it: the newest atom becomes committed + c (atom - committed), so that the weights the
 * coordinator sends later, in this round or a following one, mean the same solution on both sides.
 */
export function shortenedState(context: CommitContext, state: MemberState, c: number): MemberState {
  checkFactor('shortenedState', c);
  invariant(state.atoms.length > 0, 'shortenedState: expected a proposal, got a state without atoms');
  if (c === 1) return state;
  const newest = state.atoms[state.atoms.length - 1];
  const shorter = commit(context, { committed: state.committed, atoms: [newest] }, [1 - c, c]).committed;
  return { committed: state.committed, atoms: [...state.atoms.slice(0, -1), shorter] };
}

function checkFactor(where: string, c: number): void {
  invariant(c >= 0 && c <= 1, `${where}: expected a factor in [0, 1], got ${c}`);
}
