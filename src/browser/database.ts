/**
 * The database of all participants of a site, in IndexedDB:
 *
 *   states   [name, field] -> a field of the state (state-store.ts)
 *   keys     name -> the key that the participant signs with (identity.ts)
 *   owners   name -> who may write the two above: one worker at a time (ownership.ts)
 */
import { inputError, KindredError } from '../base/errors.ts';

export const DATABASE = 'kindred participants';
const LAYOUT = 1;

export type StoreName = 'states' | 'keys' | 'owners';

export function openDatabase(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    let request: IDBOpenDBRequest;
    try {
      request = indexedDB.open(DATABASE, LAYOUT);
    } catch (error) {
      return reject(storageError(error));
    }
    request.onupgradeneeded = () => {
      for (const name of ['states', 'keys', 'owners'] satisfies StoreName[])
        request.result.createObjectStore(name);
    };
    request.onsuccess = () => {
      const database = request.result;
      // A page of a later version needs another layout: it must not wait for this one.
      database.onversionchange = () => database.close();
      resolve(database);
    };
    request.onerror = () => reject(storageError(request.error));
  });
}

export function requested<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(storageError(request.error));
  });
}

/** All of what `act` asks for, or nothing; on disk when its promise is fulfilled. */
export async function writing<T>(
  database: IDBDatabase,
  stores: readonly StoreName[],
  act: (transaction: IDBTransaction) => Promise<T>,
): Promise<T> {
  let transaction: IDBTransaction;
  try {
    transaction = database.transaction(stores, 'readwrite', { durability: 'strict' });
  } catch (error) {
    throw storageError(error);
  }
  const committed = new Promise<void>((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    transaction.onabort = () => reject(storageError(transaction.error));
  });
  // Whoever is refused within it hears of that, not of the abortion.
  committed.catch(() => {});
  let result: T;
  try {
    result = await act(transaction);
  } catch (error) {
    try {
      transaction.abort();
    } catch {
      // It was over already.
    }
    throw error;
  }
  await committed;
  return result;
}

export async function reading<T>(
  database: IDBDatabase,
  stores: readonly StoreName[],
  act: (transaction: IDBTransaction) => Promise<T>,
): Promise<T> {
  let transaction: IDBTransaction;
  try {
    transaction = database.transaction(stores, 'readonly');
  } catch (error) {
    throw storageError(error);
  }
  return act(transaction);
}

/** What the browser says about its storage, as users can act on it. */
export function storageError(error: unknown): KindredError {
  if (error instanceof KindredError) return error;
  const { name = '', message = '' } = (error ?? {}) as Partial<DOMException>;
  const said = message || name || 'no reason';
  if (name === 'QuotaExceededError')
    return inputError(
      'DISK_FULL',
      `storage of the browser: expected space for the state, got none (${said})`,
    );
  // The connection was closed by the browser: storage has been cleared.
  if (name === 'InvalidStateError' || name === 'NotFoundError')
    return new KindredError('STATE_LOST', LOST, 'run');
  if (name === 'AbortError')
    return new KindredError('STATE_LOST', `storage of the browser: a write was aborted (${said})`, 'run');
  return inputError(
    'NO_STORAGE',
    `storage of the browser: expected IndexedDB for the state of the participant, got ${said}; private windows and strict settings withhold it`,
  );
}

const LOST =
  'storage of the browser: expected the state of the participant, got none: the data of this site were deleted; without it nobody can go on as this participant';
