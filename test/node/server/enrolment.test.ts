/** Names, keys, invitations and tickets: what a revocation ends stays ended, and nobody takes what is meant for another. */
import { networkInterfaces } from 'node:os';
import { describe, expect, test } from 'vitest';
import { Rates } from '../../../src/node/server/rates.ts';
import type { CoordinatorServer } from '../../../src/node/server/server.ts';
import { expectRefusal } from '../../helpers/answers.ts';
import { operate, ServerTest } from '../../helpers/server.ts';
import { Keys, openSession, refusalOfTicket } from '../../helpers/ws-participant.ts';

const servers = new ServerTest();
const HOME = '/v1/federations/default';

async function invited(server: CoordinatorServer, body: object = {}): Promise<string> {
  return (await operate(server, `${HOME}/invitations`, { body })).json.invitations[0].token;
}

function revoke(server: CoordinatorServer, id: string) {
  return operate(server, `${HOME}/participants/${id}/revoke`, { method: 'POST' });
}

function allow(server: CoordinatorServer, id: string, keys: Keys) {
  return operate(server, `${HOME}/participants/${id}/allow`, { body: { key: keys.publicKey } });
}

describe('a revocation', () => {
  test('stays over a restart with the list of keys; an order of the operator ends it', async () => {
    const store = servers.newStore();
    const keys = new Keys();
    const list = [{ participant: 'ada', key: keys.publicKey }];
    let server = await servers.start({ store, enrolment: 'invitation' });
    expect(await server.allowListed('default', list)).toEqual([]);
    expect((await openSession(server.url, { participant: 'ada', keys })).status).toBe(200);
    await revoke(server, 'ada');
    await server.close();
    server = await servers.start({ store, enrolment: 'invitation' });
    expect(await server.allowListed('default', list)).toEqual(list);
    expectRefusal(await openSession(server.url, { participant: 'ada', keys }), 'REVOKED');
    await allow(server, 'ada', keys);
    expect((await openSession(server.url, { participant: 'ada', keys })).status).toBe(200);
    expect(await server.allowListed('default', list)).toEqual([]);
  });

  test('of an earlier key of a name stays, too, while a key that is new to the list is taken', async () => {
    const server = await servers.start({ enrolment: 'invitation' });
    const [first, second, third] = [new Keys(), new Keys(), new Keys()];
    const line = (keys: Keys) => [{ participant: 'ada', key: keys.publicKey }];
    await allow(server, 'ada', first);
    await revoke(server, 'ada');
    await allow(server, 'ada', second);
    await revoke(server, 'ada');
    expect(await server.allowListed('default', line(first))).toEqual(line(first));
    expect(await server.allowListed('default', line(second))).toEqual(line(second));
    expect(await server.allowListed('default', line(third))).toEqual([]);
    expect((await openSession(server.url, { participant: 'ada', keys: third })).status).toBe(200);
  });

  test('[ADMIT-5] ends the ticket of the key, also after another key was allowed under the name', async () => {
    const server = await servers.start();
    const [old, fresh] = [new Keys(), new Keys()];
    const { ticket } = (await openSession(server.url, { participant: 'ada', keys: old })).json;
    await revoke(server, 'ada');
    await allow(server, 'ada', fresh);
    expect(await refusalOfTicket(server.url, ticket)).toContain('401');
  });

  test('[ADMIT-5] a newer ticket ends the one before: a participant has one', async () => {
    const server = await servers.start();
    const keys = new Keys();
    const ticket = async () => (await openSession(server.url, { participant: 'ada', keys })).json.ticket;
    const [first, second] = [await ticket(), await ticket()];
    expect(await refusalOfTicket(server.url, first)).toContain('401');
    expect(await refusalOfTicket(server.url, second)).toBeUndefined();
  });
});

