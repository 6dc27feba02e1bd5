/**
 * The participant as a machine: `step(state, input)` changes the state and returns effects, and does nothing else. No
 * clock, no randomness, no I/O: time rides on every input, and whatever takes long is an effect answered by an input.
 *
 * Effects are carried out in the order given. `persist` must be complete before any later effect begins: an answer is
 * stored before it is sent, and whether it was accepted is stored before anything is built on it.
 */
import { pack } from '../base/packed.ts';
import { seed32 } from '../base/random.ts';
import { noblePrimitives, type Primitives } from '../privacy/secure/index.ts';
import type {
  AnswerMessage,
  FederationSettings,
  Finish,
  FinishReason,
  Reject,
  RoundMessage,
  ToParticipant,
  Welcome,
} from '../protocol/index.ts';
import { type BoxContext, sentPart } from '../solver/index.ts';
import type { ParticipantEffect, ParticipantInput, SolveRequest, SolveResult } from './effects.ts';
import { settle } from './outcome.ts';
import {
  advertisement,
  giveUp,
  maskedAnswer,
  maskWhenReady,
  onSecureMessage,
  takeSeat,
  tooLarge,
} from './secure.ts';
import { NOTHING_STORED, type ParticipantState, type Pending } from './state.ts';
import { asSent, hello, sayAgain, timer } from './words.ts';

/** Share of the waiting period that `anytime` computes for; the rest is for the way. */
const BUDGET_SHARE = 0.9;
/** Rounds in a row that speak of another state, before it is believed. */
const MISMATCHES = 20;
/** Of a personal part that is not sent but used: as exact as it gets in reasonable time. */
const PERSONAL_TOLERANCE = 1e-5;

/** `primitives` are for secure aggregation: those of the platform may be faster than the portable ones. */
export function step(
  state: ParticipantState,
  input: ParticipantInput,
  primitives: Primitives = noblePrimitives,
): ParticipantEffect[] {
  if (state.phase === 'gone' || state.phase === 'refused') return [];
  switch (input.type) {
    case 'start':
      state.stored = { ...state.stored, session: state.stored.session + 1 };
      return [
        { type: 'persist', stored: state.stored },
        ...prepareAgain(state),
        ...sayAgain(state, input.now),
      ];
    case 'message':
      return onMessage(state, input.message, input.now, primitives);
    case 'prepared':
      return onPrepared(state, input.problem, input.now);
    case 'solved':
      return onSolved(state, input.result, input.now);
    case 'timer':
      return sayAgain(state, input.now);
    case 'leave':
      state.phase = 'leaving';
      return [{ type: 'cancel' }, ...sayAgain(state, input.now)];
  }
}

function onMessage(
  state: ParticipantState,
  message: ToParticipant,
  now: number,
  primitives: Primitives,
): ParticipantEffect[] {
  // To an earlier life of ours, late on its way: what it says of our state is no longer true.
  if ('session' in message && message.session !== 0 && message.session !== state.stored.session) return [];
  switch (message.kind) {
    case 'welcome':
      return onWelcome(state, message, now);
    case 'round':
      return onRound(state, message, now);
    case 'outcome':
      return settle(state, message.accepted, (pending) => pending === message.round);
    case 'finish':
      return onFinish(state, message, now);
    case 'reject':
      return onReject(state, message, now);
    default:
      return onSecureMessage(state, message, now, primitives);
  }
}

function onWelcome(state: ParticipantState, message: Welcome, now: number): ParticipantEffect[] {
  const { settings } = message;
  if (state.phase === 'leaving') return [];
  if (state.stored.scaling) {
    if (!isAnotherFederation(state, message)) return [];
    startOver(state);
  }
  const unfit = unfitFor(state, settings);
  if (unfit) {
    state.phase = 'refused';
    state.refusal = { code: 'NOT_SECURE', message: unfit };
    return [{ type: 'cancel' }];
  }
  const newcomer = !state.stored.secure;
  const secure = takeSeat(state, settings);
  if (!message.scaling) {
    if (state.phase !== 'joining') return [];
    state.stored = { ...state.stored, settings, secure };
    state.phase = 'measuring';
    return [{ type: 'persist', stored: state.stored }, ...sayAgain(state, now)];
  }
  const scaling = { mode: settings.scale, ...message.scaling };
  state.stored = { ...state.stored, settings, scaling, secure };
  state.phase = 'preparing';
  const hereIAm = newcomer ? advertisement(state) : undefined;
  return [
    { type: 'persist', stored: state.stored },
    ...(hereIAm ? [{ type: 'send', message: hereIAm } as const] : []),
    { type: 'prepare', settings, scaling },
  ];
}

