/** The HTTP side as such: who may ask, forms of errors, headers, methods, bodies, other origins. */
import { connect, type Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { ROUTES } from '../../../src/node/server/routes/all.ts';
import { expectRefusal } from '../../helpers/answers.ts';
import { ask } from '../../helpers/http.ts';
import { operate, ServerTest, until } from '../../helpers/server.ts';
import { connected } from '../../helpers/ws-participant.ts';

const servers = new ServerTest();

/** A path of a route with something in the place of its parameters. */
function pathOf(path: string): string {
  return path
    .replace(':name', 'default')
    .replace(':id', 'ada')
    .replace(':round', '1')
    .replace(':token', 'bob');
}

describe('who may ask', () => {
  test('outside loopback everything but health and admission takes the token of the operator', async () => {
    const server = await servers.start({ loopback: false });
    for (const { method, path, access, id } of ROUTES) {
      const url = `${server.url}${pathOf(path)}`;
      const bare = await ask(url, { method });
      const wrong = await ask(url, { method, token: `${server.operatorToken}x` });
      if (access === 'anybody') {
        expect([401, 403]).not.toContain(bare.status);
      } else {
        expectRefusal(bare, 'TOKEN_NEEDED', id);
        expectRefusal(wrong, 'WRONG_TOKEN', id);
        expect((await ask(url, { method, token: server.operatorToken })).status).not.toBe(401);
      }
    }
  });

  test('on loopback anybody may read, and only the operator may change anything', async () => {
    const server = await servers.start();
    for (const { method, path, access, id } of ROUTES) {
      const heard = await ask(`${server.url}${pathOf(path)}`, { method });
      if (access === 'operate' || access === 'admin') expectRefusal(heard, 'TOKEN_NEEDED', id);
      else expect([401, 403]).not.toContain(heard.status);
    }
    expect((await operate(server, '/v1/federations/default')).json.phase).toBe('gathering');
  });

  test('on loopback a page that has its own name point here is refused by the name it asks for', async () => {
    const server = await servers.start();
    const heard = await ask(`${server.url}/v1/federations`, { headers: { host: 'evil.example' } });
    expectRefusal(heard, 'WRONG_HOST');
    for (const host of ['localhost:7070', '127.0.0.1', '[::1]:7070'])
      expect((await ask(`${server.url}/healthz`, { headers: { host } })).status).toBe(200);
  });

  test('a body is not even read of whoever has no token', async () => {
    const server = await servers.start({ limits: { maxBodyBytes: 100 } });
    const body = JSON.stringify({ name: 'a'.repeat(1000) });
    expectRefusal(await ask(`${server.url}/v1/federations`, { body }), 'TOKEN_NEEDED');
    expectRefusal(await operate(server, '/v1/federations', { body }), 'TOO_LARGE', 'createFederation');
  });
});

describe('forms', () => {
  test('every answer has the security headers, also one that refuses', async () => {
    const server = await servers.start();
    for (const path of ['/healthz', '/v1/federations', '/nothing', '/v1/federations/none', '/%zz']) {
      const { headers } = await ask(`${server.url}${path}`);
      expect(headers).toMatchObject({
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
        'referrer-policy': 'no-referrer',
        'cache-control': 'no-store',
        'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      });
      expect(headers).not.toHaveProperty('x-powered-by');
    }
  });

  test('an unknown path, a bad one, and an unknown method on a known one', async () => {
    const server = await servers.start();
    expectRefusal(await ask(`${server.url}/nothing`), 'NOT_FOUND');
    expectRefusal(await ask(`${server.url}/%zz`), 'BAD_REQUEST');
    expectRefusal(await ask(`${server.url}/v1/federations/${'a'.repeat(1000)}`), 'BAD_REQUEST');
    for (const method of ['PUT', 'PATCH', 'POST']) {
      const heard = await ask(`${server.url}/v1/federations/default`, { method });
      expectRefusal(heard, 'WRONG_METHOD');
      expect(heard.headers.allow).toBe('GET, DELETE, HEAD, OPTIONS');
    }
    expect((await ask(`${server.url}/v1/federations/default/finish`)).headers.allow).toBe('POST, OPTIONS');
  });

  test('the address of the WebSocket says what it is', async () => {
    const server = await servers.start();
    const heard = await ask(`${server.url}/v1/federations/default/connect`);
    expectRefusal(heard, 'UPGRADE_NEEDED', 'connect');
    expect(heard.headers.upgrade).toBe('websocket');
  });

  test('HEAD is GET without a body', async () => {
    const server = await servers.start();
    const get = await ask(`${server.url}/v1/federations`);
    const head = await ask(`${server.url}/v1/federations`, { method: 'HEAD' });
    expect([head.status, head.text]).toEqual([200, '']);
    expect(head.headers['content-length']).toBe(get.headers['content-length']);
  });

  test('bodies are JSON, or nothing at all', async () => {
    const server = await servers.start();
    const path = '/v1/federations/default/invitations';
    const type = (value: string) => ({ headers: { 'content-type': value } });
    expectRefusal(
      await operate(server, path, { body: 'count=1', ...type('text/plain') }),
      'WRONG_CONTENT_TYPE',
    );
    expectRefusal(
      await operate(server, path, { body: 'count=1', ...type('application/x-www-form-urlencoded') }),
      'WRONG_CONTENT_TYPE',
    );
    expectRefusal(await operate(server, path, { body: '{"count":' }), 'BAD_REQUEST');
    expectRefusal(await operate(server, path, { body: '{"__proto__": {"count": 3}}' }), 'BAD_REQUEST');
    expect((await operate(server, path, { method: 'POST' })).status).toBe(201);
    expect((await operate(server, path, { method: 'POST', ...type('application/json') })).status).toBe(201);
    expect(
      (await operate(server, path, { body: '{}', ...type('application/json; charset=utf-8') })).status,
    ).toBe(201);
  });

  test('what is not HTTP is answered in our form, too', async () => {
    const server = await servers.start();
    const { hostname, port } = new URL(server.url);
    const text = await new Promise<string>((resolve) => {
      let heard = '';
      const socket = connect(Number(port), hostname, () => socket.write('hello\r\n\r\n'));
      socket.on('data', (chunk) => {
        heard += chunk;
      });
      socket.on('close', () => resolve(heard));
    });
    expect(text).toMatch(/^HTTP\/1\.1 400 .*"code":"BAD_REQUEST"/s);
  });
});

describe('strangers', () => {
  /** A connection that says nothing; resolves when it is open. */
  function silent(url: string): Promise<Socket> {
    const { hostname, port } = new URL(url);
    return new Promise((resolve) => {
      const socket = connect(Number(port), hostname, () => resolve(socket));
      socket.on('error', () => {});
      socket.resume();
    });
  }

  test('too many of them: the oldest has to go, participants stay, and newcomers get in', async () => {
    const server = await servers.start({ limits: { strangers: 3 } });
    const link = await connected(server.url, { participant: 'ada' });
    const sockets: Socket[] = [];
    for (let i = 0; i < 6; i++) sockets.push(await silent(server.url));
    await until(() => sockets.filter(({ closed }) => closed).length >= 3, 'the oldest have gone');
    expect(sockets.map(({ closed }) => closed)).toEqual([true, true, true, false, false, false]);
    const metrics = await operate(server, '/metrics');
    expect(metrics.text).toMatch(/kindred_turned_away_total\{reason="STRANGERS"\} [34]/);
    expect(server.federation('default').connections.size).toBe(1);
    link.close();
    for (const socket of sockets) socket.destroy();
  });

  test('one that says nothing, or no end of a request, does not stay', async () => {
    const server = await servers.start({ limits: { strangerMs: 200 } });
    const link = await connected(server.url, { participant: 'ada' });
    const quiet = await silent(server.url);
    const slow = await silent(server.url);
    slow.write('GET /healthz HTTP/1.1\r\nhost: 127.0.0.1\r\nx-a: ');
    await until(() => quiet.closed && slow.closed, 'both have gone');
    expect(server.federation('default').connections.size).toBe(1);
    link.close();
  });

  test('no more connections than are allowed', async () => {
    const server = await servers.start({ limits: { connections: 2 } });
    const sockets = [await silent(server.url), await silent(server.url), await silent(server.url)];
    await until(() => sockets[2].closed, 'the third has gone');
    expect(sockets.map(({ closed }) => closed)).toEqual([false, false, true]);
    for (const socket of sockets) socket.destroy();
    await until(
      async () => (await ask(`${server.url}/healthz`).catch(() => undefined))?.status === 200,
      'room again',
    );
  });
});

describe('other origins', () => {
  const origin = 'https://dashboard.example';

  test('one that is allowed may ask beforehand and learns the answer, admission included', async () => {
    const server = await servers.start({ origins: [origin] });
    for (const path of ['/v1/federations', '/v1/federations/default/challenge']) {
      const preflight = await ask(`${server.url}${path}`, {
        method: 'OPTIONS',
        headers: { origin, 'access-control-request-method': 'POST' },
      });
      expect(preflight.status).toBe(204);
      expect(preflight.headers).toMatchObject({
        'access-control-allow-origin': origin,
        'access-control-allow-headers': 'authorization, content-type',
        vary: 'Origin',
      });
      expect(preflight.headers['access-control-allow-methods']).toContain('POST');
    }
    const heard = await ask(`${server.url}/v1/federations`, { headers: { origin } });
    expect([heard.status, heard.headers['access-control-allow-origin']]).toEqual([200, origin]);
    // Also what is refused can be read by the page that asked.
    const refused = await ask(`${server.url}/v1/federations/none`, { headers: { origin } });
    expect(refused.headers['access-control-allow-origin']).toBe(origin);
  });

  test('others are refused, and nobody gets a wildcard', async () => {
    const server = await servers.start({ origins: [origin] });
    for (const other of [
      'https://evil.example',
      'null',
      `${origin}.evil.example`,
      'http://dashboard.example',
    ]) {
      for (const method of ['GET', 'OPTIONS', 'POST']) {
        const heard = await ask(`${server.url}/v1/federations`, { method, headers: { origin: other } });
        expectRefusal(heard, 'WRONG_ORIGIN');
        expect(heard.headers).not.toHaveProperty('access-control-allow-origin');
      }
    }
    const plain = await ask(`${server.url}/v1/federations`);
    expect(plain.headers).not.toHaveProperty('access-control-allow-origin');
    expect(plain.headers.vary).toBe('Origin');
  });

  test('OPTIONS without an origin says what is allowed', async () => {
    const server = await servers.start();
    const { status, headers } = await ask(`${server.url}/v1/federations`, { method: 'OPTIONS' });
    expect([status, headers.allow]).toEqual([204, 'GET, POST, HEAD, OPTIONS']);
    expectRefusal(await ask(`${server.url}/nothing`, { method: 'OPTIONS' }), 'NOT_FOUND');
  });
});
