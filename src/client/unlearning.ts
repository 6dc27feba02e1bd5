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
import { inputError } from '../base/errors.ts';
import type { Eventually } from '../base/ports.ts';
import { selectRows } from '../data/participants.ts';
import { placeOf, type Table } from '../data/table.ts';
import type { Stored } from '../participant/state.ts';
import { rowKeys } from './known-rows.ts';
import type { ParticipantFile } from './participant-file.ts';
import type { StateStore } from './ports.ts';
import type { UnlearnedRows } from './unlearned-rows.ts';

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
