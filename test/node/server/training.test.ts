/** Training over real sockets when things go wrong: a store that fails, a server that stops, participants that drop out. */
import { expect, test } from 'vitest';
import { sumOfContributions } from '../../../src/coordinator/training.ts';
import type { CoordinatorServer } from '../../../src/node/server/server.ts';
import { SqliteStore } from '../../../src/node/store/sqlite-store.ts';
import { dot, plusScaled } from '../../../src/solver/vector.ts';
import { expectRefusal } from '../../helpers/answers.ts';
import { FailingStore } from '../../helpers/failing-store.ts';
import { ask } from '../../helpers/http.ts';
import { operate, QUICK, ServerTest, until } from '../../helpers/server.ts';
import { Trainer } from '../../helpers/ws-trainer.ts';

const servers = new ServerTest();
const HOME = '/v1/federations/default';

/** |U - sum of what the participants have as their last accepted answers| / |U|. */
function conservation(server: CoordinatorServer, trainers: readonly Trainer[]): number {
  const sum = sumOfContributions(server.federation('default').host.state);
  let rest = sum;
  for (const { committed } of trainers) rest = plusScaled(rest, -1, committed!.u);
  return Math.sqrt(dot(rest, rest) / dot(sum, sum));
}

test('what the participants hold adds up to what the server holds', async () => {
  const server = await servers.start({}, QUICK);
  const trainers = [new Trainer('ada'), new Trainer('ben', 20), new Trainer('cyd', 5)];
  for (const trainer of trainers) await trainer.join(server.url);
  for (const trainer of trainers) await trainer.finished;
  expect(conservation(server, trainers)).toBeLessThan(1e-12);
});

test('one who drops out and comes back goes on where it was', async () => {
  const server = await servers.start({}, { ...QUICK, maxWaitMs: 400, patience: 1 });
  const trainers = [new Trainer('ada'), new Trainer('ben', 20)];
  const [ada, ben] = trainers;
  ben.mayAnswer = (round) => {
    if (round === 3) ben.link!.terminate();
    return round !== 3;
  };
  await ada.join(server.url);
  await ben.join(server.url);
  await until(() => server.federation('default').host.state.round > 4, 'rounds without him');
  ben.mayAnswer = () => true;
  await ben.join(server.url);
  await ada.finished;
  await ben.finished;
  expect(conservation(server, trainers)).toBeLessThan(1e-12);
});

test('one who does not come back after a restart of the server is not waited for', async () => {
  const store = servers.newStore();
  const patient = { ...QUICK, maxWaitMs: 1e6 };
  const first = await servers.start({ store }, patient);
  const [ada, ben] = [new Trainer('ada'), new Trainer('ben', 20)];
  ben.mayAnswer = (round) => round < 3;
  for (const trainer of [ada, ben]) await trainer.join(first.url);
  await until(() => first.federation('default').host.state.round === 3, 'three rounds');
  await first.close();
  const second = await servers.start({ store, limits: { returnMs: 100 } }, 'none');
  await ada.join(second.url);
  await until(() => second.federation('default').host.state.round > 4, 'rounds without ben');
});

