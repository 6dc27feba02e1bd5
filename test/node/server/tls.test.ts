/** TLS and mutual TLS with certificates of our own, and certificates that are exchanged while the server runs. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { describe, expect, test } from 'vitest';
import { expectRefusal } from '../../helpers/answers.ts';
import { Authority, hasOpenssl, type KeyFiles, replace } from '../../helpers/certificates.ts';
import { ask, type Tls } from '../../helpers/http.ts';
import { ServerTest, until } from '../../helpers/server.ts';
import { connected, openSession } from '../../helpers/ws-participant.ts';

const servers = new ServerTest();

/** The name in the certificate that a server shows. */
function nameShownBy(url: string, ca: Buffer): Promise<string> {
  const { port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port: Number(port), ca }, () => {
      resolve(String(socket.getPeerCertificate().subject.CN));
      socket.destroy();
    });
    socket.on('error', reject);
  });
}

function clientFiles({ cert, key }: KeyFiles) {
  return { cert: readFileSync(cert), key: readFileSync(key) };
}

describe.skipIf(!hasOpenssl)('TLS (needs openssl)', () => {
  const authority = new Authority(servers.folder, 'authority');
  const ca = authority.pem;

  test('HTTP and WebSocket go through it, and only for those who trust the certificate', async () => {
    const { cert, key } = authority.issue('plain-tls');
    const server = await servers.start({ tls: { certFile: cert, keyFile: key } });
    expect(server.url).toMatch(/^https:/);
    expect((await ask(`${server.url}/healthz`, { tls: { ca } })).status).toBe(200);
    await expect(ask(`${server.url}/healthz`)).rejects.toThrow(/certificate/);
    const link = await connected(server.url, { participant: 'ada', tls: { ca } });
    link.close();
    await expect(ask(`${server.url.replace('https', 'http')}/healthz`)).rejects.toThrow();
  });

  test('[ADMIT-10] who has dialled without TLS has not dialled a server that has it', async () => {
    const { cert, key } = authority.issue('dialled');
    const server = await servers.start({ tls: { certFile: cert, keyFile: key } });
    const plain = server.url.replace('https', 'http');
    const tls = { ca };
    expectRefusal(await openSession(server.url, { participant: 'ada', server: plain, tls }), 'WRONG_SERVER');
    expect((await openSession(server.url, { participant: 'ada', tls })).status).toBe(200);
  });

  test('names of the certificate in force are names of the server', async () => {
    const files = authority.issue('named', 'DNS:kindred.example.org,DNS:*.wards.example,IP:192.0.2.1');
    const server = await servers.start({ tls: { certFile: files.cert, keyFile: files.key } });
    const tls = { ca, checkServerIdentity: () => undefined } as Tls;
    const status = async (host: string) =>
      (await ask(`${server.url}/healthz`, { headers: { host }, tls })).status;
    expect(await status('kindred.example.org')).toBe(200);
    expect(await status('a.wards.example:7070')).toBe(200);
    expect(await status('192.0.2.1')).toBe(200);
    expect([
      await status('wards.example'),
      await status('a.b.wards.example'),
      await status('192.0.2.2'),
    ]).toEqual([403, 403, 403]);
    replace(files, authority.issue('renamed', 'DNS:other.example.org'));
    server.reloadCertificates();
    expect([await status('other.example.org'), await status('kindred.example.org')]).toEqual([200, 403]);
  });

  test('mutual: nobody comes in without a certificate of the authority', async () => {
    const { cert, key } = authority.issue('mutual');
    const tls = { certFile: cert, keyFile: key, clientCaFile: authority.certificate };
    const server = await servers.start({ tls });
    const own = clientFiles(authority.issue('client'));
    expect((await ask(`${server.url}/healthz`, { tls: { ca, ...own } })).status).toBe(200);
    (await connected(server.url, { participant: 'ada', tls: { ca, ...own } })).close();
    await expect(ask(`${server.url}/healthz`, { tls: { ca } })).rejects.toThrow();
    const foreign = clientFiles(new Authority(servers.folder, 'foreign').issue('stranger'));
    await expect(ask(`${server.url}/healthz`, { tls: { ca, ...foreign } })).rejects.toThrow();
  });

  test('a renewed certificate is used without a restart, and one that makes no sense is not', async () => {
    const files = authority.issue('first');
    const server = await servers.start({ tls: { certFile: files.cert, keyFile: files.key } });
    expect(await nameShownBy(server.url, ca)).toBe('first');
    const link = await connected(server.url, { participant: 'ada', tls: { ca } });

    writeFileSync(files.cert, 'no certificate');
    server.reloadCertificates();
    expect(await nameShownBy(server.url, ca)).toBe('first');

    replace(files, authority.issue('second'));
    server.reloadCertificates();
    expect(await nameShownBy(server.url, ca)).toBe('second');

    // Nobody says anything: the files are watched.
    replace(files, authority.issue('third'));
    await until(async () => (await nameShownBy(server.url, ca)) === 'third', 'the third certificate');
    // Connections stay.
    expect(server.federation('default').connections.size).toBe(1);
    link.close();
  });

  test('files that are no certificate and key are refused before anything is opened', async () => {
    const { cert, key } = authority.issue('one');
    const store = servers.newStore();
    const other = authority.issue('another');
    await expect(servers.start({ store, tls: { certFile: cert, keyFile: other.key } })).rejects.toThrow(
      /expected a certificate and its key/,
    );
    await expect(
      servers.start({ store, tls: { certFile: join(servers.folder, 'none'), keyFile: key } }),
    ).rejects.toThrow(/no such file/);
  });
});
