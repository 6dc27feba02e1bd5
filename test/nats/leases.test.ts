/** Leases against a real nats-server, with holders that are killed, paused and cut off. */
import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { Bucket } from '../../src/nats/bucket.ts';
import { connectNats } from '../../src/nats/connection.ts';
import { chosen, LeaseSet } from '../../src/nats/lease-set.ts';
import { Leases } from '../../src/nats/leases.ts';
import { Observed } from '../../src/nats/observed.ts';
import { NatsServer, natsForTest, natsProgram } from '../helpers/nats.ts';
import { until } from '../helpers/server.ts';
import { proxyForTest } from '../helpers/tcp-proxy.ts';

/** Long enough for a machine that has other things to do; tests wait for a few of them. */
const TTL_MS = 2000;
const PROGRAM = fileURLToPath(new URL('../helpers/lease-holder.mjs', import.meta.url));

interface Event {
  readonly who: number;
  readonly gained?: number;
  readonly lost?: number;
  readonly epoch: number;
}

describe('what stands still', () => {
  test('has not changed for the time to live, on the clock of whoever looks, and was looked at all the time', () => {
    const seen = new Observed<string>(100);
    expect([0, 40, 80, 99].map((ms) => seen.isStill('a', ms))).toEqual([false, false, false, false]);
    expect(seen.isStill('a', 100)).toBe(true);
    expect(seen.isStill('b', 120)).toBe(false);
    // Nobody looked: whoever was meant to be heard of may not have been able to write either.
    expect(seen.isStill('b', 300)).toBe(false);
    expect(seen.isStill('b', 350)).toBe(false);
    expect(seen.isStill('b', 400)).toBe(true);
  });
});

describe('who gets a shard', () => {
  test('does not depend on the order of members, and only the shards of who goes move', () => {
    const members = ['a', 'b', 'c', 'd'];
    const before = Array.from({ length: 200 }, (_, shard) => chosen(members, shard));
    const counts = members.map((member) => before.filter((owner) => owner === member).length);
    for (const count of counts) expect(count).toBeGreaterThan(25);
    for (const [shard, owner] of before.entries()) {
      expect(chosen(members.toReversed(), shard)).toBe(owner);
      const left = members.filter((member) => member !== 'c');
      if (owner !== 'c') expect(chosen(left, shard)).toBe(owner);
    }
  });
});

