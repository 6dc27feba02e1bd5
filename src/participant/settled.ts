/** A participant's state once it is known what became of its update. */
import { shortenedState } from '../privacy/dp/index.ts';
import type { Accepted } from '../protocol/index.ts';
import { type CommitContext, commit, type MemberState, type Solution } from '../solver/index.ts';

/** Commits an update that was accepted: `atom` joins the others, shortened if only a part of the step was taken. */
export function settled(
  context: CommitContext,
  { committed, atoms }: MemberState,
  atom: Solution,
  kept: number,
  { weights, factor = 1 }: Accepted,
): MemberState {
  const state = { committed, atoms: [...atoms, atom].slice(-kept) };
  return commit(context, shortenedState(context, state, factor), weights);
}
