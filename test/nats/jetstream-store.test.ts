/** The store in JetStream against a real nats-server: two writers, lost answers, late writes, lost and older data. What every store must do is in test/contracts. */
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { NatsConnection } from '@nats-io/transport-node';
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { Bucket } from '../../src/nats/bucket.ts';
import { connectNats } from '../../src/nats/connection.ts';
import { JetStreamStore } from '../../src/nats/jetstream-store.ts';
import { openJetStreamStore } from '../../src/nats/open-jetstream-store.ts';
import { jetStreamAddress } from '../../src/nats/store-address.ts';
import { NodeCache } from '../../src/nats/store-reader.ts';
import { currentRecord } from '../../src/nats/store-record.ts';
import { namesIn } from '../../src/nats/store-tree.ts';
import { Values } from '../../src/nats/store-values.ts';
import { freePort, NatsServer, natsForTest, natsProgram } from '../helpers/nats.ts';
import { until } from '../helpers/server.ts';
import { codeOf, memberOf, NAME, rowOf, runOf, savedRound, saveRound } from '../helpers/stored-runs.ts';

describe('the address', () => {
  test('has servers, a name and the number of replicas', () => {
    expect(jetStreamAddress('nats://ada:secret@a:1,b/wards-1?replicas=3')).toEqual({
      servers: ['nats://ada:secret@a:1', 'nats://b'],
      ...{ bucket: 'wards-1', replicas: 3, name: 'nats://a:1,nats://b:4222/wards-1' },
    });
    expect(jetStreamAddress('tls://host')).toMatchObject({ servers: ['tls://host'], bucket: 'kindred' });
  });

  test.each([
    'nats://host/a.b',
    'nats://host/a/b',
    'nats:///a',
    'nats://u:secret@host/a?x=1',
    'nats://h/a?replicas=7',
  ])('is refused: %s', async (text) => {
    expect(await codeOf(() => jetStreamAddress(text))).toBe('BAD_URL');
    expect(() => jetStreamAddress(text)).not.toThrow(/secret/);
  });
});

