/** The HTTP API, route by route: what it answers, and what it refuses. */
import { describe, expect, test } from 'vitest';
import { newTrainer } from '../../../src/coordinator/training.ts';
import { modelFromJson } from '../../../src/methods/model.ts';
import { personalise } from '../../../src/methods/personalise.ts';
import { whyNotReady } from '../../../src/node/server/routes/service.ts';
import { CLOSE } from '../../../src/protocol/joining.ts';
import { expectRefusal, goodAnswer } from '../../helpers/answers.ts';
import { ask } from '../../helpers/http.ts';
import { metric } from '../../helpers/metrics.ts';
import { operate, PATIENT, QUICK, ServerTest, until } from '../../helpers/server.ts';
import { tableOf } from '../../helpers/tables.ts';
import { connected, Keys } from '../../helpers/ws-participant.ts';
import { Trainer } from '../../helpers/ws-trainer.ts';

const servers = new ServerTest();
const HOME = '/v1/federations/default';

describe('federations', () => {
  test('are made, listed and shown', async () => {
    const server = await servers.start();
    const made = await operate(server, '/v1/federations', {
      body: { name: 'wards', options: { c1: 3, stop: { rounds: 7 } } },
    });
    const state = goodAnswer('createFederation', made);
    expect(state).toMatchObject({ name: 'wards', phase: 'gathering', round: 0, storeWorks: true });
    expect(state.options).toMatchObject({ c1: 3, c2: 1, stop: { rounds: 7 } });
    const { federations } = goodAnswer('listFederations', await operate(server, '/v1/federations'));
    expect(federations.map(({ name }: { name: string }) => name)).toEqual(['default', 'wards']);
    const shown = goodAnswer('getFederation', await operate(server, '/v1/federations/wards'));
    expect({ ...shown, uptimeMs: 0, nowMs: 0 }).toEqual({ ...state, uptimeMs: 0, nowMs: 0 });
  });

  test.each([
    ['BAD_NAME', { name: 'no spaces' }],
    ['BAD_NAME', { name: '../x' }],
    ['NAME_TAKEN', { name: 'default' }],
    ['BAD_OPTIONS', { name: 'a', options: { colour: 'red' } }],
    ['BAD_OPTIONS', { name: 'a', options: 'none' }],
    ['BAD_REQUEST', { name: 7 }],
    ['BAD_REQUEST', { name: 'a', optoins: {} }],
    ['BAD_REQUEST', []],
  ] as const)('%s: %j', async (code, body) => {
    const server = await servers.start();
    expectRefusal(await operate(server, '/v1/federations', { body }), code, 'createFederation');
    expect(server.federations.size).toBe(1);
  });

  test('one that is not there is not found, whatever is asked of it', async () => {
    const server = await servers.start();
    const paths = ['', '/participants', '/invitations', '/rounds', '/rounds/1', '/history', '/model'];
    for (const path of paths)
      expectRefusal(await operate(server, `/v1/federations/none${path}`), 'NO_SUCH_FEDERATION');
    for (const path of ['/finish', '/challenge', '/invitations', '/participants/ada/revoke'])
      expectRefusal(
        await operate(server, `/v1/federations/none${path}`, { method: 'POST' }),
        'NO_SUCH_FEDERATION',
      );
  });

  test('the operator ends a training, and may say so twice', async () => {
    const server = await servers.start({}, QUICK);
    const ada = new Trainer('ada');
    await ada.join(server.url);
    const ended = goodAnswer('finishFederation', await operate(server, `${HOME}/finish`, { method: 'POST' }));
    expect(ended).toMatchObject({ phase: 'finished', finish: 'operator' });
    expect((await ada.finished).reason).toBe('operator');
    goodAnswer('finishFederation', await operate(server, `${HOME}/finish`, { method: 'POST' }));
  });

  test('pauses and goes on', async () => {
    const server = await servers.start({}, QUICK);
    const paused = goodAnswer('pauseFederation', await operate(server, `${HOME}/pause`, { method: 'POST' }));
    expect(paused.paused).toBe(true);
    const [ada, ben] = [new Trainer('ada'), new Trainer('ben')];
    await ada.join(server.url);
    await ben.join(server.url);
    await until(() => server.federation('default').host.state.measured === 2, 'both have measured');
    expect((await operate(server, HOME)).json).toMatchObject({ phase: 'gathering', round: 0, paused: true });
    const resumed = goodAnswer(
      'resumeFederation',
      await operate(server, `${HOME}/resume`, { method: 'POST' }),
    );
    expect(resumed.paused).toBe(false);
    await ada.finished;
  });
});

