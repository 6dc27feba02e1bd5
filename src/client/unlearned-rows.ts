/** What is noted of rows that were removed, and the certificate about them (unlearning.ts). */
import { utf8Bytes } from '../base/bytes.ts';
import { hexOf, sha256 } from '../base/sha256.ts';
import type { FinishReason } from '../protocol/messages.ts';
import { placesIn } from './known-rows.ts';

/** Rows that were there at the last start and are not any more. */
export interface RemovedRows {
  readonly training: number;
  readonly testing: number;
  /** SHA-256 of their keys (`rowKeys`), sorted, one per line: whoever has the rows can check it. */
  readonly digest: string;
}

/** Waits for a training without these rows. */
export interface Unlearning {
  /** Counts the changes of the rows: answers of this edition, and of later ones, are without the removed rows. */
  readonly edition: number;
  readonly removed: RemovedRows;
  /** The first round that has accepted an answer without them; undefined: none yet. */
  readonly acceptedRound?: number | undefined;
}

/** The certificate. */
export interface UnlearnedRows extends Unlearning {
  readonly acceptedRound: number;
  readonly participant: string;
  readonly federation: { readonly id: string; readonly name: string } | undefined;
  /** Training rows that are left, and their digest. */
  readonly kept: { readonly rows: number; readonly digest: string };
  /**
   * The last round that had accepted an answer when training came to rest, and why it did. `gap`: the model is within the federation's gap
   * of one that was trained without the rows from the start.
   */
  readonly restRound: number;
  readonly reason: FinishReason;
}

export function removedRows(training: Float64Array, testing: Float64Array): RemovedRows {
  const keys = [...training, ...testing].sort((a, b) => a - b);
  const digest = hexOf(sha256(utf8Bytes(keys.map((key) => `${key}\n`).join(''))));
  return { training: training.length, testing: testing.length, digest };
}

/** The keys that are in the first and not in the second, as often as they are there more often. */
export function keysGone(before: Float64Array, now: Float64Array): Float64Array {
  const places = placesIn(now, before);
  return before.filter((_, i) => places[i] < 0);
}