describe.skipIf(!natsProgram)('the store in JetStream', () => {
  let server: NatsServer;
  let connection: NatsConnection;
  let count = 0;
  beforeAll(async () => {
    server = await NatsServer.start();
    connection = await connectNats({ servers: [server.url], name: 'test' });
  });
  afterAll(async () => {
    await connection?.close();
    await server?.end();
  });
  afterEach(() => {
    vi.restoreAllMocks();
  });

  const newBucket = () => Bucket.create(connection, { name: `store-${++count}` });

  async function opened(bucket: Bucket, options: { patienceMs?: number; on?: NatsConnection } = {}) {
    const { on = connection, patienceMs } = options;
    const store = await JetStreamStore.open({ connection: on, bucket, name: bucket.name, patienceMs });
    onTestFinished(() => store.close());
    return store;
  }

  const withTtl = (address: string, access: 'write' | 'read' = 'write') =>
    openJetStreamStore(address, access, { env: {}, ttlMs: 2000 });

  async function refusal(address: string, access?: 'read'): Promise<{ code: string; message: string }> {
    return await withTtl(address, access).then(
      async (store) => {
        await store.close();
        return expect.fail('expected a refusal');
      },
      ({ code, message }) => ({ code, message }),
    );
  }

  test('one server at a time; readers whenever they like', async () => {
    const address = `${server.url}/one-at-a-time`;
    const store = await withTtl(address);
    expect(store.name).toBe(address);
    expect(await refusal(address)).toEqual({
      code: 'STORE_IN_USE',
      message: `${address}: in use by another server; stop that server first`,
    });
    for (let round = 1; round <= 10; round++) await saveRound(store, round);
    const reader = await withTtl(address, 'read');
    expect(await savedRound(reader)).toBe(10);
    await saveRound(store, 11);
    expect(await savedRound(reader)).toBe(11);
    await reader.close();
    await store.close();
    // At once: it was closed.
    const next = await withTtl(address);
    expect(next.epoch).toBe(2);
    await next.close();
  });

  test('what cannot be opened is refused in a sentence', async () => {
    expect((await refusal(`nats://127.0.0.1:${await freePort()}/x`)).code).toBe('NATS_UNREACHABLE');
    expect((await refusal(`${server.url}/never-was`, 'read')).code).toBe('NOT_A_STORE');
    expect((await refusal(`${server.url}/three?replicas=3`)).message).toMatch(
      /cannot be opened \(replicas > 1/,
    );
    const other = await newBucket();
    await other.put('settings', new TextEncoder().encode('{}'));
    expect((await refusal(`${server.url}/${other.name}`)).code).toBe('NOT_A_STORE');
    expect((await refusal(`${server.url}/${other.name}`, 'read')).code).toBe('NOT_A_STORE');
  });

  test('a server without JetStream is refused in a sentence', async () => {
    const bare = await natsForTest();
    await bare.kill();
    bare.withoutJetStream();
    await bare.run();
    const { code, message } = await refusal(`${bare.url}/x`);
    expect([code, message]).toEqual(['STORE_NOT_OPENED', expect.stringMatching(/jetstream is not enabled/i)]);
  });

  test('a writer that another has replaced changes nothing any more', async () => {
    const bucket = await newBucket();
    const old = await opened(bucket);
    await saveRound(old, 1);
    const successor = await opened(bucket);
    for (const change of [
      () => saveRound(old, 2),
      () => old.removeFederation(NAME),
      () =>
        old.enrol(NAME, [
          { enrolment: { participant: 'eve', key: 'k', enrolledMs: 1, revokedMs: undefined } },
        ]),
      () => old.appendAuditLine({ seq: 1, line: 'x' }),
    ])
      expect(await codeOf(change)).toBe('FENCED');
    expect(await old.fenced).toMatchObject({ code: 'FENCED' });
    expect(await savedRound(successor)).toBe(1);
    await saveRound(successor, 2);
    expect(await savedRound(successor)).toBe(2);
    expect(await successor.enrolments(NAME)).toEqual([]);
  });

  test('openings one after the other raise the epoch, and only the last one writes', async () => {
    const bucket = await newBucket();
    const stores = await Promise.all(Array.from({ length: 6 }, () => opened(bucket)));
    expect(stores.map(({ epoch }) => epoch).sort()).toEqual([1, 2, 3, 4, 5, 6]);
    const outcomes = await Promise.all(stores.map((store) => codeOf(() => saveRound(store, 1))));
    const last = stores.findIndex(({ epoch }) => epoch === 6);
    expect(outcomes.map((code) => code === 'no error')).toEqual(stores.map((_, i) => i === last));
    expect(await savedRound(stores[last])).toBe(1);
  });

  test.each(['value.', 'record.'])(
    'the connection fails before %s is written: nothing has changed, and the next attempt succeeds',
    async (prefix) => {
      const store = await opened(await newBucket(), { patienceMs: 0 });
      await saveRound(store, 1);
      failing(prefix, 'before');
      expect(await codeOf(() => saveRound(store, 2))).toBe('STORE_FAILED');
      expect(await savedRound(store)).toBe(1);
      await saveRound(store, 2);
      expect(await savedRound(store)).toBe(2);
    },
  );

  test('the answer is lost: it has happened, and that is what is said', async () => {
    const bucket = await newBucket();
    const store = await opened(bucket);
    failing('record.', 'after');
    await store.appendAuditLine({ seq: 1, line: 'one' });
    expect(await store.auditLines(0, 9)).toEqual([{ seq: 1, line: 'one' }]);
    const again = await opened(bucket);
    expect(await again.auditLines(0, 9)).toEqual([{ seq: 1, line: 'one' }]);
  });

  test('the answer is lost, and so is patience: it has failed, and is taken back', async () => {
    const bucket = await newBucket();
    const store = await opened(bucket, { patienceMs: 0 });
    await saveRound(store, 1);
    failing('record.', 'after');
    expect(await codeOf(() => saveRound(store, 2))).toBe('STORE_FAILED');
    expect(await savedRound(store)).toBe(1);
    const reader = await JetStreamStore.open({ connection, bucket, name: 'reader' }, 'read');
    expect(await savedRound(reader)).toBe(1);
    await saveRound(store, 2);
    expect(await savedRound(reader)).toBe(2);
  });

  test('a write that arrives long after it has failed changes nothing', async () => {
    const bucket = await newBucket();
    const store = await opened(bucket, { patienceMs: 0 });
    await saveRound(store, 1);
    const late = failing('record.', 'later');
    expect(await codeOf(() => saveRound(store, 2))).toBe('STORE_FAILED');
    expect(await savedRound(store)).toBe(1);
    await expect(late()).rejects.toThrow(/wrong last sequence/);
    const next = failing('record.', 'later');
    expect(await codeOf(() => saveRound(store, 2))).toBe('STORE_FAILED');
    // Before anybody has looked: then it is taken back.
    await next();
    expect(await savedRound(store)).toBe(1);
    await saveRound(store, 2);
    expect(await savedRound(await opened(bucket))).toBe(2);
  });

  test('a change has happened, and then another one has taken over: it has not failed', async () => {
    const bucket = await newBucket();
    const store = await opened(bucket);
    await saveRound(store, 1);
    const put = Bucket.prototype.put;
    let successor: JetStreamStore | undefined;
    vi.spyOn(Bucket.prototype, 'put').mockImplementation(async function (this: Bucket, key, bytes, expected) {
      const revision = await put.call(this, key, bytes, expected);
      if (successor || !key.startsWith('record.')) return revision;
      vi.restoreAllMocks();
      successor = await opened(bucket);
      throw new Error('the answer is lost');
    });
    await saveRound(store, 2);
    expect(await codeOf(() => saveRound(store, 3))).toBe('FENCED');
    expect(await savedRound(successor!)).toBe(2);
  });

  test('old values are collected, and nothing that the last two records refer to', async () => {
    const bucket = await newBucket();
    const store = await opened(bucket);
    for (let round = 1; round <= 30; round++) await saveRound(store, round, 1000);
    await store.close();
    const values = async () => (await bucket.keys('value.>')).length;
    // Two members of 8 kB and a few nodes, twice.
    expect(await values()).toBeLessThan(20);
    const { record } = (await currentRecord(bucket, 'test'))!;
    const stored = new Values(bucket, 1, 'test');
    for (const root of [record.root, record.previousRoot]) {
      const names = await namesIn(new NodeCache(stored, 'test'), root);
      expect(names.size).toBeGreaterThan(2);
      for (const name of names) expect(await stored.has(name), name).toBe(true);
    }
    const again = await opened(bucket, { patienceMs: 0 });
    failing('record.', 'before');
    expect(await codeOf(() => saveRound(again, 31, 1000))).toBe('STORE_FAILED');
    await again.removeFederation(NAME);
    await saveRound(again, 1);
    await saveRound(again, 2);
    await again.close();
    const last = await opened(bucket);
    expect(await savedRound(last)).toBe(2);
    await last.close();
    expect(await values()).toBeLessThan(8);
  });

  test('what a crash has left behind is swept away at the next opening', async () => {
    const bucket = await newBucket();
    const store = await opened(bucket, { patienceMs: 0 });
    await saveRound(store, 1, 1000);
    failing('record.', 'before');
    expect(await codeOf(() => saveRound(store, 2, 1000))).toBe('STORE_FAILED');
    const before = (await bucket.keys('value.>')).length;
    // The first one was not closed.
    const next = await opened(bucket);
    await next.close();
    expect((await bucket.keys('value.>')).length).toBeLessThan(before);
    const reader = await JetStreamStore.open({ connection, bucket, name: 'reader' }, 'read');
    expect(await savedRound(reader)).toBe(1);
  });

  test('thousands of members, a row twice in one change, and values larger than a message', async () => {
    const store = await opened(await newBucket());
    const members = Array.from({ length: 3000 }, (_, i) => memberOf(`m${i}`, 1, 300));
    await store.saveRun(NAME, { run: runOf(1), members, removed: [] }, [rowOf(1), rowOf(1)]);
    expect((await store.loadRun(NAME))?.members.length).toBe(3000);
    const removed = members.slice(10).map(({ id }) => id);
    await store.saveRun(NAME, { run: runOf(2), members: [memberOf('m1', 2, 1 << 20)], removed }, []);
    const saved = await store.loadRun(NAME);
    expect(saved?.members.length).toBe(10);
    expect(saved?.members.find(({ id }) => id === 'm1')?.known?.u.length).toBe(1 << 20);
  });

  test('the server crashes and comes back', async () => {
    const own = await natsForTest();
    const on = await connectNats({ servers: [own.url], name: 'test' });
    onTestFinished(() => on.close());
    const bucket = await Bucket.create(on, { name: 'crash' });
    const store = await opened(bucket, { on, patienceMs: 500 });
    await saveRound(store, 1);
    await own.kill();
    expect(await codeOf(() => saveRound(store, 2))).toBe('STORE_FAILED');
    await own.run();
    await until(
      async () => (await codeOf(() => saveRound(store, 2))) === 'no error',
      'the store works again',
    );
    expect(await savedRound(store)).toBe(2);
  });

  test('a bucket that is deleted is trouble, one that is empty again is another store', async () => {
    const bucket = await newBucket();
    const store = await opened(bucket, { patienceMs: 0 });
    await saveRound(store, 1);
    await bucket.destroy();
    expect(await codeOf(() => saveRound(store, 2))).toBe('STORE_FAILED');
    expect(await codeOf(() => saveRound(store, 2))).toBe('STORE_FAILED');
    // Where nobody answers the connection is made anew, and what was under way is lost.
    const make = () => Bucket.create(connection, { name: bucket.name });
    await until(async () => (await codeOf(make)) === 'no error', 'another bucket');
    expect(await codeOf(() => saveRound(store, 2))).toBe('FENCED');
    expect(await bucket.keys('record.*')).toEqual([]);
  });

  test('an older copy is opened, and who has written to the newer one is fenced, for ever', async () => {
    const own = await natsForTest();
    const folders = [join(own.folder, 'jetstream'), join(own.folder, 'copy')];
    const on = await connectNats({ servers: [own.url], name: 'test' });
    onTestFinished(() => on.close());
    const bucket = await Bucket.create(on, { name: 'older' });
    const ahead = await opened(bucket, { on, patienceMs: 30_000 });
    for (let round = 1; round <= 3; round++) await saveRound(ahead, round);
    await own.kill();
    cpSync(folders[0], folders[1], { recursive: true });
    await own.run();
    for (let round = 4; round <= 6; round++) await saveRound(ahead, round);
    await own.kill();
    rmSync(folders[0], { recursive: true });
    cpSync(folders[1], folders[0], { recursive: true });
    await own.run();
    const restored = await opened(bucket, { on, patienceMs: 30_000 });
    expect(await savedRound(restored)).toBe(3);
    // Whatever revision it comes to: none is the one that the other expects.
    for (let round = 4; round <= 30; round++) await saveRound(restored, round);
    expect(await codeOf(() => saveRound(ahead, 7))).toBe('FENCED');
    expect(await savedRound(restored)).toBe(30);
  });

  test('a change in doubt is not settled on an older copy: its values may be gone', async () => {
    const own = await natsForTest();
    const folders = [join(own.folder, 'jetstream'), join(own.folder, 'copy')];
    const on = await connectNats({ servers: [own.url], name: 'test' });
    onTestFinished(() => on.close());
    const bucket = await Bucket.create(on, { name: 'doubt' });
    const ahead = await opened(bucket, { on, patienceMs: 0 });
    await saveRound(ahead, 1, 600);
    await own.kill();
    cpSync(folders[0], folders[1], { recursive: true });
    await own.run();
    const saves = (round: number) => async () =>
      (await codeOf(() => saveRound(ahead, round, 600))) === 'no error';
    await until(saves(2), 'the store works again');
    failing('record.', 'before');
    expect(await codeOf(() => saveRound(ahead, 3, 600))).toBe('STORE_FAILED');
    await own.kill();
    rmSync(folders[0], { recursive: true });
    cpSync(folders[1], folders[0], { recursive: true });
    await own.run();
    await until(async () => (await codeOf(() => saveRound(ahead, 3, 600))) === 'FENCED', 'it is fenced');
    const restored = await opened(bucket, { on, patienceMs: 30_000 });
    expect(await savedRound(restored)).toBe(1);
  });

  /** Once, for a key that begins so. 'later': the write is made when the result is called. */
  function failing(prefix: string, when: 'before' | 'after' | 'later'): () => Promise<unknown> {
    const put = Bucket.prototype.put;
    let isDone = false;
    let late: () => Promise<unknown> = async () => {};
    const mock = vi.spyOn(Bucket.prototype, 'put');
    mock.mockImplementation(async function (this: Bucket, key, bytes, expected) {
      if (isDone || !key.startsWith(prefix)) return await put.call(this, key, bytes, expected);
      isDone = true;
      mock.mockRestore();
      if (when === 'after') await put.call(this, key, bytes, expected);
      if (when === 'later') late = () => put.call(this, key, bytes.slice(), expected);
      throw new Error('connection lost');
    });
    return () => late();
  }
});
