/**
 * The secure sum of a round, from the plan to the outcome. The round itself opens and closes as without protection; around it
 *
 *   open     dealing, then masking (the answers)
 *   summing  attesting, revealing, then the outcome
 *
 * A phase ends when everybody has answered it, or after `phaseMs`; masking ends when the round can be closed. The number of a round
 * is durable before its plan is sent, and after a crash the round is given up for one with a new number.
 */
import { newPace, nextSendMs, noteSent } from '../base/pace.ts';
import {
  closeAttesting,
  closeDealing,
  closeMasking,
  closeRevealing,
  openSecureRound,
  type Summed,
  takeAttested,
  takeDealt,
  takeMasked,
  takeRevealed,
} from '../privacy/secure/coordinator.ts';
import type { Abandoned, Answers } from '../privacy/secure/coordinator-round.ts';
import { SecureError } from '../privacy/secure/secure-error.ts';
import { questionOf } from '../protocol/question.ts';
import type {
  AttestedMessage,
  DealtMessage,
  MaskedMessage,
  RevealedMessage,
} from '../protocol/secure-messages.ts';
import { sumPlan } from '../protocol/secure-sums.ts';
import { noteAnswer } from './collecting/plain.ts';
import type { CoordinatorEffect } from './effects.ts';
import type { Member } from './member.ts';
import { carriesItsNoise } from './private-rounds.ts';
import { refuse } from './refusals.ts';
import {
  hasReplied,
  membersAwaited,
  membersSeated,
  renewRoster,
  rosterFor,
  seatOf,
} from './secure-roster.ts';
import type { Unaddressed } from './secure-side.ts';
import { askedOfAll, sendRound, settingsOf } from './sending.ts';
import type { CoordinatorState } from './state.ts';
import { membersHere } from './tally.ts';
import { canClose, leastResponses, mostMs, nextDeadline } from './waiting.ts';
import { noteArrival } from './ways.ts';

/** Opens the sum of the present round: a new roster first where one is due. */
export function openSum(state: CoordinatorState): CoordinatorEffect[] {
  const { options } = state;
  const secure = state.secure!;
  const renewed = renewRoster(state);
  const { core } = secure;
  secure.outcome = undefined;
  secure.declined = new Map();
  secure.sent = new Map();
  for (const member of state.members.values()) if (seatOf(state, member) < 0) member.barred = state.round;
  state.tally = undefined;
  if (!core) return [];
  const roster = core.layout.session;
  const bases = core.layout.ids.map((id) => state.members.get(id)?.accepted.round ?? 0);
  const plan = { round: state.round, purpose: secure.purpose, roster };
  const summed = sumPlan(settingsOf(state), plan, {
    participants: core.layout.ids.length,
    agreement: state.agreement,
  });
  openSecureRound(core, summed, questionAsked(state, bases));
  const message = { kind: 'plan', ...plan, bases } as const;
  const here = membersHere(state);
  // Also to who is not in the roster: it advertises its keys, and is in the next.
  secure.sent = new Map(here.map(({ id }) => [id, message]));
  endPhaseAfter(state);
  secure.phaseEndsMs = Math.min(secure.phaseEndsMs, state.openedMs + options.maxWaitMs);
  return [
    ...(renewed ? here.flatMap((member) => rosterFor(state, member)) : []),
    ...here.map((member) => addressed(member, message)),
  ];
}

/** As every member computes it from what it is sent. */
function questionAsked(state: CoordinatorState, bases: readonly number[]): Uint8Array {
  const { purpose } = state.secure!;
  const { scaling, agreement } = state;
  const asked = purpose === 'train' ? { purpose: state.purpose, ...askedOfAll(state) } : undefined;
  return questionOf({ purpose, settings: settingsOf(state), scaling, agreement, asked, bases });
}

/** Whatever the present phase has sent to a member that has not replied. */
export function sendPhase(state: CoordinatorState, member: Member): CoordinatorEffect[] {
  const message = state.secure?.sent.get(member.id);
  return message && !hasReplied(state, member) ? [addressed(member, message)] : [];
}

/** Retransmits what has not been answered. */
export function retransmitPhase(state: CoordinatorState): CoordinatorEffect[] {
  const opened = state.phase === 'open' && state.secure!.purpose !== 'measure';
  return membersAwaited(state).flatMap((member) => [
    ...(opened ? sendRound(state, member) : []),
    ...sendPhase(state, member),
  ]);
}

type Answer = DealtMessage | MaskedMessage | AttestedMessage | RevealedMessage;

export function takeAnswer(state: CoordinatorState, member: Member, message: Answer): CoordinatorEffect[] {
  const { core } = state.secure!;
  if (!core?.round || message.round !== state.round) return [];
  const answered = core.round.masked.size;
  try {
    switch (message.kind) {
      case 'dealt':
        takeDealt(core, member.id, message);
        // Shares are dealt at once, whatever is being computed meanwhile.
        noteArrival(member.ways, message.round, state.nowMs);
        break;
      case 'masked':
        takeMasked(core, member.id, message);
        break;
      case 'attested':
        takeAttested(core, member.id, message);
        break;
      case 'revealed':
        takeRevealed(core, member.id, message);
        break;
    }
  } catch (error) {
    if (!(error instanceof SecureError)) throw error;
    // Late, or retransmitted: the network's doing, nobody's fault.
    if (error.code === 'SECURE_OUT_OF_TURN') return [];
    return [refuse(state, member.id, 'INFEASIBLE', error.message)];
  }
  if (core.round.masked.size > answered) noteAnswer(state, member);
  return [];
}

