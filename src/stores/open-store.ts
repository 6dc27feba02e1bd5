/** Opens any store by its address: the name of an SQLite file, `postgres://` or `nats://`. */
import type { Store } from '../host/ports.ts';
import { openStore as openLocalStore, type StoreAccess } from '../node/store/open-store.ts';
import { isStoreFile } from '../node/store/store-address.ts';

const NATS = /^(nats|tls):\/\//i;

/**
 * `read`: it must be there, and nothing of it is changed. `env` has what addresses leave out: KINDRED_NATS_USER and the like (PostgreSQL
 * looks into the environment of the process itself).
 */
export async function openStore(
  address: string,
  access: StoreAccess = 'write',
  env: Readonly<Record<string, string | undefined>> = process.env,
): Promise<Store> {
  if (isStoreFile(address) || !NATS.test(address)) return await openLocalStore(address, access);
  const { openJetStreamStore } = await import('../nats/open-jetstream-store.ts');
  return await openJetStreamStore(address, access, { env });
}
