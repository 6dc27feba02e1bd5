/** What becomes of an update once its outcome is known: committed or rolled back, and stored before anything else. */
import type { Accepted } from '../protocol/index.ts';
import { type CommitContext, commitStep, type MemberState } from '../solver/index.ts';
import type { ParticipantEffect } from './effects.ts';
import { settled } from './settled.ts';
import type { ParticipantState } from './state.ts';

/** Commits or rolls back the pending update, where `closed` says that its round is over. */
export function settle(
  state: ParticipantState,
  accepted: Accepted,
  closed: (round: number) => boolean,
): ParticipantEffect[] {
  const { pending, committed, atoms, settings } = state.stored;
  if (!pending || !state.problem || !committed || !settings) return [];
  const { round } = pending.message;
  if (!closed(round)) return [];
  if (accepted.round === round) {
    const before = { committed, atoms };
    const next = settings.secure
      ? commitHidden(state, state.problem, { committed, atoms: [pending.atom] }, accepted.weights)
      : settled(state.problem, before, pending.atom, settings.atoms, accepted);
    state.stored = { ...state.stored, ...next, base: round, pending: undefined };
  } else {
    state.stored = { ...state.stored, pending: undefined };
  }
  if (state.phase === 'sent') state.phase = 'idle';
  return [{ type: 'persist', stored: state.stored }];
}

/** Exactly by the step, and with what the sums do not know of s yet. */
function commitHidden(
  { stored }: ParticipantState,
  problem: CommitContext,
  before: MemberState,
  weights: readonly number[],
) {
  const { gained, ...next } = commitStep(problem, before, weights);
  return { ...next, secure: stored.secure && { ...stored.secure, gained } };
}
