/**
 * Opens a store by its address: the name of an SQLite file, or `postgres://` (`src/stores` adds `nats://`). What a kind of store needs is
 * loaded when one is opened.
 */
import { inputError } from '../../base/errors.ts';
import type { Store } from '../../host/ports.ts';
import { kindOf } from '../files/files.ts';
import { isStoreFile } from './store-address.ts';

/** `read`: it must be there, and nothing of it is changed. */
export type StoreAccess = 'write' | 'read';

export async function openStore(address: string, access: StoreAccess = 'write'): Promise<Store> {
  if (isStoreFile(address)) return await openFile(address, access);
  const [scheme] = address.split(':');
  switch (scheme.toLowerCase()) {
    case 'postgres':
    case 'postgresql': {
      const { PostgresStore } = await import('./postgres-store.ts');
      return await PostgresStore.open(address, access);
    }
    default:
      // Not the address itself: it may have a password in it.
      throw inputError(
        'BAD_URL',
        `store: expected a file, postgres://user@host/database or nats://host/name, got ${scheme}://`,
      );
  }
}

async function openFile(path: string, access: StoreAccess): Promise<Store> {
  // Opening would make one.
  if (access === 'read' && (await kindOf(path)) !== 'file')
    throw inputError('FILE_NOT_FOUND', `${path}: expected a store, got no such file`);
  const { SqliteStore } = await import('./sqlite-store.ts');
  return new SqliteStore(path);
}
