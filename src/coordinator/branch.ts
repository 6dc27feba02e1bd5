/**
 * A coordinator that is a branch: what its parent sends it, and what follows for those behind it. Scaling, agreement, queries, deadlines and
 * the end of training come from above; joining, collecting, waiting and refusing are those of every coordinator.
 */
import type { Accepted, Finish, Reject, RoundMessage, ToParticipant, Welcome } from '../protocol/messages.ts';
import { initialAgreement } from './agreement.ts';
import { enlisting, partialSum, sumUp } from './branch-sum.ts';
import type { CoordinatorEffect } from './effects.ts';
import { admitAll, readyToMeasure } from './gathering.ts';
import { groupMoments } from './group-moments.ts';
import type { AboveSide, PendingSum } from './place.ts';
import { refuse } from './refusals.ts';
import { announce, beginRound, noteWoken, openMeasuring } from './rounds.ts';
import { sendFinish, sendWelcome } from './sending.ts';
import type { CoordinatorState } from './state.ts';
import { persist, restoreAccepted } from './stored.ts';
import { membersHere } from './tally.ts';
import { askAgain, inquiryOf, newTrainer } from './training.ts';
import { gatheringTimer } from './waiting.ts';

/** Times `retryMs`, from a sum of moments that has come to nothing to the next. */
const MEASURE_AGAIN = 4;

/** After a crash the parent asks again; those behind retransmit. */
export function startBranch(state: CoordinatorState): CoordinatorEffect[] {
  const effects = introduction(state);
  if (state.phase === 'finished')
    effects.push(...membersHere(state).map((member) => sendFinish(state, member)));
  if (state.phase === 'gathering') effects.push(gatheringTimer(state));
  return effects;
}

/** A branch with nobody behind it is no group. */
function introduction(state: CoordinatorState): CoordinatorEffect[] {
  const { base, pending } = state.above!;
  return state.members.size > 0 || base > 0 || pending ? [enlisting(state)] : [];
}

/** Now and then: what the parent may not have received, or not answered. */
export function onBeat(state: CoordinatorState): CoordinatorEffect[] {
  const above = state.above!;
  if (state.phase === 'gathering') return [...introduction(state), ...sendMoments(state)];
  if (!above.isKnown) return introduction(state);
  // The parent repeats rounds by itself, but not the end of training.
  const isWaiting = state.phase === 'summing' || (state.phase === 'finished' && above.isNews);
  if (!isWaiting || state.nowMs < above.heardMs + state.options.retryMs) return [];
  above.heardMs = state.nowMs;
  return state.phase === 'summing' && above.pending ? [partialSum(state)] : introduction(state);
}

/** Once enough have joined everywhere, and everybody here has brought what is asked for. */
function sendMoments(state: CoordinatorState): CoordinatorEffect[] {
  const above = state.above!;
  if (!above.isKnown || above.awaited > 0 || state.members.size === 0) return [];
  if (state.nowMs < above.momentsSentMs + state.options.retryMs) return [];
  const message = groupMoments(state);
  if (!message) return [];
  above.momentsSentMs = state.nowMs;
  return [{ type: 'up', message }];
}

/** Under secure aggregation: the moments of all are summed here, in a round of its own. Asked after every input. */
export function measureBelow(state: CoordinatorState): CoordinatorEffect[] {
  const { secure, above, phase } = state;
  if (!secure || phase !== 'gathering' || state.nowMs < above!.measureFromMs) return [];
  const isWanted = !above!.moments && above!.isKnown && above!.awaited === 0;
  return isWanted && readyToMeasure(state) ? openMeasuring(state) : [];
}

