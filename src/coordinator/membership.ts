/** Coming and going: joining, agreeing on the scaling, starting, leaving, being forgotten. */

import { naturallySorted } from '../data/participants.ts';
import { mergeMoments, type Scaling, scalingFrom } from '../math/scaling.ts';
import { DEFAULT_LIMITS } from '../protocol/limits.ts';
import type { Decline, Join, Moments } from '../protocol/messages.ts';
import { forgetContribution } from './defence.ts';
import type { CoordinatorEffect } from './effects.ts';
import { implausibleJoin, implausibleMoments, refuse } from './refusals.ts';
import { canWake, isPassedOver, open, openMeasuring, wake } from './rounds.ts';
import { membersSeated } from './secure-roster.ts';
import { sendPhase } from './secure-round.ts';
import { sendFinish, sendRound, sendWelcome } from './sending.ts';
import { type CoordinatorState, type Member, membersHere, newMember, UNKNOWN } from './state.ts';
import { persist } from './stored.ts';
import {
  askAgain,
  contributionOf,
  dropAnswers,
  dropBest,
  inquiryOf,
  joinTraining,
  NOTHING_ACCEPTED,
  newTrainer,
} from './training.ts';
import { gatheringTimer } from './waiting.ts';

export function onJoin(state: CoordinatorState, from: string, join: Join): CoordinatorEffect[] {
  let member = state.members.get(from);
  const last = state.forgotten.get(from) ?? 0;
  // Joining is durable before anybody answers: a state of which nothing is known here is that of another store.
  if (!member && (join.base > 0 || join.pending > 0 || join.session <= last)) {
    const message = `participant "${from}" has a state, but none is known here: start over`;
    return [refuse(state, from, 'FORGOTTEN', message, join.session)];
  }
  // From an earlier session of the participant, late on its way; one that has left in this session has left.
  if (member && join.session < member.session) return [];
  if (member?.presence === 'left' && join.session === member.session) return [];
  const absurd = implausibleJoin(join);
  if (absurd) return [refuse(state, from, 'INFEASIBLE', absurd)];
  const expected = featuresExpected(state, join);
  if (expected !== undefined) {
    const message = `participant "${from}": expected ${expected} features, got ${join.features}`;
    return [refuse(state, from, 'WRONG_FEATURES', message)];
  }
  const effects: CoordinatorEffect[] = [];
  const isNew = !member;
  const changed = member ? takeEdition(state, member, join) : 'nothing';
  if (!member) {
    const { rows, benchmarkMs, session, edition } = join;
    member = newMember({
      id: from,
      index: -1,
      rows,
      benchmarkMs,
      session,
      barred: 0,
      presence: 'here',
      accepted: NOTHING_ACCEPTED,
      edition,
    });
    state.members.set(from, member);
    state.features = join.features;
    // Without a seat it cannot answer the open round.
    if (state.secure && state.round > 0) member.barred = state.round;
    if (state.trainer) admit(state, member);
    effects.push(persist(state, [member]));
  } else if (join.session > member.session) {
    member.session = join.session;
    if (state.phase !== 'finished' || canWake(state)) member.presence = 'here';
    effects.push(persist(state, [member]));
  }
  waitForAgain(state, member);
  if (member.expelled !== undefined) effects.push(refuse(state, from, 'EXPELLED', member.expelled));
  if (state.phase === 'gathering') effects.push(gatheringTimer(state));
  effects.push(sendWelcome(state, member));
  if (state.trainer && (isNew || changed !== 'nothing' || isPassedOver(state, member))) {
    return [...effects, ...askAbout(state, member, changed === 'all answers')];
  }
  const asked = state.trainer && state.phase === 'open' && !member.answered && member.barred < state.round;
  if (state.phase === 'finished') effects.push(sendFinish(state, member));
  else if (asked) effects.push(sendRound(state, member));
  if (state.secure) effects.push(...sendPhase(state, member));
  return effects;
}

/** Rows that have changed make the answers about those before worthless. Where nobody knows what those were, all are dropped. */
function takeEdition(
  state: CoordinatorState,
  member: Member,
  { edition, rows }: Join,
): 'nothing' | 'own answers' | 'all answers' {
  if (edition === member.edition) return 'nothing';
  const isSummed = inquiryOf(state)?.hasAnswered(member.index) && !contributionOf(state, member);
  member.edition = edition;
  member.rows = rows;
  if (member.moments) state.measured--;
  member.moments = undefined;
  dropAnswers(state, member);
  if (state.trainer && member.index >= 0) joinTraining(state, member);
  return isSummed ? 'all answers' : 'own answers';
}

