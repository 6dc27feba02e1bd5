/** Upgrades of root, owners and gateways one after the other: whoever speaks another version than the root waits, says so, and goes on by itself. */
import { pino } from 'pino';
import { describe, expect, onTestFinished, test } from 'vitest';
import { DEFAULT_OPTIONS, optionsToJson } from '../../src/coordinator/options.ts';
import { MemoryStore } from '../../src/host/memory-store.ts';
import { type FederationList, type ListedFederation, toJson } from '../../src/nats/admission.ts';
import type { Bus } from '../../src/nats/bus.ts';
import { ShardBuckets } from '../../src/nats/shard-buckets.ts';
import type { Owner } from '../../src/node/owner/owner.ts';
import { OwnerServer } from '../../src/node/owner/owner-server.ts';
import { ask } from '../helpers/http.ts';
import { metric } from '../helpers/metrics.ts';
import { natsForTest, natsProgram } from '../helpers/nats.ts';
import { busTo, startGateway, startOwner, startRoot, subjects } from '../helpers/nats-tree.ts';
import { PATIENT, until } from '../helpers/server.ts';
import { connected } from '../helpers/ws-participant.ts';

const NEWER =
  'the root speaks version 2 of the messages between nodes, this process version 1: waiting; upgrade this process';

function logOf() {
  const lines: { msg: string; federation?: string; reason?: string }[] = [];
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  const said = (part: string) => lines.filter(({ msg }) => msg.includes(part));
  return { log, said };
}

async function portOf(owner: Owner, bus: Bus): Promise<OwnerServer> {
  const log = pino({ level: 'silent' });
  const host = '127.0.0.1';
  const server = new OwnerServer({ owners: [owner], bus, host, port: 0, metricsToken: undefined, log });
  await server.listen();
  onTestFinished(() => server.close());
  return server;
}

const readiness = async (server: { url: string }) => {
  const { status, json } = await ask(`${server.url}/readyz`);
  return [status, json.error?.message];
};
const owned = (owner: Owner) => [...owner.shards()].length;

