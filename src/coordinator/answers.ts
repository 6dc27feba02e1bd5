/** Answers that cannot be taken: a bad peer is told and counted, and nothing else happens. */
import type { RejectCode, Report, UpdateMessage } from '../protocol/index.ts';
import { dot } from '../solver/index.ts';
import type { CoordinatorEffect } from './effects.ts';
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
  if (message.kind === 'report') return undefined;
  const { du, duNorm2 } = message;
  if (du.length !== aggregator.w.length) {
    return {
      code: 'WRONG_SHAPE',
      message: `update: expected ${aggregator.w.length} numbers, got ${du.length}`,
    };
  }
  const norm2 = dot(du, du);
  if (!(Math.abs(norm2 - duNorm2) <= 1e-6 * Math.max(norm2, 1e-12))) {
    return { code: 'INFEASIBLE', message: `update: expected |du|^2 = ${norm2}, got ${duNorm2}` };
  }
  return undefined;
}
