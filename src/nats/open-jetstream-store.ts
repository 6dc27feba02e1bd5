/**
 * Opens a store in JetStream by its address. For writing it takes a lease first, so that a second server on the same store is refused
 * while the first one lives, instead of both fencing each other in turn. What protects the store is its epoch: a server that has lost the
 * lease goes on unless another one has opened the store.
 */
import { hostname } from 'node:os';
import type { NatsConnection } from '@nats-io/transport-node';
import { inputError, KindredError } from '../base/errors.ts';
import { Bucket } from './bucket.ts';
import { connectNats } from './connection.ts';
import { type Environment, natsFromEnvironment } from './environment.ts';
import { JetStreamStore } from './jetstream-store.ts';
import { type Lease, Leases, pause } from './leases.ts';
import { type JetStreamAddress, jetStreamAddress } from './store-address.ts';
import { currentRecord } from './store-record.ts';
import type { StoreAccess } from './store-session.ts';

const LEASE = 'writer';
const RETRY_MS = 1000;

export interface OpenOptions {
  /** KINDRED_NATS_*. */
  readonly env: Environment;
  /** Of the lease. */
  readonly ttlMs?: number | undefined;
}

export async function openJetStreamStore(
  text: string,
  access: StoreAccess,
  { env, ttlMs }: OpenOptions,
): Promise<JetStreamStore> {
  const address = jetStreamAddress(text);
  const connection = await connectNats(await natsFromEnvironment(env, address.servers, 'kindred store'));
  try {
    return access === 'read' ? await toRead(connection, address) : await toWrite(connection, address, ttlMs);
  } catch (error) {
    await connection.close();
    if (error instanceof KindredError) throw error;
    throw inputError('STORE_NOT_OPENED', `${address.name}: cannot be opened (${(error as Error).message})`);
  }
}

async function toRead(connection: NatsConnection, address: JetStreamAddress): Promise<JetStreamStore> {
  const { name } = address;
  const bucket = await Bucket.open(connection, address.bucket);
  if (!bucket || !(await currentRecord(bucket, name)))
    throw inputError(
      'NOT_A_STORE',
      `${name}: expected a store, got ${bucket ? 'another bucket' : 'none of this name'}`,
    );
  const onClose = () => connection.close();
  return await JetStreamStore.open({ connection, bucket, name, onClose }, 'read');
}

async function toWrite(
  connection: NatsConnection,
  { name, bucket: bucketName, replicas }: JetStreamAddress,
  ttlMs: number | undefined,
): Promise<JetStreamStore> {
  const leases = new Leases(
    await Bucket.create(connection, { name: `${bucketName}-leases`, replicas }),
    ttlMs,
  );
  const owner = `${hostname()}, process ${process.pid}`;
  const lease = await leases.acquireUnlessHeld(LEASE, owner);
  if (!lease) throw inputError('STORE_IN_USE', `${name}: in use by another server; stop that server first`);
  try {
    const description = 'a store of Kindred';
    const bucket = await Bucket.create(connection, {
      name: bucketName,
      replicas,
      description,
    });
    if (!(await currentRecord(bucket, name)) && (await bucket.keys('>')).length > 0)
      throw inputError(
        'NOT_A_STORE',
        `${name}: expected a store or an empty bucket, got one of another program`,
      );
    const closed = new AbortController();
    let kept: Promise<void> = Promise.resolve();
    const onClose = async () => {
      closed.abort();
      await kept;
      await connection.close();
    };
    const store = await JetStreamStore.open({ connection, bucket, name, onClose });
    kept = keepLease(
      store,
      lease,
      () => leases.acquire(LEASE, owner, { signal: closed.signal }),
      closed.signal,
    );
    return store;
  } catch (error) {
    await lease.release();
    throw error;
  }
}

/** Whoever has lost the lease looks whether the store is lost, too, and takes the lease again if it is not. */
async function keepLease(
  store: JetStreamStore,
  first: Lease,
  again: () => Promise<Lease>,
  signal: AbortSignal,
): Promise<void> {
  const isOver = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
  let lease = first;
  for (;;) {
    await Promise.race([lease.lost, isOver]);
    if (signal.aborted) return await lease.release();
    if (await isFenced(store, signal)) return;
    const next = await again().catch(() => undefined);
    if (!next) return;
    lease = next;
  }
}

/** Waits until it is known. */
async function isFenced(store: JetStreamStore, signal: AbortSignal): Promise<boolean> {
  while (!signal.aborted) {
    try {
      await store.check();
      return false;
    } catch (error) {
      if ((error as KindredError).code === 'FENCED') return true;
      await pause(RETRY_MS, signal);
    }
  }
  return false;
}