test.each(['throws', 'rejects'] as const)(
  'a store that %s stalls the federation: nothing is sent, nothing is lost, and it goes on',
  async (mode) => {
    const store = new FailingStore(servers.newStore());
    const server = await servers.start({ store }, QUICK);
    const trainers = [new Trainer('ada'), new Trainer('ben', 20)];
    const [ada, ben] = trainers;
    const federation = server.federation('default');
    ada.mayAnswer = (round) => {
      if (round === 3) store.mode = mode;
      return true;
    };
    await ada.join(server.url);
    await ben.join(server.url);
    await until(() => federation.storeFailure !== undefined, 'the store fails');
    const notReady = await ask(`${server.url}/readyz`);
    expectRefusal(notReady, 'NOT_READY', 'getReadiness');
    expect((await ask(`${server.url}/healthz`)).status).toBe(200);
    expect((await operate(server, HOME)).json.storeWorks).toBe(false);
    expect((await operate(server, '/metrics')).text).toContain(
      'kindred_store_trouble{federation="default"} 1',
    );
    expectRefusal(
      await operate(server, `${HOME}/finish`, { method: 'POST' }),
      'STORE_FAILED',
      'finishFederation',
    );
    // No round was sent that is not durable.
    expect(store.loadRun('default')!.run.round).toBe(3);
    expect(Math.max(...trainers.map(({ pending }) => pending!.message.round))).toBe(3);
    const tries = store.attempts;
    await until(() => store.attempts > tries, 'another attempt');
    store.mode = 'works';
    await ada.finished;
    await ben.finished;
    expect(federation.storeFailure).toBeUndefined();
    expect((await ask(`${server.url}/readyz`)).status).toBe(200);
    expect(conservation(server, trainers)).toBeLessThan(1e-12);
    const { json } = await operate(server, `${HOME}/history`);
    expect(json.map(({ round }: { round: number }) => round)).toEqual(
      json.map((_: unknown, i: number) => i + 1),
    );
  },
);

test('a summation that ends while the store fails is not forgotten', async () => {
  const store = new FailingStore(servers.newStore());
  const options = {
    ...QUICK,
    minParticipants: 3,
    waiting: { kind: 'fixed', ms: 100 },
    summationMs: 200,
  } as const;
  const server = await servers.start({ store }, { ...options, stop: { ...QUICK.stop, rounds: 4 } });
  const trainers = [new Trainer('ada'), new Trainer('ben'), new Trainer('cyd')];
  const cyd = trainers[2];
  cyd.mayAnswer = (round) => round !== 2;
  for (const trainer of trainers) await trainer.join(server.url);
  const { host } = server.federation('default');
  await until(() => host.state.round === 2 && host.state.phase === 'summing', 'the sum of round 2');
  // A late answer makes something durable in the middle of it.
  store.mode = 'throws';
  cyd.link!.send(cyd.pending!.message);
  await until(() => server.federation('default').storeFailure !== undefined, 'the store fails');
  await until(
    () => store.attempts > 0 && performance.now() > host.state.deadlineMs + 250,
    'the end of the sum',
  );
  store.mode = 'works';
  for (const trainer of trainers) await trainer.finished;
  expect(host.state.finish).toBe('rounds');
  expect(conservation(server, trainers)).toBeLessThan(1e-12);
});

test('a server that stops says goodbye, quickly, and leaves a store that can be opened', async () => {
  const store = servers.newStore();
  const server = await servers.start({ store }, { ...QUICK, minParticipants: 3 });
  const links = [await new Trainer('ada').join(server.url), await new Trainer('ben').join(server.url)];
  for (const link of links) await link.next('welcome');
  const { url } = server;
  const started = performance.now();
  await server.close();
  expect(performance.now() - started).toBeLessThan(1500);
  expect(await Promise.all(links.map(({ closed }) => closed))).toEqual([1001, 1001]);
  await expect(ask(`${url}/healthz`).catch((error) => error.code)).resolves.toBe('ECONNREFUSED');
  const again = new SqliteStore(store);
  expect(again.loadRun('default')!.members).toHaveLength(2);
  again.close();
  await server.close();
});

test('the end is sent to everybody before the server resolves', async () => {
  const server = await servers.start({}, QUICK);
  let isOver = false;
  const over = server.whenFinished(10_000).then(() => {
    isOver = true;
  });
  const [ada, ben] = [new Trainer('ada'), new Trainer('ben')];
  await ada.join(server.url);
  await ben.join(server.url);
  expect(isOver).toBe(false);
  await over;
  await server.close();
  expect((await ada.finished).reason).toBe('gap');
  expect((await ben.finished).reason).toBe('gap');
});
