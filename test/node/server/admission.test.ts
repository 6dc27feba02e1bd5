/** Admission: who gets a connection, with the real handshake, and everything that is not good enough for one. */
import { pino } from 'pino';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { CoordinatorServer } from '../../../src/node/server/server.ts';
import { encode } from '../../../src/protocol/codec.ts';
import { CLOSE } from '../../../src/protocol/joining.ts';
import { expectRefusal, goodAnswer } from '../../helpers/answers.ts';
import { ask, post } from '../../helpers/http.ts';
import { metric } from '../../helpers/metrics.ts';
import { operate, PATIENT, ServerTest, until } from '../../helpers/server.ts';
import {
  connected,
  Keys,
  openSession,
  refusalOfTicket,
  sessionRequest,
} from '../../helpers/ws-participant.ts';
import { Trainer } from '../../helpers/ws-trainer.ts';

const servers = new ServerTest();
const HOME = '/v1/federations/default';

async function invited(server: CoordinatorServer, body: object = {}): Promise<string> {
  const answer = goodAnswer('invite', await operate(server, `${HOME}/invitations`, { body }));
  return answer.invitations[0].token;
}

describe('enrolment', () => {
  test('[ADMIT-3] is open on loopback: whoever comes first with a name has it', async () => {
    const server = await servers.start();
    const keys = new Keys();
    (await connected(server.url, { participant: 'ada', keys })).close();
    (await connected(server.url, { participant: 'ada', keys })).close();
    const other = await openSession(server.url, { participant: 'ada' });
    expectRefusal(other, 'NAME_TAKEN', 'openSession');
  });

  test('[ADMIT-3] elsewhere it takes an invitation, which is good once', async () => {
    const server = await servers.start({ loopback: false });
    expectRefusal(await openSession(server.url, { participant: 'ada' }), 'INVITATION_NEEDED', 'openSession');
    const invitation = await invited(server);
    const keys = new Keys();
    (await connected(server.url, { participant: 'ada', keys, invitation })).close();
    const again = await openSession(server.url, { participant: 'ben', invitation });
    expectRefusal(again, 'INVITATION_INVALID', 'openSession');
    expect(again.json.error.message).toContain('used');
    // Whoever is enrolled needs none.
    (await connected(server.url, { participant: 'ada', keys })).close();
  });

  test('open elsewhere, or by invitation on loopback, where that is wanted', async () => {
    const open = await servers.start({ loopback: false, enrolment: 'open' });
    expect((await openSession(open.url, { participant: 'ada' })).status).toBe(200);
    const closed = await servers.start({ enrolment: 'invitation' });
    expectRefusal(await openSession(closed.url, { participant: 'ada' }), 'INVITATION_NEEDED');
  });

  test('an invitation for one name is for nobody else, one that has expired for nobody', async () => {
    const server = await servers.start({ enrolment: 'invitation' });
    const forAda = await invited(server, { participant: 'ada' });
    const wrong = await openSession(server.url, { participant: 'ben', invitation: forAda });
    expectRefusal(wrong, 'INVITATION_INVALID');
    expect((await openSession(server.url, { participant: 'ada', invitation: forAda })).status).toBe(200);
    const short = await invited(server, { lifetimeMs: 1 });
    const madeMs = Date.now();
    await until(() => Date.now() > madeMs + 2, 'it has expired');
    expectRefusal(
      await openSession(server.url, { participant: 'cyd', invitation: short }),
      'INVITATION_INVALID',
    );
    const made = await openSession(server.url, { participant: 'cyd', invitation: 'made-up' });
    expectRefusal(made, 'INVITATION_INVALID');
  });

  test('an invitation that is not used is not used up by a refusal', async () => {
    const server = await servers.start({ enrolment: 'invitation' });
    const invitation = await invited(server);
    const first = new Trainer('ada');
    await (await first.join(server.url, { invitation })).next('welcome');
    const second = await invited(server);
    const wrong = await openSession(server.url, {
      participant: 'ben',
      invitation: second,
      features: ['other'],
    });
    expectRefusal(wrong, 'WRONG_FEATURES');
    expect((await openSession(server.url, { participant: 'ben', invitation: second })).status).toBe(200);
  });

  test('invitations are listed by digest, never by token', async () => {
    const server = await servers.start();
    const made = goodAnswer('invite', await operate(server, `${HOME}/invitations`, { body: { count: 3 } }));
    expect(new Set(made.invitations.map(({ token }: { token: string }) => token)).size).toBe(3);
    const named = await invited(server, { participant: 'ada', lifetimeMs: 60_000 });
    (await connected(server.url, { participant: 'ada', invitation: named })).close();
    const listed = await operate(server, `${HOME}/invitations`);
    const { invitations } = goodAnswer('listInvitations', listed);
    expect(invitations).toHaveLength(4);
    const ofAda = invitations.find(({ participant }: { participant: string }) => participant === 'ada');
    expect(ofAda).toMatchObject({ usedBy: 'ada', expiresMs: expect.any(Number) });
    for (const { token } of made.invitations) expect(listed.text).not.toContain(token);
  });

  test.each([
    { count: 0 },
    { count: 1001 },
    { count: 1.5 },
    { lifetimeMs: -1 },
    { participant: '' },
    { participant: 'a', count: 2 },
  ])('an invitation of %j is refused', async (body) => {
    const server = await servers.start();
    expectRefusal(await operate(server, `${HOME}/invitations`, { body }), 'BAD_REQUEST', 'invite');
    expect(await server.store.invitations('default')).toEqual([]);
  });

  test('nobody is invited who is in already, or was turned out', async () => {
    const server = await servers.start();
    (await connected(server.url, { participant: 'ada' })).close();
    const body = { participant: 'ada' };
    expectRefusal(await operate(server, `${HOME}/invitations`, { body }), 'NAME_TAKEN', 'invite');
    await operate(server, `${HOME}/participants/ada/revoke`, { method: 'POST' });
    expectRefusal(await operate(server, `${HOME}/invitations`, { body }), 'NAME_TAKEN', 'invite');
  });
});

