/**
 * Unlearning: rows that are gone from the data leave the model.
 *
 * An answer depends on w and on the rows at hand alone. So the first answer accepted after rows have gone replaces all that the coordinator
 * has of them (`edition`, opening.ts), and the training that comes to rest after it is one without them, up to its gap. What is left to do:
 * remember what was removed until that has happened, then issue a certificate, and rewrite the state without what earlier states had of the
 * rows: keys, duals, contributions.
 *
 * Not undone: scaling and classes, which the federation agreed on before its first round from all rows of that time.
 */
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { inputError } from '../base/errors.ts';
import type { Eventually } from '../base/ports.ts';
import { selectRows } from '../data/participants.ts';
import { placeOf, type Table } from '../data/table.ts';
import type { Stored } from '../participant/state.ts';
import type { FinishReason } from '../protocol/messages.ts';
import { placesIn, rowKeys } from './known-rows.ts';
import type { FederationName, ParticipantFile } from './participant-file.ts';
import type { StateStore } from './ports.ts';

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
  readonly federation: FederationName | undefined;
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
  const digest = bytesToHex(sha256(utf8ToBytes(keys.map((key) => `${key}\n`).join(''))));
  return { training: training.length, testing: testing.length, digest };
}

/** The keys that are in the first and not in the second, as often as they are there more often. */
export function keysGone(before: Float64Array, now: Float64Array): Float64Array {
  const places = placesIn(now, before);
  return before.filter((_, i) => places[i] < 0);
}

/** Keys to leave out from now on: those of earlier, and those of the rows given, which must be known. */
export function excludedKeys(
  { excluded = new Float64Array(0), known }: Pick<ParticipantFile, 'excluded' | 'known'>,
  table: Table,
  unlearn: Table | undefined,
): Float64Array {
  if (!unlearn) return excluded;
  const own = new Set([...rowKeys(table), ...excluded, ...(known?.train ?? []), ...(known?.test ?? [])]);
  const keys = rowKeys(unlearn);
  const stranger = keys.findIndex((key) => !own.has(key));
  if (stranger < 0) return Float64Array.from(new Set([...excluded, ...keys]));
  throw inputError(
    'UNKNOWN_ROWS',
    `${unlearn.source} ${placeOf(unlearn, stranger)}: expected rows of this participant to unlearn, got one that it does not have`,
  );
}

export function withoutRows(table: Table, excluded: Float64Array): Table {
  if (excluded.length === 0) return table;
  const out = new Set(excluded);
  const keys = rowKeys(table);
  const rest = Uint32Array.from(keys.keys()).filter((i) => !out.has(keys[i]));
  if (rest.length > 0) return selectRows(table, rest);
  throw inputError(
    'NO_ROWS',
    `${table.source}: expected rows besides the ${table.n} to unlearn, got none; to take all of them out, leave the federation and have the operator forget the participant`,
  );
}

/**
 * A store that notes when an answer without the removed rows is accepted, and issues certificates when training rests: each in the write
 * of the state that shows it. That of a certificate leaves nothing of earlier states.
 */
export function certifying(
  store: StateStore,
  isResting: () => boolean,
  onUnlearned: (certificate: UnlearnedRows) => void,
): Pick<StateStore, 'save'> {
  return {
    save: (changes): Eventually<void> => {
      const { unlearning, unlearned = [] } = store.file;
      const { stored } = changes;
      if (!unlearning || !stored || !isAccepted(stored)) return store.save(changes);
      const accepted = unlearning.map((one) => ({ ...one, acceptedRound: one.acceptedRound ?? stored.base }));
      const { finished: reason } = stored;
      if (reason === undefined || !isResting()) {
        const isKnown = unlearning.every(({ acceptedRound }) => acceptedRound !== undefined);
        return store.save(isKnown ? changes : { ...changes, unlearning: accepted });
      }
      const { participant, federation, rows, known } = store.file;
      const kept = { rows: known?.train.length ?? 0, digest: rows };
      const about = { participant, federation, kept, restRound: stored.base, reason };
      const issued = accepted.map((one) => ({ ...one, ...about }));
      const all = [...unlearned, ...issued];
      const written = store.rewrite({ ...changes, unlearning: undefined, unlearned: all });
      const report = () => issued.forEach(onUnlearned);
      return written ? written.then(report) : report();
    },
  };
}

/** The duals of answers about the rows before were dropped with them (`withRows`): those that are there are of one without them. */
function isAccepted({ base, committed }: Stored): boolean {
  return base > 0 && committed !== undefined && committed.beta.length > 0;
}
