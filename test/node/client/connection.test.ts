/** Joining and coming back: what ends a connection, what is tried again, and what is noticed. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import type { KindredError } from '../../../src/base/errors.ts';
import type { Applicant } from '../../../src/client/admission.ts';
import { Backoff, type BackoffOptions, Connection } from '../../../src/client/connection.ts';
import { parseEndpoint } from '../../../src/client/endpoint.ts';
import type { TlsOptions } from '../../../src/node/admin/post-json.ts';
import { cryptoShare } from '../../../src/node/client/join.ts';
import { DEFAULT_HEARTBEAT, type Heartbeat, webTransport } from '../../../src/node/client/web-transport.ts';
import { systemClock } from '../../../src/node/clock.ts';
import { newKeyPair, signerOf } from '../../../src/node/crypto.ts';
import { encode } from '../../../src/protocol/codec.ts';
import { CLOSE, schemaDigest } from '../../../src/protocol/joining.ts';
import { DEFAULT_LIMITS } from '../../../src/protocol/limits.ts';
import { programPath } from '../../helpers/programs.ts';
import { TestServer } from '../../helpers/test-server.ts';
import { temporaryFolder, until } from './helpers.ts';

const folder = temporaryFolder();
const open: { close(): unknown }[] = [];
afterEach(async () => {
  for (const thing of open.splice(0).reverse()) await thing.close();
});

async function serve(...[options, tls]: Parameters<typeof TestServer.start>): Promise<TestServer> {
  const server = await TestServer.start(options, tls);
  open.push(server);
  return server;
}

type News = {
  type: 'admitted' | 'connected' | 'lost' | 'ended' | 'message' | 'bad frame' | 'other version';
  server?: number;
  error?: KindredError;
  why?: string;
};

/** A connection whose news can be waited for. */
function connectTo(
  url: string,
  changes: {
    federation?: string;
    applicant?: () => Applicant;
    tls?: TlsOptions;
    heartbeat?: Heartbeat;
    upgrade?: BackoffOptions;
  } = {},
) {
  const news: News[] = [];
  let wake = () => {};
  const note = (item: News) => {
    news.push(item);
    wake();
  };
  const federation = changes.federation === undefined ? undefined : { id: changes.federation, name: 'was' };
  const applicant = {
    participant: 'ada',
    signer: signerOf(newKeyPair()),
    schema: schemaDigest(['x1', 'x2']),
    features: ['x1', 'x2'],
    invitation: 'come in',
    federation,
    place: 'state-of-ada',
  };
  const connection = new Connection(
    {
      transport: webTransport(
        parseEndpoint(url),
        { tls: changes.tls },
        changes.heartbeat ?? DEFAULT_HEARTBEAT,
      ),
      clock: systemClock,
      random: cryptoShare,
      applicant: changes.applicant ?? (() => applicant),
      limits: DEFAULT_LIMITS,
      retry: { fromMs: 5, mostMs: 20 },
      upgrade: changes.upgrade,
    },
    {
      admitted: () => note({ type: 'admitted' }),
      connected: () => note({ type: 'connected' }),
      message: () => note({ type: 'message' }),
      badFrame: () => note({ type: 'bad frame' }),
      lost: (why) => note({ type: 'lost', why }),
      otherVersion: (server) => note({ type: 'other version', server }),
      ended: (error) => note({ type: 'ended', error: error as KindredError }),
    },
  );
  open.push(connection);
  let read = 0;
  /** The next piece of news of this type. */
  const next = async (type: News['type']): Promise<News> => {
    for (;;) {
      while (read < news.length) {
        const item = news[read++];
        if (item.type === type) return item;
      }
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  };
  return { connection, news, next };
}

describe('joining', () => {
  test('proves who it is, says what it brings, and is connected', async () => {
    const server = await serve();
    const { next, connection } = connectTo(server.url);
    await next('connected');
    const [session] = server.sessions;
    expect(session).toMatchObject({
      participant: 'ada',
      features: ['x1', 'x2'],
      schema: schemaDigest(['x1', 'x2']),
      invitation: 'come in',
    });
    const frame = encode(
      {
        kind: 'join',
        id: 'ada',
        rows: 1,
        features: 2,
        benchmarkMs: 1,
        session: 1,
        base: 0,
        pending: 0,
        edition: 0,
      },
      'f64',
    );
    expect(connection.send(frame)).toBe(true);
    await next('message');
    await connection.close();
    expect(connection.send(frame)).toBe(false);
    expect(server.connected).toBe(0);
  });

  test('tells no more names than 10,000', async () => {
    const server = await serve();
    const features = Array.from({ length: 10_001 }, (_, j) => `x${j}`);
    const { next } = connectTo(server.url, {
      applicant: () => ({
        participant: 'ada',
        signer: signerOf(newKeyPair()),
        schema: schemaDigest(features),
        features,
        invitation: undefined,
        federation: undefined,
        place: '',
      }),
    });
    await next('connected');
    expect(server.sessions[0]).not.toHaveProperty('features');
    expect(server.sessions[0]).not.toHaveProperty('invitation');
  });

  test.each([
    'NO_SUCH_FEDERATION',
    'INVITATION_NEEDED',
    'INVITATION_INVALID',
    'REVOKED',
    'NAME_TAKEN',
    'WRONG_FEATURES',
    'BAD_REQUEST',
  ])('%s is the end, and a mistake of ours', async (code) => {
    const server = await serve();
    server.refusals.push({ status: 403, code });
    const { error } = await connectTo(server.url).next('ended');
    expect(error).toMatchObject({ code, kind: 'input' });
    expect(error!.message).toBe(`${server.url}: the test server says ${code}`);
    expect(server.requests).toBe(1);
  });

  test.each([
    [400, 'CHALLENGE_EXPIRED'],
    [409, 'TOO_MANY'],
    [429, 'ANYTHING'],
    [500, 'INTERNAL'],
    [503, ''],
    [401, 'BAD_SIGNATURE'],
  ])('%i %s is tried again', async (status, code) => {
    const server = await serve();
    server.refusals.push({ status, code });
    const { next, news } = connectTo(server.url);
    await next('connected');
    expect(news.filter(({ type }) => type === 'lost')).toHaveLength(1);
  });

  test('a signature that is refused twice is the end', async () => {
    const server = await serve();
    for (let i = 0; i < 5; i++) server.refusals.push({ status: 401, code: 'BAD_SIGNATURE' });
    const { error } = await connectTo(server.url).next('ended');
    expect(error).toMatchObject({ code: 'BAD_SIGNATURE' });
    expect(server.requests).toBe(2);
  });

  test('another federation under the same address is refused before anything is said to it', async () => {
    const server = await serve();
    const { error } = await connectTo(server.url, { federation: 'the-old-id' }).next('ended');
    expect(error).toMatchObject({ code: 'WRONG_FEDERATION', kind: 'input' });
    for (const word of ['the-old-id', server.federation.id, '--state', 'state-of-ada'])
      expect(error!.message).toContain(word);
    expect(server.sessions).toEqual([]);
  });

  test.each([
    ['a page', 200, '<html>'],
    ['a redirect', 301, ''],
    ['no such page', 404, 'not found'],
    ['another document', 200, '{"challenge": 5}'],
  ])('%s is not the answer of a server of ours', async (_what, status, text) => {
    const { url } = await plainServer(status, text);
    const { error } = await connectTo(url).next('ended');
    expect(error).toMatchObject({ code: 'NOT_A_SERVER', kind: 'input' });
  });

  test.each([
    [99, 'this program'],
    [2, 'the server'],
  ])(
    '[ADMIT-13] a server of protocol version %i is named as such, and ends it where it is not to wait',
    async (protocol, older) => {
      const server = await serve();
      server.protocol = protocol;
      const { error } = await connectTo(server.url).next('ended');
      expect(error).toMatchObject({ code: 'WRONG_PROTOCOL', kind: 'run' });
      expect(error!.message).toContain(`expected protocol version 7, got ${protocol}; update ${older}`);
      expect(server.sessions).toEqual([]);
    },
  );

  test('[ADMIT-13] where it is to wait it tries again, at longer intervals, until the versions fit', async () => {
    const server = await serve();
    server.protocol = 99;
    const { next, news } = connectTo(server.url, { upgrade: { fromMs: 1, mostMs: 8 } });
    for (let i = 0; i < 5; i++) expect(await next('other version')).toMatchObject({ server: 99 });
    expect(server.sessions).toEqual([]);
    server.protocol = 7;
    await next('connected');
    expect(news.some(({ type }) => type === 'lost' || type === 'ended')).toBe(false);
  });

  test('[ADMIT-13] a participant that was connected waits through an upgrade of the server', async () => {
    const server = await serve();
    const { next } = connectTo(server.url, { upgrade: { fromMs: 1, mostMs: 8 } });
    await next('connected');
    server.protocol = 8;
    server.disconnect(1001);
    await next('lost');
    await next('other version');
    server.protocol = 7;
    await next('connected');
  });

  test('[ADMIT-13] a server that knows no version in the request is asked without it', async () => {
    const server = await serve();
    server.refusals.push({ status: 400, code: 'BAD_REQUEST' });
    const { next } = connectTo(server.url);
    await next('connected');
    expect(server.requests).toBe(3);
  });

  test('nobody there is waited for', async () => {
    const { next } = connectTo('http://127.0.0.1:1');
    expect((await next('lost')).why).toMatch(/^http:\/\/127.0.0.1:1: .*ECONNREFUSED/);
    await next('lost');
  });
});

describe('an open connection', () => {
  test.each([
    [CLOSE.replaced, 'REPLACED', 'run'],
    [CLOSE.revoked, 'REVOKED', 'input'],
  ])('[ADMIT-8] closed with %i is the end', async (code, name, kind) => {
    const server = await serve();
    const { next } = connectTo(server.url);
    await next('connected');
    server.disconnect(code);
    expect((await next('ended')).error).toMatchObject({ code: name, kind });
  });

  test.each([undefined, CLOSE.rateLimited, CLOSE.tooSlow, CLOSE.badFrames, 1001, 1012])(
    '[ADMIT-9] closed with %s comes back',
    async (code) => {
      const server = await serve();
      const { next } = connectTo(server.url);
      await next('connected');
      server.disconnect(code);
      await next('lost');
      await next('connected');
    },
  );

  test('comes back even where it is refused in a way that would have been the end at first', async () => {
    const server = await serve();
    const { next } = connectTo(server.url);
    await next('connected');
    server.refusals.push({ status: 418, code: 'TEAPOT' });
    server.disconnect();
    await next('lost');
    await next('lost');
    await next('connected');
    server.refusals.push({ status: 403, code: 'REVOKED' });
    server.disconnect();
    expect((await next('ended')).error).toMatchObject({ code: 'REVOKED' });
  });

  test('notices that the server does not respond', async () => {
    const server = await serve();
    const { next } = connectTo(server.url, { heartbeat: { pingMs: 20, silenceMs: 60 } });
    await next('connected');
    server.fallSilent();
    expect((await next('lost')).why).toContain('does not respond');
    await next('connected');
  });

  test('is kept by a server that only answers pings', async () => {
    const server = await serve();
    const { next, news } = connectTo(server.url, { heartbeat: { pingMs: 10, silenceMs: 300 } });
    await next('connected');
    // Half as long again as silence is borne.
    await until(server, () => server.pings >= 45);
    expect(news.some(({ type }) => type === 'lost')).toBe(false);
  });

  test('drops what it cannot get rid of, instead of piling it up', async () => {
    const server = await serve();
    const { next, connection } = connectTo(server.url);
    await next('connected');
    server.fallSilent();
    const frame = new Uint8Array(256 * 1024);
    let sent = 0;
    while (connection.send(frame)) expect(++sent).toBeLessThan(1000);
    expect(sent).toBeGreaterThan(3);
  });
});

const openssl = programPath('openssl');

describe.runIf(openssl)('TLS', () => {
  /** An authority, and a certificate that it has signed for a server at 127.0.0.1 or a client. */
  function certificates() {
    const run = (...argv: string[]) => {
      const { status, stderr } = spawnSync(openssl!, argv, { cwd: folder, encoding: 'utf8' });
      expect(status, stderr).toBe(0);
    };
    const ec = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
    run(
      'req',
      '-x509',
      ...ec,
      '-keyout',
      'ca.key',
      '-out',
      'ca.pem',
      '-subj',
      '/CN=test authority',
      '-days',
      '2',
    );
    const names = ['-addext', 'subjectAltName=IP:127.0.0.1'];
    const by = ['-CA', 'ca.pem', '-CAkey', 'ca.key'];
    run(
      'req',
      '-x509',
      ...ec,
      '-keyout',
      'own.key',
      '-out',
      'own.pem',
      '-subj',
      '/CN=own',
      '-days',
      '2',
      ...names,
      ...by,
    );
    const read = (name: string) => readFileSync(join(folder, name), 'utf8');
    return { ca: read('ca.pem'), cert: read('own.pem'), key: read('own.key') };
  }

  test('trusts whom it is told to, shows who it is, and nothing else will do', async () => {
    const { ca, cert, key } = certificates();
    const server = await serve(undefined, { cert, key, ca, requestCert: true, rejectUnauthorized: true });
    const { error } = await connectTo(server.url).next('ended');
    expect(error).toMatchObject({ code: 'NOT_TRUSTED', kind: 'input' });
    expect(error!.message).toContain('--ca');
    await connectTo(server.url, { tls: { ca, cert, key } }).next('connected');
    expect(server.connected).toBe(1);
    // Without a certificate of its own it is turned away.
    await connectTo(server.url, { tls: { ca } }).next('ended');
    expect(server.connected).toBe(1);
  });
});

describe('addresses', () => {
  test.each([
    ['http://host:7070', 'http://host:7070/v1/federations/default/session', 'ws://host:7070'],
    ['https://host/', 'https://host/v1/federations/default/session', 'wss://host'],
    ['ws://host:1/my-federation', 'http://host:1/v1/federations/my-federation/session', 'ws://host:1'],
    ['wss://host/v1/federations/a%20b/', 'https://host/v1/federations/a%20b/session', 'wss://host'],
    ['http://h/behind/v1/federations/x', 'http://h/behind/v1/federations/x/session', 'ws://h/behind'],
    ['http://[::1]:7070/é', 'http://[::1]:7070/v1/federations/%C3%A9/session', 'ws://[::1]:7070'],
  ])('%s', (text, session, socket) => {
    const endpoint = parseEndpoint(text);
    expect(endpoint.session.href).toBe(session);
    expect(endpoint.connect.href).toBe(`${socket}/v1/federations/${session.split('/').at(-2)}/connect`);
    expect(endpoint.isSecure).toBe(session.startsWith('https'));
  });

  test.each([
    '',
    'host:7070',
    'ftp://host',
    'http://',
    'http://a:b@host',
    'http://h/?x',
    'http://h/a/b',
    'http://h/%E0%A4',
  ])('%j is refused', (text) => {
    expect(() => parseEndpoint(text)).toThrow(expect.objectContaining({ code: 'BAD_URL', kind: 'input' }));
  });
});

test('pauses grow up to a bound, and are never in step', () => {
  const backoff = new Backoff({ fromMs: 200, mostMs: 15_000 }, cryptoShare);
  const bounds = [200, 400, 800, 1600, 3200, 6400, 12_800, 15_000, 15_000];
  for (const bound of bounds) {
    const pause = backoff.next();
    expect(pause).toBeGreaterThanOrEqual(0);
    expect(pause).toBeLessThanOrEqual(bound);
  }
  for (let i = 0; i < 100; i++) expect(backoff.next()).toBeLessThanOrEqual(15_000);
  backoff.reset();
  expect(backoff.next()).toBeLessThanOrEqual(200);
});

async function plainServer(status: number, text: string): Promise<{ url: string }> {
  const server: Server = createServer((_request, response) => {
    response.writeHead(status, { location: 'http://elsewhere/' });
    response.end(text);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  open.push(server);
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}
