/**
 * What this page keeps on the device beside the participant's own state: the data somebody takes part with, so that a reload goes on by itself,
 * and how the models did in earlier rounds. In IndexedDB, in one record for each federation and name.
 */
import type { Model } from '../../solver/model.ts';
import type { MetricName } from './compare.ts';
import type { DataSource } from './read-rows.ts';
import type { Announcement } from './seen.ts';

export interface SavedJoin {
  readonly federation: string;
  readonly participant: string;
  readonly source: DataSource;
  readonly announcement: Announcement;
  readonly savedMs: number;
  /** Present: the operator gets to know how well the model does on the test rows. */
  readonly reportTests?: true | undefined;
  /** Of the last round that was measured; undefined: none. */
  readonly history?: History | undefined;
  /** Present: this participant has left; the model that it had then. */
  readonly left?: { readonly model: Model | undefined } | undefined;
}

/** How the models did, round by round. */
export interface History {
  readonly metric: MetricName;
  readonly rounds: readonly number[];
  readonly own: readonly (number | null)[];
  readonly shared: readonly (number | null)[];
}

const NAME = 'kindred join page';
const STORE = 'joins';

function keyOf({ federation, participant }: Pick<SavedJoin, 'federation' | 'participant'>): [string, string] {
  return [federation, participant];
}

export async function saveJoin(join: SavedJoin): Promise<void> {
  await inStore('readwrite', (store) => store.put(join, keyOf(join)));
}

/** Of this name, or without one the latest of the federation. */
export async function findJoin(
  federation: string,
  participant: string | undefined,
): Promise<SavedJoin | undefined> {
  const all = (await inStore('readonly', (store) => store.getAll())) as SavedJoin[];
  const found = all
    .filter((join) => join.federation === federation)
    .filter((join) => participant === undefined || join.participant === participant)
    .sort((a, b) => b.savedMs - a.savedMs);
  return found[0];
}

export async function deleteJoin(join: Pick<SavedJoin, 'federation' | 'participant'>): Promise<void> {
  await inStore('readwrite', (store) => store.delete(keyOf(join)));
}

async function inStore(
  mode: IDBTransactionMode,
  act: (store: IDBObjectStore) => IDBRequest,
): Promise<unknown> {
  const database = await opened();
  try {
    const transaction = database.transaction(STORE, mode);
    const result = settled(act(transaction.objectStore(STORE)));
    await Promise.all([result, finished(transaction)]);
    return await result;
  } finally {
    database.close();
  }
}

function opened(): Promise<IDBDatabase> {
  const request = indexedDB.open(NAME, 1);
  request.onupgradeneeded = () => request.result.createObjectStore(STORE);
  return settled(request);
}

function settled<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

/** Durable only then. */
function finished(transaction: IDBTransaction): Promise<void> {
  return new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    transaction.onabort = () => reject(transaction.error);
  });
}
