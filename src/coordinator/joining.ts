/** Joining: a newcomer, a participant that starts again or comes back, and rows that have changed since. */
import { DEFAULT_LIMITS } from '../protocol/limits.ts';
import type { Join } from '../protocol/messages.ts';
import { mostMappedFeatures } from '../settings/feature-map.ts';
import { SummedSteps } from '../solver/summed-steps.ts';
import type { CoordinatorEffect } from './effects.ts';
import { dropMoments, removeMember } from './leaving.ts';
import { type Member, newMember } from './member.ts';
import { comeBack, joinsTooOften, waitForAgain } from './patience.ts';
import { featuresOfBounds } from './private-scaling.ts';
import { implausibleJoin, refuse } from './refusals.ts';
import { canWake, isPassedOver, isUnderWay, mayWake, open, wakeFor } from './rounds.ts';
import { sendPhase } from './secure-round.ts';
import { sendFinish, sendRound, sendWelcome } from './sending.ts';
import type { CoordinatorState } from './state.ts';
import { persist } from './stored.ts';
import { tallyNewcomer } from './tally.ts';
import {
  admit,
  combinerOf,
  contributionOf,
  dropAnswers,
  dropProof,
  inquiryOf,
  joinTraining,
  NOTHING_ACCEPTED,
} from './training.ts';
import { gatheringTimer } from './waiting.ts';

export function onJoin(state: CoordinatorState, from: string, join: Join): CoordinatorEffect[] {
  if (joinsTooOften(state, from)) return [];
  const known = state.members.get(from);
  const outdated = known ? ofAnotherTime(state, known, join) : ofAnotherStore(state, from, join);
  if (outdated) return outdated;
  const refusal = misfit(state, from, join);
  if (refusal) return [refusal];
  const dropped = known ? withoutAnswers(state, known, join) : 'nothing';
  // Training went on without it: the certificate does not cover it, and its answers were held still.
  const wasMissed = known !== undefined && join.session > known.session && state.missing.includes(from);
  const member = known ?? newParticipant(state, from, join);
  const effects = known ? beginSession(state, known, join) : storeNewcomer(state, member);
  if (dropped === 'nothing') comeBack(state, member);
  else waitForAgain(state, member);
  if (member.expelled !== undefined) effects.push(refuse(state, from, 'EXPELLED', member.expelled));
  effects.push(sendWelcome(state, member));
  const isNews = !known || dropped !== 'nothing' || (wasMissed && mayWake(state, member));
  const asks = state.trainer && (isNews || isPassedOver(state, member));
  return [...effects, ...(asks ? askAbout(state, member, dropped) : sendStanding(state, member))];
}

/** Joining is durable before anybody answers: a state of which nothing is known here is that of another store. */
function ofAnotherStore(
  state: CoordinatorState,
  from: string,
  { base, pending, session }: Join,
): CoordinatorEffect[] | undefined {
  const last = state.forgotten.get(from) ?? 0;
  const isOther = base > 0 || pending > 0 || session <= last;
  if (!isOther) return undefined;
  const message = `participant "${from}" has a state that the coordinator does not know: start over`;
  return [refuse(state, from, 'FORGOTTEN', message, session)];
}

/** From an earlier session of the participant, late on its way; one that has left in this session has left. */
function ofAnotherTime(state: CoordinatorState, member: Member, join: Join): CoordinatorEffect[] | undefined {
  if (join.session < member.session) return [];
  if (isAhead(state, member, join)) return startAnew(state, member, join);
  return member.presence === 'left' && join.session === member.session ? [] : undefined;
}

function misfit(state: CoordinatorState, from: string, join: Join): CoordinatorEffect | undefined {
  const absurd = implausibleJoin(state.options, join);
  if (absurd) return refuse(state, from, 'INFEASIBLE', absurd);
  const expected = featuresExpected(state, join);
  if (expected === undefined) return undefined;
  const message = `participant "${from}": expected ${expected} features, got ${join.features}`;
  return refuse(state, from, 'WRONG_FEATURES', message);
}

function newParticipant(state: CoordinatorState, id: string, join: Join): Member {
  const { rows, benchmarkMs, session, edition } = join;
  const member = newMember({
    ...{ id, index: -1, rows, benchmarkMs, session },
    ...{ barred: 0, presence: 'here', accepted: NOTHING_ACCEPTED, edition },
  });
  state.members.set(id, member);
  // With union nobody's columns are everybody's, once they are agreed on.
  if (!state.agreement?.columns) state.features = join.features;
  // Without a seat it cannot answer the open round.
  if (state.secure && state.round > 0) member.barred = state.round;
  tallyNewcomer(state, member);
  if (state.trainer) admit(state, member);
  // What is known so far is known without it.
  if (inquiryOf(state)) state.missing = [...state.missing, id];
  return member;
}

/** Whoever has joined before does not put off the start. */
function storeNewcomer(state: CoordinatorState, member: Member): CoordinatorEffect[] {
  const stored = persist(state, [member]);
  return state.phase === 'gathering' ? [stored, gatheringTimer(state)] : [stored];
}

/**
 * Whether it knows of rounds that are not known here: the store was rolled back. What was accepted is durable before anybody hears of it, so that
 * nobody has a newer accepted answer than the coordinator. A branch opens rounds that it has not stored: it may have to hear from its
 * parent first which one is open.
 */
function isAhead(
  { trainer, phase, round, above }: CoordinatorState,
  { accepted }: Member,
  { base, pending }: Join,
): boolean {
  if (!trainer) return base > 0 || pending > 0;
  if (base > round || (base === round && phase === 'open')) return true;
  if (pending > round && (!above || above.isCurrent)) return true;
  return accepted.round > 0 && base > accepted.round;
}

