/** Against a real nats-server: what goes wrong at the start is one sentence, and a connection that is lost comes back. */
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { connectNats, labelOf, type NatsOptions } from '../../src/nats/connection.ts';
import { Authority, hasOpenssl } from '../helpers/certificates.ts';
import { freePort, natsForTest, natsProgram } from '../helpers/nats.ts';

async function connected(options: Partial<NatsOptions> & Pick<NatsOptions, 'servers'>) {
  const connection = await connectNats({ name: 'test', ...options });
  onTestFinished(() => connection.close());
  return connection;
}

async function refusal(options: Partial<NatsOptions> & Pick<NatsOptions, 'servers'>) {
  return await connectNats({ name: 'test', ...options }).then(
    () => expect.fail('expected a refusal'),
    ({ code, kind, message }) => ({ code, kind, message }),
  );
}

describe('what goes wrong before the first connection', () => {
  test('nobody listens', async () => {
    const port = await freePort();
    expect(await refusal({ servers: [`127.0.0.1:${port}`, `nats://127.0.0.1:${port}`] })).toEqual({
      code: 'NATS_UNREACHABLE',
      kind: 'input',
      message: `nats://127.0.0.1:${port},nats://127.0.0.1:${port}: could not be reached (connect ECONNREFUSED 127.0.0.1:${port})`,
    });
  });

  test('something else listens', async () => {
    const server = createServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as { port: number };
    const { code, message } = await refusal({ servers: [`127.0.0.1:${port}`] });
    expect(code).toBe('NATS_UNREACHABLE');
    expect(message).toMatch(/unexpected response from server/);
  });

  test.each([
    'http://host:4222',
    'nats://',
    'nats://user:secret@host:4222/path',
    'nats://user:secret@host:port',
  ])('no address of NATS: %s', async (text) => {
    const { code, message } = await refusal({ servers: [text] });
    expect(code).toBe('BAD_URL');
    expect(message).not.toContain('secret');
  });

  test('passwords are not in what people read', () => {
    expect(labelOf(['nats://user:secret@a:1', 'b', 'tls://c:3'])).toBe('nats://a:1,nats://b:4222,nats://c:3');
  });
});

describe.skipIf(!natsProgram)('nats-server', () => {
  test('a user and a password, from options or in the address', async () => {
    const server = await natsForTest('authorization { user: kindred, password: "sec ret" }');
    const { host } = new URL(server.url);
    for (const wrong of [server.url, `nats://kindred:wrong@${host}`]) {
      const { code, message } = await refusal({ servers: [wrong] });
      expect(code).toBe('NATS_REFUSED');
      expect(message).not.toContain('wrong');
    }
    await connected({ servers: [server.url], user: 'kindred', password: 'sec ret' });
    await connected({ servers: [`nats://kindred:sec%20ret@${host}`] });
    // What is in the environment comes before what is in the address.
    await connected({ servers: [`nats://other:x@${host}`], user: 'kindred', password: 'sec ret' });
  });

  test('a token', async () => {
    const server = await natsForTest('authorization { token: "t0ken" }');
    expect(await refusal({ servers: [server.url], token: 'other' })).toMatchObject({ code: 'NATS_REFUSED' });
    await connected({ servers: [server.url], token: 't0ken' });
    await connected({ servers: [`nats://t0ken@${new URL(server.url).host}`] });
  });

  test('TLS is not left out where it is asked for', async () => {
    const server = await natsForTest();
    expect(await refusal({ servers: [server.url.replace('nats:', 'tls:')] })).toMatchObject({
      code: 'NATS_NOT_TRUSTED',
    });
  });

  test.skipIf(!hasOpenssl)('a certificate of an authority that is given, and of no other', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'kindred-ca-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const authority = new Authority(folder, 'authority');
    const { cert, key } = authority.issue('server');
    const server = await natsForTest(`tls { cert_file: "${cert}", key_file: "${key}" }`);
    expect(await refusal({ servers: [server.url] })).toMatchObject({ code: 'NATS_NOT_TRUSTED' });
    const other = new Authority(folder, 'other').pem.toString();
    expect(await refusal({ servers: [server.url], ca: other })).toMatchObject({ code: 'NATS_NOT_TRUSTED' });
    await connected({ servers: [server.url], ca: authority.pem.toString() });
  });

  test('a connection that is lost comes back', async () => {
    const server = await natsForTest();
    const changes: string[] = [];
    let changed = () => {};
    const connection = await connected({
      servers: [server.url],
      onChange: (state) => {
        changes.push(state);
        changed();
      },
    });
    const next = () => new Promise<void>((resolve) => void (changed = resolve));
    const lost = next();
    await server.kill();
    await lost;
    const back = next();
    await server.run();
    await back;
    expect(changes).toEqual(['lost', 'back']);
    expect(await connection.rtt()).toBeGreaterThanOrEqual(0);
  });
});
