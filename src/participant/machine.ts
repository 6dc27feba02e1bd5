/**
 * The participant as a machine: `step(state, input)` changes the state and returns effects, and does nothing else. No
 * clock, no randomness, no I/O: time rides on every input, and whatever takes long is an effect answered by an input.
 *
 * Effects are carried out in the order given. `persist` must be complete before any later effect begins: an answer is
 * stored before it is sent, and whether it was accepted is stored before anything is built on it.
 */
import { noteReply } from '../base/pace.ts';
import { seed32 } from '../base/random.ts';
import { sameData } from '../base/same-data.ts';
import type { AnswerMessage, Reject, RoundMessage, ToParticipant } from '../protocol/messages.ts';
import type { Asked } from '../protocol/question.ts';
import { sentPart } from '../solver/member.ts';
import type { BoxContext } from '../solver/problem.ts';
import { misfitOf } from './agreement.ts';
import type { ParticipantEffect, ParticipantInput, SolveRequest, SolveResult } from './effects.ts';
import { giveUp, stop } from './faults.ts';
import { chooseModel, end, onFinish, onPersonalised } from './finishing.ts';
import { beginSession, declineFederation, onSigned, onWelcome, signing } from './joining.ts';
import { dropAccepted, settle } from './outcome.ts';
import { objectionToRound, policyOf } from './policy.ts';
import { asSent, compareStates, hello, retransmit, timer } from './sending.ts';
import type { ParticipantState, Pending } from './state.ts';
import { decline, maskedAnswer, type SecureSide, tooLarge } from './summing.ts';

/** Share of its time that `anytime` computes for; the rest is for a way that takes longer than it usually does. */
const BUDGET_SHARE = 0.9;
/** Rounds in a row that name another accepted answer than ours, before we start over or give up. */
const MISMATCHES = 20;
const LONGEST_ACCUSATION = 500;

/** `side`: for whoever takes part in secure sums (`secureSide` of secure.ts). */
export function step(
  state: ParticipantState,
  input: ParticipantInput,
  side?: SecureSide,
): ParticipantEffect[] {
  if (isOver(state)) return [];
  switch (input.type) {
    case 'start':
      state.stored = { ...state.stored, session: state.stored.session + 1 };
      return [
        { type: 'persist', stored: state.stored },
        ...prepareAgain(state),
        ...(isOver(state) ? [] : [...signing(state, side), ...retransmit(state, input.now)]),
      ];
    case 'message':
      return onMessage(state, input.message, input.now, side);
    case 'prepared':
      return onPrepared(state, input.problem, input.now, side);
    case 'solved':
      return onSolved(state, input.result, input.now, side);
    case 'signed':
      return onSigned(state, input.signature);
    case 'timer':
      return retransmit(state, input.now);
    case 'leave':
      state.phase = 'leaving';
      return [{ type: 'cancel' }, ...retransmit(state, input.now)];
  }
}

function onMessage(
  state: ParticipantState,
  message: ToParticipant,
  now: number,
  side: SecureSide | undefined,
): ParticipantEffect[] {
  // To an earlier session of ours: late on its way, or the coordinator has lost that we have begun another.
  if ('session' in message && message.session !== 0 && message.session !== state.stored.session)
    return message.kind === 'round' || message.kind === 'finish' ? compareStates(state) : [];
  if (!isRepetition(state, message)) noteReply(state.pace, now);
  if (message.kind !== 'reject') state.isAskedToJoin = false;
  switch (message.kind) {
    case 'welcome':
      return onWelcome(state, message, now, side);
    case 'round':
      return onRound(state, message, now, side);
    case 'outcome':
      return settle(state, message.accepted, (pending) => pending === message.round);
    case 'finish':
      return onFinish(state, message, now);
    case 'reject':
      return onReject(state, message, now);
    // To branches only.
    case 'timing':
      return [];
    default:
      return state.stored.secure && side ? side.onMessage(state, message, now) : [];
  }
}

/** It says that something of ours has arrived once more, or has not arrived yet: what we wait for is the next round. */
function isRepetition({ order }: ParticipantState, message: ToParticipant): boolean {
  return message.kind === 'outcome' || (message.kind === 'round' && message.round <= (order?.round ?? 0));
}

function isOver({ phase }: ParticipantState): boolean {
  return phase === 'gone' || phase === 'refused';
}

/** After a restart the rows must be scaled again; what was agreed on was stored. The rows may be others. */
function prepareAgain(state: ParticipantState): ParticipantEffect[] {
  const { settings, scaling, agreement } = state.stored;
  if (!settings || !scaling || !agreement) return [];
  const misfit = misfitOf(state, settings, agreement);
  if (misfit) return giveUp(state, misfit.code, misfit.message);
  return [{ type: 'prepare', settings, scaling, agreement }];
}

