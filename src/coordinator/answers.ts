/** Answers that cannot be taken: a bad peer is told and counted, and nothing else happens. */

import { updateNorm } from '../privacy/dp/index.ts';
import type { RejectCode, Report, UpdateMessage } from '../protocol/index.ts';
import type { CoordinatorEffect } from './effects.ts';
import { implausible } from './plausible.ts';
import type { CoordinatorState, Member } from './state.ts';

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

/** What is wrong with an update or a report, apart from being late. */
export function refusalOfAnswer(
  state: CoordinatorState,
  member: Member,
  message: UpdateMessage | Report,
): { code: RejectCode; message: string } | undefined {
  const { aggregator, round } = state;
  if (!aggregator || message.round > round) {
    return {
      code: 'FUTURE_ROUND',
      message: `${message.kind}: expected round ${round} at the most, got ${message.round}`,
    };
  }
  if (message.round < round) return undefined;
  if (message.base !== member.accepted.round) {
    return {
      code: 'STATE_MISMATCH',
      message: `${message.kind}: expected one that starts from round ${member.accepted.round}, got ${message.base}`,
    };
  }
  if (message.kind === 'update' && message.du.length !== aggregator.w.length) {
    return {
      code: 'WRONG_SHAPE',
      message: `update: expected ${aggregator.w.length} numbers, got ${message.du.length}`,
    };
  }
  const contradiction = implausible(state, member, message);
  if (contradiction) return { code: 'INFEASIBLE', message: contradiction };
  return message.kind === 'update' ? refusalOfSize(state, message) : undefined;
}

/** Single precision on the way, and the last bit of a clipping, may lengthen a vector by so much of it. */
const CLIP_SLACK = 1e-6;

function refusalOfSize({ options: { dp, defence } }: CoordinatorState, message: UpdateMessage) {
  const most = Math.min(
    dp?.clip ?? Number.POSITIVE_INFINITY,
    defence?.refuseAbove ?? Number.POSITIVE_INFINITY,
  );
  const norm = updateNorm(message);
  if (norm <= most * (1 + CLIP_SLACK)) return undefined;
  return { code: 'TOO_LARGE', message: `update: expected |du| of at most ${most}, got ${norm}` } as const;
}
