/**
 * The end of a round: what its answers show, which are accepted, and whether training goes on. One way for single answers and for
 * sums (collecting/); answers to a query and steps differ in what they prove about the model, and in nothing else.
 */
import { invariant } from '../base/errors.ts';
import type { Summed } from '../privacy/secure/coordinator.ts';
import type { FinishReason } from '../protocol/messages.ts';
import { type Certificate, certificateOf } from '../solver/certificate.ts';
import { isPlausible } from '../solver/inquiry.ts';
import type { Standing } from '../solver/inquiry-types.ts';
import { excessOf } from '../solver/last-answers.ts';
import { SummedSteps } from '../solver/summed-steps.ts';
import { noteMeasured } from './branch.ts';
import { countsOf, sumUp } from './branch-sum.ts';
import { comparable } from './claims.ts';
import type { Collected } from './collecting/plain.ts';
import { collectAnswers } from './collecting/plain.ts';
import { collectSum, expel, measuredMoments, takeOutcome } from './collecting/secure.ts';
import { noteChange } from './defence.ts';
import type { CoordinatorEffect } from './effects.ts';
import { collectPartials, noteBehind } from './groups.ts';
import { settle } from './membership.ts';
import { budgetIsSpent, makePrivate, payForSum, privacySpent } from './private-rounds.ts';
import { finish, open, openMeasuring } from './rounds.ts';
import {
  accept,
  type CoordinatorState,
  isMissing,
  type Member,
  membersAsked,
  membersHere,
  type RoundRow,
} from './state.ts';
import { combinerOf, dropBest, inquiryOf } from './training.ts';
import { hasShare, trainingMs } from './waiting.ts';

/** What a round has shown of the model in use. */
interface Proof extends Certificate {
  /** Whether the numbers are certain. */
  readonly certified: boolean;
  /** Whether there are numbers at all. */
  readonly known: boolean;
  /** The gap by which training ends: of the head that is farthest from its optimum. */
  readonly largestGap: number;
  /** As the absent would probably answer: worth asking everybody about. */
  readonly likelyGap: number;
  /** Whether a gap that small is the end. */
  readonly settled: boolean;
  /** Whether everybody who may still answer has answered at least once. */
  readonly complete: boolean;
  /** With sums: whether training ends whatever is claimed. */
  readonly shown?: boolean;
}

/** A round that shows nothing new. */
const NO_PROOF = { certified: false, known: false, likelyGap: 1, settled: true, complete: false };

/**
 * Where only sums are seen, the gap is made of claims that nobody can check. The vectors must confirm it: with so many times the target against
 * what they say of P at least, which on the data tried is a 12th of P and more.
 */