/**
 * Whether the coordinator has lost its store and begun again: the scaling of a federation never changes. Without one the message may be
 * an old one, late on its way; moments that are sent for nothing do no harm, but keys are not given up without FORGOTTEN, which everybody
 * hears who has answered.
 */
function isAnotherFederation({ stored, phase }: ParticipantState, { settings, scaling }: Welcome): boolean {
  if (stored.base > 0 || stored.pending) return false;
  if (!scaling) {
    const rests = phase === 'joining' || phase === 'finished';
    return rests && (stored.isForgotten === true || !stored.secure);
  }
  const { shift, factor } = stored.scaling!;
  const known = pack({ settings: stored.settings, scaling: { shift, factor } });
  const told = pack({ settings, scaling });
  return known.length !== told.length || known.some((byte, i) => byte !== told[i]);
}

/** Nothing that was agreed on before holds any more. Keys are new, too: round numbers begin again, and none may be used twice with a key. */
function startOver(state: ParticipantState): void {
  const { session, secure, edition } = state.stored;
  const drawn = secure?.drawn ?? state.stored.drawn;
  state.stored = { ...NOTHING_STORED, session, edition, ...(drawn !== undefined && { drawn }) };
  forgetRun(state);
}

function forgetRun(state: ParticipantState): void {
  state.problem = undefined;
  state.warm = undefined;
  state.latest = undefined;
  state.order = undefined;
  state.unfinished = undefined;
  state.delivered = undefined;
  state.mismatches = 0;
  state.phase = 'joining';
}

/** Whoever came for secure aggregation does not go on without it, and nobody can take part in it without a secret. */
function unfitFor({ profile }: ParticipantState, settings: FederationSettings): string | undefined {
  if (!profile.secure === !settings.secure) return undefined;
  return profile.secure
    ? `participant "${profile.id}": expected a federation with secure aggregation, got one without`
    : `participant "${profile.id}": the federation sums in secret, which takes a secret of our own: give one`;
}

/** After a restart the rows must be scaled again; the scaling itself was stored. */
function prepareAgain(state: ParticipantState): ParticipantEffect[] {
  const { settings, scaling } = state.stored;
  return settings && scaling ? [{ type: 'prepare', settings, scaling }] : [];
}

function onPrepared(state: ParticipantState, problem: BoxContext, now: number): ParticipantEffect[] {
  state.problem = problem;
  if (state.phase === 'preparing') state.phase = 'idle';
  return state.order && state.phase !== 'leaving' ? takeUp(state, state.order, now) : [];
}

/** Also what wakes a federation that rests. */
function onRound(state: ParticipantState, message: RoundMessage, now: number): ParticipantEffect[] {
  if (!state.stored.scaling || state.phase === 'leaving') return [];
  if (message.round <= state.stored.base || (state.order && message.round < state.order.round)) return [];
  if (state.order && message.round === state.order.round) {
    state.order = message;
    return answerAgain(state);
  }
  state.order = message;
  return state.problem ? takeUp(state, message, now) : [];
}

