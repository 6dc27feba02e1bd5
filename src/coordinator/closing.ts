/**
 * The end of a round: what its answers show, which are accepted, and whether training goes on. One way for single answers and for
 * sums (collecting/); answers to a query and steps differ in what they prove about the model, and in nothing else.
 */
import type { Summed } from '../privacy/secure/coordinator.ts';
import type { FinishReason } from '../protocol/messages.ts';
import { noteMeasured } from './branch.ts';
import { countsOf, sumUp } from './branch-sum.ts';
import type { Collected } from './collecting/plain.ts';
import { collectAnswers } from './collecting/plain.ts';
import { collectSum, expel, measuredMoments, takeOutcome } from './collecting/secure.ts';
import type { CoordinatorEffect } from './effects.ts';
import { settle } from './gathering.ts';
import { collectPartials } from './groups.ts';
import { inquire } from './inquiring.ts';
import type { Member } from './member.ts';
import { budgetIsSpent, privacySpent } from './private-rounds.ts';
import type { Proof } from './proof.ts';
import type { RoundRow } from './round-row.ts';
import { finish, open, openMeasuring } from './rounds.ts';
import type { CoordinatorState } from './state.ts';
import { examine, takeSteps } from './stepping.ts';
import { membersAsked, membersHere } from './tally.ts';
import { combinerOf, inquiryOf } from './training.ts';
import { hasShare, trainingMs } from './waiting.ts';

/** A round is closed: what it shows, which answers are accepted, then the next round or the end. */
export function onSummed(state: CoordinatorState, noise?: Float64Array): CoordinatorEffect[] {
  return [...expel(state), ...closeRound(state, noise)];
}

function closeRound(state: CoordinatorState, noise: Float64Array | undefined): CoordinatorEffect[] {
  const summed = state.secure ? takeOutcome(state) : undefined;
  const here = membersHere(state);
  const responders = here.filter((member) => member.answered);
  noteSilence(state);
  if (state.secure?.purpose === 'measure') return onMeasured(state, measuredMoments(state, summed));
  noteShares(state);
  const collected = collectedBy(state, responders, summed);
  if (state.above) return isAnswered(state) ? [] : sumUp(state, collected);
  const byAnswers = inquiryOf(state) !== undefined;
  const proof = byAnswers ? inquire(state, collected) : examine(state);
  const base = rowOf(state, responders, proof, collected);
  if (proof.known) noteGap(state, proof);
  if (isGoodEnough(state, proof, responders.length === here.length)) {
    return closeWith({ ...base, outcome: 'final' }, finish(state, 'gap'));
  }
  if (proof.shown && proof.complete) return closeWith({ ...base, outcome: 'final' }, finish(state, 'stall'));
  const limit = limitReached(state);
  if (limit && (state.purpose === 'certify' || limit === 'time' || limit === 'budget')) {
    return closeWith({ ...base, outcome: 'final' }, finish(state, limit));
  }
  // What was accepted of whom is in the run: no member's own cell has changed.
  if (byAnswers) return goOn(state, { ...base, outcome: outcomeOf(state, collected) }, proof, []);
  if (state.purpose === 'certify') {
    return closeWith({ ...base, outcome: 'certified' }, open(state, 'train', []));
  }
  const stepped = takeSteps(state, collected, noise);
  const row = { ...base, ...privacySpent(state), outcome: outcomeOf(state, collected) };
  return goOn(state, row, proof, stepped);
}

function collectedBy(
  state: CoordinatorState,
  responders: readonly Member[],
  summed: Summed | undefined,
): Collected {
  if (state.place.below === 'groups') return enough(state, collectPartials(state, responders));
  return enough(state, state.secure ? collectSum(state, summed) : collectAnswers(state, responders));
}

/** Whether a branch has answered its parent's round already. */
function isAnswered({ above, round }: CoordinatorState): boolean {
  return above?.pending?.message.round === round;
}

/** Too few answers are none; a branch has as many as it has. */
function enough(state: CoordinatorState, collected: Collected): Collected {
  if (state.above) return collected;
  const { minResponses } = state.options;
  const answered = collected.members.reduce((sum, { partial }) => sum + (partial?.answered ?? 1), 0);
  // A partial sum may be of earlier answers alone.
  const least = collected.groups && minResponses <= 1 ? 0 : Math.max(1, minResponses);
  return answered >= least ? collected : renewedAmong(collected);
}

/** Of too few, only what takes the place of answers that are no longer to count. */
function renewedAmong({ members, groups }: Collected): Collected {
  const renewed = members.filter(({ partial, behind }) => behind && behind.renewed !== partial?.renewed);
  const indices = new Set(renewed.map(({ index }) => index));
  return { members: renewed, groups: groups?.filter(({ member }) => indices.has(member)) };
}

