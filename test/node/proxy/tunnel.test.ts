/** Taking part through a proxy: tunnels for ws and wss, what proxies refuse, and proxies that die in the middle. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { createServer, type Socket } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { KindredError } from '../../../src/base/errors.ts';
import { TryAgain } from '../../../src/client/admission.ts';
import { writeCsv } from '../../../src/data/write-csv.ts';
import { joinFederation, transportTo } from '../../../src/node/client/join.ts';
import { proxyFor } from '../../../src/node/proxy/proxy-choice.ts';
import { createConnectionThrough } from '../../../src/node/proxy/tunnel.ts';
import { run } from '../../cli/helpers.ts';
import { Authority, hasOpenssl } from '../../helpers/certificates.ts';
import { ConnectProxy } from '../../helpers/connect-proxy.ts';
import { ServerTest, until } from '../../helpers/server.ts';
import { smallHar } from '../../helpers/tables.ts';
import { optionsLike, TestServer } from '../../helpers/test-server.ts';
import { joinAs, launcher, temporaryFolder, useBuilt } from '../client/helpers.ts';

useBuilt();
const root = temporaryFolder();
const table = smallHar(2, 3, 30);
const servers = new ServerTest();
const open: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

async function start(...[rules]: Parameters<typeof ConnectProxy.start>): Promise<ConnectProxy> {
  const proxy = await ConnectProxy.start(rules);
  open.push(() => proxy.stop());
  return proxy;
}

async function serve(...[options, tls]: Parameters<typeof TestServer.start>): Promise<TestServer> {
  const server = await TestServer.start(options, tls);
  open.push(() => server.close());
  return server;
}

/** A server of something else; gives its port. */
async function listen(onSocket: (socket: Socket) => void): Promise<number> {
  const server = createServer((socket) => {
    open.push(async () => socket.destroy());
    onSocket(socket.on('error', () => {}));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  open.push(async () => server.close());
  return (server.address() as { port: number }).port;
}

let folders = 0;
const newFolder = () => `${root}/state-${folders++}`;

/** Everybody, all the way to the end of training. */
async function train(url: string, more: object): Promise<string[]> {
  const joined = table.participants.map((id) =>
    joinAs({ url }, table, id, { stateFolder: newFolder(), ...more }),
  );
  open.push(() => Promise.all(joined.map((one) => one.close())));
  const results = await Promise.all(joined.map((one) => one.done));
  return results.map(({ reason }) => reason);
}

describe('training through a proxy', () => {
  const options = () => optionsLike({ gap: 1e-3 }, { minParticipants: 3 });

  test('takes a tunnel for each of its requests and for the WebSocket, with a password if there is one', async () => {
    const [server, proxy] = [await serve(options()), await start({ password: 's@fe pass' })];
    const url = proxy.named(server.url);
    expect(await train(url, { env: { HTTP_PROXY: proxy.urlFor('ada lovelace') } })).toEqual([
      'gap',
      'gap',
      'gap',
    ]);
    const target = new URL(url).host;
    expect(proxy.tunnels).toEqual(Array(9).fill(target));
    // Plain http goes through a tunnel, too: nothing is asked of the proxy itself.
    expect(proxy.others).toBe(0);
  });

  test.runIf(hasOpenssl)(
    'is TLS from end to end, with an authority of its own and both certificates',
    async () => {
      const authority = new Authority(root, 'authority');
      const files = authority.issue('server', 'DNS:kindred.test');
      const [cert, key, ca] = [files.cert, files.key, authority.certificate].map((file) =>
        readFileSync(file, 'utf8'),
      );
      const server = await serve(options(), { cert, key, ca, requestCert: true, rejectUnauthorized: true });
      const proxy = await start();
      const url = proxy.named(server.url);
      const env = { HTTPS_PROXY: proxy.url };
      expect(await train(url, { env, tls: { ca, cert, key } })).toEqual(['gap', 'gap', 'gap']);
      expect(proxy.tunnels).toHaveLength(9);
      const stranger = joinAs({ url }, table, table.participants[0], { stateFolder: newFolder(), env });
      await expect(stranger.done).rejects.toMatchObject({ code: 'NOT_TRUSTED' });
      // The name is checked: this certificate is not for 127.0.0.1.
      const other = transportTo({
        url: server.url,
        tls: { ca, cert, key },
        env: { KINDRED_PROXY: proxy.url },
      });
      await expect(other.request('challenge', {}, new AbortController().signal)).rejects.toMatchObject({
        code: 'NOT_TRUSTED',
      });
    },
  );

  test('goes on after the tunnels are cut, and after the proxy was away', async () => {
    const [server, proxy] = [await serve(options()), await start()];
    const url = proxy.named(server.url);
    let [lost, cuts] = [0, 0];
    server.onStep = () => {
      // In the middle of a round, twice: connections are cut, then the proxy is gone for a while.
      if (server.state.round <= 2 * cuts + 1 || cuts === 2) return;
      cuts++;
      if (cuts === 1) proxy.cut();
      else void proxy.stop().then(() => proxy.listen());
    };
    const onEvent = ({ type }: { type: string }) => {
      if (type === 'lost') lost++;
    };
    expect(await train(url, { env: { ALL_PROXY: proxy.url }, onEvent })).toEqual(['gap', 'gap', 'gap']);
    expect(cuts).toBe(2);
    expect(lost).toBeGreaterThanOrEqual(6);
    expect(proxy.tunnels.length).toBeGreaterThanOrEqual(27);
  });
});

describe('a proxy that does not', () => {
  const attempt = async (proxy: { url: string }, address = 'http://kindred.test:7070') => {
    const env = { HTTP_PROXY: proxy.url };
    const transport = transportTo({ url: address, env });
    return await transport.request('challenge', {}, new AbortController().signal).then(
      () => undefined,
      (error: unknown) => error as KindredError | TryAgain,
    );
  };

  test('know the user ends a join at once, and names no password', async () => {
    const [server, proxy] = [await serve(), await start({ password: 'right' })];
    const url = proxy.named(server.url);
    const wrong = { HTTP_PROXY: proxy.urlFor('ada', 'wrong-secret') };
    const joined = joinAs({ url }, table, table.participants[0], { stateFolder: newFolder(), env: wrong });
    const error = await joined.done.catch((thrown: KindredError) => thrown);
    expect(error).toMatchObject({
      code: 'PROXY_AUTHENTICATION',
      kind: 'input',
      message: `proxy ${proxy.url}: refused the user and the password of HTTP_PROXY (status 407)`,
    });
    expect(await attempt(proxy, url)).toMatchObject({
      code: 'PROXY_AUTHENTICATION',
      message: `proxy ${proxy.url}: expected a user and a password (status 407), HTTP_PROXY has none`,
    });
    expect(proxy.tunnels).toEqual([]);
    expect(server.requests).toBe(0);
  });

  test.each([
    [403, KindredError],
    [405, KindredError],
    [502, TryAgain],
    [429, TryAgain],
  ])('allow it (status %i) is waited for only where that may help', async (status, Kind) => {
    const proxy = await start();
    proxy.refusals.push(status);
    const error = await attempt(proxy);
    expect(error).toBeInstanceOf(Kind);
    expect(error!.code).toBe('PROXY_REFUSED');
    expect(error!.message).toContain(
      `proxy ${proxy.url}: expected a tunnel to kindred.test:7070, got status ${status}`,
    );
  });

  test('run is waited for', async () => {
    const proxy = await start();
    await proxy.stop();
    const error = await attempt(proxy);
    expect(error).toBeInstanceOf(TryAgain);
    expect(error!.code).toBe('PROXY_UNREACHABLE');
    expect(error!.message).toMatch(
      `proxy ${proxy.url} (HTTP_PROXY): could not be reached (connect ECONNREFUSED`,
    );
  });

  test('speak HTTP is named as the one', async () => {
    const port = await listen((socket) => socket.end('220 mail server\r\n'));
    const error = await attempt({ url: `http://127.0.0.1:${port}` });
    expect(error).toMatchObject({ code: 'PROXY_UNREACHABLE' });
  });

  test('answer does not keep a participant that wants to stop', async () => {
    const proxy = await start();
    proxy.refusals.push(0);
    const abort = new AbortController();
    const transport = transportTo({ url: 'http://kindred.test', env: { HTTP_PROXY: proxy.url } });
    const asked = transport.request('challenge', {}, abort.signal);
    await until(() => proxy.refusals.length === 0, 'the proxy has been asked');
    abort.abort();
    await expect(asked).rejects.toThrow();
  });

  test('bring an answer from the server is noticed by the time-out of the request', async () => {
    const proxy = await start();
    const url = new URL(`http://kindred.test:${await listen(() => {})}`);
    const through = proxyFor(url, { HTTP_PROXY: proxy.url })!;
    const createConnection = createConnectionThrough({ url, proxy: through });
    const asked = request(url, { createConnection, timeout: 50 });
    asked.on('error', () => {});
    asked.end();
    await new Promise((resolve) => asked.on('timeout', resolve));
    asked.destroy();
    expect(proxy.tunnels).toHaveLength(1);
  });
});

describe('the commands', () => {
  test('join and join --leave take it', async () => {
    const server = await serve(optionsLike({ gap: 1e-3 }, { minParticipants: 1 }));
    const proxy = await start();
    const [url, state] = [proxy.named(server.url), newFolder()];
    const env = { HTTP_PROXY: proxy.url };
    const data = `${root}/rows.csv`;
    writeFileSync(data, [...writeCsv(table)].join(''));
    const joined = await run(['join', url, '--data', data, '--task', '1', '--state', state], { env });
    expect([joined.code, joined.stderr]).toEqual([0, '']);
    expect(proxy.tunnels).toHaveLength(3);
    const left = await run(['join', url, '--leave', '--state', state], { env });
    expect([left.code, left.stdout]).toEqual([0, '1 has left federation default\n']);
    expect(proxy.tunnels).toHaveLength(6);
  });

  test.runIf(hasOpenssl)('a proxy may be https itself, and is trusted as Node trusts', async () => {
    const authority = new Authority(root, 'authority-of-proxy');
    const files = authority.issue('proxy');
    const tls = { cert: readFileSync(files.cert), key: readFileSync(files.key) };
    const [server, proxy] = [await servers.start({ hostNames: ['kindred.test'] }), await start({ tls })];
    const ask = async (more: object) => {
      const child = spawn(process.execPath, [launcher, 'token', 'list', proxy.named(server.url)], {
        env: { HTTP_PROXY: proxy.url, KINDRED_OPERATOR_TOKEN: server.operatorToken, ...more },
      });
      const chunks: Buffer[] = [];
      for (const stream of [child.stdout, child.stderr])
        stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      await once(child, 'close');
      return Buffer.concat(chunks).toString();
    };
    expect(await ask({})).toMatch(/^kindred: proxy https:.*certificate.*\[PROXY_NOT_TRUSTED\]\n$/);
    expect(await ask({ NODE_EXTRA_CA_CERTS: authority.certificate })).toContain('operator, role admin');
    expect(proxy.tunnels).toHaveLength(1);
  });

  test.runIf(hasOpenssl)('invite, revoke and token take it, with --ca', async () => {
    const authority = new Authority(root, 'authority-of-commands');
    const files = authority.issue('commands', 'DNS:kindred.test');
    const tls = { certFile: files.cert, keyFile: files.key };
    const server = await servers.start({ tls, enrolment: 'invitation' });
    const proxy = await start({ password: 'let me in' });
    const url = proxy.named(server.url);
    const env = {
      https_proxy: proxy.urlFor('ada'),
      KINDRED_OPERATOR_TOKEN: server.operatorToken,
    };
    const command = (...argv: string[]) => run([...argv, '--ca', authority.certificate], { env });
    const invited = await command('invite', url, '--name', 'ada');
    expect([invited.code, invited.stderr]).toEqual([0, expect.any(String)]);
    expect(proxy.tunnels).toHaveLength(1);
    const tokens = await command('token', 'list', url);
    expect(tokens.stdout).toContain('operator, role admin');
    const refused = await run(['token', 'list', url], { env: { ...env, https_proxy: proxy.url } });
    expect(refused.stderr).toBe(
      `kindred: proxy ${proxy.url}: expected a user and a password (status 407), https_proxy has none [PROXY_AUTHENTICATION]\n`,
    );
    expect(refused.code).toBe(2);
    await proxy.stop();
    const away = await command('revoke', url, 'ada');
    expect([away.code, away.stderr]).toEqual([1, expect.stringMatching(/\[PROXY_UNREACHABLE\]\n$/)]);
    expect(away.stderr).not.toContain('let');
  });
});

test('a join without a proxy in its environment goes straight', async () => {
  const server = await serve(optionsLike({ gap: 1e-3 }, { minParticipants: 1 }));
  const [id] = table.participants;
  const joined = joinFederation({
    url: server.url,
    data: { table },
    participant: id,
    stateFolder: newFolder(),
    env: { HTTP_PROXY: 'http://127.0.0.1:1' },
  });
  expect((await joined.done).reason).toBe('gap');
});
