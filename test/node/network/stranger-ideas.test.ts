/**
 * Ideas of a stranger, each tried against a real server; docs/testing.md lists them ("Attacks tried: stranger"). A stranger has a socket
 * and nothing else.
 */
import { connect, createServer } from 'node:net';
import { describe, expect, test } from 'vitest';
import { expectRefusal } from '../../helpers/answers.ts';
import { ask, post } from '../../helpers/http.ts';
import { rawAnswer, rawConnection } from '../../helpers/raw-http.ts';
import { operate, QUICK, ServerTest, until } from '../../helpers/server.ts';
import { Keys, openSession, refusalOfTicket, sessionRequest } from '../../helpers/ws-participant.ts';
import { Trainer } from '../../helpers/ws-trainer.ts';

const servers = new ServerTest();
const HOME = '/v1/federations/default';

/** Everything that comes back on one connection until it is quiet or closed. */
async function conversation(url: string, bytes: string, quietMs = 300): Promise<string> {
  const socket = await rawConnection(url);
  let heard = '';
  let lastMs = performance.now();
  let isClosed = false;
  socket.on('data', (chunk) => {
    heard += chunk.toString('latin1');
    lastMs = performance.now();
  });
  socket.on('close', () => {
    isClosed = true;
  });
  socket.on('end', () => {
    isClosed = true;
  });
  socket.write(bytes, 'latin1');
  await until(() => isClosed || performance.now() - lastMs > quietMs, 'quiet');
  socket.destroy();
  return heard;
}

const answersIn = (text: string) =>
  text.match(/HTTP\/1\.1 \d{3}/g)?.map((line) => Number(line.slice(-3))) ?? [];

describe('requests within requests', () => {
  const hidden = `GET ${HOME} HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n`;
  const head = (...lines: string[]) =>
    [`POST ${HOME}/challenge HTTP/1.1`, 'host: 127.0.0.1', 'content-type: application/json', ...lines].join(
      '\r\n',
    );

  test.each([
    [
      'length and chunks',
      `${head('content-length: 4', 'transfer-encoding: chunked')}\r\n\r\n0\r\n\r\n${hidden}`,
    ],
    [
      'two lengths',
      `${head('content-length: 2', `content-length: ${hidden.length + 2}`)}\r\n\r\n{}${hidden}`,
    ],
    ['an odd coding', `${head('transfer-encoding: xchunked', 'content-length: 2')}\r\n\r\n{}${hidden}`],
    ['chunked not last', `${head('transfer-encoding: chunked, gzip')}\r\n\r\n0\r\n\r\n${hidden}`],
    ['a length with a sign', `${head('content-length: +2')}\r\n\r\n{}${hidden}`],
    [
      'a line that goes on',
      `${head('transfer-encoding:\r\n chunked', 'content-length: 2')}\r\n\r\n{}${hidden}`,
    ],
    [
      'a space before the colon',
      `${head('transfer-encoding : chunked', 'content-length: 2')}\r\n\r\n{}${hidden}`,
    ],
    [
      'a bare line feed',
      `${head('x: y\ntransfer-encoding: chunked', 'content-length: 2')}\r\n\r\n{}${hidden}`,
    ],
    ['a chunk size with a tail', `${head('transfer-encoding: chunked')}\r\n\r\n2;\n{}\r\n0\r\n\r\n${hidden}`],
    ['zero bytes in a header', `${head('x: a\0b', 'content-length: 2')}\r\n\r\n{}${hidden}`],
  ])('%s: refused, and what follows is not answered', async (_, bytes) => {
    const server = await servers.start();
    expect(answersIn(await conversation(server.url, bytes))).toEqual([400]);
  });
});