describe('a recount', () => {
  test('asks everybody again, also after a rest, and comes to the same model', async () => {
    const server = await servers.start({}, QUICK);
    const trainers = [new Trainer('ada'), new Trainer('ben', 20)];
    for (const trainer of trainers) await trainer.join(server.url);
    for (const trainer of trainers) await trainer.finished;
    const { primal } = (await operate(server, HOME)).json.certificate;
    const { round } = server.federation('default').host.state;
    const answered = trainers.map((trainer) => trainer.answered);
    const woken = goodAnswer(
      'recountFederation',
      await operate(server, `${HOME}/recount`, { method: 'POST' }),
    );
    expect(woken).toMatchObject({ phase: 'open', round: round + 1, finish: null });
    expect(woken.certificate.primal).toBeNull();
    await until(async () => (await operate(server, HOME)).json.phase === 'finished', 'another rest');
    const state = (await operate(server, HOME)).json;
    expect(state).toMatchObject({ finish: 'gap', missing: [] });
    expect(state.certificate.primal).toBeCloseTo(primal, 4);
    expect(state.conservation.relativeError).toBeLessThan(1e-12);
    for (const [k, trainer] of trainers.entries()) {
      expect(trainer.answered).toBeGreaterThan(answered[k]);
      expect(trainer.base).toBeGreaterThan(round);
    }
  });

  test('is refused before there are answers, and where training goes by steps', async () => {
    const server = await servers.start({}, PATIENT);
    const none = await operate(server, `${HOME}/recount`, { method: 'POST' });
    expectRefusal(none, 'REFUSED', 'recountFederation');
    const steps = await servers.start(
      {},
      { ...QUICK, aggregation: 'safe', stop: { ...QUICK.stop, rounds: 2 } },
    );
    const trainers = [new Trainer('ada'), new Trainer('ben')];
    for (const trainer of trainers) await trainer.join(steps.url);
    await trainers[0].finished;
    expectRefusal(
      await operate(steps, `${HOME}/recount`, { method: 'POST' }),
      'REFUSED',
      'recountFederation',
    );
  });

  test('is for the operator', async () => {
    const server = await servers.start();
    const refused = await ask(`${server.url}${HOME}/recount`, { method: 'POST' });
    expectRefusal(refused, 'TOKEN_NEEDED', 'recountFederation');
  });
});