describe('signatures', () => {
  test('[ADMIT-1] a request that is sent again is refused: no challenge is good twice', async () => {
    const server = await servers.start();
    const request = await sessionRequest(server.url, { participant: 'ada' });
    expect((await post(`${server.url}${HOME}/session`, undefined, request)).status).toBe(200);
    expectRefusal(
      await post(`${server.url}${HOME}/session`, undefined, request),
      'CHALLENGE_EXPIRED',
      'openSession',
    );
  });

  test('[ADMIT-2] what is signed is what counts: nothing of it can be exchanged', async () => {
    const server = await servers.start();
    const changes = [
      { participant: 'eve' },
      { key: new Keys().publicKey },
      { schema: '0'.repeat(64), features: undefined },
      { invitation: 'somebody-else’s' },
      { signature: 'A'.repeat(86) },
    ];
    for (const change of changes) {
      const request = { ...(await sessionRequest(server.url, { participant: 'ada' })), ...change };
      expectRefusal(
        await post(`${server.url}${HOME}/session`, undefined, request),
        'BAD_SIGNATURE',
        'openSession',
      );
    }
    expect(await server.store.enrolments('default')).toEqual([]);
  });

  test('[ADMIT-1] a challenge of another federation, of another server, or made up, is none', async () => {
    const server = await servers.start();
    const other = await servers.start();
    await server.ensure('other', other.federation('default').record.options);
    const foreign = await sessionRequest(server.url, { participant: 'ada', federation: 'other' });
    expectRefusal(await post(`${server.url}${HOME}/session`, undefined, foreign), 'CHALLENGE_EXPIRED');
    const elsewhere = await sessionRequest(other.url, { participant: 'ada' });
    expectRefusal(await post(`${server.url}${HOME}/session`, undefined, elsewhere), 'CHALLENGE_EXPIRED');
    const request = {
      ...(await sessionRequest(server.url, { participant: 'ada' })),
      challenge: 'x'.repeat(75),
    };
    expectRefusal(await post(`${server.url}${HOME}/session`, undefined, request), 'CHALLENGE_EXPIRED');
  });

  test('a session of another form is a bad request', async () => {
    const server = await servers.start();
    const good = await sessionRequest(server.url, { participant: 'ada' });
    for (const change of [
      { participant: '' },
      { participant: 'half of a character: \ud83d' },
      { key: 'k' },
      { schema: 'z' },
      { signature: '' },
      { more: 1 },
      { features: ['y'] },
    ])
      expectRefusal(
        await post(`${server.url}${HOME}/session`, undefined, { ...good, ...change }),
        'BAD_REQUEST',
      );
  });
});