/** Asked after every input: closes whatever phases can be closed. */
export function advance(state: CoordinatorState): CoordinatorEffect[] {
  const effects: CoordinatorEffect[] = [];
  for (;;) {
    const closed = closePhase(state);
    if (!closed) return effects;
    effects.push(...closed);
  }
}

function closePhase(state: CoordinatorState): CoordinatorEffect[] | undefined {
  const { phase, secure } = state;
  const { core } = secure!;
  const sum = core?.round;
  if (phase === 'open' && state.paused) return undefined;
  if (phase === 'open' && !sum) {
    const waited = state.nowMs >= state.openedMs + mostMs(state);
    // A roster of those who could be dealt with now would be large enough.
    const canSeat = membersSeated(state).length >= Math.max(2, leastResponses(state));
    // A branch without a cohort has nothing new to say: it does not hold up the others.
    const isIdle = state.above && secure!.purpose === 'train';
    return waited || canSeat || isIdle
      ? conclude(state, givenUp('dealing', 'too few participants'))
      : undefined;
  }
  if (!sum || (phase !== 'open' && phase !== 'summing')) return undefined;
  const over =
    membersAwaited(state).every((member) => seatOf(state, member) < 0) || state.nowMs >= secure!.phaseEndsMs;
  switch (sum.phase) {
    case 'dealing':
      return over ? endDealing(state) : undefined;
    case 'masking':
      return canClose(state) ? endMasking(state) : undefined;
    case 'attesting':
      return over
        ? goOn(state, closeAttesting(core!), (answer) => ({ kind: 'attestations', ...answer }))
        : undefined;
    case 'revealing':
      return over ? conclude(state, closeRevealing(core!)) : undefined;
  }
}

function endDealing(state: CoordinatorState): CoordinatorEffect[] {
  const core = state.secure!.core!;
  const { dealt } = core.round!;
  const closed = closeDealing(core);
  for (const member of membersHere(state)) {
    const seat = seatOf(state, member);
    if (seat < 0) continue;
    member.undealt = dealt.has(seat) ? 0 : member.undealt + 1;
    // Who has not dealt cannot answer.
    if (!dealt.has(seat)) member.barred = state.round;
  }
  state.tally = undefined;
  // Shares must reach everybody and the answer must come back: where solves are quick, that takes longer than they do.
  state.deadlineMs = Math.max(state.deadlineMs, state.nowMs + (state.nowMs - state.openedMs));
  return goOn(state, closed, (answer) => ({ kind: 'delivered', ...answer }));
}

function endMasking(state: CoordinatorState): CoordinatorEffect[] {
  const core = state.secure!.core!;
  const answers = core.round!.masked.size;
  const isEnough = answers >= leastResponses(state);
  if (!isEnough || !carriesItsNoise(state, answers)) {
    // A sum that will not be used, or has too little noise on it, is not uncovered.
    core.round = undefined;
    return conclude(state, givenUp('masking', isEnough ? 'too few for the noise' : 'too few answers'));
  }
  state.phase = 'summing';
  return goOn(state, closeMasking(core), (answer) => ({ kind: 'counted', ...answer }));
}

/** Sends everybody the outcome of a closed phase, or gives the round up. */
function goOn<A>(
  state: CoordinatorState,
  closed: Answers<A> | Abandoned,
  messageOf: (answer: A) => Unaddressed,
): CoordinatorEffect[] {
  if (closed.kind === 'abandoned') return conclude(state, closed);
  const secure = state.secure!;
  secure.sent = new Map([...closed.to].map(([id, answer]) => [id, messageOf(answer)]));
  endPhaseAfter(state);
  return [
    ...[...secure.sent].flatMap(([id, message]) => {
      const member = state.members.get(id);
      return member ? [addressed(member, message)] : [];
    }),
    sumTimer(state),
  ];
}

function conclude(state: CoordinatorState, outcome: Summed | Abandoned): CoordinatorEffect[] {
  const secure = state.secure!;
  secure.outcome = outcome;
  secure.sent = new Map();
  state.phase = 'summing';
  return [{ type: 'summation', ms: state.options.summationMs }];
}

function givenUp(phase: Abandoned['phase'], reason: string): Abandoned {
  return { kind: 'abandoned', phase, reason, faulty: [], culprits: [] };
}

/** From here on the phase is retransmitted to those who do not reply, and ends without them. */
function endPhaseAfter(state: CoordinatorState): void {
  const { phaseMs } = state.options.secure!;
  const secure = state.secure!;
  secure.phaseEndsMs = state.nowMs + phaseMs;
  secure.pace = newPace();
  noteSent(secure.pace, state.nowMs);
}

export function sumTimer(state: CoordinatorState): CoordinatorEffect {
  const secure = state.secure!;
  const masking = secure.core?.round?.phase === 'masking' || !secure.core?.round;
  const end = masking ? nextDeadline(state) : secure.phaseEndsMs;
  return { type: 'timer', atMs: Math.min(end, nextSendMs(secure.pace, state.options.retryMs)) };
}

function addressed(member: Member, message: Unaddressed): CoordinatorEffect {
  return { type: 'send', to: member.id, message: { ...message, session: member.session } };
}