describe.skipIf(!natsProgram)('a root of another version', () => {
  test('an owner lets its shards go and waits, not ready, until the versions match', {
    timeout: 60_000,
  }, async () => {
    const { url } = await natsForTest();
    const store = new MemoryStore();
    const first = await startRoot(url, PATIENT, store);
    const { log, said } = logOf();
    const { connection, bus } = await busTo(url, 'owner');
    const owner = await startOwner(url, { connection, bus, log });
    const server = await portOf(owner, bus);
    await until(() => owned(owner) === 4, 'owned shards');
    expect(await readiness(server)).toEqual([200, undefined]);
    await first.close();
    const second = await startRoot(url, PATIENT, store, { nodes: 2 });
    await until(() => owned(owner) === 0, 'shards are let go');
    expect(await readiness(server)).toEqual([503, NEWER]);
    expect(metric((await ask(`${server.url}/metrics`)).text, 'kindred_nodes_waiting')).toBe(1);
    await second.close();
    await startRoot(url, PATIENT, store);
    await until(() => owned(owner) === 4, 'shards are owned again');
    expect(await readiness(server)).toEqual([200, undefined]);
    expect(said('messages between nodes').map(({ msg }) => msg)).toEqual([NEWER]);
    expect(said('speaks our version again')).toHaveLength(1);
  });

  test('an owner that is newer names the root, and says it once however often it asks', {
    timeout: 60_000,
  }, async () => {
    const { url } = await natsForTest();
    await startRoot(url, PATIENT);
    const asked = await busTo(url, 'observer');
    let questions = 0;
    asked.bus.subscribe(subjects.federations, () => void questions++);
    await asked.bus.flush();
    const { log, said } = logOf();
    const owner = await startOwner(url, { log, nodes: 2 });
    await until(() => questions >= 3, 'three questions');
    expect(said('messages between nodes').map(({ msg }) => msg)).toEqual([
      'the root speaks version 1 of the messages between nodes, this process version 2: waiting; upgrade the root',
    ]);
    expect([owned(owner), owner.isInformed]).toEqual([0, false]);
  });

  test('a gateway sends its participants away, refuses others with the reason, and goes on by itself', {
    timeout: 60_000,
  }, async () => {
    const { url } = await natsForTest();
    const store = new MemoryStore();
    const first = await startRoot(url, PATIENT, store);
    const { log, said } = logOf();
    const gateway = await startGateway(url, { log });
    const link = await connected(gateway.url, { participant: 'ada' });
    expect(await readiness(gateway)).toEqual([200, undefined]);
    await first.close();
    const second = await startRoot(url, PATIENT, store, { nodes: 2 });
    expect(await link.closed).toBe(1001);
    expect(await readiness(gateway)).toEqual([503, NEWER]);
    const { status, json, headers } = await ask(`${gateway.url}/v1/federations/default/challenge`, {
      ...{ method: 'POST', body: {} },
    });
    expect([status, json.error, headers['retry-after']]).toEqual([
      ...[503, expect.objectContaining({ code: 'NO_ROOT', message: NEWER }), '1'],
    ]);
    await second.close();
    await startRoot(url, PATIENT, store);
    await until(async () => (await readiness(gateway))[0] === 200, 'readiness');
    (await connected(gateway.url, { participant: 'bob' })).close();
    expect(said('messages between nodes')).toHaveLength(1);
  });

  test('a root that gives no number is of version 1', async () => {
    const { url } = await natsForTest();
    const { bus } = await busTo(url, 'root');
    bus.serve(subjects.federations, ({ answer }) => answer(toJson({ federations: [] })));
    bus.serve(subjects.admission, ({ answer }) =>
      answer(toJson({ error: { code: 'BAD_REQUEST', message: 'a step of admission: unknown' } })),
    );
    await bus.flush();
    const owner = await startOwner(url);
    await until(() => owner.isInformed, 'a list');
    const { log, said } = logOf();
    const newer = await startGateway(url, { log, nodes: 2 });
    await until(async () => (await readiness(newer))[0] === 503, 'a gateway that waits');
    expect(said('speaks version 1 of the messages between nodes')).toHaveLength(1);
    const gateway = await startGateway(url);
    expect(await readiness(gateway)).toEqual([200, undefined]);
  });
});

describe.skipIf(!natsProgram)('options that an owner cannot read', () => {
  test('keep it from that federation only; said once, and read again when they change', {
    timeout: 60_000,
  }, async () => {
    const { url } = await natsForTest();
    const { bus, connection } = await busTo(url, 'root');
    const buckets = new ShardBuckets({ connection, namespace: subjects.namespace, replicas: 1 });
    await buckets.leases();
    const listed = (name: string, options: unknown): ListedFederation => ({
      ...{ name, id: `id-${name}`, createdMs: 1, shards: 2, options, epochs: [] },
    });
    const known = optionsToJson(DEFAULT_OPTIONS);
    let federations = [listed('newer', { ...known, frobnicate: true }), listed('known', known)];
    for (const { options: _, ...record } of federations)
      await buckets.make({ ...record, options: DEFAULT_OPTIONS });
    let answers = 0;
    bus.serve(subjects.federations, ({ answer }) => {
      answers++;
      return answer(toJson({ nodes: 1, federations } satisfies FederationList));
    });
    await bus.flush();
    const { log, said } = logOf();
    const owner = await startOwner(url, { log });
    const names = () => [...owner.shards()].map(({ federation }) => federation).sort();
    await until(() => names().length === 2 && answers > 3, 'shards of the other federation');
    expect(names()).toEqual(['known', 'known']);
    const errors = said('its options cannot be read');
    expect(errors).toEqual([
      expect.objectContaining({ federation: 'newer', reason: expect.stringContaining('frobnicate') }),
    ]);
    federations = [listed('newer', known), listed('known', known)];
    bus.publish(subjects.changed, new Uint8Array(0));
    await until(() => names().length === 4, 'shards of both');
  });
});