describe('participants', () => {
  test('are listed with what is known of them', async () => {
    const server = await servers.start({}, PATIENT);
    const { participants: none } = goodAnswer(
      'listParticipants',
      await operate(server, `${HOME}/participants`),
    );
    expect(none).toEqual([]);
    const link = await new Trainer('ada').join(server.url);
    await link.next('welcome');
    await operate(server, `${HOME}/participants/ben/allow`, { body: { key: new Keys().publicKey } });
    const { participants } = goodAnswer('listParticipants', await operate(server, `${HOME}/participants`));
    expect(participants).toMatchObject([
      { id: 'ada', joined: true, presence: 'here', connected: true, rows: 12, benchmarkMs: 1 },
      { id: 'ben', joined: false, presence: null, connected: false, revoked: false },
    ]);
    expect((await operate(server, HOME)).json.participants).toEqual({
      enrolled: 2,
      joined: 1,
      here: 1,
      left: 0,
      connected: 1,
    });
  });

  test('rows are not reported where only sums are seen', async () => {
    const server = await servers.start({}, 'none');
    await operate(server, '/v1/federations', {
      body: { name: 'default', options: { secure: true, minParticipants: 100 } },
    });
    const link = await new Trainer('ada').join(server.url);
    await link.next('welcome');
    const { participants } = goodAnswer('listParticipants', await operate(server, `${HOME}/participants`));
    expect(participants[0]).toMatchObject({ id: 'ada', joined: true });
    expect(participants[0]).not.toHaveProperty('rows');
    expect((await operate(server, HOME)).json.conservation).toEqual({ relativeError: null });
  });

  test('one is forgotten: its part leaves the model, and it is notified', async () => {
    const server = await servers.start({}, QUICK);
    const [ada, ben] = [new Trainer('ada'), new Trainer('ben')];
    const link = await ada.join(server.url);
    await ben.join(server.url);
    await ada.finished;
    const forgotten = await operate(server, `${HOME}/participants/ada/forget`, { method: 'POST' });
    expect(goodAnswer('forgetParticipant', forgotten)).toMatchObject({ id: 'ada', joined: false });
    expect((await link.next('reject')).code).toBe('FORGOTTEN');
    const { json } = await operate(server, HOME);
    expect(json.participants.joined).toBe(1);
    expect(json.conservation.relativeError).toBeLessThan(1e-12);
    const again = await operate(server, `${HOME}/participants/ada/forget`, { method: 'POST' });
    expectRefusal(again, 'NO_SUCH_PARTICIPANT', 'forgetParticipant');
  });

  test('where noise is on secret sums nobody can be forgotten, and the machine says why', async () => {
    const server = await servers.start({}, 'none');
    const dp = { clip: 1, noiseMultiplier: 5, epsilon: 20, delta: 1e-5, honest: 50 };
    await operate(server, '/v1/federations', {
      body: {
        name: 'default',
        options: { secure: true, dp, aggregation: 'safe', scale: 'none', minParticipants: 100 },
      },
    });
    const link = await new Trainer('ada').join(server.url);
    await link.next('welcome');
    const { state } = server.federation('default').host;
    state.trainer = newTrainer(state.options, 2, undefined);
    const refused = await operate(server, `${HOME}/participants/ada/forget`, { method: 'POST' });
    expectRefusal(refused, 'REFUSED', 'forgetParticipant');
    expect(refused.json.error.message).toContain('only the participant knows its contribution');
  });

  test('a revoked one loses its connection at once and does not come back, until its key is allowed again', async () => {
    const server = await servers.start();
    const keys = new Keys();
    const link = await connected(server.url, { participant: 'ada', keys });
    const revoked = await operate(server, `${HOME}/participants/ada/revoke`, { method: 'POST' });
    expect(goodAnswer('revokeParticipant', revoked)).toMatchObject({ id: 'ada', revoked: true });
    expect(await link.closed).toBe(CLOSE.revoked);
    await expect(connected(server.url, { participant: 'ada', keys })).rejects.toThrow('REVOKED');
    await operate(server, `${HOME}/participants/ada/allow`, { body: { key: keys.publicKey } });
    (await connected(server.url, { participant: 'ada', keys })).close();
    expectRefusal(
      await operate(server, `${HOME}/participants/nobody/revoke`, { method: 'POST' }),
      'NO_SUCH_PARTICIPANT',
      'revokeParticipant',
    );
  });

  test('a key that is not one, or of somebody else, is not allowed', async () => {
    const server = await servers.start();
    const path = `${HOME}/participants/ada/allow`;
    expectRefusal(await operate(server, path, { body: { key: 'short' } }), 'BAD_REQUEST');
    goodAnswer('allowParticipant', await operate(server, path, { body: { key: new Keys().publicKey } }));
    const other = await operate(server, path, { body: { key: new Keys().publicKey } });
    expectRefusal(other, 'NAME_TAKEN', 'allowParticipant');
  });

  test('ids may hold anything but control characters', async () => {
    const server = await servers.start();
    const id = 'Zoë / ward 7?';
    const key = new Keys().publicKey;
    const path = (text: string) => `${HOME}/participants/${encodeURIComponent(text)}/allow`;
    expect(goodAnswer('allowParticipant', await operate(server, path(id), { body: { key } })).id).toBe(id);
    expectRefusal(await operate(server, path('a\nb'), { body: { key } }), 'BAD_REQUEST');
    expectRefusal(await operate(server, path('é'.repeat(101)), { body: { key } }), 'BAD_REQUEST');
  });
});