describe.skipIf(!natsProgram)('leases', () => {
  let server: NatsServer;
  let buckets = 0;
  beforeAll(async () => {
    server = await NatsServer.start();
  });
  afterAll(() => server?.end());

  async function bucketFor(url = server.url, name = `leases-${++buckets}`): Promise<Bucket> {
    const connection = await connectNats({ servers: [url], name: 'test' });
    onTestFinished(() => connection.close());
    return await Bucket.create(connection, { name });
  }

  /** Processes that write down what they gain and lose. */
  function holders(bucket: string, shards?: number) {
    const events: Event[] = [];
    const children: ChildProcess[] = [];
    onTestFinished(() => {
      for (const child of children) child.kill('SIGKILL');
    });
    const start = () => {
      const who = children.length;
      const options = { url: server.url, bucket, ttlMs: TTL_MS, shards };
      const child = fork(PROGRAM, [JSON.stringify(options)], { execArgv: [] });
      child.on('message', (event: object) => events.push({ who, ...event } as Event));
      children.push(child);
      return child;
    };
    return { events, start };
  }

  test('one at a time, with an epoch that rises', async () => {
    const leases = new Leases(await bucketFor(), TTL_MS);
    const first = await leases.acquire('lead', 'ada');
    expect(first.epoch).toBe(1);
    expect(await leases.acquireUnlessHeld('lead', 'ben')).toBeUndefined();
    const waiting = leases.acquire('lead', 'ben');
    await first.release();
    expect(await first.lost).toBe('released');
    const second = await waiting;
    expect(second.epoch).toBe(2);
    const other = await leases.acquire('other', 'ada');
    expect(other.epoch).toBe(1);
    for (const lease of [second, other]) await lease.release();
  });

  test('many who want it at the same moment: one gets it, and then the next', async () => {
    const leases = new Leases(await bucketFor(), TTL_MS);
    let holding = 0;
    const epochs: number[] = [];
    const one = async (owner: string) => {
      const lease = await leases.acquire('lead', owner);
      epochs.push(lease.epoch);
      expect(++holding).toBe(1);
      await new Promise((resolve) => setTimeout(resolve, 5));
      holding--;
      await lease.release();
    };
    await Promise.all(Array.from({ length: 8 }, (_, i) => one(`owner ${i}`)));
    expect(epochs).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  });

  test('whoever waits can give up', async () => {
    const leases = new Leases(await bucketFor(), TTL_MS);
    const first = await leases.acquire('lead', 'ada');
    const giveUp = new AbortController();
    const waiting = leases.acquire('lead', 'ben', { signal: giveUp.signal });
    giveUp.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    await first.release();
  });

  test('a holder that is killed is replaced, one that is paused is too, and neither comes back under its epoch', async () => {
    const bucket = await bucketFor();
    const { events, start } = holders(bucket.name);
    const gained = () => events.filter((event) => event.gained !== undefined);
    const hasGained = (who: number) => gained().some((event) => event.who === who);
    const killed = start();
    await until(() => hasGained(0), 'the first');
    const paused = start();
    killed.kill('SIGKILL');
    await until(() => hasGained(1), 'the second');
    start();
    paused.kill('SIGSTOP');
    await until(() => hasGained(2), 'the third');
    paused.kill('SIGCONT');
    // It finds out by itself.
    await until(() => events.some(({ who, lost }) => who === 1 && lost !== undefined), 'the loss');
    const epochs = gained().map(({ epoch }) => epoch);
    expect(epochs).toEqual(epochs.map((_, i) => i + 1));
  });

  test('a holder that is cut off gives up before another takes over', async () => {
    const far = await bucketFor();
    const proxy = await proxyForTest(server.port);
    const near = await bucketFor(`nats://127.0.0.1:${proxy.port}`, far.name);
    const held = await new Leases(near, TTL_MS).acquire('lead', 'ada');
    const order: string[] = [];
    void held.lost.then((how) => order.push(how));
    proxy.cut();
    const next = await new Leases(far, TTL_MS).acquire('lead', 'ben');
    order.push('taken over');
    expect(order).toEqual(['lapsed', 'taken over']);
    expect(next.epoch).toBe(2);
    proxy.heal();
    await next.release();
  });

  test('the server is gone for longer than the time to live: the lease is waited for, and its epoch rises', async () => {
    const own = await natsForTest();
    const leases = new Leases(await bucketFor(own.url), TTL_MS);
    const held = await leases.acquire('lead', 'ada');
    await own.kill();
    expect(await held.lost).toBe('lapsed');
    const again = leases.acquire('lead', 'ada');
    await own.run();
    const lease = await again;
    expect(lease.epoch).toBe(2);
    await lease.release();
  });

  test('shards are shared out over those who are alive, one owner for each epoch', async () => {
    const bucket = await bucketFor();
    // So many that nobody is left without any by chance.
    const shards = 48;
    const { events, start } = holders(bucket.name, shards);
    /** As they believe it. */
    const held = (who: number) => {
      const own = new Set<number>();
      for (const event of events.filter((one) => one.who === who)) {
        if (event.gained !== undefined) own.add(event.gained);
        else own.delete(event.lost!);
      }
      return own;
    };
    const children = [start(), start(), start()];
    const isShared = (...who: number[]) =>
      who.every((one) => held(one).size > 0) && who.reduce((sum, one) => sum + held(one).size, 0) === shards;
    await until(() => isShared(0, 1, 2), 'three share');
    children[0].kill('SIGKILL');
    await until(() => isShared(1, 2), 'two share');
    children[1].kill('SIGSTOP');
    await until(() => held(2).size === shards, 'one has all');
    children[1].kill('SIGCONT');
    await until(() => isShared(1, 2), 'two share again');
    start();
    await until(() => isShared(1, 2, 3), 'the new one has its share');
    const owners = new Map<string, number>();
    for (const { who, gained, epoch } of events) {
      if (gained === undefined) continue;
      const key = `shard ${gained}, epoch ${epoch}`;
      expect(owners.get(key) ?? who, key).toBe(who);
      owners.set(key, who);
    }
  });

  test('who leaves hands everything over at once, and is not asked for it twice', async () => {
    const bucket = await bucketFor();
    const log: string[] = [];
    const setOf = (owner: string) =>
      new LeaseSet({
        ...{ bucket, key: 'shards', owner, shards: 6, ttlMs: 60_000 },
        onGain: (shard, epoch) => log.push(`${owner} + ${shard}/${epoch}`),
        onLoss: (shard, epoch) => void log.push(`${owner} - ${shard}/${epoch}`),
      });
    const ada = setOf('ada');
    await until(() => ada.held.size === 6, 'ada has all');
    await ada.close();
    expect(ada.held.size).toBe(0);
    const ben = setOf('ben');
    await until(() => ben.held.size === 6, 'ben has all');
    expect([...ben.held.values()]).toEqual([2, 2, 2, 2, 2, 2]);
    await ben.close();
    expect(log.length).toBe(24);
  });
});
