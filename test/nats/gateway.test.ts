/** A gateway by itself, and what an operator does at the root. */
import { describe, expect, test } from 'vitest';
import { CLOSE } from '../../src/protocol/joining.ts';
import { Balancer, portOf } from '../helpers/balancer.ts';
import { ask } from '../helpers/http.ts';
import { natsForTest, natsProgram } from '../helpers/nats.ts';
import { busTo, startGateway, startOwner, startRoot, subjects } from '../helpers/nats-tree.ts';
import { operate, PATIENT, QUICK, until } from '../helpers/server.ts';
import { connected, Keys, openSession } from '../helpers/ws-participant.ts';
import { Trainer } from '../helpers/ws-trainer.ts';

const owned = (owner: Awaited<ReturnType<typeof startOwner>>) => [...owner.shards()].length;

describe.skipIf(!natsProgram)('a gateway', () => {
  test('without a root answers 503, to be tried again', async () => {
    const { url } = await natsForTest();
    const gateway = await startGateway(url);
    const { status, json, headers } = await ask(`${gateway.url}/v1/federations/default/challenge`, {
      method: 'POST',
      body: {},
    });
    expect([status, json.error.code, headers['retry-after']]).toEqual([503, 'NO_ROOT', '1']);
    expect((await ask(`${gateway.url}/healthz`)).status).toBe(200);
    expect((await ask(`${gateway.url}/readyz`)).status).toBe(200);
    expect((await ask(`${gateway.url}/v1/federations`)).status).toBe(404);
  });

  test('steps of admission may be taken at different gateways; the root takes no participants', async () => {
    const { url } = await natsForTest();
    const root = await startRoot(url, PATIENT);
    const [a, b] = [await startGateway(url), await startGateway(url)];
    const announced = await ask(`${a.url}/v1/federations/default/announcement`);
    expect(announced.json.enrolment).toBe('open');
    const keys = new Keys();
    const { json } = await openSession(a.url, { participant: 'ada', keys });
    const { WsParticipant } = await import('../helpers/ws-participant.ts');
    const link = await WsParticipant.open(b.url, 'default', json.ticket);
    expect(b.lobbies[0].size).toBe(1);
    link.close();
    await expect(connected(root.url, { participant: 'ada', keys })).rejects.toThrow('409');
    // Signed for an address that is not one of the gateway.
    const wrong = await openSession(a.url, { participant: 'bob', server: 'http://evil.example:1' });
    expect(wrong.json.error.code).toBe('WRONG_SERVER');
  });

  test('bad frames are refused there, and close the connection', async () => {
    const { url } = await natsForTest();
    await startRoot(url, PATIENT);
    const gateway = await startGateway(url, { limits: { badFrames: 3 } });
    const owner = await startOwner(url);
    await until(() => owned(owner) === 4, 'owned shards');
    const link = await connected(gateway.url, { participant: 'ada' });
    for (let k = 0; k < 3; k++) link.sendRaw(Uint8Array.of(1, 2, 3));
    expect(await link.closed).toBe(CLOSE.badFrames);
    expect(link.heard.map((message) => message.kind === 'reject' && message.code)).toEqual([
      'BAD_FRAME',
      'BAD_FRAME',
      'BAD_FRAME',
    ]);
    expect(gateway.lobbies[0].rejected.get('BAD_FRAME')).toBe(3);
    // A participant does not speak for a shard.
    const other = await connected(gateway.url, { participant: 'bob' });
    other.send({
      ...{ kind: 'enlist', id: 'shard-0', session: 9, features: 2, participants: 5, rows: 9 },
      ...{ base: 0, pending: 0, rounds: 0, edition: 0, settled: false },
    });
    expect(await other.next('reject')).toMatchObject({ code: 'BAD_FRAME' });
    other.close();
  });

  test('what cannot be read on NATS is counted, and changes nothing', async () => {
    const { url } = await natsForTest();
    const root = await startRoot(url, PATIENT);
    const gateway = await startGateway(url);
    const owner = await startOwner(url);
    await until(() => owned(owner) === 4, 'owned shards');
    const { id } = root.federation('default').record;
    const { bus } = await busTo(url, 'stranger');
    const garbage = Uint8Array.of(1, 1, 255, 0);
    for (const subject of [
      subjects.up(id, 0),
      subjects.shard(id, 0),
      subjects.toRoot(id),
      subjects.down(id, gateway.name),
    ])
      bus.publish(subject, garbage);
    await bus.flush();
    const trainer = new Trainer('ada');
    await trainer.join(gateway.url);
    await until(() => root.federation('default').host.state.members.size === 1, 'a member');
  });

  test('a participant that comes in at another gateway leaves the first', async () => {
    const { url } = await natsForTest();
    await startRoot(url, PATIENT);
    const [a, b] = [await startGateway(url), await startGateway(url)];
    const owner = await startOwner(url);
    await until(() => owned(owner) === 4, 'owned shards');
    const trainer = new Trainer('ada');
    const first = await trainer.join(a.url);
    await first.next('welcome');
    const second = await trainer.join(b.url);
    expect(await first.closed).toBe(CLOSE.replaced);
    await second.next('welcome');
    await until(() => a.lobbies[0].size === 0 && b.lobbies[0].size === 1, 'one connection');
  });
});

describe.skipIf(!natsProgram)('the operator at the root', () => {
  test('shards are listed; forget and revoke reach the shard of a participant', {
    timeout: 60_000,
  }, async () => {
    const { url } = await natsForTest();
    const root = await startRoot(url, { ...QUICK, minParticipants: 3 });
    const gateway = await startGateway(url);
    const owner = await startOwner(url);
    await until(() => owned(owner) === 4, 'owned shards');
    const front = await Balancer.start(portOf(gateway.url));
    const trainers = ['ada', 'bob', 'cyd'].map((id) => new Trainer(id));
    await Promise.all(trainers.map((trainer) => trainer.join(front.url)));
    await Promise.all(trainers.map(({ finished }) => finished));
    const path = '/v1/federations/default/participants';
    const behind = async () => {
      const { json } = await operate(root, path);
      return (json.shards as { participants: number }[]).reduce(
        (sum, { participants }) => sum + participants,
        0,
      );
    };
    await until(async () => (await behind()) === 3, 'three behind the shards');
    const forgotten = await operate(root, `${path}/ada/forget`, { method: 'POST', body: {} });
    expect(forgotten.status).toBe(200);
    await until(async () => (await behind()) === 2, 'two behind the shards');
    const again = await operate(root, `${path}/nobody/forget`, { method: 'POST', body: {} });
    expect(again.json.error.code).toBe('NO_SUCH_PARTICIPANT');
    await operate(root, `${path}/bob/revoke`, { method: 'POST', body: {} });
    expect(await trainers[1].link!.closed).toBe(CLOSE.revoked);
    await front.stop();
  });

  test('what does not work across shards is refused', async () => {
    const { url } = await natsForTest();
    const root = await startRoot(url, undefined);
    for (const options of [{ columns: 'union' }, { aggregation: 'safe' }, { method: 'mocha' }]) {
      const { status, json } = await operate(root, '/v1/federations', {
        method: 'POST',
        body: { name: 'other', options },
      });
      expect([status, json.error.code]).toEqual([400, 'BAD_OPTIONS']);
    }
  });
});
