/** Answers that cannot be taken: a bad peer is sent the reason and counted, and nothing else follows. */
import { clipFactor } from '../privacy/dp/clip.ts';
import type { AnswerMessage, RejectCode } from '../protocol/messages.ts';
import { norm, plusScaled } from '../solver/vector.ts';
import type { CoordinatorEffect } from './effects.ts';
import { implausible } from './plausible.ts';
import type { CoordinatorState, Member } from './state.ts';
import { contributionOf, sharedPart } from './training.ts';

export function refuse(
  state: CoordinatorState,
  to: string,
  code: RejectCode,
  message: string,
  session = 0,
): CoordinatorEffect {
  state.rejections.set(code, (state.rejections.get(code) ?? 0) + 1);
  return { type: 'send', to, message: { kind: 'reject', code, session, message } };
}

interface Refusal {
  readonly code: RejectCode;
  readonly message: string;
}

/** What is wrong with an answer, apart from being late. */
export function refusalOfAnswer(
  state: CoordinatorState,
  member: Member,
  message: AnswerMessage,
): Refusal | undefined {
  const { round } = state;
  const d = sharedPart(state)?.length;
  if (d === undefined || message.round > round) {
    return {
      code: 'FUTURE_ROUND',
      message: `answer: expected round ${round} at the most, got ${message.round}`,
    };
  }
  if (message.round < round) return undefined;
  if (message.base !== member.accepted.round) {
    return {
      code: 'STATE_MISMATCH',
      message: `answer: expected one that replaces that of round ${member.accepted.round}, got ${message.base}`,
    };
  }
  const wrong = [message.u, message.previous].find((vector) => vector !== undefined && vector.length !== d);
  if (wrong) return { code: 'WRONG_SHAPE', message: `answer: expected ${d} numbers, got ${wrong.length}` };
  const contradiction = implausible(state, member, message);
  if (contradiction) return { code: 'INFEASIBLE', message: contradiction };
  return refusalOfSize(state, member, message);
}

/** Single precision on the way, and the last bit of a clipping, may lengthen a vector by so much of it. */
const CLIP_SLACK = 1e-6;

function refusalOfSize(state: CoordinatorState, member: Member, { u }: AnswerMessage): Refusal | undefined {
  const { dp, defence } = state.options;
  const most = Math.min(
    dp?.clip ?? Number.POSITIVE_INFINITY,
    defence?.refuseAbove ?? Number.POSITIVE_INFINITY,
  );
  if (most === Number.POSITIVE_INFINITY) return undefined;
  const before = contributionOf(state, member);
  const size = norm(before ? plusScaled(u, -1, before) : u);
  if (clipFactor(size, most * (1 + CLIP_SLACK)) === 1) return undefined;
  return { code: 'TOO_LARGE', message: `answer: expected a change of norm ${most} at the most, got ${size}` };
}