describe('names', () => {
  test.each(['open', 'invitation'] as const)(
    '[ADMIT-3] one that somebody was invited under is reserved for that invitation (%s)',
    async (enrolment) => {
      const store = servers.newStore();
      let server = await servers.start({ store, enrolment });
      const owner = await invited(server, { participant: 'ada' });
      const anybody = await invited(server);
      const thief = { participant: 'ada', invitation: anybody };
      expectRefusal(await openSession(server.url, thief), 'NAME_TAKEN', 'openSession');
      expectRefusal(await openSession(server.url, { ...thief, participant: 'Ada' }), 'NAME_TAKEN');
      await server.close();
      server = await servers.start({ store, enrolment });
      expectRefusal(await openSession(server.url, thief), 'NAME_TAKEN');
      expect((await openSession(server.url, { participant: 'ada', invitation: owner })).status).toBe(200);
      // The thief's invitation is not used up by the refusals.
      expect((await openSession(server.url, { ...thief, participant: 'ben' })).status).toBe(200);
    },
  );

  test('a reservation ends with its invitation', async () => {
    const server = await servers.start();
    await invited(server, { participant: 'ada', lifetimeMs: 1 });
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect((await openSession(server.url, { participant: 'ada' })).status).toBe(200);
  });

  test('[ADMIT-3] that look the same are the same', async () => {
    const server = await servers.start();
    expect((await openSession(server.url, { participant: 'Zoë' })).status).toBe(200);
    for (const participant of ['zoë', 'ZOË', 'Ｚoë'])
      expectRefusal(await openSession(server.url, { participant }), 'NAME_TAKEN');
    expect((await openSession(server.url, { participant: 'Zoe' })).status).toBe(200);
  });

  test.each(['Zoe\u0308', 'ada\u200b', '\u202eada', 'ada ', '\u2028'])(
    '%j is no new name',
    async (participant) => {
      const server = await servers.start();
      expectRefusal(await openSession(server.url, { participant }), 'BAD_NAME', 'openSession');
    },
  );

  test('two keys that come for one name at the same time: one has it, the other learns so', async () => {
    const server = await servers.start();
    const both = await Promise.all(
      Array.from({ length: 8 }, () => openSession(server.url, { participant: 'ada' })),
    );
    expect(both.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(409)]);
    expect(await server.store.enrolments('default')).toHaveLength(1);
  });
});

describe('keys', () => {
  /** Encodings of the points of small order, and of some that are not canonical. */
  const BAD = [
    '0100000000000000000000000000000000000000000000000000000000000000',
    '0000000000000000000000000000000000000000000000000000000000000000',
    '0000000000000000000000000000000000000000000000000000000000000080',
    'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
    'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
    'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa',
    '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
    '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85',
    'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
    'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
    '0200000000000000000000000000000000000000000000000000000000000000',
  ];

  test.each(BAD)('[ADMIT-11] %s is refused at enrolment, by a session and by the operator', async (hex) => {
    const server = await servers.start();
    const key = Buffer.from(hex, 'hex').toString('base64url');
    // With R the neutral element and s = 0 the identity key takes any statement.
    const signature = Buffer.concat([Buffer.from(BAD[0], 'hex'), Buffer.alloc(32)]).toString('base64url');
    const forger = { publicKey: key, sign: () => signature } as unknown as Keys;
    expectRefusal(
      await openSession(server.url, { participant: 'eve', keys: forger }),
      'BAD_KEY',
      'openSession',
    );
    expectRefusal(await allow(server, 'eve', forger), 'BAD_KEY', 'allowParticipant');
    expect(await server.store.enrolments('default')).toEqual([]);
  });

  test('[ADMIT-11] another spelling of the same bytes is refused', async () => {
    const server = await servers.start();
    const keys = new Keys();
    const last = keys.publicKey.at(-1)!;
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const other = alphabet[alphabet.indexOf(last) ^ 1];
    const twin = { publicKey: keys.publicKey.slice(0, -1) + other } as Keys;
    expectRefusal(await allow(server, 'eve', twin), 'BAD_KEY');
  });
});

describe('open enrolment', () => {
  test('is full at some time; invitations go on', async () => {
    const server = await servers.start({ limits: { openEnrolments: 2 } });
    const [ada, ben] = [new Keys(), new Keys()];
    expect((await openSession(server.url, { participant: 'ada', keys: ada })).status).toBe(200);
    expect((await openSession(server.url, { participant: 'ben', keys: ben })).status).toBe(200);
    expectRefusal(await openSession(server.url, { participant: 'cyd' }), 'FULL', 'openSession');
    expect((await openSession(server.url, { participant: 'ada', keys: ada })).status).toBe(200);
    const invitation = await invited(server);
    expect((await openSession(server.url, { participant: 'cyd', invitation })).status).toBe(200);
  });

  const outside = Object.values(networkInterfaces())
    .flatMap((list) => list ?? [])
    .find(({ internal, family }) => !internal && family === 'IPv4')?.address;

  test.skipIf(!outside)('takes so many a minute from one address', async () => {
    const server = await servers.start({
      host: '0.0.0.0',
      enrolment: 'open',
      limits: { enrolmentsPerAddress: 3 },
    });
    const url = `http://${outside}:${new URL(server.url).port}`;
    const statuses: number[] = [];
    for (let n = 0; n < 5; n++) statuses.push((await openSession(url, { participant: `p${n}` })).status);
    expect(statuses).toEqual([200, 200, 200, 429, 429]);
  });

  test('rates are counted for a bounded number of addresses', () => {
    let nowMs = 0;
    const rates = new Rates({ now: () => nowMs, windowMs: 60_000, most: 2, mostKeys: 100 });
    expect([rates.take('a'), rates.take('a'), rates.take('a')]).toEqual([true, true, false]);
    nowMs = 60_000;
    expect(rates.take('a')).toBe(true);
    for (let n = 0; n < 1000; n++) rates.take(`address ${n}`);
    expect(rates.size).toBe(100);
  });
});
