/** The operator has training go on: everybody is asked again, or a rest ends. */
import type { CoordinatorEffect } from './effects.ts';
import { waitForAgain } from './patience.ts';
import { budgetIsSpent } from './private-rounds.ts';
import { isUnderWay, open, wake } from './rounds.ts';
import { sendWelcome } from './sending.ts';
import type { CoordinatorState } from './state.ts';
import { persist } from './stored.ts';
import { membersHere } from './tally.ts';
import { askAgain, dropProof, inquiryOf } from './training.ts';
import { gatheringTimer } from './waiting.ts';

/** Everybody is asked again, with the rows it has now, about the model in use. */
export function onRecount(state: CoordinatorState): CoordinatorEffect[] {
  if (!inquiryOf(state)) {
    return [{ type: 'refusal', message: 'recount: only with aggregation by answers' }];
  }
  askAgain(state);
  dropProof(state);
  const everybody = [...state.members.values()];
  // Also who did not answer before, unless its connection is gone.
  for (const member of everybody) if (!member.isAway) waitForAgain(state, member);
  if (state.phase === 'finished') return wake(state, everybody);
  return isUnderWay(state) ? open(state, 'train', everybody) : [];
}

/** Training goes on after any rest but one for want of privacy: where it never began, participants gather again. */
export function onReopen(state: CoordinatorState): CoordinatorEffect[] {
  if (state.phase !== 'finished') return [];
  if (budgetIsSpent(state)) {
    const message = 'reopen: another round would exceed the privacy budget; create another federation';
    return [{ type: 'refusal', message }];
  }
  const everybody = [...state.members.values()];
  for (const member of everybody) if (!member.isAway) waitForAgain(state, member);
  if (state.trainer) return wake(state, everybody);
  state.phase = 'gathering';
  state.finish = undefined;
  const welcomes = membersHere(state).map((member) => sendWelcome(state, member));
  return [persist(state, everybody), ...welcomes, gatheringTimer(state)];
}
