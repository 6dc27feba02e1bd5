/** What the coordinator of secure aggregation remembers of a round, and the questions it asks of it. */

import { TAG_BYTES } from './consistency.ts';
import { type IndexSet, members, setOf } from './index-set.ts';
import { SECRET_BYTES } from './keys.ts';
import type { Attested, Dealt, Revealed, RoundPlan } from './messages.ts';
import { type Layout, mustSend, pointOf } from './roster.ts';
import { SEALED_BYTES } from './seat.ts';
import { refuse } from './secure-error.ts';
import type { Share } from './shamir.ts';

type Phase = 'dealing' | 'masking' | 'attesting' | 'revealing';

interface CoordinatorRound {
  readonly plan: RoundPlan;
  /** Digest of what everybody answers. */
  readonly question: Uint8Array;
  phase: Phase;
  readonly dealt: Map<number, Dealt>;
  readonly sum: Uint32Array;
  readonly masked: Set<number>;
  readonly attested: Map<number, Attested>;
  readonly revealed: Map<number, Revealed>;
  /** Ids of those whose messages were refused. */
  readonly faulty: Set<string>;
}

export interface CoordinatorState {
  readonly layout: Layout;
  /** By index. */
  readonly neighbours: readonly (readonly number[])[];
  lastRound: number;
  round: CoordinatorRound | undefined;
}

export interface Abandoned {
  readonly kind: 'abandoned';
  readonly phase: Phase;
  readonly reason: string;
  readonly faulty: readonly string[];
  readonly culprits: readonly Culprit[];
}

/** Who has sent what cannot be true, whatever the others have sent. */
export interface Culprit {
  readonly id: string;
  /** `share`: it revealed another share than it was dealt. `dealing`: what it dealt does not give what it committed to. */
  readonly fault: 'share' | 'dealing';
  /** Whose secret it is about. */
  readonly dealer: string;
}

/** One message for each of them, by id. */
export interface Answers<Message> {
  readonly kind: 'answers';
  readonly to: ReadonlyMap<string, Message>;
}

export function answers<Message>(
  { layout }: CoordinatorState,
  indices: Iterable<number>,
  answer: (index: number) => Message,
): Answers<Message> {
  const to = new Map<string, Message>();
  for (const index of indices) to.set(layout.ids[index], answer(index));
  return { kind: 'answers', to };
}

export function abandon(
  state: CoordinatorState,
  round: CoordinatorRound,
  reason: string,
  culprits: readonly Culprit[] = [],
): Abandoned {
  state.round = undefined;
  return { kind: 'abandoned', phase: round.phase, reason, faulty: [...round.faulty].sort(), culprits };
}

export function inPhase({ round }: CoordinatorState, phase: Phase): CoordinatorRound {
  if (round?.phase !== phase)
    refuse(
      'SECURE_OUT_OF_TURN',
      `coordinator: expected phase ${phase}, got ${round ? round.phase : 'no round'}`,
    );
  return round;
}

/** The open round and the sender's index, if the message belongs here. */
export function expected(
  state: CoordinatorState,
  from: string,
  message: { readonly round: number; readonly from: number },
  phase: Phase,
): { round: CoordinatorRound; index: number } {
  const round = inPhase(state, phase);
  if (message.round !== round.plan.round)
    refuse(
      'SECURE_OUT_OF_TURN',
      `message of "${from}": expected round ${round.plan.round}, got ${message.round}`,
      from,
    );
  if (state.layout.ids[message.from] !== from)
    refuse('SECURE_IDENTITY', `message of "${from}": expected its own index, got ${message.from}`, from);
  return { round, index: message.from };
}

export function demandCounted({ masked, plan }: CoordinatorRound, index: number, from: string): void {
  if (!masked.has(index))
    refuse(
      'SECURE_OUT_OF_TURN',
      `message of "${from}": expected somebody counted in to round ${plan.round}, got somebody who was not`,
      from,
    );
}

/** Neighbours and oneself, ascending: the order in which shares are revealed. */
export function holdersOf({ neighbours }: CoordinatorState, index: number): number[] {
  return [...neighbours[index], index].sort((a, b) => a - b);
}

/** Whose secrets can no longer be recovered with the answers of those present, in a sentence; or nobody's. */
export function tooFewHolders(
  state: CoordinatorState,
  { dealt }: CoordinatorRound,
  present: { has(index: number): boolean },
): string | undefined {
  const { threshold, ids } = state.layout;
  for (const index of dealt.keys()) {
    const got = countHolders(state, index, present);
    if (got < threshold) return `"${ids[index]}": expected at least ${threshold} of its holders, got ${got}`;
  }
  return undefined;
}

/** Leaves out whoever has too few holders among the others, until nobody has. */
export function keepHeld(state: CoordinatorState, dealt: Map<number, Dealt>): void {
  for (let before = -1; before !== dealt.size; ) {
    before = dealt.size;
    for (const index of dealt.keys()) {
      if (countHolders(state, index, dealt) < state.layout.threshold) dealt.delete(index);
    }
  }
}

export function positions(some: readonly number[], all: readonly number[]): IndexSet {
  const wanted = new Set(some);
  const found: number[] = [];
  for (let at = 0; at < all.length; at++) if (wanted.has(all[at])) found.push(at);
  return setOf(found, all.length);
}

export function sealedFor(
  { layout, neighbours }: CoordinatorState,
  dealt: Dealt,
  holder: number,
): Uint8Array {
  const receivers = neighbours[dealt.from].filter((other) => mustSend(layout, dealt.from, other));
  const at = receivers.indexOf(holder);
  return dealt.sealed.subarray(at * SEALED_BYTES, (at + 1) * SEALED_BYTES);
}

export function tagFor(
  { neighbours }: CoordinatorState,
  { masked, attested }: CoordinatorRound,
  attester: number,
  to: number,
): Uint8Array {
  const counted = neighbours[attester].filter((other) => masked.has(other));
  const at = counted.indexOf(to);
  return attested.get(attester)!.tags.subarray(at * TAG_BYTES, (at + 1) * TAG_BYTES);
}

/** All revealed shares, sorted out by whose secret they are of. */
export function sharesByDealer(
  state: CoordinatorState,
  { revealed }: CoordinatorRound,
): Map<number, Share[]> {
  const shares = new Map<number, Share[]>();
  for (const [index, message] of revealed) {
    const holders = holdersOf(state, index);
    for (const [i, at] of members(message.dealers).entries()) {
      const y = message.shares.subarray(i * SECRET_BYTES, (i + 1) * SECRET_BYTES);
      const list = shares.get(holders[at]) ?? [];
      list.push({ x: pointOf(index), y });
      shares.set(holders[at], list);
    }
  }
  return shares;
}

function countHolders(
  state: CoordinatorState,
  index: number,
  present: { has(index: number): boolean },
): number {
  let count = present.has(index) ? 1 : 0;
  for (const neighbour of state.neighbours[index]) if (present.has(neighbour)) count++;
  return count;
}