/** The sum of everybody's moments is there. The number of its round is not used again by the parent. */
export function noteMeasured(state: CoordinatorState, moments: AboveSide['moments']): CoordinatorEffect[] {
  state.phase = 'gathering';
  if (!moments) {
    // Too few, or they decline: more may join.
    state.above!.measureFromMs = state.nowMs + MEASURE_AGAIN * state.options.retryMs;
    return [persist(state), gatheringTimer(state)];
  }
  state.above!.moments = moments;
  state.round++;
  return [persist(state), ...introduction(state), ...sendMoments(state), gatheringTimer(state)];
}

export function onAbove(state: CoordinatorState, message: ToParticipant): CoordinatorEffect[] {
  const above = state.above!;
  // To an earlier process: late on its way, or the parent has lost that there is another.
  if ('session' in message && message.session !== 0 && message.session !== above.epoch)
    return message.kind === 'round' || message.kind === 'finish' ? introduction(state) : [];
  above.isKnown = true;
  above.heardMs = state.nowMs;
  switch (message.kind) {
    case 'welcome':
      return onWelcome(state, message);
    case 'round':
      return onRound(state, message);
    case 'outcome':
      if (message.round === above.pending?.message.round) resolve(state, message.accepted);
      return [];
    case 'timing':
      // Stored with the next partial sum: until then the parent sends it again.
      state.timing = { waiting: message.waiting, maxWaitMs: message.maxWaitMs };
      return [];
    case 'finish':
      return onFinish(state, message);
    case 'reject':
      return onReject(state, message);
    default:
      return [];
  }
}

function onWelcome(state: CoordinatorState, message: Welcome): CoordinatorEffect[] {
  const above = state.above!;
  const { scaling, agreement, awaited, waitingFor } = message;
  if (state.scaling) return [];
  if (!scaling || !agreement) {
    // The operator opens a training again that never began.
    const isReopened = state.phase === 'finished';
    if (isReopened) state.phase = 'gathering';
    const isNew = isReopened || awaited !== above.awaited || waitingFor !== above.waitingFor;
    above.awaited = awaited;
    above.waitingFor = waitingFor;
    if (!isNew) return [];
    const welcomes = membersHere(state).map((member) => sendWelcome(state, member));
    return [...welcomes, ...sendMoments(state)];
  }
  state.scaling = scaling;
  state.agreement = agreement;
  state.trainer = newTrainer(state.options, state.features, agreement, state.place);
  above.waitingFor = undefined;
  state.phase = 'summing';
  const inOrder = admitAll(state);
  return [persist(state, inOrder), ...membersHere(state).map((member) => sendWelcome(state, member))];
}

function onRound(state: CoordinatorState, message: RoundMessage): CoordinatorEffect[] {
  const above = state.above!;
  const { round } = message;
  if (!state.trainer) return introduction(state);
  above.isCurrent = true;
  if (round <= above.spent && above.pending?.message.round !== round) {
    // A secure sum is opened once: after a crash the round is answered with what is known.
    if (round < above.spent) return [];
    above.spent = 0;
    resolve(state, message.accepted);
    ask(state, message);
    return sumUp(state, { members: [] });
  }
  if (round <= above.opened) {
    if (above.pending?.message.round === round) return [partialSum(state)];
    // Late on its way, or the parent has lost rounds that we know of: it finds out which.
    return round < above.opened || round <= above.base ? introduction(state) : [];
  }
  // A number that was used here for a round of its own: the parent chooses a higher one.
  if (round < state.round) return introduction(state);
  resolve(state, message.accepted);
  ask(state, message);
  return [...(state.secure ? [persist(state)] : []), ...announce(state)];
}

function ask(state: CoordinatorState, message: RoundMessage): void {
  const above = state.above!;
  const { round, best, purpose, w, sigma, tolerance, waitMs } = message;
  if (state.phase === 'finished') noteWoken(state);
  state.round = round;
  state.finish = undefined;
  state.best = best > 0 ? { round: best, primal: Number.NaN } : undefined;
  above.opened = round;
  above.isNews = false;
  above.covered = undefined;
  above.order = { tolerance, waitMs };
  inquiryOf(state)!.ask(w, sigma);
  beginRound(state, purpose);
}

