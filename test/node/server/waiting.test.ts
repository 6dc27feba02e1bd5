/** The operator changes how long rounds stay open, over HTTP. */
import { describe, expect, test } from 'vitest';
import { expectRefusal, goodAnswer } from '../../helpers/answers.ts';
import { ask } from '../../helpers/http.ts';
import { operate, PATIENT, QUICK, ServerTest } from '../../helpers/server.ts';
import { Trainer } from '../../helpers/ws-trainer.ts';

const servers = new ServerTest();
const HOME = '/v1/federations/default';

describe('waiting', () => {
  test('is shown as the next round will have it, survives a restart, and what is missing stays', async () => {
    const store = servers.newStore();
    const server = await servers.start({ store }, PATIENT);
    const change = async (body: object) =>
      goodAnswer('changeWaiting', await operate(server, `${HOME}/waiting`, { body })).options;
    expect(await change({ waiting: { kind: 'fixed', ms: 250 } })).toMatchObject({
      waiting: { kind: 'fixed', ms: 250 },
      maxWaitMs: 60_000,
    });
    expect(await change({ maxWaitMs: null })).toMatchObject({
      waiting: { kind: 'fixed', ms: 250 },
      maxWaitMs: null,
    });
    await server.close();
    const again = await servers.start({ store }, PATIENT);
    const { options } = (await operate(again, HOME)).json;
    expect(options).toMatchObject({ waiting: { kind: 'fixed', ms: 250 }, maxWaitMs: null });
    const log = (await operate(again, '/v1/audit-log')).text;
    expect(log.split('changeWaiting')).toHaveLength(3);
  });

  test.each([
    [{ waiting: { kind: 'share', share: 0 } }, 'body: waiting.share: expected'],
    [{ waiting: { kind: 'never' } }, 'body: waiting.kind: expected'],
    [{ maxWaitMs: -1 }, 'body: maxWaitMs: expected'],
  ])('%j is refused, and changes nothing', async (body, message) => {
    const server = await servers.start({}, PATIENT);
    const before = (await operate(server, HOME)).json.options;
    const heard = await operate(server, `${HOME}/waiting`, { body });
    expectRefusal(heard, 'BAD_OPTIONS', 'changeWaiting');
    expect(heard.json.error.message).toContain(message);
    expect((await operate(server, HOME)).json.options).toEqual(before);
  });

  test('other options are not taken, and nobody changes it without a token', async () => {
    const server = await servers.start({}, PATIENT);
    expectRefusal(await operate(server, `${HOME}/waiting`, { body: { c1: 5 } }), 'BAD_REQUEST');
    expectRefusal(await ask(`${server.url}${HOME}/waiting`, { body: {} }), 'TOKEN_NEEDED', 'changeWaiting');
  });

  test('rounds close by it', async () => {
    const server = await servers.start({}, { ...QUICK, stop: { ...QUICK.stop, gap: 0 } });
    const [ada, ben] = [new Trainer('ada'), new Trainer('ben', 20)];
    // It answers the first round, and then never again.
    ben.mayAnswer = (round) => round === 1;
    await operate(server, `${HOME}/waiting`, { body: { waiting: { kind: 'fixed', ms: 20 } } });
    for (const trainer of [ada, ben]) await trainer.join(server.url);
    const started = performance.now();
    const rounds = async () => (await operate(server, `${HOME}/history`)).json.length;
    while ((await rounds()) < 3) expect(performance.now() - started).toBeLessThan(40_000);
    // Without it the second round would have waited for a minute.
  });
});