function outcomeOf({ purpose }: CoordinatorState, { members }: Collected): RoundRow['outcome'] {
  if (members.length === 0) return 'abandoned';
  return purpose === 'certify' ? 'certified' : 'aggregated';
}

function rowOf(
  state: CoordinatorState,
  responders: readonly Member[],
  { primal, dual, relativeGap, certified }: Proof,
  { notes }: Collected,
): Omit<RoundRow, 'outcome'> {
  return {
    round: state.round,
    atMs: state.nowMs,
    purpose: state.purpose,
    responders: responders.map((member) => member.id),
    certified,
    missing: state.missing,
    sigma: combinerOf(state)?.sigma ?? 0,
    primal,
    dual,
    relativeGap,
    ...(state.wokenRound > 0 && state.round === state.wokenRound + 1 && { woken: true as const }),
    ...privacySpent(state),
    tests: null,
    ...notes,
    ...(state.place.below === 'groups' && { behind: countsOf(state, responders) }),
  };
}

/** The next round: one that waits for everybody where the end is near, or where what is known may be good enough. */
function goOn(
  state: CoordinatorState,
  row: RoundRow,
  proof: Proof,
  taken: readonly Member[],
): CoordinatorEffect[] {
  const end = limitReached(state);
  // Without scalars there is nothing to certify; an answered query needs no certifying round.
  const certified = inquiryOf(state) !== undefined && Number.isFinite(proof.primal);
  if (end && (state.options.dp || certified)) return closeWith(row, finish(state, end, taken));
  const promising =
    proof.known && proof.settled && state.options.stop.gap > 0 && proof.likelyGap <= state.options.stop.gap;
  return closeWith(row, open(state, end || promising ? 'certify' : 'train', taken));
}

function onMeasured(
  state: CoordinatorState,
  moments: ReturnType<typeof measuredMoments>,
): CoordinatorEffect[] {
  if (state.above) return noteMeasured(state, moments);
  if (moments) return settle(state, moments);
  return limitReached(state) === undefined ? openMeasuring(state) : finish(state, 'rounds');
}

function noteSilence(state: CoordinatorState): void {
  // Nobody has waited for the others: they may be slow, or gone.
  if (hasShare(state)) return;
  // Without a cohort nobody can answer, however long the others wait.
  const hasNoCohort = state.secure !== undefined && !state.secure.core;
  for (const member of hasNoCohort ? membersHere(state) : membersAsked(state)) {
    if (member.answered) continue;
    if (state.purpose === 'certify') member.missedChecks++;
    else member.missed++;
  }
}

/** Who was asked, and who has answered. */
function noteShares(state: CoordinatorState): void {
  for (const member of membersHere(state)) {
    if (!member.answered && member.barred >= state.round) continue;
    member.askedRounds++;
    if (member.answered) member.answeredRounds++;
  }
}

function closeWith(row: RoundRow, effects: CoordinatorEffect[]): CoordinatorEffect[] {
  return [{ type: 'row', row }, ...effects];
}

/** With steps everybody must have answered this very round; the bounds of answers hold for the absent, too. */
function isGoodEnough(state: CoordinatorState, proof: Proof, everybody: boolean): boolean {
  if (!proof.known || !proof.settled || !proof.complete) return false;
  // A target of 0 asks for rounds without end: that rounding makes both bounds equal is no end.
  const { gap } = state.options.stop;
  if (gap === 0 || proof.largestGap > gap) return false;
  return everybody || inquiryOf(state) !== undefined;
}

/** Local solves are as accurate as the gap asks for; whether there is progress is seen at the model in use. */
function noteGap(state: CoordinatorState, { relativeGap, likelyGap, settled }: Proof): void {
  state.gap = Math.min(1, likelyGap);
  // While the problem itself still moves, a gap is not worse for being larger than that of another problem.
  if (relativeGap < state.bestGap * (1 - 1e-3) || !settled) {
    state.bestGap = relativeGap;
    state.bestRound = state.round;
  }
}

function limitReached(state: CoordinatorState): FinishReason | undefined {
  const { stop } = state.options;
  // Abandoned and certifying rounds do not count, but they do not go on for ever either.
  if (state.aggregated >= stop.rounds || state.round - state.wokenRound >= 3 * stop.rounds + 10)
    return 'rounds';
  if (trainingMs(state) >= stop.timeMs) return 'time';
  if (budgetIsSpent(state)) return 'budget';
  if (!state.options.dp && state.round - state.bestRound >= stop.stall) return 'stall';
  return undefined;
}
