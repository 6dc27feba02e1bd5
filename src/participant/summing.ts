/** What a participant in secure sums sends and keeps that takes no cryptography: part of the machine also where that is loaded only when needed. */
import type { DeclineCode } from '../protocol/codes.ts';
import type { AnswerMessage, ToCoordinator } from '../protocol/messages.ts';
import type { SecureToParticipant } from '../protocol/secure-messages.ts';
import type { HeadChange } from '../protocol/secure-sums.ts';
import { exactLimit, toGrid } from '../protocol/sum-grid.ts';
import type { FederationSettings, SecureSettings } from '../settings/wire.ts';
import { boundsOf, headScalars } from '../solver/answer.ts';
import type { ParticipantEffect } from './effects.ts';
import type { ParticipantState } from './state.ts';

/** The cryptography of secure aggregation (secure.ts), handed to the machine by whoever takes part in sums. */
export interface SecureSide {
  /** Keys, as soon as the settings say for which federation; made once and kept for good. */
  takeSeat(state: ParticipantState, settings: FederationSettings): ParticipantState['stored']['secure'];
  onMessage(state: ParticipantState, message: SecureToParticipant, now: number): ParticipantEffect[];
  /** Masks and sends what the open round sums, once it is known and the shares of the others are there. */
  maskWhenReady(state: ParticipantState): ParticipantEffect[];
  /** What the enrolment key has to sign before our keys can be advertised. */
  toSign(state: ParticipantState): Uint8Array | undefined;
}

/** Who we are, once there is anything to say. */
export function advertisement({ stored }: ParticipantState): ToCoordinator | undefined {
  if (!stored.secure?.advertisement) return undefined;
  const { identityKey, channelKey, signature } = stored.secure.advertisement;
  return { kind: 'advertise', session: stored.session, identityKey, channelKey, signature };
}

/** The masked vector of a round, if it was sent: what is retransmitted in place of an answer. */
export function maskedAnswer({ stored }: ParticipantState, round: number): ToCoordinator | undefined {
  const { secure, session, base } = stored;
  const open = secure?.core.round;
  if (!open?.masked || open.plan.round !== round) return undefined;
  return { ...open.masked.message, kind: 'masked', session, base };
}

/** What the sums of a federation hold of an answer beside u, head by head, on their grid. */
export function summedScalars(
  { scalars }: AnswerMessage,
  settings: FederationSettings,
): readonly HeadChange[] {
  const { secure, training, c2 } = settings;
  if (!secure || training === 'steps') return [];
  return headScalars(scalars).map((own) => {
    const bounds = boundsOf(own, c2);
    const [value, constant] = toGrid(Float64Array.of(bounds.value + own.wDotU, bounds.constant), secure);
    return { value, constant };
  });
}

/** The entry of a solution that is too large for sums of it to be exact, in a sentence. */
export function tooLarge(u: Float64Array, secure: SecureSettings): string | undefined {
  const most = exactLimit(secure);
  const at = u.findIndex((value) => Math.abs(value) >= most);
  if (at < 0) return undefined;
  return `entry ${at} of our contribution: expected less than ${most} for exact sums, got ${u[at]}; lower secure.scaleBits`;
}

/** The coordinator is sent the code and nothing else. */
export function decline(state: ParticipantState, round: number, code: DeclineCode): ParticipantEffect[] {
  const { session } = state.stored;
  return [{ type: 'send', message: { kind: 'decline', session, round, code } }];
}