/** A newcomer, or somebody with other rows: the open round is for it, too; a federation that rests is woken. */
function askAbout(state: CoordinatorState, member: Member, everybody: boolean): CoordinatorEffect[] {
  const changed = [...state.members.values()];
  if (canWake(state) && inquiryOf(state)) return wake(state, changed);
  if (state.phase === 'finished') return [sendFinish(state, member)];
  if (everybody && isUnderWay(state)) return open(state, 'train', changed);
  const effects: CoordinatorEffect[] = [persist(state, changed)];
  if (state.phase === 'open' && !member.answered && member.barred < state.round)
    effects.push(sendRound(state, member));
  if (state.secure) effects.push(...sendPhase(state, member));
  return effects;
}

/**
 * Whether a round is open that goes on from answers dropped since. So does one that is being summed: a secure sum is one of changes to
 * them, and answers are to a query that is no longer asked.
 */
function isUnderWay(state: CoordinatorState): boolean {
  const { phase, secure } = state;
  return (
    phase === 'open' || (phase === 'summing' && (secure !== undefined || inquiryOf(state) !== undefined))
  );
}

/** How many there should have been; undefined: it is as it should be. As long as there is nobody they may be chosen. */
function featuresExpected({ members, round, features }: CoordinatorState, join: Join): string | undefined {
  if (members.size > 0 || round > 0) return join.features === features ? undefined : String(features);
  const { maxFeatures } = DEFAULT_LIMITS;
  return join.features >= 1 && join.features <= maxFeatures ? undefined : `1 to ${maxFeatures}`;
}

/** A place in the sums: after all who have one. */
function admit(state: CoordinatorState, member: Member): void {
  // With steps, another problem from here on: its models are not to be compared with those before.
  if (!inquiryOf(state)) dropBest(state);
  member.index = state.nextIndex++;
  joinTraining(state, member);
}

export function onMoments(state: CoordinatorState, member: Member, message: Moments): CoordinatorEffect[] {
  const { count, mean, m2 } = message;
  if (mean.length !== state.features || m2.length !== state.features) {
    const sentence = `moments: expected ${state.features} features, got ${mean.length} and ${m2.length}`;
    return [refuse(state, member.id, 'WRONG_SHAPE', sentence)];
  }
  const contradiction = implausibleMoments(message, member.rows);
  if (contradiction) return [refuse(state, member.id, 'INFEASIBLE', contradiction)];
  if (state.scaling) {
    return [sendWelcome(state, member)];
  }
  if (!member.moments) state.measured++;
  member.moments ??= { count, mean, m2 };
  return [];
}

/** Asked after every input: the one who was missing may have left, or may never come. */
export function readyToStart(state: CoordinatorState): boolean {
  if (state.phase !== 'gathering' || state.paused) return false;
  if (state.secure) return readyToMeasure(state);
  const { measured } = state;
  if (measured === 0 || measured < state.options.minParticipants) return false;
  if (measured < state.members.size && state.nowMs < state.deadlineMs) return false;
  // Nobody can be scaled by the moments of no rows.
  return [...state.members.values()].some(({ moments }) => moments && moments.count > 0);
}

/** With secure aggregation: everybody has advertised its keys. */
function readyToMeasure(state: CoordinatorState): boolean {
  const { members, options } = state;
  const seated = membersSeated(state).length;
  if (seated < Math.max(2, options.minParticipants)) return false;
  return seated === members.size || state.nowMs >= state.deadlineMs;
}

/** Everybody is there: the scaling is settled from the merged moments, and the first round opens. */
export function startTraining(state: CoordinatorState): CoordinatorEffect[] {
  if (state.secure) return openMeasuring(state);
  const measured = membersInOrder(state).flatMap((member) => member.moments ?? []);
  const moments = measured.reduce(mergeMoments);
  return settleScaling(state, scalingFrom(moments, state.options.scale));
}

function membersInOrder({ members }: CoordinatorState): Member[] {
  return naturallySorted(members.keys()).map((id) => members.get(id)!);
}

/** From here on there is a model: everybody has a place in it, and the first round opens. */
export function settleScaling(state: CoordinatorState, scaling: Scaling): CoordinatorEffect[] {
  const inOrder = membersInOrder(state);
  state.scaling = { shift: scaling.shift, factor: scaling.factor };
  state.trainer = newTrainer(state.options, state.features);
  for (const member of inOrder) {
    admit(state, member);
    member.moments = undefined;
  }
  const effects = open(state, 'train', inOrder);
  const welcomes = membersHere(state).map((member) => sendWelcome(state, member));
  // The welcome with the scaling goes first, but not before it is durable.
  return [effects[0], ...welcomes, ...effects.slice(1)];
}

