/** Coming and going: joining, agreeing on the scaling, starting, leaving, being forgotten. */

import { naturallySorted } from '../data/participants.ts';
import { DEFAULT_LIMITS } from '../protocol/limits.ts';
import type { Decline, Join, Moments } from '../protocol/messages.ts';
import { mostMappedFeatures } from '../settings/feature-map.ts';
import {
  areLabelsAsked,
  areRowsMeasured,
  classAwaited,
  contradictionIn,
  mergedMoments,
  misshapenMoments,
  noteMeanings,
  settleClasses,
  settleColumns,
  settleNamedColumns,
  settleScaling,
} from './agreement.ts';
import { unfitColumns } from './columns.ts';
import { forgetContribution } from './defence.ts';
import type { CoordinatorEffect } from './effects.ts';
import { comeBack, joinsTooOften, waitForAgain } from './patience.ts';
import { budgetIsSpent } from './private-rounds.ts';
import { featuresOfBounds } from './private-scaling.ts';
import { implausibleJoin, implausibleMoments, refuse } from './refusals.ts';
import { canWake, isPassedOver, mayWake, open, openMeasuring, wake, wakeFor } from './rounds.ts';
import { membersSeated } from './secure-roster.ts';
import { sendPhase } from './secure-round.ts';
import { sendFinish, sendRound, sendWelcome } from './sending.ts';
import {
  type CoordinatorState,
  type Member,
  membersHere,
  newMember,
  participantsIn,
  tallyNewcomer,
} from './state.ts';
import { persist } from './stored.ts';
import {
  askAgain,
  contributionOf,
  dropAnswers,
  dropProof,
  inquiryOf,
  joinTraining,
  NOTHING_ACCEPTED,
  newTrainer,
} from './training.ts';
import { gatheringTimer } from './waiting.ts';
import { noteArrival, WELCOMED } from './ways.ts';

export function onJoin(state: CoordinatorState, from: string, join: Join): CoordinatorEffect[] {
  if (joinsTooOften(state, from)) return [];
  let member = state.members.get(from);
  const last = state.forgotten.get(from) ?? 0;
  // Joining is durable before anybody answers: a state of which nothing is known here is that of another store.
  if (!member && (join.base > 0 || join.pending > 0 || join.session <= last)) {
    const message = `participant "${from}" has a state that the coordinator does not know: start over`;
    return [refuse(state, from, 'FORGOTTEN', message, join.session)];
  }
  // From an earlier session of the participant, late on its way; one that has left in this session has left.
  if (member && join.session < member.session) return [];
  if (member && isAhead(state, join)) return forgetAhead(state, member, join);
  if (member?.presence === 'left' && join.session === member.session) return [];
  const absurd = implausibleJoin(state.options, join);
  if (absurd) return [refuse(state, from, 'INFEASIBLE', absurd)];
  const expected = featuresExpected(state, join);
  if (expected !== undefined) {
    const message = `participant "${from}": expected ${expected} features, got ${join.features}`;
    return [refuse(state, from, 'WRONG_FEATURES', message)];
  }
  const effects: CoordinatorEffect[] = [];
  const isNew = !member;
  const changed = member ? takeEdition(state, member, join) : 'nothing';
  // Training went on without it: the certificate does not cover it, and its answers were held still.
  const wasMissed = member !== undefined && join.session > member.session && state.missing.includes(from);
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
    // With union nobody's columns are everybody's, once they are agreed on.
    if (!state.agreement?.columns) state.features = join.features;
    // Without a seat it cannot answer the open round.
    if (state.secure && state.round > 0) member.barred = state.round;
    tallyNewcomer(state, member);
    if (state.trainer) admit(state, member);
    // What is known so far is known without it.
    if (inquiryOf(state)) state.missing = [...state.missing, from];
    effects.push(persist(state, [member]));
    // Whoever has joined before does not put off the start.
    if (state.phase === 'gathering') effects.push(gatheringTimer(state));
  } else if (join.session > member.session) {
    effects.push(...beginSession(state, member, join.session));
  }
  if (changed === 'nothing') comeBack(state, member);
  else waitForAgain(state, member);
  if (member.expelled !== undefined) effects.push(refuse(state, from, 'EXPELLED', member.expelled));
  effects.push(sendWelcome(state, member));
  const isNews = isNew || changed !== 'nothing' || (wasMissed && mayWake(state, member));
  if (state.trainer && (isNews || isPassedOver(state, member))) {
    return [...effects, ...askAbout(state, member, changed === 'all answers')];
  }
  const asked = state.trainer && state.phase === 'open' && !member.answered && member.barred < state.round;
  if (state.phase === 'finished') effects.push(sendFinish(state, member));
  else if (asked) effects.push(...sendRound(state, member));
  if (state.secure) effects.push(...sendPhase(state, member));
  return effects;
}