const VECTOR_SLACK = 12;
/** Rounds in a row in which the vectors have shown the target, after which claims that do not are not waited for any longer. */
const CLAIMS_AWAITED = 5;

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
  for (const member of membersAsked(state)) {
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

/** Takes the answers to a query: bounds, and the next query. */
function inquire(state: CoordinatorState, { members, answers, sum, groups }: Collected): Proof {
  const inquiry = inquiryOf(state)!;
  const { round } = state;
  const missing = [...state.members.values()].filter((member) => isMissing(state, member));
  const unanswered = [...state.members.values()].filter(
    (member) => !inquiry.hasAnswered(member.index) && !members.includes(member),
  );
  if (members.length === 0) {
    // The bounds are those of before, and so is whom they cover.
    const before = [...state.members.values()].filter(({ id }) => state.missing.includes(id));
    state.missing = [...new Set([...before, ...unanswered])].map(({ id }) => id);
    const { relativeGap } = state.certificate;
    return { ...state.certificate, ...NO_PROOF, largestGap: relativeGap, certified: true };
  }
  state.missing = [...new Set([...missing, ...unanswered])].map(({ id }) => id);
  const before = inquiry.query;
  if (sum) inquiry.takeSum(round, sum);
  if (answers) inquiry.take(round, answers);
  if (groups) inquiry.takeGroups(round, groups);
  accept(round, members, answers);
  noteBehind(members);
  state.aggregated++;
  const standing = inquiry.close(round, new Set(missing.map(({ index }) => index)));
  noteChange(state, before);
  const { best } = inquiry;
  state.best =
    best && best.primal < Number.POSITIVE_INFINITY ? { round: best.round, primal: best.primal } : undefined;
  const { primal, dual, relativeGap, largestGap } = standing;
  // How exact answers have to be follows from the gap: not from one that is only claimed to be large.
  const likelyGap = state.options.secure
    ? Math.min(standing.likelyGap, standing.vectorGap)
    : standing.likelyGap;
  const { heads } = standing;
  state.certificate = { primal, dual, relativeGap, ...(heads.length > 1 && { heads }) };
  const { settled, shown } = confirmed(state, standing);
  const complete =
    unanswered.every((member) => isMissing(state, member)) &&
    [...state.members.values()].every((member) => !member.behind?.unanswered || isMissing(state, member));
  return {
    primal,
    dual,
    relativeGap,
    largestGap,
    likelyGap,
    settled,
    complete,
    shown,
    certified: true,
    known: Number.isFinite(primal),
  };
}

/** Where single answers are seen each is checked; a sum of claims is believed only where the vectors confirm it. */
function confirmed(state: CoordinatorState, standing: Standing) {
  if (!state.options.secure) return { settled: true, shown: false };
  const { vectorGap } = standing;
  const { gap } = state.options.stop;
  const settled = vectorGap <= VECTOR_SLACK * gap;
  state.shownRounds = vectorGap <= gap ? state.shownRounds + 1 : 0;
  const shown = gap > 0 && settled && (!isPlausible(standing) || state.shownRounds >= CLAIMS_AWAITED);
  return { settled, shown };
}

/** Takes every step in full. */
function takeSteps(
  state: CoordinatorState,
  { members, answers, sum }: Collected,
  noise: Float64Array | undefined,
): readonly Member[] {
  if (members.length === 0) return [];
  const combiner = combinerOf(state)!;
  const before = combiner.w.slice();
  if (sum) {
    invariant(combiner instanceof SummedSteps, 'sums of steps need a combiner of sums');
    combiner.add(sum.u);
    payForSum(state, members.length);
  } else {
    combiner.aggregate(
      answers!.map((given) => ({ member: given.member, u: takenPart(state, given) })),
      state.gap,
    );
    makePrivate(state, noise);
  }
  accept(state.round, members, answers);
  noteChange(state, before);
  state.aggregated++;
  return members;
}

function takenPart(
  state: CoordinatorState,
  { member, u, factor }: { readonly member: number; readonly u: Float64Array; readonly factor: number },
): Float64Array {
  if (factor === 1) return u;
  const old = combinerOf(state)!.members.get(member)!.u;
  return old.map((value, j) => value + factor * (u[j] - value));
}

/** Relative; losses at a w that was rounded to single precision differ by less. */
const CONTRADICTION = 1e-6;

/** With steps: the gap of the present w, as far as it is known: exact when all who contribute have reported about it. */
function examine(state: CoordinatorState): Proof {
  const combiner = combinerOf(state)!;
  // No scalars are sent under differential privacy: the gap is unknown.
  if (state.options.dp) {
    const { relativeGap, ...unknown } = combiner.certificate([]);
    return { ...unknown, relativeGap, largestGap: relativeGap, ...NO_PROOF };
  }
  const members = [...state.members.values()];
  const known = members.filter((member) => member.scalars);
  const claims = comparable(
    state,
    known.map((member) => ({ member: member.index, ...member.scalars! })),
  );
  const { primal, dual } = combiner.certificate(claims);
  // What one claims beyond the losses of all others makes nobody's gap seem small.
  const losses = claims.map(({ loss }, k) =>
    state.options.method === 'mocha' ? loss / Math.max(1, known[k].rows) : loss,
  );
  const all = certificateOf(primal, dual, primal - excessOf(losses));
  // What was sent does not reveal the duals: all that is known of the dual is its value at zero duals.
  const { mask } = state.options;
  const proof = mask?.semantics === 'paper' ? certificateOf(all.primal, 0) : all;
  const reported = members.every((member) => member.scalars && member.scalarsRound === state.round);
  // No dual value is above a primal one: if they claim so, somebody lies, and nothing is known.
  const contradicted = reported && proof.dual - proof.primal > CONTRADICTION * Math.abs(proof.primal);
  const complete = members.every((member) => member.scalars || member.accepted.round === 0);
  const certified = reported && !contradicted;
  const used = modelInUse(state, proof, certified);
  state.certificate = used;
  return {
    ...used,
    certified,
    known: complete && known.length > 0 && !contradicted,
    largestGap: used.relativeGap,
    likelyGap: used.relativeGap,
    settled: combiner.settled,
    complete: true,
  };
}

/**
 * With steps: the best model that is known for certain, if the rule keeps it; otherwise, and where not everybody has reported about this
 * very w, the latest.
 */
function modelInUse(state: CoordinatorState, proof: Certificate, certified: boolean): Certificate {
  const combiner = combinerOf(state)!;
  if (!combiner.keepsBest || !certified) {
    dropBest(state);
    return proof;
  }
  const { round, best } = state;
  if (!best || proof.primal < best.primal) {
    state.best = { round, primal: proof.primal };
    state.bestW = combiner.w;
  }
  return certificateOf(state.best!.primal, proof.dual);
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