/** Nothing that it has answered counts any more, here or there: it begins a new session, and answers again. */
function startAnew(
  state: CoordinatorState,
  member: Member,
  { session }: Join,
): CoordinatorEffect[] | undefined {
  const { id } = member;
  const message = `participant "${id}" has answered rounds that the coordinator does not know: start over`;
  const notice = refuse(state, id, 'FORGOTTEN', message, session);
  if (!state.trainer) {
    removeMember(state, member);
    state.forgotten.set(id, session);
    return [persist(state, [], [id]), notice];
  }
  // Only the participant knows what it has contributed to noisy sums.
  if (combinerOf(state) instanceof SummedSteps) return undefined;
  const dropped = startAgainWith(state, member);
  member.session = session;
  waitForAgain(state, member);
  const [stored, ...announcements] = askAbout(state, member, dropped);
  return [stored, notice, ...announcements];
}

/**
 * A participant that is known has started again. That alone is not worth a write: after a crash its next message is answered with
 * NOT_JOINED, and it joins again. Coming back after having left is.
 */
function beginSession(state: CoordinatorState, member: Member, { session }: Join): CoordinatorEffect[] {
  if (session <= member.session) return [];
  member.session = session;
  state.unsaved.add(member.id);
  if (member.presence === 'here' || (state.phase === 'finished' && !canWake(state))) return [];
  member.presence = 'here';
  state.tally = undefined;
  return [persist(state)];
}

/** Which answers no longer count. */
type Dropped = 'nothing' | 'own answers' | 'all answers';

/** Rows that have changed make the answers about those before worthless. So does a new session in which it does not know them. */
function withoutAnswers(state: CoordinatorState, member: Member, join: Join): Dropped {
  const { edition, rows } = join;
  if (member.answer && join.session > member.session && join.pending !== state.round) withdraw(state, member);
  if (edition === member.edition)
    return isUnknownTo(member, join) ? startAgainWith(state, member) : 'nothing';
  member.edition = edition;
  member.rows = rows;
  dropMoments(state, member);
  return dropOwnAnswers(state, member);
}

/** The store was rolled back to before it was forgotten, or its own state is another one: what counts here is nothing that it has. */
export function isUnknownTo(
  { accepted, session }: Member,
  join: Pick<Join, 'session' | 'base' | 'pending'>,
): boolean {
  const { round } = accepted;
  return join.session > session && round > 0 && join.base !== round && join.pending !== round;
}

/** A new session does not know the answer that the open round has of it. What is in a secure sum cannot be taken out again. */
function withdraw(state: CoordinatorState, member: Member): void {
  member.answer = undefined;
  member.answered = false;
  state.tally = undefined;
}

/** From nothing, on both sides. */
function startAgainWith(state: CoordinatorState, member: Member): Exclude<Dropped, 'nothing'> {
  const dropped = dropOwnAnswers(state, member);
  member.accepted = NOTHING_ACCEPTED;
  return dropped;
}

/** Where nobody knows its part of a sum, all answers are dropped. */
function dropOwnAnswers(state: CoordinatorState, member: Member): Exclude<Dropped, 'nothing'> {
  const isSummed = inquiryOf(state)?.hasAnswered(member.index) && !contributionOf(state, member);
  dropAnswers(state, member);
  dropProof(state);
  if (state.trainer && member.index >= 0) joinTraining(state, member);
  return isSummed ? 'all answers' : 'own answers';
}

/** A newcomer, somebody with other rows, or back from an absence: the open round is for it, too; a federation that rests is woken. */
function askAbout(state: CoordinatorState, member: Member, dropped: Dropped): CoordinatorEffect[] {
  const everybody = [...state.members.values()];
  if (mayWake(state, member)) return wakeFor(state, member);
  if (state.phase === 'finished') return [persist(state, everybody), sendFinish(state, member)];
  if (dropped === 'all answers' && isUnderWay(state)) return open(state, 'train', everybody);
  return [persist(state, everybody), ...sendStanding(state, member)];
}

/** It was connected before this process began, and may be at rest: by its `join` both sides see whether they know the same. */
export function onPresent(state: CoordinatorState, id: string): CoordinatorEffect[] {
  return [refuse(state, id, 'NOT_JOINED', 'another process coordinates this federation now: join again')];
}

/** How the federation stands: at rest, or what is asked of this member. */
function sendStanding(state: CoordinatorState, member: Member): CoordinatorEffect[] {
  const effects: CoordinatorEffect[] = [];
  const isAsked = state.trainer && state.phase === 'open' && !member.answered && member.barred < state.round;
  if (state.phase === 'finished') effects.push(sendFinish(state, member));
  else if (isAsked) effects.push(...sendRound(state, member));
  if (state.secure) effects.push(...sendPhase(state, member));
  return effects;
}

/** How many there should have been; undefined: it is as it should be. As long as there is nobody they may be chosen. */
export function featuresExpected(
  { members, round, features, options }: CoordinatorState,
  join: Pick<Join, 'features'>,
): string | undefined {
  // 0: a branch has started over.
  const isFirst = features === 0 || (members.size === 0 && round === 0);
  if (!isFirst && options.columns !== 'union')
    return join.features === features ? undefined : String(features);
  const bounded = featuresOfBounds(options);
  if (bounded !== undefined) return join.features === bounded ? undefined : String(bounded);
  const most = Math.min(DEFAULT_LIMITS.maxFeatures, mostMappedFeatures(options.features));
  return join.features >= 1 && join.features <= most ? undefined : `1 to ${most}`;
}
