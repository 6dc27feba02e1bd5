/** What the coordinator knows where it may see sums only: the protocol's own state, and what follows from sums. */

import type { Summed } from '../privacy/secure/coordinator.ts';
import type { Abandoned, CoordinatorState as Core } from '../privacy/secure/coordinator-round.ts';
import type { Advertisement } from '../privacy/secure/messages.ts';
import type { SecureToParticipant, SumPurpose } from '../protocol/secure-messages.ts';
import type { CoordinatorState, Member } from './state.ts';

/** A message but for the life it is addressed to: that may change before it is said again. */
export type Unaddressed = SecureToParticipant extends infer M
  ? M extends SecureToParticipant
    ? Omit<M, 'session'>
    : never
  : never;

export interface SecureSide {
  /** The roster and the open round; undefined: there are too few for any sum. */
  core: Core | undefined;
  /** Keys of those in the roster, in its order. */
  roster: readonly Advertisement[];
  /** Places in the roster, by id. */
  seats: ReadonlyMap<string, number>;
  /** The first round that the roster is for. */
  rosterRound: number;
  /** What the open round sums. */
  purpose: SumPurpose;
  /** When dealing, attesting or revealing ends without those who are missing. */
  phaseEndsMs: number;
  /** What the present phase has said to whom. */
  said: ReadonlyMap<string, Unaddressed>;
  /** Of a round that is closed, until it has been taken in. */
  outcome: Summed | Abandoned | undefined;
}

export function newSecureSide(): SecureSide {
  return {
    core: undefined,
    roster: [],
    seats: new Map(),
    rosterRound: 0,
    purpose: 'measure',
    phaseEndsMs: Number.POSITIVE_INFINITY,
    said: new Map(),
    outcome: undefined,
  };
}

/** Members that can be dealt with: here, with keys, and heard of lately. */
export function membersSeated({ members, options }: CoordinatorState): Member[] {
  return [...members.values()].filter(
    ({ presence, advertisement, undealt }) =>
      presence === 'here' && advertisement && undealt < options.patience,
  );
}

/** Its place in the roster; -1: it has none. */
export function seatOf({ secure }: CoordinatorState, member: Member): number {
  return secure?.seats.get(member.id) ?? -1;
}

/** Whether a member has said what the present phase waits for. */
export function isHeard(state: CoordinatorState, member: Member): boolean {
  const round = state.secure?.core?.round;
  if (!round) return true;
  const seat = seatOf(state, member);
  switch (round.phase) {
    case 'dealing':
      return round.dealt.has(seat);
    case 'masking':
      return round.masked.has(seat);
    case 'attesting':
      return round.attested.has(seat);
    case 'revealing':
      return round.revealed.has(seat);
  }
}

/** Those to whom the present phase has spoken, who are here and have not answered. */
export function membersAwaited(state: CoordinatorState): Member[] {
  return [...(state.secure?.said.keys() ?? [])].flatMap((id) => {
    const member = state.members.get(id);
    return member && member.presence === 'here' && !isHeard(state, member) ? [member] : [];
  });
}
