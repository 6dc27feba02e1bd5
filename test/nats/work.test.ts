/** Jobs through a real nats-server to real worker processes: the same bytes as on threads, whoever does them and whoever is killed. */
import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { jetstreamManager } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import { describe, expect, onTestFinished, test } from 'vitest';
import { connectNats } from '../../src/nats/connection.ts';
import { NatsRunner } from '../../src/nats/work-client.ts';
import { WorkQueue } from '../../src/nats/work-queue.ts';
import { takeJobs, type WorkSlot } from '../../src/nats/work-taker.ts';
import { packageVersion } from '../../src/node/package-version.ts';
import { csvOf, run, Sandbox, smallHar } from '../cli/helpers.ts';
import { type NatsServer, natsForTest, natsProgram } from '../helpers/nats.ts';
import { NatsCluster } from '../helpers/nats-cluster.ts';
import { until } from '../helpers/server.ts';

const sandbox = new Sandbox();
const PROGRAM = fileURLToPath(new URL('../../bin/kindred.js', import.meta.url));

async function queueOn(
  server: NatsServer,
  version = packageVersion(),
  silentMs?: number,
): Promise<WorkQueue> {
  const connection = await connectNats({ servers: [server.url], name: 'test' });
  onTestFinished(() => connection.close());
  return await WorkQueue.open(connection, { version, silentMs });
}

/** `kindred work` in a process of its own. */
function worker(server: NatsServer): ChildProcess & { written: string } {
  const child = spawn(process.execPath, [PROGRAM, 'work', '--nats', server.url, '--threads', '1'], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const written = Object.assign(child, { written: '' });
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      written.written += chunk;
    });
  onTestFinished(() => void child.kill('SIGKILL'));
  return written;
}

/** Slots of this process. */
function takers(queue: WorkQueue, ...slots: WorkSlot[]): { readonly done: string[]; stop(): Promise<void> } {
  const stop = new AbortController();
  const done: string[] = [];
  const onDone = (_: unknown, outcome: string) => void done.push(outcome);
  const running = takeJobs(queue, { slots, signal: stop.signal, onDone });
  const end = async () => {
    stop.abort();
    await running;
  };
  onTestFinished(end);
  return { done, stop: end };
}

const square: WorkSlot = {
  perform: async ({ data, request }, dataOf) => {
    const { factor } = (data === undefined ? { factor: 1 } : await dataOf(data)) as { factor: number };
    return Float64Array.of((request as number) ** 2 * factor);
  },
};

describe.skipIf(!natsProgram)('commands that hand out their work', () => {
  const tuning = () => ['tune', sandbox.write('rows.csv', csvOf(smallHar(3))), '--json', '--no-cache'];

  test('tune: the same bytes as on one thread, also if a worker is killed in the middle of a job', async () => {
    const server = await natsForTest();
    const here = await run([...tuning(), '--threads', '1']);
    const queue = await queueOn(server);
    const killed = worker(server);
    const there = run([...tuning(), '--nats', server.url]);
    // While it has a job in its hands.
    await until(async () => (await inHand(queue)) > 0, 'a job is being done');
    killed.kill('SIGKILL');
    const other = worker(server);
    const another = worker(server);
    const { code, stdout, stderr } = await there;
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toBe(here.stdout);
    for (const one of [other, another]) {
      one.kill('SIGTERM');
      await until(() => one.exitCode !== null, 'the worker ends');
      expect(one.exitCode).toBe(0);
      expect(one.written).toMatch(/Done +\d+ jobs, 0 failed/);
    }
  }, 180_000);

  test('reproduce: the same results as on threads', async () => {
    const server = await natsForTest();
    const [here, there] = [sandbox.path('here'), sandbox.path('there')];
    const options = [
      'reproduce',
      'sequence',
      'masking-geometry',
      'data-deficit',
      '--quick',
      '--repeats',
      '1',
    ];
    worker(server);
    const local = await run([...options, '--out', here]);
    const remote = await run([...options, '--out', there, '--nats', server.url]);
    expect([remote.code, remote.stderr]).toEqual([0, '']);
    expect(local.code).toBe(0);
    const results = (folder: string) =>
      readdirSync(join(folder, 'cache'))
        .sort()
        .map((name) => {
          const { tookMs: _, ...rest } = JSON.parse(readFileSync(join(folder, 'cache', name), 'utf8'));
          return [name, rest];
        });
    expect(results(there).length).toBeGreaterThan(5);
    expect(results(there)).toEqual(results(here));
  }, 240_000);

  test('what cannot work is refused in a sentence', async () => {
    const server = await natsForTest();
    const both = await run([...tuning(), '--nats', server.url, '--threads', '2']);
    expect([both.code, both.stderr]).toEqual([
      2,
      expect.stringContaining('expected --threads or --nats, got both'),
    ]);
    await server.kill();
    server.withoutJetStream();
    await server.run();
    for (const command of [tuning(), ['work']]) {
      const { code, stderr } = await run([...command, '--nats', server.url]);
      expect([code, stderr]).toEqual([2, expect.stringContaining('[NATS_WITHOUT_JETSTREAM]')]);
    }
  });

  test('without a worker a note says how to start one', async () => {
    const server = await natsForTest();
    const stderr = { isTerminal: false, write: (text: string) => void (written += text) };
    let written = '';
    const tuned = run([...tuning(), '--nats', server.url], { stderr });
    await until(() => written !== '', 'the note');
    expect(written).toBe(
      `kindred: note: no worker is connected; start one: kindred work --nats ${server.url}\n`,
    );
    worker(server);
    expect((await tuned).code).toBe(0);
  }, 120_000);
});

