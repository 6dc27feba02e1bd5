/**
 * Members that are branches: each stands for a group of participants and answers for it with one partial sum a round. The work of a round
 * depends on the number of branches, not on that of the participants behind them.
 *
 * Branches are run by whoever runs the coordinator, so that their claims are trusted; those of participants are checked where single answers are seen.
 */
import { headsBy } from '../protocol/agreement.ts';
import type { Enlist, PartialSum } from '../protocol/branch-messages.ts';
import type { RejectCode } from '../protocol/codes.ts';
import { behindOf } from './branch-sum.ts';
import { type Collected, lateOrAgain, noteAnswer } from './collecting/plain.ts';
import type { CoordinatorEffect } from './effects.ts';
import { featuresExpected, isUnknownTo } from './joining.ts';
import { removeMember } from './leaving.ts';
import { type Member, newMember } from './member.ts';
import { comeBack } from './patience.ts';
import { outOfSession, refuse } from './refusals.ts';
import { testsOfGroups } from './reported-tests.ts';
import { canWake, open, wake } from './rounds.ts';
import { sendFinish, sendRound, sendWelcome } from './sending.ts';
import type { CoordinatorState } from './state.ts';
import { persist } from './stored.ts';
import { tallyNewcomer } from './tally.ts';
import { admit, NOTHING_ACCEPTED, sharedPart } from './training.ts';
import { gatheringTimer } from './waiting.ts';

export function onEnlist(state: CoordinatorState, from: string, message: Enlist): CoordinatorEffect[] {
  const { session, base, pending, settled, edition, participants, rows } = message;
  const known = state.members.get(from);
  if (known && session < known.session) return [];
  // Either of them may have lost its store: what was agreed on is durable here before a branch hears of it.
  if (!(known && state.trainer) && (base > 0 || pending > 0 || settled)) {
    const sentence = `branch "${from}" has a state that the coordinator does not know: start over`;
    const notice = refuse(state, from, 'FORGOTTEN', sentence, session);
    if (!known) return [notice];
    removeMember(state, known);
    return [persist(state, [], [from]), notice];
  }
  const expected = featuresExpected(state, message);
  if (expected !== undefined) {
    const sentence = `branch "${from}": expected ${expected} features, got ${message.features}`;
    return [refuse(state, from, 'WRONG_FEATURES', sentence, session)];
  }
  const effects: CoordinatorEffect[] = [];
  const member = known ?? newBranch(state, from, message);
  if (known) comeBack(state, member);
  else effects.push(persist(state, [member]));
  if (!known && state.phase === 'gathering') effects.push(gatheringTimer(state));
  const isNews = edition !== member.edition;
  const isOutdated = isUnlike(state, member, message);
  if (session > member.session) state.unsaved.add(from);
  Object.assign(member, { session, edition, participants, rows });
  effects.push(sendWelcome(state, member));
  // A store that was lost or rolled back: no number of a round is used twice.
  const isBehind = message.rounds > state.round;
  if (isBehind) state.round = message.rounds;
  if (!state.trainer) return effects;
  if (canWake(state) && (isNews || !known || isOutdated)) return [...effects, ...wake(state, [member])];
  if (state.phase === 'finished') return [...effects, sendFinish(state, member)];
  if (isBehind && state.phase === 'open') return [...effects, ...open(state, state.purpose, [member])];
  const isAsked = state.phase === 'open' && !member.answered && member.barred < state.round;
  return isAsked ? [...effects, ...sendRound(state, member)] : effects;
}

/** What is counted of a branch is not what it and those behind it take for counted: the store of one of them was rolled back. */
function isUnlike({ round }: CoordinatorState, member: Member, message: Enlist): boolean {
  const { base, pending } = message;
  const accepted = member.accepted.round;
  if (Math.max(base, pending) > round || (accepted > 0 && base > accepted)) return true;
  return isUnknownTo(member, message);
}

function newBranch(state: CoordinatorState, id: string, message: Enlist): Member {
  const { rows, participants, session, edition, features } = message;
  const member = newMember({
    ...{ id, index: -1, rows, participants, session, edition },
    ...{ benchmarkMs: 0, barred: 0, presence: 'here', accepted: NOTHING_ACCEPTED },
  });
  state.members.set(id, member);
  state.features = features;
  tallyNewcomer(state, member);
  if (state.trainer) {
    admit(state, member);
    state.missing = [...state.missing, id];
  }
  return member;
}

export function onPartial(state: CoordinatorState, member: Member, message: PartialSum): CoordinatorEffect[] {
  const ignored = outOfSession(state, member, message.session);
  if (ignored) return ignored;
  const refusal = misfit(state, message);
  if (refusal) return [refuse(state, member.id, ...refusal)];
  const late = lateOrAgain(state, member, message);
  if (late) return late;
  noteAnswer(state, member);
  member.partial = message;
  return [];
}

function misfit(
  state: CoordinatorState,
  { round, u, heads }: PartialSum,
): readonly [RejectCode, string] | undefined {
  const d = sharedPart(state)?.length;
  if (d === undefined || round > state.round)
    return ['FUTURE_ROUND', `partial: expected at most round ${state.round}, got ${round}`];
  if (u.length !== d) return ['WRONG_SHAPE', `partial: expected ${d} numbers, got ${u.length}`];
  const expected = headsBy(state.agreement);
  if (heads.length !== expected)
    return ['WRONG_SHAPE', `partial: expected bounds of ${expected} heads, got ${heads.length}`];
  return undefined;
}

/** The partial sums of the round that is being closed. */
export function collectPartials(state: CoordinatorState, responders: readonly Member[]): Collected {
  const members = responders.filter((member) => member.partial);
  const groups = members.map(({ index, partial }) => {
    const { u, heads, participants, missing, renewed } = partial!;
    return { member: index, u, heads, participants, held: missing > 0, renewed };
  });
  return { members, groups, notes: { tests: testsOfGroups(state, members) } };
}

/** What they say of those behind them counts from here on. */
export function noteBehind(members: readonly Member[]): void {
  for (const member of members) if (member.partial) member.behind = behindOf(member.partial);
}
