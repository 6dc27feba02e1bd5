/** The end of a federation, and going on after one, as the operator asks for them over HTTP. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { modelFromJson } from '../../../src/methods/model.ts';
import { SqliteStore } from '../../../src/node/store/sqlite-store.ts';
import { CLOSE } from '../../../src/protocol/joining.ts';
import { expectRefusal, goodAnswer } from '../../helpers/answers.ts';
import { ask } from '../../helpers/http.ts';
import { metric } from '../../helpers/metrics.ts';
import { operate, QUICK, ServerTest, until } from '../../helpers/server.ts';
import { Trainer } from '../../helpers/ws-trainer.ts';

const servers = new ServerTest();
const HOME = '/v1/federations/default';

describe('a federation that is deleted', () => {
  test('is gone from the server and, but for the audit log, from the file; its participants are disconnected, and the name is free', async () => {
    const store = join(servers.folder, 'deleted.db');
    const server = await servers.start({ store }, QUICK);
    const id = server.federation('default').record.id;
    const [ada, ben] = [new Trainer('participant-ada'), new Trainer('participant-ben', 20)];
    const link = await ada.join(server.url);
    await ben.join(server.url);
    await ada.finished;
    await operate(server, '/v1/federations', { body: { name: 'other' } });
    await operate(server, `${HOME}/invitations`, { body: { participant: 'participant-cleo' } });
    const gone = goodAnswer('deleteFederation', await operate(server, HOME, { method: 'DELETE' }));
    expect(gone).toEqual({ name: 'default', id });
    expect(await link.closed).toBe(CLOSE.deleted);
    expectRefusal(await operate(server, HOME), 'NO_SUCH_FEDERATION');
    expectRefusal(await operate(server, HOME, { method: 'DELETE' }), 'NO_SUCH_FEDERATION');
    const { federations } = (await operate(server, '/v1/federations')).json;
    expect(federations.map(({ name }: { name: string }) => name)).toEqual(['other']);
    const again = goodAnswer(
      'createFederation',
      await operate(server, '/v1/federations', { body: { name: 'default' } }),
    );
    expect(again.participants.enrolled).toBe(0);
    expect(again.id).not.toBe(id);
    await server.close();
    // Nor in pages that are free now.
    const bytes = readFileSync(store, 'latin1');
    for (const text of [id, 'participant-ada']) expect(bytes, text).not.toContain(text);
    // But for the audit log: who was invited, by whom.
    const kept = new SqliteStore(store);
    const lines = kept.auditLines(0, 100).map(({ line }) => line);
    kept.close();
    const count = (text: string) => text.split('participant-cleo').length - 1;
    expect([count(bytes), count(lines.join('\n'))]).toEqual([1, 1]);
  });

  test('needs a token of role admin', async () => {
    const server = await servers.start({}, QUICK);
    const deleting = (token: string) => operate(server, HOME, { method: 'DELETE', token });
    expectRefusal(
      await ask(`${server.url}${HOME}`, { method: 'DELETE' }),
      'TOKEN_NEEDED',
      'deleteFederation',
    );
    expectRefusal(await deleting('not-the-operator-token'), 'WRONG_TOKEN', 'deleteFederation');
    const { json } = await operate(server, '/v1/tokens', { body: { name: 'ward', role: 'operate' } });
    expectRefusal(await deleting(json.token), 'ROLE_NEEDED', 'deleteFederation');
    goodAnswer('getFederation', await operate(server, HOME));
  });
});

test('a training that the operator has ended is opened again, and comes to its end', async () => {
  const server = await servers.start({}, QUICK);
  const trainers = [new Trainer('ada'), new Trainer('ben', 20)];
  await trainers[0].join(server.url);
  await operate(server, `${HOME}/finish`, { method: 'POST' });
  await trainers[1].join(server.url);
  const opened = goodAnswer('reopenFederation', await operate(server, `${HOME}/reopen`, { method: 'POST' }));
  expect(opened).toMatchObject({ phase: 'gathering', finish: null });
  for (const trainer of trainers) await trainer.join(server.url);
  const state = async () => (await operate(server, HOME)).json;
  await until(async () => (await state()).finish === 'gap', 'the gap is reached');
});

test('after the only contributor is forgotten no gap is shown: not in the state, the model or the metrics', async () => {
  const server = await servers.start({}, { ...QUICK, minParticipants: 1 });
  const ada = new Trainer('ada');
  await ada.join(server.url);
  await ada.finished;
  expect((await operate(server, HOME)).json.bestGap).toBeLessThan(1e-6);
  await operate(server, `${HOME}/pause`, { method: 'POST' });
  const forgotten = await operate(server, `${HOME}/participants/ada/forget`, { method: 'POST' });
  expect(forgotten.status).toBe(200);
  await operate(server, `${HOME}/participants/ada/revoke`, { method: 'POST' });
  const state = goodAnswer('getFederation', await operate(server, HOME));
  const nothing = { primal: null, dual: null, relativeGap: null };
  expect(state).toMatchObject({ relativeGap: null, bestGap: null, certificate: nothing });
  const { certificate } = modelFromJson((await operate(server, `${HOME}/model`)).text, 'the download');
  expect(certificate).toBeUndefined();
  const { text } = await operate(server, '/metrics');
  expect(metric(text, 'kindred_relative_gap', { federation: 'default' })).toBeNaN();
});
