/** A participant's place in a roster: its neighbours, and the root key it has agreed with each. */
import { type Context, derive, pairContext, SECRET_BYTES } from './keys.ts';
import type { Layout } from './roster.ts';
import { SHARE_BYTES } from './sealed-share.ts';

export interface Neighbour {
  readonly index: number;
  readonly id: string;
  readonly root: Uint8Array;
}

export interface Seat {
  readonly layout: Layout;
  readonly index: number;
  readonly id: string;
  /** By ascending index. */
  readonly neighbours: readonly Neighbour[];
}

export function fromMe({ layout, id }: Seat, to: { id: string }, round: number): Context {
  return { federation: layout.federation, round, from: id, to: to.id };
}

export function toMe({ layout, id }: Seat, from: { id: string }, round: number): Context {
  return { federation: layout.federation, round, from: from.id, to: id };
}

/** The seed of this round's mask between two participants: both derive the same. */
export function pairSeed(seat: Seat, neighbour: Neighbour, round: number): Uint8Array {
  return derive(neighbour.root, 'pairwise mask', pairContext(fromMe(seat, neighbour, round)), SECRET_BYTES);
}

/** A share that dealer and holder derive from their root. */
export function derivedShare(root: Uint8Array, context: Context): Uint8Array {
  return derive(root, 'derived share', context, SHARE_BYTES);
}