describe('rounds, history and model', () => {
  test('of a training, page by page, in short, and as a file that can be used', async () => {
    const server = await servers.start({}, QUICK);
    expectRefusal(await operate(server, `${HOME}/model`), 'NO_MODEL', 'getModel');
    const [ada, ben] = [new Trainer('ada'), new Trainer('ben', 20)];
    await ada.join(server.url);
    await ben.join(server.url);
    const { w } = await ada.finished;
    await ben.finished;

    const all = goodAnswer('listRounds', await operate(server, `${HOME}/rounds?limit=1000`));
    expect(all.next).toBeNull();
    const pages = [];
    for (let after: number | null = 0; after !== null; ) {
      const page = goodAnswer('listRounds', await operate(server, `${HOME}/rounds?after=${after}&limit=3`));
      pages.push(...page.rounds);
      after = page.next;
    }
    expect(pages).toEqual(all.rounds);
    expect(pages.map(({ round }) => round)).toEqual(pages.map((_, i) => i + 1));
    const second = goodAnswer('getRound', await operate(server, `${HOME}/rounds/2`));
    expect(second).toEqual(pages[1]);
    expectRefusal(await operate(server, `${HOME}/rounds/1000`), 'NO_SUCH_ROUND', 'getRound');
    expectRefusal(await operate(server, `${HOME}/rounds/zero`), 'BAD_REQUEST');
    expectRefusal(await operate(server, `${HOME}/rounds?limit=1001`), 'BAD_REQUEST');
    expectRefusal(await operate(server, `${HOME}/rounds?since=1`), 'BAD_REQUEST');

    const history = goodAnswer('getHistory', await operate(server, `${HOME}/history`));
    expect(history.map(({ relativeGap }: { relativeGap: number }) => relativeGap)).toEqual(
      pages.map(({ relativeGap }) => relativeGap),
    );
    expect(history.at(-1).relativeGap).toBeLessThan(1e-6);
    const csv = await operate(server, `${HOME}/history?format=csv`);
    expect(csv.headers['content-type']).toBe('text/csv; charset=utf-8');
    expect(csv.text.split('\n')[0]).toBe(
      'round,primal,dual,relativeGap,closedMs,testMetric,testParticipants,ownMean,ownSpread,ownWorst,sharedMean,sharedSpread,sharedWorst',
    );
    expect(csv.text.trim().split('\n')).toHaveLength(pages.length + 1);

    const file = await operate(server, `${HOME}/model`);
    expect(file.headers['content-disposition']).toBe('attachment; filename="default.model.json"');
    const model = modelFromJson(file.text, 'the download');
    expect(model).toMatchObject({ method: 'mtl', features: ['x1', 'x2'], servesNewcomers: true });
    // Personal parts are the participants' own.
    expect(model.personal.size).toBe(0);
    expect(model.w).toEqual(w);
    expect(model.certificate!.relativeGap).toBeLessThan(1e-6);
    const { c1, c2, classWeight } = QUICK;
    expect(model.options).toMatchObject({ c1, c2, classWeight });
  });

  test('the download is all that kindred personalise needs', async () => {
    const server = await servers.start({}, { ...QUICK, c1: 3, c2: 0.5, classWeight: 'balanced' });
    const [ada, ben] = [new Trainer('ada'), new Trainer('ben', 20)];
    await ada.join(server.url);
    await ben.join(server.url);
    await ada.finished;
    const model = modelFromJson((await operate(server, `${HOME}/model`)).text, 'the download');
    const table = tableOf({ participants: 1, rows: 20, d: 2, target: (x) => (x[0] > 0 ? 1 : -1) });
    const { options, notes, participants } = personalise(model, { ...table, features: ['x1', 'x2'] });
    expect(notes).toEqual([]);
    expect(options).toMatchObject({ c1: 3, c2: 0.5, classWeight: 'balanced' });
    expect(participants[0].value).toBeLessThan(participants[0].valueOfShared);
  });

  test('whom the certificate does not cover is said, in the state, the rounds, the participants and the metrics', async () => {
    const server = await servers.start({}, { ...QUICK, maxWaitMs: 100, patience: 1 });
    const [ada, ben] = [new Trainer('ada'), new Trainer('ben', 20)];
    ben.mayAnswer = () => false;
    await ada.join(server.url);
    const link = await ben.join(server.url);
    await link.next('round');
    const late = ben.pending!.message;
    const before = goodAnswer('getFederation', await operate(server, HOME));
    expect(before.certificate).toEqual({ primal: null, dual: null, relativeGap: null });
    await ada.finished;
    const state = goodAnswer('getFederation', await operate(server, HOME));
    expect(state).toMatchObject({ phase: 'finished', finish: 'gap', missing: ['ben'] });
    const { primal, dual, relativeGap } = state.certificate;
    expect(relativeGap).toBe(state.relativeGap);
    expect(relativeGap).toBeLessThanOrEqual(1e-6);
    expect(primal).toBeGreaterThanOrEqual(dual);
    const { rounds } = goodAnswer('listRounds', await operate(server, `${HOME}/rounds`));
    expect(rounds.at(-1).missing).toEqual(['ben']);
    const { participants } = goodAnswer('listParticipants', await operate(server, `${HOME}/participants`));
    expect(participants).toMatchObject([
      { id: 'ada', missing: false },
      { id: 'ben', missing: true },
    ]);
    const { text } = await operate(server, '/metrics');
    expect(metric(text, 'kindred_missing', { federation: 'default' })).toBe(1);
    // He was passed over: once he answers, late as it is, training goes on with him.
    ben.mayAnswer = () => true;
    link.send(late);
    await until(() => ben.base > 0, 'an answer of his counts');
    const covered = async () => (await operate(server, HOME)).json;
    await until(async () => (await covered()).phase === 'finished', 'another rest');
    expect((await covered()).missing).toEqual([]);
  });

  test('features are x1, x2 where nobody has sent their names, and a later one may send them', async () => {
    const server = await servers.start({}, QUICK);
    const [ada, ben] = [new Trainer('ada'), new Trainer('ben')];
    const features = ['height', 'weight'];
    await ada.join(server.url, { features, tellNames: false });
    await until(() => server.federation('default').host.state.measured === 1, 'ada has measured');
    const schema = await server.store.schema('default');
    expect(schema?.features).toBeUndefined();
    await ben.join(server.url, { features });
    await ada.finished;
    expect((await operate(server, `${HOME}/model`)).json.features).toEqual(features);
  });

  test('what is not known is null: under differential privacy there is no gap and nobody’s own part', async () => {
    const server = await servers.start(
      {},
      {
        ...QUICK,
        aggregation: 'safe',
        scale: 'none',
        dp: { clip: 1, noiseMultiplier: 5, epsilon: 20, delta: 1e-5 },
        stop: { ...QUICK.stop, rounds: 3 },
      },
    );
    const [ada, ben] = [new Trainer('ada'), new Trainer('ben')];
    ada.clip = ben.clip = 1;
    await ada.join(server.url);
    await ben.join(server.url);
    await ada.finished;
    const state = goodAnswer('getFederation', await operate(server, HOME));
    expect(state.relativeGap).toBeNull();
    expect(state.privacy).toMatchObject({ epsilon: expect.any(Number), delta: 1e-5 });
    expect(state.privacy.notCovered).toContain(
      'what the coordinator sees: the clipped step of each participant',
    );
    // Of w without its noise.
    expect(state.conservation.relativeError).toBeLessThan(1e-9);
    const [row] = goodAnswer('listRounds', await operate(server, `${HOME}/rounds`)).rounds;
    expect(row).toMatchObject({ outcome: 'aggregated', primal: null, dual: null, relativeGap: null });
    expect((await operate(server, `${HOME}/history?format=csv`)).text).toMatch(/\n1,,,,\d+,{8}\n/);
    const model = modelFromJson((await operate(server, `${HOME}/model`)).text, 'the download');
    expect([model.personal.size, model.certificate]).toEqual([0, undefined]);
  });
});

