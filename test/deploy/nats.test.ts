/** deploy/nats on real servers: it is valid, roles can do their work, and nobody but a root reaches what roots commit: every attempt is made. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Kvm } from '@nats-io/kv';
import type { NatsConnection } from '@nats-io/transport-node';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { Bucket } from '../../src/nats/bucket.ts';
import { connectNats } from '../../src/nats/connection.ts';
import { decodeUp, encodeUp } from '../../src/nats/envelope.ts';
import { gatewayName, Subjects } from '../../src/nats/subjects.ts';
import { natsProgram } from '../helpers/nats.ts';
import { ALLOWED, answerItself, COMMITS, ELSEWHERE, FORBIDDEN, LEASES, SHARD } from './attempts.ts';
import {
  checkConfiguration,
  NatsCluster,
  natsFolder,
  passwordOf,
  patiently,
  writeConfiguration,
} from './nats-cluster.ts';

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

  test.each(['gateway', 'aggregate', 'aggregate-gateway', 'work'])(
    '%s does its own work, and reaches nothing that roots commit',
    async (name) => {
      const root = await as('root');
      for (const bucket of [COMMITS, `${COMMITS}-leases`, LEASES, SHARD])
        await patiently(() => Bucket.create(root, { name: bucket, replicas: 3 }));
      await patiently(() => root.request(`$KV.${LEASES}.root`, 'lease'));
      const bucket = await commits(root);
      const revision = await patiently(() => bucket.put('record', 'of the root'));
      root.subscribe('kindred.other.f3d1.root', {
        callback: (_error, message) => void message.respond('{}'),
      });
      await root.flush();
      const user = await as(name, passwordOf(name.split('-')[0]));
      for (const [what, attempt] of Object.entries(ALLOWED[name]))
        await expect(attempt(user), what).resolves.not.toThrow();
      const forbidden = Object.entries(FORBIDDEN).filter(([what]) => name !== 'work' || !ELSEWHERE.has(what));
      const outcomes = await Promise.all(
        forbidden.map(async ([what, attempt]) => {
          const isDone = await attempt(user).then(
            () => true,
            () => false,
          );
          return isDone ? what : [];
        }),
      );
      expect(outcomes.flat()).toEqual([]);
      await answerItself(user);
      const found = await bucket.get('record');
      expect(found?.string()).toBe('of the root');
      expect(found?.revision).toBe(revision);
      const { config } = (await bucket.status()).streamInfo;
      expect(config).toMatchObject({ subjects: [`$KV.${COMMITS}.>`], num_replicas: 3 });
    },
    60_000,
  );

  test('a gateway reaches the root and the owners, and hears nothing but what is for gateways', async () => {
    const [root, owner, gateway] = [await as('root'), await as('aggregate'), await as('gateway')];
    root.subscribe('kindred.default.admission', {
      callback: (_error, message) => void message.respond('yes'),
    });
    const frames = owner.subscribe('kindred.default.fed.up.0', { max: 1 });
    const down = gateway.subscribe('kindred.default.*.down.gateway.g1', { max: 1 });
    await Promise.all([root.flush(), owner.flush(), gateway.flush()]);
    // Servers of a cluster learn of each other's subscriptions a moment later.
    const reply = await patiently(() => gateway.request('kindred.default.admission'));
    expect(reply.string()).toBe('yes');
    const again = setInterval(() => {
      gateway.publish('kindred.default.fed.up.0', 'frame');
      owner.publish('kindred.default.fed.down.gateway.g1', 'answer');
    }, 50);
    for await (const message of frames) expect(message.string()).toBe('frame');
    for await (const message of down) expect(message.string()).toBe('answer');
    clearInterval(again);
    for (const subject of ['kindred.*.*.root', 'kindred.*.*.shard.*', '$KV.>', '>']) {
      await expect(heard(gateway, subject), subject).rejects.toThrow(/[Pp]ermission/);
    }
    await expect(gateway.request('kindred.default.fed.root', 'forged partial', SHORT)).rejects.toThrow();
  }, 60_000);

  test('gateways with users of their own: each hears what is for it, and nothing of the other', async () => {
    const [owner, a, b] = [
      await as('aggregate'),
      await as('gateway'),
      await as('gateway-2', passwordOf('gateway')),
    ];
    const names = [gatewayName('gateway', 'g1'), gatewayName('gateway-2', 'g1')];
    const subjects = new Subjects('default');
    const down = (user: NatsConnection, name: string) => user.subscribe(subjects.downTo(name), { max: 1 });
    const own = [down(a, names[0]), down(b, names[1])];
    await Promise.all([a.flush(), b.flush()]);
    const again = setInterval(() => {
      for (const name of names) owner.publish(subjects.down('fed', name), name);
    }, 50);
    for (const [k, subscription] of own.entries())
      for await (const message of subscription) expect(message.string()).toBe(names[k]);
    await expect(heard(a, subjects.downTo(names[1]))).rejects.toThrow(/[Pp]ermission/);
    await expect(heard(b, subjects.downTo(names[0]))).rejects.toThrow(/[Pp]ermission/);
    await expect(heard(b, '_INBOX.gateway.>')).rejects.toThrow(/[Pp]ermission/);
    clearInterval(again);
  }, 60_000);

  test('what a gateway may send cannot be narrowed: it may publish frames of every participant', async () => {
    const [owner, gateway] = [await as('aggregate'), await as('gateway')];
    const subjects = new Subjects('default');
    const frames = owner.subscribe(subjects.up('fed', 7), { max: 1 });
    await owner.flush();
    const forged = { participant: 'ada', gateway: gatewayName('gateway-2', 'g1'), connection: 2 ** 53 - 1 };
    const again = setInterval(
      () => gateway.publish(subjects.up('fed', 7), encodeUp({ type: 'connected', agent: '', ...forged })),
      50,
    );
    for await (const { data } of frames) expect(decodeUp(data)).toMatchObject(forged);
    clearInterval(again);
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