/** Whether the parent has accepted the last partial sum: settles which answers count. */
function resolve(state: CoordinatorState, accepted: Accepted): void {
  const above = state.above!;
  const { pending, base } = above;
  above.pending = undefined;
  above.base = accepted.round;
  if (pending?.message.round === accepted.round) {
    // It is without what has been dropped since.
    if (pending.message.renewed === above.renewed) above.hasDropped = false;
    return;
  }
  // It counts one that we do not know: our store was rolled back. Those behind us may be others than those in it.
  if (accepted.round > 0 && accepted.round !== base) above.renewed = Math.max(above.renewed + 1, state.round);
  // The parent asks everybody again, or what the answers were before is gone.
  if (accepted.round === 0 ? base > 0 || pending : pending && !pending.before) askAgain(state);
  else if (pending?.before) undo(state, pending.before);
}

function undo(state: CoordinatorState, { inquiry, accepted }: NonNullable<PendingSum['before']>): void {
  state.trainer = newTrainer(state.options, state.features, state.agreement, state.place);
  const fresh = inquiryOf(state)!;
  for (const { index, participants } of state.members.values())
    if (index >= 0) fresh.join(index, participants);
  fresh.recall(inquiry);
  restoreAccepted(state, accepted);
}

function onFinish(state: CoordinatorState, message: Finish): CoordinatorEffect[] {
  const above = state.above!;
  const { round, best, reason, w, accepted, participants, missing } = message;
  const isKnown = state.phase === 'finished' && state.round >= round;
  above.isCurrent = true;
  // It has overtaken what was agreed on, without which w is of no use.
  if (round < above.opened || (!state.trainer && w.length > 0)) return introduction(state);
  if (isKnown) return [];
  if (state.trainer) {
    resolve(state, accepted);
    inquiryOf(state)!.ask(w, 0);
  }
  state.phase = 'finished';
  state.finish = reason;
  state.round = Math.max(state.round, round);
  state.best = best > 0 ? { round: best, primal: Number.NaN } : undefined;
  above.opened = state.round;
  // What was dropped is still counted: training is to go on without it.
  above.isNews = above.hasDropped && state.trainer !== undefined;
  if (above.isNews) above.edition++;
  above.covered = { participants, missing };
  return [persist(state), ...membersHere(state).map((member) => sendFinish(state, member))];
}

function onReject(state: CoordinatorState, { code, message }: Reject): CoordinatorEffect[] {
  switch (code) {
    case 'FORGOTTEN':
      return startOver(state, message);
    case 'NOT_JOINED':
    case 'FUTURE_ROUND':
      return introduction(state);
    case 'WRONG_CLASSES':
    case 'WRONG_FEATURES':
      return membersHere(state).map(({ id }) => refuse(state, id, code, message));
    default:
      return [];
  }
}

/** The parent has lost its store: nothing that was agreed on holds any more. Numbers of rounds are not used again. */
function startOver(state: CoordinatorState, why: string): CoordinatorEffect[] {
  const above = state.above!;
  const members = [...state.members.values()];
  for (const { id, session } of members) state.forgotten.set(id, session);
  const notices = members.map(({ id, session }) => refuse(state, id, 'FORGOTTEN', why, session));
  state.members.clear();
  Object.assign(state, {
    ...{ phase: 'gathering', scaling: undefined, trainer: undefined, finish: undefined, best: undefined },
    ...{
      agreement: initialAgreement(state.options),
      tally: undefined,
      meanings: undefined,
      measured: 0,
      nextIndex: 0,
      features: 0,
    },
  });
  Object.assign(above, { base: 0, pending: undefined, held: [], moments: undefined, covered: undefined });
  above.awaited = 1;
  return [
    persist(
      state,
      [],
      members.map(({ id }) => id),
    ),
    ...notices,
  ];
}