describe('tickets', () => {
  test('[ADMIT-5] are good once, for their own federation, and not after a revocation', async () => {
    const server = await servers.start();
    await server.ensure('other', server.federation('default').record.options);
    const keys = new Keys();
    const ticket = async () => (await openSession(server.url, { participant: 'ada', keys })).json.ticket;
    const first = await ticket();
    expect(await refusalOfTicket(server.url, first)).toBeUndefined();
    expect(await refusalOfTicket(server.url, first)).toContain('401');
    expect(await refusalOfTicket(server.url, await ticket(), 'other')).toContain('401');
    expect(await refusalOfTicket(server.url, 'made-up')).toContain('401');
    const last = await ticket();
    await operate(server, `${HOME}/participants/ada/revoke`, { method: 'POST' });
    expect(await refusalOfTicket(server.url, last)).toContain('401');
  });

  test('[ADMIT-5] [ADMIT-6] no ticket, no WebSocket; nor one for a page of another origin', async () => {
    const server = await servers.start();
    const upgrade = {
      connection: 'upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==',
    };
    const at = (path: string, headers: Record<string, string>) =>
      ask(`${server.url}${path}`, { headers: { ...upgrade, ...headers } });
    const protocol = { 'sec-websocket-protocol': 'kindred.v7' };
    expect((await at(`${HOME}/connect`, {})).json.error.code).toBe('BAD_VERSION');
    const old = { 'sec-websocket-protocol': 'kindred.v4' };
    expect((await at(`${HOME}/connect`, old)).json.error.code).toBe('BAD_VERSION');
    expect((await at(`${HOME}/connect`, protocol)).json.error.code).toBe('TICKET_INVALID');
    expect((await at('/v1/federations/none/connect', protocol)).json.error.code).toBe('NO_SUCH_FEDERATION');
    expect((await at('/elsewhere', protocol)).json.error.code).toBe('NOT_FOUND');
    const { ticket } = (await openSession(server.url, { participant: 'ada' })).json;
    const odd = await at(`${HOME}/connect`, {
      'sec-websocket-protocol': `kindred.v7, ticket.${ticket}`,
      'sec-websocket-version': '99',
    });
    expectRefusal(odd, 'BAD_REQUEST', 'connect');
    const foreign = await at(`${HOME}/connect`, { ...protocol, origin: 'https://evil.example' });
    expect([foreign.status, foreign.json.error.code]).toEqual([403, 'WRONG_ORIGIN']);
  });
});

describe('time', () => {
  afterEach(() => vi.restoreAllMocks());

  /** The server's clock is ahead from here on. */
  function later(ms: number): void {
    const real = performance.now.bind(performance);
    vi.spyOn(performance, 'now').mockImplementation(() => real() + ms);
  }

  test.each([
    [55_000, undefined],
    [60_000, 'CHALLENGE_EXPIRED'],
  ] as const)('[ADMIT-1] a challenge after %i ms', async (ms, code) => {
    const server = await servers.start();
    const request = await sessionRequest(server.url, { participant: 'ada' });
    later(ms);
    const answer = await post(`${server.url}${HOME}/session`, undefined, request);
    expect(answer.json.error?.code).toBe(code);
  });

  test.each([
    [25_000, undefined],
    [30_000, '401'],
  ] as const)('[ADMIT-5] a ticket after %i ms', async (ms, status) => {
    const server = await servers.start();
    const { ticket } = (await openSession(server.url, { participant: 'ada' })).json;
    later(ms);
    const refusal = await refusalOfTicket(server.url, ticket);
    if (status) expect(refusal).toContain(status);
    else expect(refusal).toBeUndefined();
  });
});

describe('columns', () => {
  test('[ADMIT-4] are chosen by the first who joins, and the same for all from then on', async () => {
    const server = await servers.start();
    (await connected(server.url, { participant: 'ada', features: ['a', 'b'] })).close();
    await until(() => server.federation('default').connections.size === 0, 'she has gone');
    // Nobody has joined: they may still be chosen.
    const ben = new Trainer('ben');
    await (await ben.join(server.url)).next('welcome');
    const other = await openSession(server.url, { participant: 'cyd', features: ['x2', 'x1'] });
    expectRefusal(other, 'WRONG_FEATURES', 'openSession');
    expect(other.json.error.message).toContain('"x1" as number 1, got "x2"');
    const more = await openSession(server.url, { participant: 'cyd', features: ['x1', 'x3'] });
    expect(more.json.error.message).toContain('got 2, without "x2", with "x3" besides (--drop');
    expect((await openSession(server.url, { participant: 'cyd' })).status).toBe(200);
  });

  test('two who come at once with other columns do not both get in', async () => {
    const server = await servers.start();
    const first = (await openSession(server.url, { participant: 'ada', features: ['a', 'b'] })).json.ticket;
    const second = (await openSession(server.url, { participant: 'ben', features: ['c', 'd'] })).json.ticket;
    const link = await connected(server.url, { participant: 'cyd', features: ['c', 'd'] });
    expect(await refusalOfTicket(server.url, first)).toContain('401');
    expect(await refusalOfTicket(server.url, second)).toBeUndefined();
    // Somebody is connected: no more choosing.
    const late = await openSession(server.url, { participant: 'dan', features: ['a', 'b'] });
    expectRefusal(late, 'WRONG_FEATURES');
    link.close();
  });
});

