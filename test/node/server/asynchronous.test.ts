/** A server on a store that answers with promises: requests that overlap decide as if they had come one after the other. */
import { expect, test } from 'vitest';
import { MemoryStore } from '../../../src/host/memory-store.ts';
import type { CoordinatorServer } from '../../../src/node/server/server.ts';
import { asyncStore } from '../../helpers/async-store.ts';
import { operate, PATIENT, QUICK, ServerTest } from '../../helpers/server.ts';
import { Keys, openSession, refusalOfTicket } from '../../helpers/ws-participant.ts';
import { Trainer } from '../../helpers/ws-trainer.ts';

const servers = new ServerTest();
const HOME = '/v1/federations/default';

/** Sorted, so that it does not matter who was first. */
async function statusesOf(requests: readonly Promise<{ readonly status: number }>[]): Promise<number[]> {
  return (await Promise.all(requests)).map(({ status }) => status).sort();
}

test('a whole training, its history and its model, and all of it again after a restart', async () => {
  const store = asyncStore(new MemoryStore());
  const first = await servers.start({ store }, QUICK);
  const trainers = [new Trainer('ada'), new Trainer('ben', 20), new Trainer('cyd', 5)];
  for (const trainer of trainers) await trainer.join(first.url);
  for (const trainer of trainers) expect((await trainer.finished).reason).toBe('gap');
  const seen = async (server: CoordinatorServer) => {
    const { json: state } = await operate(server, HOME);
    const { json: history } = await operate(server, `${HOME}/history`);
    const { json: model } = await operate(server, `${HOME}/model`);
    return { phase: state.phase, round: state.round, certificate: state.certificate, history, model };
  };
  const before = await seen(first);
  expect(before.history.map(({ round }: { round: number }) => round)).toEqual(
    before.history.map((_: unknown, i: number) => i + 1),
  );
  expect((await operate(first, HOME)).json.conservation.relativeError).toBeLessThan(1e-12);
  await first.close();
  const second = await servers.start({ store }, 'none');
  expect(await seen(second)).toEqual(before);
});

test('a name belongs to one key, and an invitation to one name, also of those who come at once', async () => {
  const store = asyncStore(new MemoryStore());
  const server = await servers.start({ store, enrolment: 'invitation' }, PATIENT);
  const [{ token }] = await server.invite('default');
  const guests = ['ada', 'ben', 'cyd'].map((participant) =>
    openSession(server.url, { participant, invitation: token }),
  );
  expect(await statusesOf(guests)).toEqual([200, 403, 403]);
  const tokens = await server.invite('default', { count: 3 });
  const sameName = tokens.map((invitation) =>
    openSession(server.url, { participant: 'dan', keys: new Keys(), invitation: invitation.token }),
  );
  expect(await statusesOf(sameName)).toEqual([200, 409, 409]);
  expect(await store.enrolments('default')).toHaveLength(2);
  const used = (await store.invitations('default')).filter(({ usedBy }) => usedBy !== undefined);
  expect(used).toHaveLength(2);
});

test('a ticket is good once, also at once', async () => {
  const server = await servers.start({ store: asyncStore(new MemoryStore()) }, PATIENT);
  const { json } = await openSession(server.url, { participant: 'ada' });
  const tries = [0, 1, 2].map(() => refusalOfTicket(server.url, json.ticket));
  expect((await Promise.all(tries)).filter((refusal) => refusal === undefined)).toHaveLength(1);
});

test('a federation is made once, also if it is asked for at once', async () => {
  const store = asyncStore(new MemoryStore());
  const server = await servers.start({ store }, 'none');
  const [one, two] = await Promise.all([server.ensure('wards', QUICK), server.ensure('wards', QUICK)]);
  expect(one).toBe(two);
  const post = () => operate(server, '/v1/federations', { body: { name: 'other' } });
  expect(await statusesOf([post(), post()])).toEqual([201, 409]);
  expect((await store.federations()).map(({ name }) => name)).toEqual(['other', 'wards']);
});