describe.skipIf(!natsProgram)('a queue on a cluster', () => {
  const STREAMS = ['kindred-work', 'KV_kindred-work'];
  const replicasOf = async (connection: NatsConnection) => {
    const manager = await jetstreamManager(connection, { timeout: 10_000 });
    const infos = await Promise.all(STREAMS.map((stream) => manager.streams.info(stream)));
    return infos.map(({ config }) => config.num_replicas);
  };

  test('--replicas 3 of one server is refused in a sentence; without --nats, too', async () => {
    const server = await natsForTest();
    const { code, stderr } = await run(['work', '--nats', server.url, '--replicas', '3']);
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining('option --replicas: expected a cluster with at least 3 servers with JetStream'),
    ]);
    const tuned = await run(['tune', sandbox.write('rows.csv', csvOf(smallHar(3))), '--replicas', '3']);
    expect([tuned.code, tuned.stderr]).toEqual([2, expect.stringContaining('expected --nats with it')]);
  });

  test('has as many replicas as are asked for last, and with three survives the loss of a server', async () => {
    const cluster = await NatsCluster.start();
    onTestFinished(() => cluster.end());
    const connection = await connectNats({ servers: cluster.servers, name: 'test' });
    onTestFinished(() => connection.close());
    const version = packageVersion();
    const open = (replicas?: number) => WorkQueue.open(connection, { version, replicas });
    await open();
    expect(await replicasOf(connection)).toEqual([1, 1]);
    const queue = await open(3);
    expect(await replicasOf(connection)).toEqual([3, 3]);
    await open();
    expect(await replicasOf(connection)).toEqual([3, 3]);
    for (const stream of STREAMS) await cluster.untilWhole(stream, connection);
    const job = { kind: 'square', data: undefined, request: 7 };
    const id = queue.idOf(job);
    await queue.add(id, job);
    await cluster.kill((await cluster.leaderOf('kindred-work', connection))!);
    const still = async () => await queue.isQueued(id).catch(() => false);
    await until(still, 'the job at another server');
    takers(queue, square);
    const outcome = async () => await queue.outcome(id).catch(() => undefined);
    await until(async () => (await outcome()) !== undefined, 'its result');
    expect(await outcome()).toEqual({ kind: 'done', result: Float64Array.of(49) });
  }, 120_000);
});

async function inHand(queue: WorkQueue): Promise<number> {
  return (await (await queue.consumer()).info()).num_ack_pending;
}