describe('connections', () => {
  test('[ADMIT-8] a second one of the same participant takes the place of the first', async () => {
    const server = await servers.start();
    const keys = new Keys();
    const first = await connected(server.url, { participant: 'ada', keys });
    const second = await connected(server.url, { participant: 'ada', keys });
    expect(await first.closed).toBe(CLOSE.replaced);
    expect(server.federation('default').connections.size).toBe(1);
    second.close();
  });

  test('[ADMIT-7] nobody speaks for somebody else', async () => {
    const server = await servers.start();
    const link = await connected(server.url, { participant: 'ada' });
    const join = { rows: 3, features: 2, benchmarkMs: 1, session: 1, base: 0, pending: 0, edition: 0 };
    link.send({ kind: 'join', id: 'ben', ...join });
    expect((await link.next('reject')).code).toBe('WRONG_IDENTITY');
    expect(server.federation('default').host.state.members.size).toBe(0);
  });

  test('[ADMIT-12] empty messages come back, are no errors, and count for the limits', async () => {
    const server = await servers.start({ limits: { framesPerSecond: 1, frameBurst: 10 } });
    const link = await connected(server.url, { participant: 'ada' });
    for (let i = 0; i < 3; i++) link.sendRaw(new Uint8Array(0));
    await until(() => link.pongs === 3, 'three empty messages');
    expect((await operate(server, HOME)).json.rejections).toEqual({});
    for (let i = 0; i < 20; i++) link.sendRaw(new Uint8Array(0));
    expect(await link.closed).toBe(CLOSE.rateLimited);
  });

  test('[ADMIT-9] garbage is refused, counted, and in the end turned out', async () => {
    const server = await servers.start({ limits: { badFrames: 5 } });
    const link = await connected(server.url, { participant: 'ada' });
    for (let i = 0; i < 5; i++) link.sendRaw(Uint8Array.of(1, 2, 3));
    expect(await link.closed).toBe(CLOSE.badFrames);
    expect((await operate(server, HOME)).json.rejections).toEqual({ BAD_FRAME: 5 });
  });

  test('[ADMIT-9] text, a flood, and a frame that is too large', async () => {
    const server = await servers.start({
      limits: { framesPerSecond: 1, frameBurst: 10, maxFrameBytes: 2000 },
    });
    const talker = await connected(server.url, { participant: 'ada' });
    talker.sendRaw('hello');
    expect((await talker.next('reject')).code).toBe('BAD_FRAME');
    const leave = encode({ kind: 'leave', session: 1 }, 'f64');
    for (let i = 0; i < 20; i++) talker.sendRaw(leave);
    expect(await talker.closed).toBe(CLOSE.rateLimited);
    const giant = await connected(server.url, { participant: 'ben' });
    giant.sendRaw(new Uint8Array(3000));
    expect(await giant.closed).toBe(1009);
    expect((await ask(`${server.url}/healthz`)).status).toBe(200);
  });
});

test('[ADMIT-13] participants of other versions are told the own one, counted by version and logged once', async () => {
  const lines: string[] = [];
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) });
  const server = await servers.start({ log }, PATIENT);
  const knock = (body: object) => post(`${server.url}${HOME}/challenge`, undefined, body);
  for (const protocol of [6, 6, 8]) expect((await knock({ protocol })).json).toMatchObject({ protocol: 7 });
  expect((await knock({ protocol: 7 })).status).toBe(200);
  expect((await knock({})).status).toBe(200);
  expectRefusal(await knock({ protocol: 0 }), 'BAD_REQUEST');
  expectRefusal(await knock({ protocol: 7, more: 1 }), 'BAD_REQUEST');
  const versions = async () => (await ask(`${server.url}/metrics`)).text;
  expect(metric(await versions(), 'kindred_other_versions_total', { version: '6' })).toBe(2);
  expect(metric(await versions(), 'kindred_other_versions_total', { version: '8' })).toBe(1);
  const logged = lines.filter((line) => line.includes('another protocol version'));
  expect(logged.map((line) => JSON.parse(line).version)).toEqual(['6', '8']);
  // Strangers choose the numbers: what is told apart is bounded.
  for (let protocol = 10; protocol < 60; protocol++) await knock({ protocol });
  const text = await versions();
  expect(text.match(/^kindred_other_versions_total\{/gm)!.length).toBeLessThanOrEqual(9);
  expect(metric(text, 'kindred_other_versions_total', { version: 'other' })).toBe(44);
});