/** A round that has been heard of already: say again what was said, if it was not heard. */
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
function takeUp(state: ParticipantState, order: RoundMessage, now: number): ParticipantEffect[] {
  const { pending } = state.stored;
  // Stored before a crash, and the round is still open: say it again.
  if (pending && pending.message.round === order.round) {
    state.phase = 'sent';
    return [...sayAgain(state, now), ...maskWhenReady(state)];
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

/** Everybody is asked again: what was accepted before does not count any more, but it is a good place to start from. */
function dropAccepted(state: ParticipantState): ParticipantEffect[] {
  state.warm ??= state.stored.committed?.beta;
  state.stored = { ...state.stored, base: 0, committed: undefined, summed: undefined };
  return [{ type: 'persist', stored: state.stored }];
}

/**
 * The coordinator speaks of another state than ours. A message to an earlier self of ours, late on its way, does that once
 * or twice; if it goes on, our state or the coordinator's has been lost, and only the operator can help.
 */
function onMismatch(state: ParticipantState, theirs: number, now: number): ParticipantEffect[] {
  state.mismatches++;
  if (state.mismatches < MISMATCHES) return sayAgain(state, now);
  state.phase = 'refused';
  const { id } = state.profile;
  const message = `participant "${id}": the coordinator's last update is of round ${theirs}, ours of round ${state.stored.base}; forget "${id}" there to let it begin anew`;
  state.refusal = { code: 'STATE_MISMATCH', message };
  return [{ type: 'cancel' }];
}

function begin(state: ParticipantState, order: RoundMessage): ParticipantEffect[] {
  const { settings, committed } = state.stored;
  if (!settings) return [];
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
    passes: Math.max(1, settings.passes - state.carriedPasses),
    seed: seed32(settings.seed, 'solve', order.round, state.profile.id),
    budgetMs: settings.straggler === 'anytime' ? BUDGET_SHARE * order.waitMs : Number.POSITIVE_INFINITY,
  };
  state.unfinished = undefined;
  return [{ type: 'solve', request }];
}

function onSolved(state: ParticipantState, result: SolveResult, now: number): ParticipantEffect[] {
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
    before: undefined,
  };
  noteAnswer(state, order, result);
  return [...hand(state, { message, solution, noise: result.noise }, result), timer(state, now)];
}

/** With answers every w that was answered is a model to predict with, from the first one on. */
function noteAnswer(state: ParticipantState, { round, w }: RoundMessage, { solution }: SolveResult): void {
  const { stored } = state;
  if (stored.settings?.training !== 'answers') return;
  state.warm = solution.beta;
  state.latest = { round, w, u: solution.u };
  if (!stored.model) state.stored = { ...stored, model: state.latest };
}

/** Stores an answer, then sends it, or what hides it in a sum. */
function hand(state: ParticipantState, pending: Pending, { committed }: SolveResult): ParticipantEffect[] {
  const { settings, secure } = state.stored;
  const large = settings?.secure && tooLarge(pending.message.u, settings.secure);
  if (large) return giveUp(state, large);
  // The first step goes from where rows of all zeros start, which is not nothing.
  const from = settings?.training === 'steps' ? committed : state.stored.committed;
  state.stored = { ...state.stored, committed: from, pending };
  const persist = { type: 'persist', stored: state.stored } as const;
  return secure
    ? [persist, ...maskWhenReady(state)]
    : [persist, { type: 'send', message: asSent(state, pending) }];
}

/** Training rests. The model in use is w with our best personal part to it. */
function onFinish(state: ParticipantState, message: Finish, now: number): ParticipantEffect[] {
  const rests = message.reason !== 'left' && message.w.length > 0;
  // It has overtaken the scaling, without which w is of no use: `join` is sent again, and answered.
  if (rests && !state.stored.scaling) return [];
  // Training has gone on since: it says nothing of what was answered after it.
  if (message.reason !== 'left' && message.round < newestRound(state)) return [];
  // Without the rows scaled the last answer cannot be settled yet: `prepared` says hello again.
  if (state.stored.pending && !state.problem) return [];
  if (state.phase === 'personalising' || (state.phase === 'finished' && !isNews(state, message))) return [];
  settle(state, message.accepted, () => true);
  if (message.accepted.round === 0 && state.stored.base > 0) dropAccepted(state);
  chooseModel(state, message);
  const { settings, model, committed } = state.stored;
  const wanted = settings?.training === 'answers' && rests;
  const known = model !== undefined && (model.round === message.best || sameVector(model.w, message.w));
  if (!wanted || known) return end(state, message.reason);
  if (!state.problem) {
    // Nobody ends without a model: once the rows are scaled we ask again.
    if (state.phase === 'finished') state.phase = 'joining';
    return [{ type: 'persist', stored: state.stored }, timer(state, now)];
  }
  state.phase = 'personalising';
  state.stored = { ...state.stored, finished: message.reason };
  const request = personalRequest(settings, state.profile.id, message);
  state.finishing = message.w;
  return [
    { type: 'cancel' },
    { type: 'persist', stored: state.stored },
    { type: 'solve', request: { ...request, committed, warm: state.warm } },
  ];
}