describe.skipIf(!natsProgram)('the queue', () => {
  test('results come in the order of the requests, each job is done once, and data are written once', async () => {
    const server = await natsForTest();
    const queue = await queueOn(server);
    const { done } = takers(queue, square, square, square);
    const requests = [...Array.from({ length: 40 }, (_, i) => i), 7, 7];
    const client = new NatsRunner<number, Float64Array>(queue, { kind: 'square', data: { factor: 3 } });
    const seen: number[] = [];
    const results = await client.run(requests, (_, place) => seen.push(place));
    expect(results.map(([value]) => value)).toEqual(requests.map((request) => 3 * request ** 2));
    expect(seen.sort((a, b) => a - b)).toEqual([...requests.keys()]);
    expect(done.length).toBe(40);
    // Somebody else with the same jobs gets the same results, and nobody works for it.
    const again = new NatsRunner<number, Float64Array>(await queueOn(server), {
      kind: 'square',
      data: { factor: 3 },
    });
    expect(await again.run(requests, () => {})).toEqual(results);
    expect(done.length).toBe(40);
    expect(await new NatsRunner(queue, { kind: 'square', data: undefined }).run([], () => {})).toEqual([]);
  });

  test('results larger than a message', async () => {
    const server = await natsForTest('max_payload: 4096');
    const queue = await queueOn(server);
    takers(queue, { perform: async () => new Float64Array(5000).fill(7) });
    const client = new NatsRunner<number, Float64Array>(queue, {
      kind: 'large',
      data: new Uint8Array(20_000),
    });
    const [result] = await client.run([1], () => {});
    expect(result).toEqual(new Float64Array(5000).fill(7));
  });

  test('a job that always fails ends in an error with a code, and may be tried again later', async () => {
    const server = await natsForTest();
    const queue = await queueOn(server);
    let attempts = 0;
    takers(queue, {
      perform: async () => {
        attempts++;
        throw new Error('out of luck');
      },
    });
    const client = new NatsRunner<number, number>(queue, { kind: 'bad', data: undefined });
    for (let time = 1; time <= 2; time++) {
      await expect(client.run([1], () => {})).rejects.toMatchObject({
        code: 'JOB_FAILED',
        message: 'job (bad): given up after 4 attempts: out of luck',
      });
      expect(attempts).toBe(4 * time);
    }
  });

  test('a worker that is silent loses its job; a second result is dropped', async () => {
    const server = await natsForTest();
    const queue = await queueOn(server, 'v', 1000);
    // Takes it and is never heard of again.
    const message = (await queue.consumer()).next({ expires: 30_000 });
    const client = new NatsRunner<number, Float64Array>(queue, { kind: 'square', data: undefined });
    const result = client.run([5], () => {});
    const id = (await message)!.subject.split('.').at(-1)!;
    takers(queue, square);
    expect(await result).toEqual([Float64Array.of(25)]);
    await queue.store(id, { kind: 'done', result: 'late' });
    expect(await queue.outcome(id)).toEqual({ kind: 'done', result: Float64Array.of(25) });
  });

  test('workers of another version leave jobs alone, and the client is told', async () => {
    const server = await natsForTest();
    const { done } = takers(await queueOn(server, '0.0.9'), square);
    const client = new NatsRunner<number, number>(await queueOn(server, '1.2.3'), {
      kind: 'square',
      data: undefined,
    });
    await expect(client.run([1], () => {})).rejects.toMatchObject({
      code: 'WORKER_VERSION',
      message: expect.stringContaining('expected kindred 1.2.3, got 0.0.9'),
    });
    expect(done).toEqual([]);
  });

  test('a queue that is lost with its server is filled again', async () => {
    const server = await natsForTest();
    const queue = await queueOn(server);
    const client = new NatsRunner<number, Float64Array>(queue, { kind: 'square', data: { factor: 2 } });
    const result = client.run([3, 4], () => {});
    await until(async () => (await queue.versionsWaiting()).length > 0, 'jobs wait');
    await server.kill();
    server.loseStore();
    await server.run();
    // A new worker makes what it needs.
    takers(await queueOn(server), square);
    expect(await result).toEqual([Float64Array.of(18), Float64Array.of(32)]);
  });
});