describe('the service', () => {
  test('says that it is alive and ready, without a token', async () => {
    const server = await servers.start({ loopback: false });
    goodAnswer('getHealth', await ask(`${server.url}/healthz?x=1`));
    goodAnswer('getReadiness', await ask(`${server.url}/readyz`));
  });

  test('is not ready while it stops, or while a store fails', () => {
    const federations = new Map([['a', { name: 'a', storeFailure: new Error('disk full') }]]) as never;
    expect(whyNotReady({ stopping: () => true, federations: new Map() })).toBe('the server is shutting down');
    expect(whyNotReady({ stopping: () => false, federations })).toContain('federation "a": the store');
    expect(whyNotReady({ stopping: () => false, federations: new Map() })).toBeUndefined();
  });

  test('gives metrics that Prometheus can read', async () => {
    const server = await servers.start({}, QUICK);
    const [ada, ben] = [new Trainer('ada'), new Trainer('ben')];
    await ada.join(server.url);
    await ben.join(server.url);
    await ada.finished;
    const { status, headers, text } = await operate(server, '/metrics');
    expect([status, headers['content-type']]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8']);
    const line = /^(#.*|[a-zA-Z_:][\w:]*(\{[^}]*\})? (-?[\d.]+(e[+-]?\d+)?|[+-]?Inf|Nan))$/;
    for (const one of text.split('\n').filter((one) => one !== '')) expect(one).toMatch(line);
    const value = (name: string) => Number(new RegExp(`^${name} (.*)$`, 'm').exec(text)?.[1]);
    expect(value('kindred_connected\\{federation="default"\\}')).toBe(2);
    expect(value('kindred_store_trouble\\{federation="default"\\}')).toBe(0);
    expect(value('kindred_frames_received_total\\{federation="default",kind="join"\\}')).toBe(2);
    expect(value('kindred_rounds_total\\{federation="default",outcome="final"\\}')).toBe(1);
    expect(value('kindred_conservation_error\\{federation="default"\\}')).toBeLessThan(1e-12);
  });
});