/** It has answered rounds of which nothing is known here, not even what was agreed on: the store was rolled back. */
function isAhead({ trainer, phase }: CoordinatorState, { base, pending }: Join): boolean {
  return !trainer && phase === 'gathering' && (base > 0 || pending > 0);
}

function forgetAhead(state: CoordinatorState, member: Member, { session }: Join): CoordinatorEffect[] {
  const { id } = member;
  removeMember(state, member);
  state.forgotten.set(id, session);
  const message = `participant "${id}" has answered rounds that the coordinator does not know: start over`;
  return [persist(state, [], [id]), refuse(state, id, 'FORGOTTEN', message, session)];
}

/**
 * A participant that is known has started again. That alone is not worth a write: after a crash its next message is answered with
 * NOT_JOINED, and it joins again. Coming back after having left is.
 */
function beginSession(state: CoordinatorState, member: Member, session: number): CoordinatorEffect[] {
  member.session = session;
  state.unsaved.add(member.id);
  if (member.presence === 'here' || (state.phase === 'finished' && !canWake(state))) return [];
  member.presence = 'here';
  state.tally = undefined;
  return [persist(state)];
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
  dropMoments(state, member);
  dropAnswers(state, member);
  dropProof(state);
  if (state.trainer && member.index >= 0) joinTraining(state, member);
  return isSummed ? 'all answers' : 'own answers';
}

