/** A whole tree on NATS in this process: roots, gateways and owners, each with a connection of its own that can be cut. */
import { onTestFinished } from 'vitest';
import type { CoordinatorOptions } from '../../src/coordinator/options.ts';
import { MemoryStore } from '../../src/host/memory-store.ts';
import type { Store } from '../../src/host/ports.ts';
import { Bus } from '../../src/nats/bus.ts';
import { connectNats } from '../../src/nats/connection.ts';
import { ShardBuckets } from '../../src/nats/shard-buckets.ts';
import { Subjects } from '../../src/nats/subjects.ts';
import { GatewayServer } from '../../src/node/gateway/gateway-server.ts';
import { Owner } from '../../src/node/owner/owner.ts';
import { CoordinatorServer } from '../../src/node/server/server.ts';

export const subjects = new Subjects('test');
/** Fast enough for tests, slow enough for a machine that has other things to do. */
export const BEAT_MS = 200;
export const SILENT_MS = 2000;
const TTL_MS = 2000;

export async function busTo(url: string, name: string) {
  const connection = await connectNats({ servers: [url], name });
  onTestFinished(() => connection.close());
  return { connection, bus: new Bus(connection) };
}

export async function startRoot(
  url: string,
  options: CoordinatorOptions | undefined,
  store: Store = new MemoryStore(),
  {
    shards = 4,
    fanIn,
    nodes,
  }: { readonly shards?: number; readonly fanIn?: number; readonly nodes?: number } = {},
): Promise<CoordinatorServer> {
  const { bus, connection } = await busTo(url, 'root');
  const buckets = new ShardBuckets({ connection, namespace: subjects.namespace, replicas: 1 });
  await buckets.leases();
  const server = await CoordinatorServer.open({
    store,
    tree: { bus, subjects, shards, fanIn, nodes, silentMs: SILENT_MS, buckets },
  });
  onTestFinished(() => server.close());
  if (options) await server.ensure('default', options);
  await server.listen();
  return server;
}

export async function startGateway(
  url: string,
  options: Partial<ConstructorParameters<typeof GatewayServer>[0]> = {},
) {
  const { bus } = await busTo(url, 'gateway');
  const gateway = new GatewayServer({ bus, namespaces: [subjects], beatMs: BEAT_MS, ...options });
  await gateway.listen();
  onTestFinished(() => gateway.close());
  return gateway;
}

export async function startOwner(
  url: string,
  options: Partial<ConstructorParameters<typeof Owner>[0]> = {},
): Promise<Owner> {
  const { bus, connection } = await busTo(url, 'owner');
  const owner = new Owner({
    ...{ connection, bus, subjects, name: 'owner', ttlMs: TTL_MS, beatMs: BEAT_MS, returnMs: 2000 },
    ...options,
  });
  owner.start();
  onTestFinished(() => owner.close());
  return owner;
}
