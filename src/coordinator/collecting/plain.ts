/** Answers that come one by one, each in the clear: what is taken of them while a round is open, and all of them when it closes. */
import { noteReply } from '../../base/pace.ts';
import type { AnswerMessage, Scalars } from '../../protocol/messages.ts';
import { headScalars, totalScalars } from '../../solver/answer.ts';
import type { GroupAnswer, SingleAnswer, SummedAnswer } from '../../solver/inquiry-types.ts';
import { plusScaled } from '../../solver/vector.ts';
import { comparable, provenBy, without } from '../claims.ts';
import { bounded, scored } from '../defence.ts';
import type { CoordinatorEffect } from '../effects.ts';
import type { Member } from '../member.ts';
import { outOfSession, refusalOfAnswer, refuse } from '../refusals.ts';
import { testsOf } from '../reported-tests.ts';
import type { RoundRow, Shortened } from '../round-row.ts';
import { sendFinish, sendOutcome, sendRound } from '../sending.ts';
import type { CoordinatorState } from '../state.ts';
import { persist } from '../stored.ts';
import { tallyAnswer } from '../tally.ts';
import { contributionOf, inquiryOf } from '../training.ts';
import { noteArrival } from '../ways.ts';

/** What a closed round has brought: single answers, or a sum of which nobody knows the parts. Everything after is one. */
export interface Collected {
  /** Whose answers they are, in the same order. */
  readonly members: readonly Member[];
  readonly answers?: readonly (SingleAnswer & { readonly factor: number })[] | undefined;
  readonly sum?: SummedAnswer | undefined;
  /** Of branches. */
  readonly groups?: readonly GroupAnswer[] | undefined;
  readonly notes?: Pick<RoundRow, 'scores' | 'shortened' | 'tests'>;
}

export function onAnswer(
  state: CoordinatorState,
  member: Member,
  message: AnswerMessage,
): CoordinatorEffect[] {
  const ignored = outOfSession(state, member, message.session);
  if (ignored) return ignored;
  // A duplicate. In a branch its round may be summed up already: it replaces the answer before that one, which is no contradiction.
  if (member.answered && message.round === state.round) return [];
  const refusal = refusalOfAnswer(state, member, message);
  if (refusal) {
    const [code, sentence] = refusal;
    // Nothing better will come of it in this round: it is not waited for.
    if (code === 'INFEASIBLE' || code === 'TOO_LARGE') passOver(state, member);
    return [refuse(state, member.id, code, sentence)];
  }
  if (member.presence === 'left') {
    return [sendFinish(state, member, 'left')];
  }
  const late = lateOrAgain(state, member, message);
  if (late) return late;
  if (inquiryOf(state)?.needsPrevious(member.index) && !message.previous) {
    // It was asked before a restart: the answer that it replaces has to come with it.
    return sendRound(state, member);
  }
  noteAnswer(state, member);
  member.scalars = provenBy(state, member, message.scalars);
  member.scalarsRound = message.round;
  member.answer = message;
  member.tests = message.tests;
  return [];
}

/** An answer that is not counted: late, or a duplicate. Undefined: it is the first one to the open round. */
export function lateOrAgain(
  state: CoordinatorState,
  member: Member,
  { round, computeMs }: Pick<AnswerMessage, 'round' | 'computeMs'>,
): CoordinatorEffect[] | undefined {
  noteArrival(member.ways, round, state.nowMs, computeMs);
  if (member.answered && round === state.round) return [];
  const outcome = sendOutcome(member, round);
  // Acknowledged, never counted.
  if (round < state.round || round <= member.barred) return [outcome];
  if (state.phase !== 'summing') return undefined;
  // Its round counts as closed. That is durable before the outcome is sent: after a crash the round is open again.
  member.barred = state.round;
  state.tally = undefined;
  return [persist(state, [member]), outcome];
}

export function noteAnswer(state: CoordinatorState, member: Member): void {
  tallyAnswer(state, member);
  noteReply(member.pace, state.nowMs);
  member.answered = true;
  member.missed = 0;
  member.missedChecks = 0;
  member.extraRounds = 0;
  member.extraFrom = 0;
  member.idleWakes = 0;
  member.fault = undefined;
  member.responseMs = state.nowMs - state.openedMs;
}

/** A refused answer is none: whoever sends nothing else is missing after some rounds, as if it were silent. */
function passOver(state: CoordinatorState, member: Member): void {
  if (member.answered || member.barred >= state.round) return;
  member.barred = state.round;
  if (state.purpose === 'certify') member.missedChecks++;
  else member.missed++;
  state.tally = undefined;
}

/** All answers of the round that is being closed, as far as the defence lets them through. */
export function collectAnswers(state: CoordinatorState, responders: readonly Member[]): Collected {
  const members = responders.filter((member) => member.answer);
  const scalarsOf = comparableScalars(state, members);
  const { defence } = state.options;
  if (!defence)
    return {
      members,
      answers: members.map((member) => ({ ...given(member, scalarsOf), factor: 1 })),
      notes: { tests: testsOf(state, members) },
    };
  const changes = members.map((member) => {
    const { u, previous } = member.answer!;
    const old = contributionOf(state, member) ?? previous;
    return { member: member.index, du: old ? plusScaled(u, -1, old) : u };
  });
  const scores = scored(state, members, changes);
  const factors = bounded(state, changes);
  const answers = members.flatMap((member) => {
    const factor = factors.get(member.index) ?? 1;
    return factor > 0 ? [{ ...given(member, scalarsOf), factor }] : [];
  });
  const shortened: Shortened[] = members.flatMap(({ id, index }) => {
    const factor = factors.get(index) ?? 1;
    return factor > 0 && factor < 1 ? [{ id, factor }] : [];
  });
  const taken = new Set(answers.map(({ member }) => member));
  const counted = members.filter(({ index }) => taken.has(index));
  const notes: Collected['notes'] = {
    ...(scores && { scores }),
    ...(shortened.length > 0 && { shortened }),
    tests: testsOf(state, counted),
  };
  return { members: counted, answers, notes };
}

function comparableScalars(
  state: CoordinatorState,
  members: readonly Member[],
): ReadonlyMap<number, Scalars> {
  const claims = members.map(({ answer }) => headScalars(answer!.scalars));
  // Head by head: what is huge in one says nothing of the others.
  const byHead = (claims[0] ?? []).map((_, h) =>
    comparable(
      state,
      claims.map((heads) => heads[h]),
    ),
  );
  for (const [i, member] of members.entries()) {
    // By the same number for good: later claims are compared with what counted of earlier ones.
    if (!contributionOf(state, member))
      member.offset = byHead.map((counted, h) => claims[i][h].loss - counted[i].loss);
  }
  return new Map(
    members.map(({ index, offset }, i) => [
      index,
      totalScalars(claims[i].map((claim, h) => without(claim, offset[h] ?? 0))),
    ]),
  );
}

function given({ index, answer }: Member, scalarsOf: ReadonlyMap<number, Scalars>) {
  const { u, previous } = answer!;
  return { member: index, u, scalars: scalarsOf.get(index)!, previous };
}
