/** By which names the server may be addressed: by a page's Host, and by what a participant has signed. */
import { hostname, networkInterfaces } from 'node:os';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { addressOwner, isLoopback } from '../../../src/node/server/addresses.ts';
import { HostNames, hostIn } from '../../../src/node/server/host-names.ts';
import { expectRefusal } from '../../helpers/answers.ts';
import { ask } from '../../helpers/http.ts';
import { rawAnswer } from '../../helpers/raw-http.ts';
import { ServerTest } from '../../helpers/server.ts';
import { openSession, sessionRequest } from '../../helpers/ws-participant.ts';

const servers = new ServerTest();

/** Names that an attacker can own, or that no client sends. */
const FOREIGN = [
  '127.attacker.example',
  '127.0.0.1.attacker.example',
  '127.1',
  '127.0.0.01',
  '2130706433',
  '0x7f.0.0.1',
  '0.0.0.0',
  '::ffff:127.attacker.example',
  '[::ffff:127.attacker.example]',
  '[::1',
  '[::1]x',
  '[fe80::1]',
  'localhost.attacker.example',
  'localhost.',
  'xlocalhost',
  'localhost:70:70',
  'user@localhost',
  'localhost, 127.0.0.1',
  'localhost/',
  '10.0.0.1',
  'evil.example',
];

describe('Host', () => {
  test.each(FOREIGN)('"%s" is refused, over HTTP and for a WebSocket, and counted', async (host) => {
    const server = await servers.start();
    expectRefusal(
      await ask(`${server.url}/v1/federations/default/model`, { headers: { host } }),
      'WRONG_HOST',
    );
    expectRefusal(
      await ask(`${server.url}/v1/federations/default/challenge`, { body: {}, headers: { host } }),
      'WRONG_HOST',
      'getChallenge',
    );
    const { ticket } = (await openSession(server.url, { participant: 'ada' })).json;
    const address = `${server.url.replace('http', 'ws')}/v1/federations/default/connect`;
    const socket = new WebSocket(address, ['kindred.v7', `ticket.${ticket}`], { headers: { host } });
    const error = await new Promise<Error>((resolve) => socket.on('error', resolve));
    expect(error.message).toContain('403');
    const metrics = (await ask(`${server.url}/metrics`)).text;
    expect(metrics).toContain('kindred_refusals_total{code="WRONG_HOST"} 3');
  });

  test.each([
    'localhost',
    'LOCALHOST:1',
    '127.0.0.1',
    '127.255.255.254:7070',
    '[::1]:7070',
    '[::ffff:127.0.0.1]',
  ])('"%s" is loopback', async (host) => {
    const server = await servers.start();
    expect((await ask(`${server.url}/v1/federations`, { headers: { host } })).status).toBe(200);
  });

  test('names of the operator are taken, in whatever case, and no others', async () => {
    const server = await servers.start({ hostNames: ['Kindred.example.org'], loopback: false });
    const status = async (host: string) => (await ask(`${server.url}/healthz`, { headers: { host } })).status;
    expect(await status('kindred.EXAMPLE.org:443')).toBe(200);
    expect(await status(hostname())).toBe(200);
    expect(await status('x.kindred.example.org')).toBe(403);
    expect(await status('kindred.example.org.evil.example')).toBe(403);
  });

  test('a server on all addresses is reached by each of them, and by no other address', async () => {
    const server = await servers.start({ host: '0.0.0.0' });
    const { port } = new URL(server.url);
    const all = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
    for (const { address, family } of all) {
      if (family !== 'IPv4') continue;
      expect((await ask(`http://${address}:${port}/healthz`)).status).toBe(200);
    }
    const wrong = await ask(`http://127.0.0.1:${port}/healthz`, { headers: { host: '192.0.2.7' } });
    expectRefusal(wrong, 'WRONG_HOST');
  });

  test('two of them, or none, are a bad request', async () => {
    const server = await servers.start();
    const two = 'GET /v1/federations HTTP/1.1\r\nhost: 127.0.0.1\r\nhost: evil.example\r\n\r\n';
    expect((await rawAnswer(server.url, two)).status).toBe(400);
    expect((await rawAnswer(server.url, 'GET /v1/federations HTTP/1.1\r\n\r\n')).status).toBe(400);
    expect((await rawAnswer(server.url, 'GET /v1/federations HTTP/1.0\r\n\r\n')).status).toBe(403);
    expect((await rawAnswer(server.url, 'GET /v1/federations HTTP/1.1\r\nhost:\r\n\r\n')).status).toBe(403);
  });

  test('whatever is sent as Host, a name that is ours ends exactly as one of ours', () => {
    const names = new HostNames({ names: ['kindred.example.org'], isCertified: undefined });
    const ours = /^(localhost|127\.\d+\.\d+\.\d+|\[.*\]|kindred\.example\.org)(:\d+)?$/i;
    const part = fc.constantFrom(
      '127.',
      '0.0.1',
      'localhost',
      '.',
      ':',
      '[',
      ']',
      '::1',
      'evil',
      'kindred.example.org',
      '@',
      '%',
      '7070',
      ' ',
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 6 }), (parts) => {
        const header = parts.join('');
        if (names.isOurs(header, undefined)) expect(header).toMatch(ours);
      }),
    );
  });
});

describe('addresses', () => {
  test('limits count a customer of IPv6 once', () => {
    expect(addressOwner('2001:db8:1:2:3:4:5:6')).toBe(addressOwner('2001:db8:1:2::9'));
    expect(addressOwner('2001:db8:1:3::9')).not.toBe(addressOwner('2001:db8:1:2::9'));
    expect(addressOwner('::ffff:192.0.2.1')).toBe('192.0.2.1');
    expect(addressOwner('::1')).toBe('0:0:0:0::/64');
    expect([isLoopback('::ffff:127.9.9.9'), isLoopback('127.evil.example'), isLoopback('::2')]).toEqual([
      true,
      false,
      false,
    ]);
    expect(hostIn('[::1]:7')).toBe('::1');
  });
});

describe('what a participant has dialled', () => {
  test('[ADMIT-10] a signature for the address of another server is refused: a relay gains nothing', async () => {
    const server = await servers.start();
    const relayed = async (dialled: string) =>
      openSession(server.url, { participant: 'ada', server: dialled });
    for (const dialled of [
      'https://relay.example',
      'http://127.relay.example:7070',
      'ftp://127.0.0.1',
      'http://u@127.0.0.1',
      'http://127.0.0.1/x',
      '127.0.0.1',
      '',
    ])
      expectRefusal(await relayed(dialled), 'WRONG_SERVER', 'openSession');
    expect(await server.store.enrolments('default')).toEqual([]);
    // By another port of this machine: a forwarder.
    expect((await relayed('http://localhost:9999')).status).toBe(200);
  });

  test('[ADMIT-10] [ADMIT-2] what was signed is what counts, not what is claimed afterwards', async () => {
    const server = await servers.start();
    const request = await sessionRequest(server.url, { participant: 'ada', server: 'https://relay.example' });
    const changed = { ...request, server: new URL(server.url).origin };
    expectRefusal(
      await ask(`${server.url}/v1/federations/default/session`, { body: changed }),
      'BAD_SIGNATURE',
    );
  });

  test('[ADMIT-10] behind a proxy the operator names the address', async () => {
    const server = await servers.start({ hostNames: ['kindred.example.org'] });
    const dialled = 'https://kindred.example.org';
    expect((await openSession(server.url, { participant: 'ada', server: dialled })).status).toBe(200);
  });
});
