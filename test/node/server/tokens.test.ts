/** Tokens with roles: who may do what, for how long, and that only digests of them are kept. */
import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { Role } from '../../../src/host/ports.ts';
import { ROUTES } from '../../../src/node/server/routes/all.ts';
import type { CoordinatorServer } from '../../../src/node/server/server.ts';
import { expectRefusal, goodAnswer } from '../../helpers/answers.ts';
import { ask } from '../../helpers/http.ts';
import { operate, ServerTest } from '../../helpers/server.ts';

const servers = new ServerTest();
afterEach(() => vi.restoreAllMocks());

async function added(
  server: CoordinatorServer,
  name: string,
  role: Role,
  more: object = {},
): Promise<string> {
  return goodAnswer('addToken', await operate(server, '/v1/tokens', { body: { name, role, ...more } })).token;
}

function later(ms: number): void {
  const real = Date.now.bind(Date);
  vi.spyOn(Date, 'now').mockImplementation(() => real() + ms);
}

const statusOf = async (server: CoordinatorServer, token: string) =>
  (await ask(`${server.url}/v1/federations`, { token })).status;

describe('roles', () => {
  test('each role may do what the ones before it may, on every route', async () => {
    const server = await servers.start({ loopback: false });
    const roles = ['read', 'operate', 'admin'] as const;
    const tokens: string[] = [];
    for (const role of roles) tokens.push(await added(server, `its-${role}`, role));
    for (const { method, path, access, id } of ROUTES) {
      if (access === 'anybody') continue;
      // A federation and a token that are not there: nothing is changed.
      const url = `${server.url}${path.replace(':name', 'none').replace(':token', 'none').replace(/:\w+/, '1')}`;
      for (const [i, token] of tokens.entries()) {
        const heard = await ask(url, { method, token });
        if (i < roles.indexOf(access)) expectRefusal(heard, 'ROLE_NEEDED', id);
        else expect([401, 403], `${id} ${heard.text}`).not.toContain(heard.status);
      }
    }
  });

  test('the description names the role of every operation', async () => {
    const server = await servers.start();
    const { paths } = (await operate(server, '/v1/openapi.json')).json;
    expect(paths['/v1/tokens'].get.security).toEqual([{ operator: ['admin'] }]);
    expect(paths['/v1/federations'].post.security).toEqual([{ operator: ['operate'] }]);
    expect(paths['/v1/federations'].get.security).toEqual([{ operator: ['read'] }, {}]);
  });

  test('the token of the file is an admin that no request can replace or remove', async () => {
    const server = await servers.start();
    for (const what of ['rotate', 'remove'])
      expectRefusal(await operate(server, `/v1/tokens/operator/${what}`, { method: 'POST' }), 'REFUSED');
    const body = { name: 'operator', role: 'read' };
    expectRefusal(await operate(server, '/v1/tokens', { body }), 'NAME_TAKEN', 'addToken');
    expect((await operate(server, '/v1/tokens')).status).toBe(200);
  });
});

describe('validity', () => {
  test('a token ends when it expires, when it is removed, and lasts over a restart until then', async () => {
    const store = servers.newStore();
    let server = await servers.start({ store, loopback: false });
    const short = await added(server, 'short', 'read', { lifetimeMs: 60_000 });
    const long = await added(server, 'long', 'read');
    await server.close();
    server = await servers.start({ store, loopback: false });
    expect([await statusOf(server, short), await statusOf(server, long)]).toEqual([200, 200]);
    later(60_000);
    expect([await statusOf(server, short), await statusOf(server, long)]).toEqual([403, 200]);
    goodAnswer('removeToken', await operate(server, '/v1/tokens/long/remove', { method: 'POST' }));
    expect(await statusOf(server, long)).toBe(403);
    expectRefusal(
      await operate(server, '/v1/tokens/long/remove', { method: 'POST' }),
      'NO_SUCH_TOKEN',
      'removeToken',
    );
  });

  test('after a rotation the old one is valid for the overlap, and the new one at once', async () => {
    const server = await servers.start({ loopback: false });
    const old = await added(server, 'dash', 'read');
    const body = { overlapMs: 60_000 };
    const { token, role } = goodAnswer(
      'rotateToken',
      await operate(server, '/v1/tokens/dash/rotate', { body }),
    );
    expect(role).toBe('read');
    expect([await statusOf(server, old), await statusOf(server, token)]).toEqual([200, 200]);
    later(60_000);
    expect([await statusOf(server, old), await statusOf(server, token)]).toEqual([403, 200]);
    await operate(server, '/v1/tokens/dash/rotate', { method: 'POST' });
    expect(await statusOf(server, token)).toBe(403);
  });

  test('there are at most a hundred', async () => {
    const server = await servers.start();
    for (let n = 0; n < 100; n++) await added(server, `t${n}`, 'read');
    expectRefusal(
      await operate(server, '/v1/tokens', { body: { name: 'more', role: 'read' } }),
      'FULL',
      'addToken',
    );
  });
});

test('no token is in the store, in a list, or in the audit log', async () => {
  const store = servers.newStore();
  const server = await servers.start({ store });
  const token = await added(server, 'dash', 'read');
  const listed = goodAnswer('listTokens', await operate(server, '/v1/tokens'));
  expect(listed.tokens).toMatchObject([{ name: 'dash', role: 'read', expiresMs: null }]);
  const log = (await operate(server, '/v1/audit-log')).text;
  await server.close();
  for (const text of [JSON.stringify(listed), log, readFileSync(store, 'latin1')]) {
    expect(text).not.toContain(token);
    expect(text).not.toContain(server.operatorToken);
  }
});