function onPrepared(
  state: ParticipantState,
  problem: BoxContext,
  now: number,
  side: SecureSide | undefined,
): ParticipantEffect[] {
  state.problem = problem;
  if (state.phase === 'preparing') state.phase = 'idle';
  return state.order && state.phase !== 'leaving' ? takeUp(state, state.order, now, side) : [];
}

/** Also what wakes a federation that rests. */
function onRound(
  state: ParticipantState,
  message: RoundMessage,
  now: number,
  side: SecureSide | undefined,
): ParticipantEffect[] {
  if (!state.stored.scaling || state.phase === 'leaving') return [];
  if (message.round <= state.stored.base) return compareStates(state);
  if (state.order && message.round < state.order.round) return [];
  if (state.order && message.round === state.order.round) {
    // A round asks one question: an answer to it is never taken for one to another.
    if (!sameData(askedBy(message), askedBy(state.order))) return [];
    state.order = message;
    return answerAgain(state);
  }
  state.order = message;
  return state.problem ? takeUp(state, message, now, side) : [];
}

function askedBy({ purpose, w, sigma, tolerance }: RoundMessage): Asked {
  return { purpose, w, sigma, tolerance };
}

/** A round that is known already: the answer may have been lost. */
function answerAgain(state: ParticipantState): ParticipantEffect[] {
  const { order, stored } = state;
  if (stored.secure) {
    const masked = order && maskedAnswer(state, order.round);
    return masked ? [{ type: 'send', message: masked }] : [];
  }
  if (stored.pending && stored.pending.message.round === order?.round) {
    return [{ type: 'send', message: asSent(state, stored.pending) }];
  }
  return [];
}

/** Settles what came before this round, then computes for it. */
function takeUp(
  state: ParticipantState,
  order: RoundMessage,
  now: number,
  side: SecureSide | undefined,
): ParticipantEffect[] {
  const { pending } = state.stored;
  // Stored before a crash, and the round is still open: retransmit it.
  if (pending && pending.message.round === order.round) {
    state.phase = 'sent';
    return [...retransmit(state, now), ...(side?.maskWhenReady(state) ?? [])];
  }
  const effects = settle(state, order.accepted, (round) => round < order.round);
  if (order.accepted.round === 0 && state.stored.base > 0) effects.push(...dropAccepted(state));
  if (order.accepted.round !== state.stored.base) {
    state.order = undefined;
    return [...effects, ...onMismatch(state, order.accepted.round, now)];
  }
  state.mismatches = 0;
  chooseModel(state, order);
  if (state.phase !== 'solving') return [...effects, ...begin(state, order)];
  if (state.stored.settings?.straggler === 'resume') return [...effects, { type: 'interrupt' }];
  return [...effects, { type: 'cancel' }, ...begin(state, order)];
}

/**
 * The coordinator names another accepted answer than ours. A message to an earlier session, late on its way, does that once
 * or twice; if it goes on, our state or the coordinator's has been lost. Answers can be given again, in a new session; steps go on from
 * what was accepted, and only the operator can help.
 */
function onMismatch(state: ParticipantState, theirs: number, now: number): ParticipantEffect[] {
  state.mismatches++;
  if (state.mismatches < MISMATCHES) return retransmit(state, now);
  if (state.stored.settings?.training === 'answers') return beginSession(state, now);
  const { id } = state.profile;
  const message = `participant "${id}": expected round ${state.stored.base} as the last accepted round, got ${theirs}; ask the operator to forget this participant`;
  return giveUp(state, 'STATE_MISMATCH', message);
}

function begin(state: ParticipantState, order: RoundMessage): ParticipantEffect[] {
  const { settings, committed } = state.stored;
  if (!settings) return [];
  const declined = declineFederation(state, settings) ?? declineRound(state, order);
  if (declined) return declined;
  state.phase = 'solving';
  state.solvingRound = order.round;
  state.carriedPasses = state.unfinished?.passes ?? 0;
  const answers = settings.training === 'answers';
  const request: SolveRequest = {
    round: order.round,
    purpose: order.purpose,
    w: order.w,
    committed,
    // An answer may start from any duals, a step only from those that were committed.
    warm: state.unfinished?.beta ?? (answers ? state.warm : undefined),
    sigma: order.sigma,
    tolerance: order.tolerance,
    // What was done before the interruption counts, or a slow participant would never be done.
    passes: Math.max(1, Math.min(settings.passes, policyOf(state).maxPasses) - state.carriedPasses),
    seed: seed32(settings.seed, 'solve', order.round, state.profile.id),
    budgetMs: settings.straggler === 'anytime' ? BUDGET_SHARE * order.waitMs : Number.POSITIVE_INFINITY,
  };
  state.unfinished = undefined;
  return [{ type: 'solve', request }];
}