describe('odd requests', () => {
  test.each([
    ['TRACE', 'TRACE / HTTP/1.1\r\nhost: 127.0.0.1\r\ncookie: secret=1\r\n\r\n'],
    ['CONNECT', 'CONNECT 127.0.0.1:22 HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n'],
    ['OPTIONS of everything', 'OPTIONS * HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n'],
    ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    [
      'an upgrade to HTTP/2',
      `GET ${HOME} HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: upgrade\r\nupgrade: h2c\r\n\r\n`,
    ],
    ['another server as the target', `GET http://evil.example${HOME} HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n`],
    ['HTTP/0.9', `GET ${HOME}\r\n\r\n`],
    ['headers without end', `GET ${HOME} HTTP/1.1\r\nhost: 127.0.0.1\r\n${'x: y\r\n'.repeat(5000)}\r\n`],
  ])('%s gets a refusal, or nothing', async (_, bytes) => {
    const server = await servers.start();
    const heard = await conversation(server.url, bytes);
    for (const status of answersIn(heard)) expect(status).toBeGreaterThanOrEqual(400);
    expect(heard).not.toContain('secret=1');
    expect((await ask(`${server.url}/healthz`)).status).toBe(200);
  });

  test('HTTP/1.0 with a name of ours is answered, and the connection closed', async () => {
    const server = await servers.start();
    const heard = await conversation(server.url, `GET ${HOME} HTTP/1.0\r\nhost: localhost\r\n\r\n`, 2000);
    expect(answersIn(heard)).toEqual([200]);
  });

  test('ranges and conditions change nothing: the whole answer, never to be stored', async () => {
    const server = await servers.start();
    for (const headers of [
      { range: 'bytes=0-3' },
      { 'if-none-match': '*' },
      { 'if-modified-since': new Date().toUTCString() },
      { 'if-match': '"x"' },
    ] as Record<string, string>[]) {
      const { status, headers: given } = await ask(`${server.url}${HOME}`, { headers });
      expect([status, given['cache-control'], given.etag]).toEqual([200, 'no-store', undefined]);
    }
  });

  test('headers of proxies are believed by nobody: neither host nor address nor method', async () => {
    const server = await servers.start({ loopback: false });
    const spoofed = {
      ...{ 'x-forwarded-for': '203.0.113.9', 'x-real-ip': '203.0.113.9', forwarded: 'for=203.0.113.9' },
      ...{ 'x-forwarded-host': 'localhost', 'x-http-method-override': 'GET' },
    };
    const foreign = await ask(`${server.url}${HOME}`, { headers: { ...spoofed, host: 'evil.example' } });
    expectRefusal(foreign, 'WRONG_HOST');
    await ask(`${server.url}${HOME}/pause`, {
      method: 'POST',
      token: server.operatorToken,
      headers: spoofed,
    });
    const log = (await operate(server, '/v1/audit-log')).text;
    expect(log).toContain('"from":"127.0.0.1"');
    expect(log).not.toContain('203.0.113.9');
  });

  test('a token counts only as it should be sent', async () => {
    const server = await servers.start();
    const { operatorToken: token } = server;
    for (const authorization of [
      `bearer ${token}`,
      `Bearer  ${token}`,
      `Bearer ${token}x`,
      `Basic ${token}`,
      token,
    ])
      expect(
        (await ask(`${server.url}${HOME}/pause`, { method: 'POST', headers: { authorization } })).status,
      ).toBeGreaterThan(400);
    expectRefusal(await ask(`${server.url}${HOME}?access_token=${token}`), 'BAD_REQUEST');
  });
});

describe('slowness', () => {
  test('a body that never comes to an end is cut off', async () => {
    const server = await servers.start({ limits: { strangerMs: 500 } });
    const socket = await rawConnection(server.url);
    socket.write(
      `POST ${HOME}/challenge HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\ncontent-length: 100000\r\n\r\n`,
    );
    const drip = setInterval(() => socket.write(' '), 50);
    await new Promise((resolve) => socket.on('close', resolve).on('end', resolve));
    clearInterval(drip);
    socket.destroy();
  }, 20_000);

  test('a flood of pipelined requests is answered in order, and others get in meanwhile', async () => {
    const server = await servers.start();
    const flood = conversation(
      server.url,
      `GET /healthz HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n`.repeat(5000),
      1000,
    );
    expect((await openSession(server.url, { participant: 'ada' })).status).toBe(200);
    expect(answersIn(await flood).every((status) => status === 200)).toBe(true);
  }, 20_000);
});

describe('names and bodies', () => {
  test('participants with names that mean something to JavaScript are participants like others', async () => {
    const server = await servers.start({}, { ...QUICK, minParticipants: 3 });
    const trainers = ['__proto__', 'constructor', 'toString'].map((id, i) => new Trainer(id, 5 + i));
    for (const trainer of trainers) await trainer.join(server.url);
    for (const trainer of trainers) await trainer.finished;
    const { participants } = (await operate(server, `${HOME}/participants`)).json;
    expect(participants.map(({ id }: { id: string }) => id).sort()).toEqual([
      '__proto__',
      'constructor',
      'toString',
    ]);
    expect((await operate(server, `${HOME}/model`)).status).toBe(200);
    expect(
      (await operate(server, `${HOME}/participants/__proto__/revoke`, { method: 'POST' })).json.revoked,
    ).toBe(true);
    expect({}).not.toHaveProperty('revoked');
  }, 30_000);

  test.each([
    '..',
    '../x',
    '..%2f..%2fx',
    '%2e%2e',
    '%00',
    '.git',
    'a/b',
    'a\\b',
    'CON\n',
    'é',
    'x'.repeat(101),
  ])('a federation cannot be called %j', async (name) => {
    const server = await servers.start();
    expectRefusal(
      await operate(server, '/v1/federations', { body: { name } }),
      'BAD_NAME',
      'createFederation',
    );
  });

  test.each([
    ['deep lists', '['.repeat(200_000)],
    ['deep objects', `{"a":`.repeat(100_000)],
    ['a deep value', `{"participant":${'['.repeat(100_000)}${']'.repeat(100_000)}}`],
    ['a polluting key', '{"__proto__":{"role":"admin"}}'],
    ['a polluting constructor', '{"constructor":{"prototype":{"role":"admin"}}}'],
    ['a key twice', '{"participant":"a","participant":5}'],
  ])('%s: a bad request', async (_, body) => {
    const server = await servers.start();
    expect((await ask(`${server.url}${HOME}/session`, { body })).status).toBe(400);
    expect({}).not.toHaveProperty('role');
  });
});

