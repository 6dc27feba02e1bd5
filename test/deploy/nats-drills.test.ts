/** The drills of docs/operations.md on real servers: one server and its disk lost, the quorum lost and back. */
import { type KV, Kvm } from '@nats-io/kv';
import { afterEach, describe, expect, test } from 'vitest';
import { connectNats } from '../../src/nats/connection.ts';
import { natsProgram } from '../helpers/nats.ts';
import { NatsCluster, passwordOf, patiently } from './nats-cluster.ts';

const open: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

/** A bucket on all three servers, as the root has it. */
async function startBucket() {
  const cluster = await NatsCluster.start();
  open.push(() => cluster.stop());
  const password = passwordOf('root');
  const root = await connectNats({ servers: cluster.servers, name: 'root', user: 'root', password });
  open.push(() => root.close());
  const bucket = await patiently(() => new Kvm(root).create('kindred', { replicas: 3, allow_direct: false }));
  const put = (key: string) => patiently(() => bucket.put(key, `value of ${key}`));
  const get = (key: string) => patiently(async () => (await bucket.get(key))?.string());
  return { cluster, bucket, put, get };
}

/** What `nats stream info` shows: /healthz may say that a server is well before it knows what it lacks. */
async function expectAllCurrent(bucket: KV): Promise<void> {
  const { replicas = [] } = (await bucket.status()).streamInfo.cluster!;
  expect(replicas).toHaveLength(2);
  for (const { current, offline, lag = 0 } of replicas)
    expect([current, offline ?? false, lag]).toEqual([true, false, 0]);
}

describe.skipIf(!natsProgram)('drills', () => {
  test('a server that comes back with an empty disk under its old name catches up, and can then replace another', async () => {
    const { cluster, bucket, put, get } = await startBucket();
    await put('before');
    await cluster.kill(1);
    cluster.loseDisk(1);
    await put('without');
    await cluster.run(1);
    await patiently(() => expectAllCurrent(bucket));
    await cluster.kill(0);
    expect(await get('before')).toBe('value of before');
    expect(await get('without')).toBe('value of without');
    await put('after');
  }, 120_000);

  test('without a quorum nothing is committed, and with one it goes on where it was', async () => {
    const { cluster, bucket, put, get } = await startBucket();
    await put('before');
    await cluster.kill(0);
    await cluster.kill(1);
    await expect(bucket.put('meanwhile', 'lost')).rejects.toThrow();
    await cluster.run(1);
    expect(await get('before')).toBe('value of before');
    await put('after');
  }, 120_000);
});
