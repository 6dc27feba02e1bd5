/** What a participant of secure aggregation remembers: its keys, whom it knows, its seat, and the round that is open. */
import type { Security } from './graph.ts';
import type { IndexSet } from './index-set.ts';
import type { KeyPair } from './keys.ts';
import type { Advertisement, Dealt, Delivered, Masked, RoundPlan } from './messages.ts';
import type { Seat } from './seat.ts';
import { demand } from './secure-error.ts';

export interface Peer {
  readonly advertisement: Advertisement;
  /** The secret agreed between the two channel keys. */
  readonly agreed: Uint8Array;
}

/** What a participant knows of the round that is open. */
export interface ParticipantRound {
  readonly plan: RoundPlan;
  readonly dealt: Dealt;
  readonly ownShare: Uint8Array;
  readonly selfMask: Uint8Array;
  masked: { readonly message: Masked; readonly delivered: Delivered } | undefined;
  /** The only set for which anything is ever revealed in this round. */
  counted: IndexSet | undefined;
}

export interface ParticipantState {
  readonly federation: string;
  readonly id: string;
  readonly security: Security;
  readonly identity: KeyPair;
  readonly channel: KeyPair;
  peers: Map<string, Peer>;
  seat: Seat | undefined;
  /** No round up to this one is ever opened again. */
  lastRound: number;
  round: ParticipantRound | undefined;
}

export function seatOf(state: ParticipantState): Seat {
  demand(state.seat, 'SECURE_OUT_OF_TURN', 'secure aggregation: expected a roster first, got a round');
  return state.seat;
}

export function openRound(state: ParticipantState, number: number): { seat: Seat; round: ParticipantRound } {
  const seat = seatOf(state);
  const { round } = state;
  demand(
    round && round.plan.round === number,
    'SECURE_OUT_OF_TURN',
    `round: expected ${round ? round.plan.round : 'none'}, got ${number}`,
  );
  return { seat, round };
}

export function maskedRound(state: ParticipantState, number: number) {
  const { seat, round } = openRound(state, number);
  demand(
    round.masked,
    'SECURE_OUT_OF_TURN',
    `round ${number}: expected a delivery of shares first, got a later message`,
  );
  return { seat, round, delivered: round.masked.delivered };
}

export function samePlan(a: RoundPlan, b: RoundPlan): boolean {
  return a.length === b.length && a.scaleBits === b.scaleBits && a.limit === b.limit;
}
