/** Training rests: the model in use is w with our best personal part to it. */
import { seed32 } from '../base/random.ts';
import type { Finish, FinishReason, RoundMessage } from '../protocol/messages.ts';
import type { FederationSettings } from '../settings/wire.ts';
import type { ParticipantEffect, SolveRequest, SolveResult } from './effects.ts';
import { beginSession } from './joining.ts';
import { dropAccepted, settle } from './outcome.ts';
import { compareStates, timer } from './sending.ts';
import type { ParticipantState } from './state.ts';

/** Of a personal part that is not sent but used: as exact as it gets in reasonable time. */
const PERSONAL_TOLERANCE = 1e-5;

export function onFinish(state: ParticipantState, message: Finish, now: number): ParticipantEffect[] {
  const rests = message.reason !== 'left' && message.w.length > 0;
  // It has overtaken the scaling, without which w is of no use: `join` is sent again, and answered.
  if (rests && !state.stored.scaling) return [];
  // Training has gone on since: it says nothing of what was answered after it.
  if (message.reason !== 'left' && message.round < newestRound(state)) return compareStates(state);
  // Without the rows scaled the last answer cannot be settled yet: `prepared` says hello again.
  if (state.stored.pending && !state.problem) return [];
  if (state.phase === 'personalising' || (state.phase === 'finished' && !isNew(state, message))) return [];
  state.covered = { participants: message.participants, missing: message.missing };
  settle(state, message.accepted, () => true);
  if (message.accepted.round === 0 && state.stored.base > 0) dropAccepted(state);
  if (rests && isUnlike(state, message)) return beginSession(state, now);
  chooseModel(state, message);
  const { settings, model, committed } = state.stored;
  const wanted = settings?.training === 'answers' && rests;
  // Heads may have their best queries in different rounds: what counts is w itself.
  const known = model !== undefined && sameVector(model.w, message.w);
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

/** What counts of us is not what we have: one side has lost its state. Answers can be given again. */
function isUnlike({ stored: { settings, base } }: ParticipantState, { accepted }: Finish): boolean {
  return settings?.training === 'answers' && accepted.round > 0 && accepted.round !== base;
}

/** The newest round that is known of. */
function newestRound({ order, stored: { pending, base } }: ParticipantState): number {
  return Math.max(order?.round ?? 0, pending?.message.round ?? 0, base);
}

/** Training may have gone on and come to rest again while we were away. */
function isNew({ stored: { settings, model } }: ParticipantState, { w }: Finish): boolean {
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

export function onPersonalised(
  state: ParticipantState,
  { round, solution }: SolveResult,
): ParticipantEffect[] {
  const { finishing, stored } = state;
  if (state.phase !== 'personalising' || !finishing) return [];
  state.stored = { ...stored, model: { round, w: finishing, u: solution.u } };
  return end(state, stored.finished ?? 'operator');
}

/** What to predict with from now on: the model of the best round, if it is at hand, else the latest. */
export function chooseModel(state: ParticipantState, { round, best, w }: RoundMessage | Finish): void {
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

export function end(state: ParticipantState, reason: FinishReason): ParticipantEffect[] {
  state.stored = { ...state.stored, finished: reason };
  state.phase = reason === 'left' ? 'gone' : 'finished';
  return [{ type: 'cancel' }, { type: 'persist', stored: state.stored }];
}