/** The newest round that is known of. */
function newestRound({ order, stored: { pending, base } }: ParticipantState): number {
  return Math.max(order?.round ?? 0, pending?.message.round ?? 0, base);
}

/** Training may have gone on and come to rest again while we were away. */
function isNews({ stored: { settings, model } }: ParticipantState, { w }: Finish): boolean {
  return settings?.training === 'answers' && w.length > 0 && !(model && sameVector(model.w, w));
}

/** A solve for the personal part to a given w, to be used and not to be sent. */
export function personalRequest(
  { passes, seed }: FederationSettings,
  id: string,
  { round, w }: { readonly round: number; readonly w: Float64Array },
): SolveRequest {
  return {
    round,
    purpose: 'personalise',
    w,
    committed: undefined,
    warm: undefined,
    sigma: 0,
    tolerance: PERSONAL_TOLERANCE,
    passes,
    seed: seed32(seed, 'personalise', round, id),
    budgetMs: Number.POSITIVE_INFINITY,
  };
}

function onPersonalised(state: ParticipantState, { round, solution }: SolveResult): ParticipantEffect[] {
  const { finishing, stored } = state;
  if (state.phase !== 'personalising' || !finishing) return [];
  state.stored = { ...stored, model: { round, w: finishing, u: solution.u } };
  return end(state, stored.finished ?? 'operator');
}

/** What to predict with from now on: the model of the best round, if it is at hand, else the latest. */
function chooseModel(state: ParticipantState, { round, best, w }: RoundMessage | Finish): void {
  const { latest, stored } = state;
  const steps = stored.settings?.training === 'steps';
  const current = steps ? { round, w, u: stored.committed?.u } : (stored.model ?? latest);
  const found = [latest, stored.model].find((model) => model?.round === best);
  state.stored = { ...stored, model: found ?? current };
  if (steps) state.latest = current;
}

function sameVector(a: Float64Array, b: Float64Array): boolean {
  return a.length === b.length && a.every((value, j) => value === b[j]);
}

function end(state: ParticipantState, reason: FinishReason): ParticipantEffect[] {
  state.stored = { ...state.stored, finished: reason };
  state.phase = reason === 'left' ? 'gone' : 'finished';
  return [{ type: 'cancel' }, { type: 'persist', stored: state.stored }];
}

function onReject(state: ParticipantState, message: Reject, now: number): ParticipantEffect[] {
  switch (message.code) {
    case 'FORGOTTEN':
      return state.phase === 'leaving' ? [] : beginAnew(state, now);
    case 'NOT_JOINED':
      // To leave where one is not known is to have left.
      if (state.phase === 'leaving') return end(state, 'left');
      return [{ type: 'send', message: hello(state) }, timer(state, now)];
    case 'STATE_MISMATCH':
      // Asking would bring the round and the shares, and each of them the same answer again: the next round settles it.
      if (state.stored.secure) return [];
      return [{ type: 'send', message: hello(state) }, timer(state, now)];
    case 'WRONG_FEATURES':
    case 'BAD_VERSION':
      state.phase = 'refused';
      state.refusal = { code: message.code, message: message.message };
      return [{ type: 'cancel' }];
    default:
      return [];
  }
}

/**
 * The operator has taken our contribution out, or the coordinator has lost its store: a new session. Which of the two the next welcome says:
 * what was agreed on is kept to compare it with.
 */
function beginAnew(state: ParticipantState, now: number): ParticipantEffect[] {
  const { settings, scaling, session, secure, drawn, edition } = state.stored;
  // Keys and used numbers outlast a beginning anew.
  state.stored = {
    ...NOTHING_STORED,
    settings,
    scaling,
    session: session + 1,
    secure,
    drawn,
    edition,
    isForgotten: true,
  };
  const { problem } = state;
  forgetRun(state);
  state.problem = problem;
  return [{ type: 'cancel' }, { type: 'persist', stored: state.stored }, ...sayAgain(state, now)];
}