export function onLeave(state: CoordinatorState, member: Member): CoordinatorEffect[] {
  // In a summation its update is being taken: it gets the outcome when that is done, because it retransmits.
  if (state.phase === 'summing' && member.answer) return [];
  // What has gone into a secure sum cannot be taken out of it again.
  if (state.secure && member.answered && (state.phase === 'open' || state.phase === 'summing')) return [];
  const end = sendFinish(state, member, 'left');
  if (!state.trainer) {
    // It has contributed nothing: nothing of it stays.
    removeMember(state, member);
    return [persist(state, [], [member.id]), end];
  }
  member.presence = 'left';
  state.tally = undefined;
  member.answer = undefined;
  member.answered = false;
  return [persist(state, [member]), end];
}

/** Counts as silent at once instead of after some rounds; whatever it sends next makes it one of those waited for again. */
export function onAway(state: CoordinatorState, id: string): CoordinatorEffect[] {
  const member = state.members.get(id);
  if (!member) return [];
  member.isAway = true;
  const { patience } = state.options;
  // Whoever has no end of patience wants to wait for those who come back.
  if (patience === Number.POSITIVE_INFINITY) return [];
  member.missed = Math.max(member.missed, patience);
  member.missedChecks = Math.max(member.missedChecks, patience);
  member.undealt = Math.max(member.undealt, patience);
  state.tally = undefined;
  return [];
}

/** Nobody waits in this round for whoever does not want to take part in it. */
export function onDecline(
  state: CoordinatorState,
  member: Member,
  { session, round, code }: Decline,
): CoordinatorEffect[] {
  if (session !== member.session) return [];
  state.declines.set(code, (state.declines.get(code) ?? 0) + 1);
  // Of the federation as a whole: it does not come back with this policy.
  if (round === 0) return onLeave(state, member);
  if (round !== state.round) return [];
  state.secure?.declined.set(member.id, code);
  if (!member.answered) member.barred = Math.max(member.barred, state.round);
  state.tally = undefined;
  return [];
}

export function waitForAgain(state: CoordinatorState, member: Member): void {
  member.isAway = false;
  member.missed = 0;
  member.missedChecks = 0;
  member.undealt = 0;
  state.tally = undefined;
}

/** Unlearning: its answers are dropped, and training goes on for those who remain. */
export function onForget(state: CoordinatorState, id: string): CoordinatorEffect[] {
  const member = state.members.get(id);
  if (!member) return [];
  if (state.trainer && !dropAnswers(state, member)) {
    const message = `forget "${id}": its contribution to sums with noise is known to nobody but itself; train again from the start without it`;
    return [{ type: 'refusal', message }];
  }
  removeMember(state, member);
  state.forgotten.set(id, member.session);
  forgetContribution(state, member);
  // What has been reported is about a w that is no longer.
  dropBest(state);
  state.certificate = UNKNOWN;
  for (const other of state.members.values()) other.scalars = undefined;
  const notice = refuse(
    state,
    id,
    'FORGOTTEN',
    `participant "${id}" has been forgotten: start over`,
    member.session,
  );
  const others = [...state.members.values()];
  const wakes = canWake(state) && inquiryOf(state) !== undefined && others.length > 0;
  if (!isUnderWay(state) && !wakes) {
    return [persist(state, others, [id]), notice];
  }
  // The open round asks about the old w, too: it is given up, and the next one opens without the forgotten answers.
  const [saved, ...announcements] = wakes ? wake(state, others, [id]) : open(state, 'train', others, [id]);
  return [saved, notice, ...announcements];
}

/** Everybody is asked again, with the rows it has now, about the model in use. */
export function onRecount(state: CoordinatorState): CoordinatorEffect[] {
  if (!inquiryOf(state)) {
    return [{ type: 'refusal', message: 'recount: there are no answers to ask for again' }];
  }
  askAgain(state);
  dropBest(state);
  state.certificate = UNKNOWN;
  const everybody = [...state.members.values()];
  // Also who did not answer before, unless its connection is gone.
  for (const member of everybody) if (!member.isAway) waitForAgain(state, member);
  if (state.phase === 'finished') return wake(state, everybody);
  return isUnderWay(state) ? open(state, 'train', everybody) : [];
}

function removeMember(state: CoordinatorState, member: Member): void {
  state.members.delete(member.id);
  state.tally = undefined;
  if (member.moments) state.measured--;
}