describe('secrets', () => {
  test('invitations and tickets that are guessed are all refused, and none is used up', async () => {
    const server = await servers.start({ enrolment: 'invitation' });
    const { token } = (await operate(server, `${HOME}/invitations`, { body: {} })).json.invitations[0];
    const near = [token.slice(0, -1), `${token}A`, token.toLowerCase(), ` ${token}`, '', 'A'.repeat(32)];
    for (const invitation of near) {
      const heard = await openSession(server.url, { participant: 'eve', invitation });
      expectRefusal(heard, 'INVITATION_INVALID');
    }
    const { ticket } = (await openSession(server.url, { participant: 'ada', invitation: token })).json;
    for (const guess of [ticket.slice(0, -1), ticket.toLowerCase(), `${ticket}A`, '__proto__', ''])
      expect(await refusalOfTicket(server.url, guess || 'x')).toContain('401');
    expect(await refusalOfTicket(server.url, ticket)).toBeUndefined();
  });

  test('a session request that was overheard is worth nothing: not again, not after a restart, not in another federation', async () => {
    const store = servers.newStore();
    let server = await servers.start({ store });
    await server.ensure('other', QUICK);
    const request = await sessionRequest(server.url, { participant: 'ada' });
    const unused = await sessionRequest(server.url, { participant: 'ben' });
    expect((await post(`${server.url}${HOME}/session`, undefined, request)).status).toBe(200);
    expectRefusal(await post(`${server.url}${HOME}/session`, undefined, request), 'CHALLENGE_EXPIRED');
    expectRefusal(
      await post(`${server.url}/v1/federations/other/session`, undefined, unused),
      'CHALLENGE_EXPIRED',
    );
    await server.close();
    server = await servers.start({ store });
    expectRefusal(await post(`${server.url}${HOME}/session`, undefined, unused), 'CHALLENGE_EXPIRED');
  });

  test('a relay between a participant and the server gets the participant’s frames at most, never its name', async () => {
    const server = await servers.start();
    // The participant dials relay.example, which is the attacker's: it passes everything on, byte by byte.
    const relay = createServer((socket) => {
      const onward = connect(Number(new URL(server.url).port), '127.0.0.1');
      socket.on('error', () => onward.destroy()).pipe(onward);
      onward.on('error', () => socket.destroy()).pipe(socket);
    });
    await new Promise<void>((resolve) => relay.listen(0, '127.0.0.1', resolve));
    try {
      const { port } = relay.address() as { port: number };
      const keys = new Keys();
      const dialled = 'http://relay.example:7070';
      const heard = await openSession(`http://127.0.0.1:${port}`, {
        participant: 'ada',
        keys,
        server: dialled,
      });
      expectRefusal(heard, 'WRONG_SERVER');
      expect(await server.store.enrolments('default')).toEqual([]);
    } finally {
      relay.close();
    }
  });

  test('a refusal does not tell whether a name is enrolled to whoever has no signature', async () => {
    const server = await servers.start({ enrolment: 'invitation' });
    await server.allow('default', 'ada', new Keys().publicKey);
    const codes = await Promise.all(
      ['ada', 'nobody'].map(async (participant) => {
        const request = await sessionRequest(server.url, { participant });
        return (
          await post(`${server.url}${HOME}/session`, undefined, { ...request, signature: 'A'.repeat(86) })
        ).json.error.code;
      }),
    );
    expect(codes).toEqual(['BAD_SIGNATURE', 'BAD_SIGNATURE']);
  });

  test('what a stranger sends reaches the log of the audit escaped', async () => {
    const server = await servers.start();
    const path = `/v1/federations/${encodeURIComponent('x\n{"seq":9}\u001b[2J')}/pause`;
    await operate(server, path, { method: 'POST' });
    const { text } = await operate(server, '/v1/audit-log');
    expect(
      text
        .split('\n')
        .slice(0, -1)
        .every((line) => JSON.parse(line).seq > 0),
    ).toBe(true);
    expect(text).not.toContain('\u001b');
  });

  test('an answer by the raw socket has the same form', async () => {
    const server = await servers.start();
    const { status, head } = await rawAnswer(server.url, 'nonsense\r\n\r\n');
    expect([status, head.toLowerCase()]).toEqual([400, expect.stringContaining('application/json')]);
  });
});
