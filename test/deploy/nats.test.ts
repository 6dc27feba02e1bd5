/** deploy/nats on real servers: it is valid, roles can do their work, and nobody but a root can write what roots commit. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jetstreamManager } from '@nats-io/jetstream';
import { Kvm } from '@nats-io/kv';
import type { NatsConnection } from '@nats-io/transport-node';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { connectNats } from '../../src/nats/connection.ts';
import { natsProgram } from '../helpers/nats.ts';
import {
  checkConfiguration,
  NatsCluster,
  natsFolder,
  passwordOf,
  patiently,
  writeConfiguration,
} from './nats-cluster.ts';

const COMMITS = 'kindred';
/** How long a request may take that is expected to fail; those that are answered take as long as they need. */
const SHORT = { timeout: 1500 };

test('the configuration asks for a write to disk for every commit, and for three replicas of state', () => {
  const text = readFileSync(join(natsFolder, 'nats.conf'), 'utf8');
  expect(text).toMatch(/^ {2}sync_interval: always$/m);
  // No secret is in the files: every password is a variable.
  const both = text + readFileSync(join(natsFolder, 'permissions.conf'), 'utf8');
  const passwords = [...both.matchAll(/^[^#\n]*password: *(\S+?)[ ,}\n]/gm)].map(([, value]) => value);
  expect(passwords.length).toBeGreaterThan(5);
  expect(passwords.filter((value) => !/^\$KINDRED_NATS_[A-Z]+_PASSWORD$/.test(value))).toEqual([]);
});

describe.skipIf(!natsProgram)('deploy/nats', () => {
  test('nats-server -t accepts it, and nothing without its passwords', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'kindred-deploy-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const path = writeConfiguration(folder);
    const good = await checkConfiguration(path);
    expect(good.said).toContain('is valid');
    expect(good.code).toBe(0);
    const bad = await checkConfiguration(path, {});
    expect(bad.code).not.toBe(0);
  });

  let cluster: NatsCluster;
  beforeAll(async () => {
    cluster = await NatsCluster.start();
  }, 120_000);
  afterAll(() => cluster?.stop());

  const as = async (user: string, password = passwordOf(user)): Promise<NatsConnection> => {
    const connection = await connectNats({ servers: cluster.servers, name: user, user, password });
    onTestFinished(() => connection.close());
    return connection;
  };

  /** The bucket of commits, on all three servers. */
  const commits = (root: NatsConnection) =>
    patiently(() => new Kvm(root).create(COMMITS, { replicas: 3, allow_direct: false }));

  test('a root commits, on three replicas', async () => {
    const bucket = await commits(await as('root'));
    expect(await patiently(() => bucket.put('record', 'one'))).toBeGreaterThan(0);
    expect((await bucket.status()).replicas).toBe(3);
  }, 60_000);

  test.each(['gateway', 'aggregate', 'work'])(
    '%s can neither write, purge, delete nor replace what roots commit',
    async (user) => {
      const bucket = await commits(await as('root'));
      await patiently(() => bucket.put('record', 'of the root'));
      const stranger = await as(user);
      const subject = `$KV.${COMMITS}.record`;
      const stream = `KV_${COMMITS}`;
      await expect(stranger.request(subject, 'forged', SHORT)).rejects.toThrow();
      const orders: readonly (readonly [string, unknown])[] = [
        [`STREAM.PURGE.${stream}`, {}],
        [`STREAM.DELETE.${stream}`, {}],
        [`STREAM.UPDATE.${stream}`, { name: stream, subjects: ['elsewhere'] }],
        [`STREAM.MSG.DELETE.${stream}`, { seq: 1 }],
        // Of another stream, that would copy into the bucket.
        [
          'CONSUMER.CREATE.KV_kindred-default-f3d1-0',
          {
            stream_name: 'KV_kindred-default-f3d1-0',
            config: { deliver_subject: subject, ack_policy: 'none' },
          },
        ],
      ];
      for (const [order, body] of orders) {
        const asked = stranger.request(`$JS.API.${order}`, JSON.stringify(body), SHORT);
        const answer = await asked.then(
          (message) => message.json<{ error?: { description: string } }>(),
          () => undefined,
        );
        // `work` has an account of its own, whose JetStream knows of no such stream.
        expect(answer === undefined || answer.error?.description, order).toBeTruthy();
      }
      expect((await bucket.get('record'))?.string()).toBe('of the root');
      expect((await bucket.status()).streamInfo.config.subjects).toEqual([`$KV.${COMMITS}.>`]);
    },
    60_000,
  );

  test('a gateway reaches the root and the owners, and hears nothing but what is for gateways', async () => {
    const [root, owner, gateway] = [await as('root'), await as('aggregate'), await as('gateway')];
    root.subscribe('kindred.default.admission', {
      callback: (_error, message) => void message.respond('yes'),
    });
    const frames = owner.subscribe('kindred.default.fed.up.0', { max: 1 });
    const down = gateway.subscribe('kindred.*.*.down.gateway-1', { max: 1 });
    await Promise.all([root.flush(), owner.flush(), gateway.flush()]);
    // Servers of a cluster learn of each other's subscriptions a moment later.
    const reply = await patiently(() => gateway.request('kindred.default.admission'));
    expect(reply.string()).toBe('yes');
    const again = setInterval(() => {
      gateway.publish('kindred.default.fed.up.0', 'frame');
      owner.publish('kindred.default.fed.down.gateway-1', 'answer');
    }, 50);
    for await (const message of frames) expect(message.string()).toBe('frame');
    for await (const message of down) expect(message.string()).toBe('answer');
    clearInterval(again);
    for (const subject of ['kindred.*.*.root', 'kindred.*.*.shard.*', '$KV.>', '>']) {
      await expect(heard(gateway, subject), subject).rejects.toThrow(/[Pp]ermission/);
    }
    await expect(gateway.request('kindred.default.fed.root', 'forged partial', SHORT)).rejects.toThrow();
  }, 60_000);

  test('an owner of shards keeps their states and leases', async () => {
    const owner = await as('aggregate');
    for (const name of ['kindred-default-f3d1-0', 'kindred-default-leases']) {
      const manager = await patiently(() => jetstreamManager(owner));
      const config = {
        name: `KV_${name}`,
        subjects: [`$KV.${name}.>`],
        num_replicas: 3,
        max_msgs_per_subject: 1,
      };
      await patiently(() => manager.streams.add(config));
      const answer = await patiently(() => owner.request(`$KV.${name}.shard.0`, 'state'));
      expect(answer.json<{ seq: number }>().seq).toBeGreaterThan(0);
      const kept = await manager.streams.getMessage(`KV_${name}`, { last_by_subj: `$KV.${name}.shard.0` });
      expect(kept?.string()).toBe('state');
    }
  }, 60_000);

  test('a wrong password is refused', async () => {
    await expect(as('root', 'wrong')).rejects.toMatchObject({ code: 'NATS_REFUSED' });
  });
});

/** The first message of a subscription; fails where it is not permitted. */
async function heard(connection: NatsConnection, subject: string): Promise<void> {
  const subscription = connection.subscribe(subject, { timeout: SHORT.timeout });
  for await (const _message of subscription) return;
}
