/** What becomes of an answer once it is known whether it was accepted: stored before anything else is built on it. */
import type { Accepted } from '../protocol/messages.ts';
import { partOfStep, type Solution, sentPart } from '../solver/member.ts';
import type { BoxContext } from '../solver/problem.ts';
import { plusScaled } from '../solver/vector.ts';
import type { ParticipantEffect } from './effects.ts';
import type { ParticipantState } from './state.ts';
import { summedScalars } from './summing.ts';

/** Commits or drops the pending answer, where `closed` says that its round is over. */
export function settle(
  state: ParticipantState,
  accepted: Accepted,
  closed: (round: number) => boolean,
): ParticipantEffect[] {
  const { pending, committed, settings } = state.stored;
  if (!pending || !state.problem || !settings) return [];
  const { round } = pending.message;
  if (!closed(round)) return [];
  if (accepted.round === round) {
    const taken = acceptedSolution(state.problem, committed, pending.solution, accepted);
    const summed = settings.secure && summedScalars(pending.message, settings);
    state.stored = {
      ...state.stored,
      committed: taken,
      base: round,
      pending: undefined,
      ...(summed && { summed, answeredW: pending.asked?.w }),
    };
  } else {
    state.stored = { ...state.stored, pending: undefined };
  }
  if (state.phase === 'sent') state.phase = 'idle';
  return [{ type: 'persist', stored: state.stored }];
}

/** An answer as it counts: all of its change, or the share that the coordinator took. */
export function acceptedSolution(
  context: BoxContext,
  committed: Solution | undefined,
  solution: Solution,
  { factor = 1 }: Accepted,
): Solution {
  if (factor === 1) return solution;
  const from = committed ?? nothing(solution);
  if (from.beta.length === solution.beta.length) return partOfStep(context, from, solution, factor);
  // The duals before were of other rows: what counts is the vector.
  const [a, b] = [sentPart(from).u, sentPart(solution).u];
  return { ...solution, u: plusScaled(a, factor, plusScaled(b, -1, a)) };
}

function nothing({ beta, u }: Solution): Solution {
  return { beta: new Float64Array(beta.length), u: new Float64Array(u.length), s: 0 };
}

/** Everybody is asked again: what was accepted before does not count any more, but it is a good place to start from. */
export function dropAccepted(state: ParticipantState): ParticipantEffect[] {
  state.warm ??= state.stored.committed?.beta;
  state.stored = { ...state.stored, base: 0, committed: undefined, summed: undefined, answeredW: undefined };
  return [{ type: 'persist', stored: state.stored }];
}
