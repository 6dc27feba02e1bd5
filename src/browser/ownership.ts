/**
 * Who may write a state: the worker whose token stands beside it. Every transaction that writes checks it, so that whoever has lost the
 * state (a page that slept while another one took over) can save nothing, and therefore sends nothing.
 */
import { KindredError } from '../base/errors.ts';
import { requested } from './database.ts';

export interface Owner {
  readonly token: string;
  /** Counts up while its worker runs; only where there are no Web Locks. */
  readonly beat: number;
}

export function readOwner(transaction: IDBTransaction, name: string): Promise<Owner | undefined> {
  return requested(transaction.objectStore('owners').get(name) as IDBRequest<Owner | undefined>);
}

export async function writeOwner(transaction: IDBTransaction, name: string, owner: Owner): Promise<void> {
  await requested(transaction.objectStore('owners').put(owner, name));
}

export async function checkOwner(transaction: IDBTransaction, name: string, token: string): Promise<void> {
  const owner = await readOwner(transaction, name);
  if (owner?.token !== token) throw owner ? inUse(name) : removed(name);
}

export function inUse(name: string): KindredError {
  return new KindredError(
    'STATE_IN_USE',
    `state "${name}" of this browser: expected it for this tab alone, but another tab has it`,
  );
}

export function removed(name: string): KindredError {
  return new KindredError(
    'STATE_LOST',
    `state "${name}" of this browser: expected the state of the participant, but it was removed`,
    'run',
  );
}
