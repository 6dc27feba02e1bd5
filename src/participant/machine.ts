/**
 * The participant as a machine: `step(state, input)` changes the state and returns effects, and does nothing else. No
 * clock, no randomness, no I/O: time rides on every input, and whatever takes long is an effect answered by an input.
 *
 * Effects are carried out in the order given. `persist` must be complete before any later effect begins: an update is
 * stored before it is sent, and its outcome is stored before anything is built on it. (DESIGN section 4.)
 */
import { seed32 } from '../base/random.ts';
import { noblePrimitives, type Primitives } from '../privacy/secure/index.ts';
import type {
  FederationSettings,
  Finish,
  FinishReason,
  Reject,
  RoundMessage,
  ToCoordinator,
  ToParticipant,
  UpdateMessage,
  Welcome,
} from '../protocol/index.ts';
import type { CommitContext } from '../solver/index.ts';
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
import { hello, inThisLife, sayAgain, timer } from './words.ts';

/** Share of the waiting period that `anytime` computes for; the rest is for the way. */
const BUDGET_SHARE = 0.9;
/** Rounds in a row that speak of another state, before it is believed. */
const MISMATCHES = 20;

/** `primitives` are for secure aggregation: those of the platform may be faster than the portable ones. */
export function step(
  state: ParticipantState,
  input: ParticipantInput,
  primitives: Primitives = noblePrimitives,
): ParticipantEffect[] {
  if (state.phase === 'finished' || state.phase === 'refused') return [];
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
      return onFinish(state, message);
    case 'reject':
      return onReject(state, message, now);
    default:
      return onSecureMessage(state, message, now, primitives);
  }
}

function onWelcome(state: ParticipantState, message: Welcome, now: number): ParticipantEffect[] {
  if (state.stored.scaling) return [];
  const { settings } = message;
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

function onPrepared(state: ParticipantState, problem: CommitContext, now: number): ParticipantEffect[] {
  state.problem = problem;
  if (state.phase === 'preparing') state.phase = 'idle';
  return state.order ? takeUp(state, state.order, now) : [];
}

function onRound(state: ParticipantState, message: RoundMessage, now: number): ParticipantEffect[] {
  if (!state.stored.scaling || state.phase === 'leaving') return [];
  if (message.round <= state.stored.base || (state.order && message.round < state.order.round)) return [];
  if (state.order && message.round === state.order.round) return answerAgain(state);
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
    return [{ type: 'send', message: inThisLife(stored.pending.message, stored) }];
  }
  // A report is computed anew: it is a look at the same model.
  if (state.reported === order?.round && state.phase === 'sent') return begin(state, order);
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
  const request: SolveRequest = {
    round: order.round,
    purpose: order.purpose,
    w: order.w,
    committed,
    unfinished: state.unfinished?.beta,
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
  const { order } = state;
  if (state.phase !== 'solving' || result.round !== state.solvingRound || !order) return [];
  if (result.round !== order.round) {
    // Interrupted for a newer round: what there is becomes the start of the next solve.
    const passes = state.carriedPasses + result.passes;
    if (result.proposal) state.unfinished = { beta: result.proposal.atom.beta, passes };
    return begin(state, order);
  }
  state.phase = 'sent';
  const base = state.stored.base;
  if (!result.proposal) {
    state.reported = result.round;
    const { session, secure } = state.stored;
    if (secure) {
      state.looked = { round: result.round, loss: result.scalars.loss };
      return [...maskWhenReady(state), timer(state, now)];
    }
    const report: ToCoordinator = {
      kind: 'report',
      session,
      round: result.round,
      base,
      scalars: result.scalars,
    };
    return [{ type: 'send', message: report }, timer(state, now)];
  }
  const { update, atom } = result.proposal;
  const message: UpdateMessage = {
    kind: 'update',
    session: state.stored.session,
    round: result.round,
    base,
    du: update.du,
    ds: update.ds,
    uDotDu: update.uDotDu,
    duNorm2: update.duNorm2,
    scalars: result.scalars,
    passes: result.passes,
    computeMs: result.computeMs,
  };
  return [...hand(state, { message, atom }, result), timer(state, now)];
}

/** Stores an update, then sends it, or what hides it in a sum. */
function hand(state: ParticipantState, pending: Pending, { committed }: SolveResult): ParticipantEffect[] {
  const { settings, secure } = state.stored;
  const large = settings?.secure && tooLarge(pending.atom.u, settings.secure);
  if (large) return giveUp(state, large);
  state.stored = { ...state.stored, committed, pending };
  const persist = { type: 'persist', stored: state.stored } as const;
  return secure ? [persist, ...maskWhenReady(state)] : [persist, { type: 'send', message: pending.message }];
}

function onFinish(state: ParticipantState, message: Finish): ParticipantEffect[] {
  // Without the rows scaled the last outcome cannot be committed yet: `prepared` says hello again.
  if (state.stored.pending && !state.problem) return [];
  settle(state, message.accepted, () => true);
  chooseModel(state, message);
  return end(state, message.reason);
}

/** What to predict with from now on: the model of the best round, if it is at hand, else the latest. */
function chooseModel(state: ParticipantState, { round, best, w }: RoundMessage | Finish): void {
  const { latest, stored } = state;
  const current = { round, w, u: stored.committed?.u };
  const found = [latest, stored.model].find((model) => model?.round === best);
  state.stored = { ...stored, model: found ?? current };
  state.latest = current;
}

function end(state: ParticipantState, reason: FinishReason): ParticipantEffect[] {
  state.stored = { ...state.stored, finished: reason };
  state.phase = 'finished';
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

/** The operator has taken our contribution out: a new life, keeping what was agreed on. */
function beginAnew(state: ParticipantState, now: number): ParticipantEffect[] {
  const { settings, scaling, session, secure } = state.stored;
  // Keys and used numbers outlast a beginning anew; what was said of s does not.
  const kept = secure && { ...secure, gained: 0 };
  state.stored = { ...NOTHING_STORED, settings, scaling, session: session + 1, secure: kept };
  state.order = undefined;
  state.unfinished = undefined;
  state.phase = scaling ? 'idle' : 'joining';
  return [{ type: 'cancel' }, { type: 'persist', stored: state.stored }, ...sayAgain(state, now)];
}