/** The policy has something against this round; the next may be another matter. */
function declineRound(
  state: ParticipantState,
  { round, purpose }: RoundMessage,
): ParticipantEffect[] | undefined {
  const objection = objectionToRound(state, purpose);
  if (!objection) {
    state.answeredRounds++;
    state.certified = purpose === 'certify' ? state.certified + 1 : 0;
    return undefined;
  }
  state.phase = 'idle';
  return decline(state, round, objection.code);
}

function onSolved(
  state: ParticipantState,
  result: SolveResult,
  now: number,
  side: SecureSide | undefined,
): ParticipantEffect[] {
  if (result.purpose === 'personalise') return onPersonalised(state, result);
  const { order } = state;
  if (state.phase !== 'solving' || result.round !== state.solvingRound || !order) return [];
  const { solution } = result;
  if (result.round !== order.round) {
    // Interrupted for a newer round: what there is becomes the start of the next solve.
    state.unfinished = { beta: solution.beta, passes: state.carriedPasses + result.passes };
    return begin(state, order);
  }
  state.phase = 'sent';
  const { base, session } = state.stored;
  const message: AnswerMessage = {
    kind: 'answer',
    session,
    round: result.round,
    base,
    u: sentPart(solution).u,
    scalars: result.scalars,
    passes: result.passes,
    computeMs: result.computeMs,
    previous: undefined,
    // Nothing that goes without noise where noise is promised.
    ...(result.tests && !state.stored.settings?.dp && { tests: result.tests }),
  };
  noteAnswer(state, order, result);
  const asked = state.stored.secure && askedBy(order);
  const pending = { message, solution, noise: result.noise, ...(asked && { asked }) };
  return [...hand(state, pending, result, side), timer(state, now)];
}

/** With answers every w that was answered is a model to predict with, from the first one on. */
function noteAnswer(
  state: ParticipantState,
  { round, w }: RoundMessage,
  { solution, own }: SolveResult,
): void {
  const { stored } = state;
  if (stored.settings?.training !== 'answers') return;
  state.warm = solution.beta;
  state.latest = { round, w, u: own ?? solution.u };
  if (!stored.model) state.stored = { ...stored, model: state.latest };
}

/** Stores an answer, then sends it, or what hides it in a sum. */
function hand(
  state: ParticipantState,
  pending: Pending,
  { committed }: SolveResult,
  side: SecureSide | undefined,
): ParticipantEffect[] {
  const { settings, secure } = state.stored;
  const large = settings?.secure && tooLarge(pending.message.u, settings.secure);
  if (large) return giveUp(state, 'SECURE_OVERFLOW', `participant "${state.profile.id}": ${large}`);
  // The first step goes from where rows of all zeros start, which is not nothing.
  const from = settings?.training === 'steps' ? committed : state.stored.committed;
  state.stored = { ...state.stored, committed: from, pending };
  const persist = { type: 'persist', stored: state.stored } as const;
  return secure
    ? [persist, ...(side?.maskWhenReady(state) ?? [])]
    : [persist, { type: 'send', message: asSent(state, pending) }];
}

function onReject(state: ParticipantState, message: Reject, now: number): ParticipantEffect[] {
  switch (message.code) {
    case 'FORGOTTEN':
      return state.phase === 'leaving' ? [] : beginSession(state, now);
    case 'NOT_JOINED':
      // To leave where one is not known is to have left.
      if (state.phase === 'leaving') return end(state, 'left');
      state.isAskedToJoin = true;
      return [{ type: 'send', message: hello(state) }, timer(state, now)];
    case 'FUTURE_ROUND':
      return compareStates(state);
    case 'STATE_MISMATCH':
      // Asking would bring the round and the shares, and each of them the same answer again: the next round settles it.
      if (state.stored.secure) return [];
      return [{ type: 'send', message: hello(state) }, timer(state, now)];
    case 'EXPELLED':
      return stop(state, 'ACCUSED', accusation(state, message.message));
    case 'WRONG_FEATURES':
    case 'WRONG_CLASSES':
    case 'BAD_VERSION':
      return stop(state, message.code, message.message);
    default:
      return [];
  }
}

/** We have revealed what we were dealt: whoever says otherwise is wrong, or somebody has changed it on the way. */
function accusation({ profile }: ParticipantState, message: string): string {
  const quoted = message.slice(0, LONGEST_ACCUSATION);
  return `participant "${profile.id}": the coordinator excluded it from secure sums: ${quoted}; this process followed the protocol, so the fault is with the coordinator, the dealer or the network; ask the operator to forget this participant, then join again`;
}
