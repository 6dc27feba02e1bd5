/** What one aggregation rule has to say; `aggregate.ts` does the rest. */
import type { Update } from './member.ts';
import type { Block } from './simplex-ascent.ts';
import { addScaled } from './vector.ts';

/** Participants are numbered by the caller; the order of updates does not matter. */
export interface IndexedUpdate extends Update {
  readonly member: number;
}

/** What a rule decides. */
export interface AggregationRule {
  /** Local solutions kept beside the committed one. */
  readonly atoms: number;
  /** Coupling allowance to start with, for so many participants. */
  startSigma(participants: number): number;
  /** Sets the weights of every block, which come as 1 for the committed solution and 0 for the atoms. */
  weigh(w: Float64Array, c2: number, updates: readonly IndexedUpdate[], blocks: readonly Block[]): void;
  /** Coupling allowance after a round; default: as before. */
  nextSigma?(sigma: number, updates: readonly IndexedUpdate[]): number;
}

/** sum_k du_k. */
export function sumOfChanges(updates: readonly IndexedUpdate[]): Float64Array {
  const sum = new Float64Array(updates[0].du.length);
  for (const update of updates) addScaled(sum, 1, update.du);
  return sum;
}