/** A newcomer, somebody with other rows, or back from an absence: the open round is for it, too; a federation that rests is woken. */
function askAbout(state: CoordinatorState, member: Member, everybody: boolean): CoordinatorEffect[] {
  const changed = [...state.members.values()];
  if (mayWake(state, member)) return wakeFor(state, member);
  if (state.phase === 'finished') return [persist(state, changed), sendFinish(state, member)];
  if (everybody && isUnderWay(state)) return open(state, 'train', changed);
  const effects: CoordinatorEffect[] = [persist(state, changed)];
  if (state.phase === 'open' && !member.answered && member.barred < state.round)
    effects.push(...sendRound(state, member));
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
export function featuresExpected(
  { members, round, features, options }: CoordinatorState,
  join: Pick<Join, 'features'>,
): string | undefined {
  const isFirst = members.size === 0 && round === 0;
  if (!isFirst && options.columns !== 'union')
    return join.features === features ? undefined : String(features);
  const bounded = featuresOfBounds(options);
  if (bounded !== undefined) return join.features === bounded ? undefined : String(bounded);
  const most = Math.min(DEFAULT_LIMITS.maxFeatures, mostMappedFeatures(options.features));
  return join.features >= 1 && join.features <= most ? undefined : `1 to ${most}`;
}

/** A place in the sums: after all who have one. */
export function admit(state: CoordinatorState, member: Member): void {
  // With steps, another problem from here on: its models are not to be compared with those before.
  if (!inquiryOf(state)) dropProof(state);
  member.index = state.nextIndex++;
  joinTraining(state, member);
}

export function onMoments(state: CoordinatorState, member: Member, message: Moments): CoordinatorEffect[] {
  const misshapen = misshapenMoments(state, message);
  if (misshapen) return [refuse(state, member.id, 'WRONG_SHAPE', misshapen)];
  const isGroup = member.participants !== undefined;
  const brings = isGroup ? message.count : member.rows;
  const rows = (areRowsMeasured(state) || message.columns) && !state.secure ? brings : 0;
  const implausible = implausibleMoments(message, rows);
  if (implausible) return [refuse(state, member.id, 'INFEASIBLE', implausible)];
  // Settled: it checks for itself whether its labels fit.
  if (state.phase !== 'gathering') return [sendWelcome(state, member)];
  const unfit = unfitColumns(state, member, message);
  const contradiction = unfit ?? contradictionIn(state, member, message);
  if (contradiction) {
    const refusal = refuse(state, member.id, unfit ? 'WRONG_FEATURES' : 'WRONG_CLASSES', contradiction);
    // It has contributed nothing: nothing of it stays, and nobody waits for it.
    removeMember(state, member);
    return [persist(state, [], [member.id]), refusal];
  }
  noteArrival(member.ways, WELCOMED, state.nowMs);
  const { kind: _, ...brought } = message;
  // Sent again: it waits, and is told for what. Of a branch, more may stand behind it by now.
  if (member.moments && !isGroup) return [sendWelcome(state, member)];
  dropMoments(state, member);
  state.measured++;
  member.moments = brought;
  noteMeanings(state, brought);
  return classAwaited(state) === undefined ? [] : [sendWelcome(state, member)];
}

/** Asked after every input: the one who was missing may have left, or may never come. */
export function readyToStart(state: CoordinatorState): boolean {
  if (state.phase !== 'gathering' || state.paused) return false;
  if (state.secure) return readyToMeasure(state);
  const isAsked = areRowsMeasured(state) || areLabelsAsked(state) || state.options.columns === 'union';
  const measured = isAsked ? state.measured : state.members.size;
  const ready = state.place.below === 'groups' ? participantsReady(state, isAsked) : measured;
  if (classAwaited(state) !== undefined || measured === 0 || ready < state.options.minParticipants)
    return false;
  if (measured < state.members.size && state.nowMs < state.deadlineMs) return false;
  // Nobody can be scaled by the moments of no rows.
  if (!areRowsMeasured(state)) return true;
  return [...state.members.values()].some(({ moments }) => moments && moments.count > 0);
}

/** Behind branches; of each participant it is enough that it has brought something. */
function participantsReady({ members }: CoordinatorState, isAsked: boolean): number {
  const all = [...members.values()];
  return participantsIn(isAsked ? all.filter(({ moments }) => moments) : all);
}

/** With secure aggregation: everybody has advertised its keys, and its labels where they are asked for. */
export function readyToMeasure(state: CoordinatorState): boolean {
  const { members, options, above } = state;
  const asksLabels = areLabelsAsked(state);
  const ready = membersSeated(state).filter(({ moments }) => moments || !asksLabels).length;
  // How many there have to be in all is for the parent to say.
  const least = Math.max(2, above ? 0 : options.minParticipants);
  if (ready < least || classAwaited(state) !== undefined) return false;
  return ready === members.size || state.nowMs >= state.deadlineMs;
}

/** Everybody is there: what is to be agreed on is settled, and the first round opens. */
export function startTraining(state: CoordinatorState): CoordinatorEffect[] {
  settleClasses(state);
  settleNamedColumns(state);
  if (state.secure && areRowsMeasured(state)) return measure(state);
  const brought = membersInOrder(state).flatMap(({ id, moments }) => (moments ? [{ id, moments }] : []));
  const claimed = settleColumns(state, brought);
  if (!areRowsMeasured(state)) return settle(state, undefined);
  const { moments, leftOut } = mergedMoments(claimed);
  const notices = leftOut.map(({ id, sentence }) => refuse(state, id, 'INFEASIBLE', sentence));
  return [...notices, ...settle(state, moments)];
}

/** Whoever has text or gaps must know what they become before it can say anything of them. */
function measure(state: CoordinatorState): CoordinatorEffect[] {
  const effects = openMeasuring(state);
  if (!state.agreement?.encoding) return effects;
  const welcomes = membersHere(state).map((member) => sendWelcome(state, member));
  return [effects[0], ...welcomes, ...effects.slice(1)];
}

function membersInOrder({ members }: CoordinatorState): Member[] {
  return naturallySorted(members.keys()).map((id) => members.get(id)!);
}

/** From here on there is a model: everybody has a place in it, and the first round opens. */
export function settle(
  state: CoordinatorState,
  moments: Parameters<typeof settleScaling>[1],
): CoordinatorEffect[] {
  settleScaling(state, moments);
  state.trainer = newTrainer(state.options, state.features, state.agreement, state.place);
  const inOrder = admitAll(state);
  const effects = open(state, 'train', inOrder);
  const welcomes = membersHere(state).map((member) => sendWelcome(state, member));
  // The welcome with what is agreed on goes first, but not before it is durable.
  return [effects[0], ...welcomes, ...effects.slice(1)];
}

/** Everybody has a place in the model. */
export function admitAll(state: CoordinatorState): Member[] {
  const inOrder = membersInOrder(state);
  for (const member of inOrder) {
    admit(state, member);
    member.moments = undefined;
  }
  return inOrder;
}

export function onLeave(state: CoordinatorState, member: Member): CoordinatorEffect[] {
  // In a summation its update is being taken: it gets the outcome when that is done, because it retransmits.
  if (state.phase === 'summing' && member.answer) return [];
  // What has gone into a secure sum cannot be taken out of it again.
  if (state.secure && member.answered && (state.phase === 'open' || state.phase === 'summing')) return [];
  const end = sendFinish(state, member, 'left');
  if (member.presence === 'left') return [end];
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

/** Nobody waits in this round for whoever does not want to take part in it. */
export function onDecline(
  state: CoordinatorState,
  member: Member,
  { session, round, code }: Decline,
): CoordinatorEffect[] {
  if (session !== member.session) return [];
  state.declines.set(code, (state.declines.get(code) ?? 0) + 1);
  member.fault = 'DECLINED';
  // Of the federation as a whole: it does not come back with this policy.
  if (round === 0) return onLeave(state, member);
  if (round !== state.round) return [];
  state.secure?.declined.set(member.id, code);
  if (!member.answered) member.barred = Math.max(member.barred, state.round);
  state.tally = undefined;
  return [];
}

/** Unlearning: its answers are dropped, and training goes on for those who remain. */
export function onForget(state: CoordinatorState, id: string): CoordinatorEffect[] {
  const member = state.members.get(id);
  if (!member) return [];
  if (state.trainer && !dropAnswers(state, member)) {
    const message = `forget "${id}": only the participant knows its contribution to noisy sums; train again from the start without it`;
    return [{ type: 'refusal', message }];
  }
  removeMember(state, member);
  state.forgotten.set(id, member.session);
  forgetContribution(state, member);
  const inquiry = inquiryOf(state);
  const isAnswered = [...state.members.values()].some(({ index }) => inquiry?.hasAnswered(index));
  // Where nobody is left whose answers made it, nothing of w stays; the w of a branch is its parent's.
  if (!isAnswered && !state.above) inquiry?.startOver();
  dropProof(state);
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

function removeMember(state: CoordinatorState, member: Member): void {
  state.members.delete(member.id);
  state.tally = undefined;
  dropMoments(state, member);
}

function dropMoments(state: CoordinatorState, member: Member): void {
  if (!member.moments) return;
  member.moments = undefined;
  state.measured--;
  state.meanings = undefined;
}
