/** The certificate that a server makes for itself: as Node reads it, as openssl reads it, as a client and a browser meet it. */
import { spawnSync } from 'node:child_process';
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { addressBytes } from '../../../src/node/server/addresses.ts';
import { makeCertificate } from '../../../src/node/server/certificate.ts';
import * as der from '../../../src/node/server/der.ts';
import { ensureCertificate, lanAddresses, ownNames } from '../../../src/node/server/own-certificate.ts';
import { authorityIn, certificatesIn, isCertificateFor } from '../../../src/node/server/tls.ts';
import { hasOpenssl } from '../../helpers/certificates.ts';
import { chromium } from '../../helpers/chromium.ts';
import { ask } from '../../helpers/http.ts';
import { PageTest } from '../../helpers/pages.ts';
import { ServerTest } from '../../helpers/server.ts';
import { connected } from '../../helpers/ws-participant.ts';

const servers = new ServerTest();
const pages = new PageTest();
const folder = mkdtempSync(join(tmpdir(), 'kindred-certificate-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const DAY_MS = 24 * 3_600_000;
const NAMES = ['kindred.example.org', 'localhost', '127.0.0.1', '::1', '192.168.7.5', 'fd00::a:1'];
const NOW = Date.parse('2030-02-03T04:05:06Z');

const chainOf = (text: string) => certificatesIn(Buffer.from(text));

describe('DER', () => {
  const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');

  test('lengths from 128 on take more bytes', () => {
    expect(hex(der.octetString(new Uint8Array(127)).subarray(0, 3))).toBe('047f00');
    expect(hex(der.octetString(new Uint8Array(128)).subarray(0, 4))).toBe('04818000');
    expect(hex(der.octetString(new Uint8Array(300)).subarray(0, 5))).toBe('0482012c00');
  });

  test('integers are as short as can be, and never negative', () => {
    const of = (...bytes: number[]) => hex(der.integer(Uint8Array.from(bytes)));
    expect([of(0), of(0, 0, 1), of(0x80), of(0, 0x7f)]).toEqual(['020100', '020101', '02020080', '02017f']);
  });

  test('object identifiers, named bits and times are those of X.690 and RFC 5280', () => {
    expect(hex(der.oid('1.2.840.10045.4.3.2'))).toBe('06082a8648ce3d040302');
    expect([hex(der.namedBits(0)), hex(der.namedBits(5)), hex(der.namedBits(0, 8))]).toEqual([
      '03020780',
      '03020204',
      '0303078080',
    ]);
    const text = (ms: number) => der.time(ms).subarray(2).toString();
    expect([text(NOW), text(Date.parse('2050-01-01T00:00:00Z'))]).toEqual([
      '300203040506Z',
      '20500101000000Z',
    ]);
  });

  test('addresses have 4 or 16 bytes, however they are written', () => {
    expect([...addressBytes('192.168.7.5')]).toEqual([192, 168, 7, 5]);
    expect(hex(addressBytes('fd00::a:1'))).toBe('fd0000000000000000000000000a0001');
    expect(hex(addressBytes('::'))).toBe('0'.repeat(32));
    expect(hex(addressBytes('fe80::1%eth0'))).toBe(`fe80${'0'.repeat(27)}1`);
    expect(hex(addressBytes('::ffff:1.2.3.4'))).toBe('00000000000000000000ffff01020304');
  });
});

describe('a certificate of our own', () => {
  const { certificate, key } = makeCertificate(NAMES, NOW);
  const [leaf, root] = chainOf(certificate);

  test('is for its names and no others', () => {
    for (const name of NAMES) expect(isCertificateFor(leaf, name), name).toBe(true);
    for (const name of ['example.org', 'a.localhost', '127.0.0.2', '::2'])
      expect(isCertificateFor(leaf, name), name).toBe(false);
  });

  test('is signed by an authority that has signed itself, for 397 days', () => {
    expect(leaf.checkIssued(root) && leaf.verify(root.publicKey)).toBe(true);
    expect(root.checkIssued(root) && root.verify(root.publicKey)).toBe(true);
    expect([leaf.ca, root.ca]).toEqual([false, true]);
    expect(leaf.checkPrivateKey(createPrivateKey(key))).toBe(true);
    expect(root.checkPrivateKey(createPrivateKey(key))).toBe(false);
    expect(leaf.publicKey.asymmetricKeyDetails).toEqual({ namedCurve: 'prime256v1' });
    for (const { validFrom, validTo } of [leaf, root]) {
      const [from, to] = [Date.parse(validFrom), Date.parse(validTo)];
      expect(from).toBeLessThan(NOW);
      expect(to + 1000 - from).toBe(397 * DAY_MS);
    }
  });

  test('any names make a certificate that Node can read', () => {
    const name = fc.oneof(fc.domain(), fc.ipV4(), fc.ipV6());
    fc.assert(
      fc.property(fc.uniqueArray(name, { minLength: 1, maxLength: 20 }), (names) => {
        const [first] = chainOf(makeCertificate(names, NOW).certificate);
        return names.every((one) => isCertificateFor(first, one));
      }),
      { numRuns: 30 },
    );
  });

  test.skipIf(!hasOpenssl)(
    'openssl verifies it strictly, and reads what it is good for (needs openssl)',
    () => {
      const made = makeCertificate(NAMES, Date.now());
      const [leafPem, rootPem] = made.certificate.match(/-----BEGIN[\s\S]+?END CERTIFICATE-----\n/g)!;
      const [leafFile, rootFile] = ['leaf.pem', 'root.pem'].map((name) => join(folder, name));
      writeFileSync(leafFile, leafPem);
      writeFileSync(rootFile, rootPem);
      const openssl = (...argv: string[]) => spawnSync('openssl', argv, { encoding: 'utf8' });
      const verified = (...argv: string[]) =>
        openssl('verify', '-x509_strict', '-purpose', 'sslserver', '-CAfile', rootFile, ...argv, leafFile)
          .status;
      expect(verified('-verify_hostname', NAMES[0])).toBe(0);
      expect(verified('-verify_ip', '192.168.7.5')).toBe(0);
      expect(verified('-verify_hostname', 'example.com')).not.toBe(0);
      const textOf = (file: string) =>
        openssl('x509', '-in', file, '-noout', '-text').stdout.replace(/\s+/g, ' ');
      const ofLeaf = textOf(leafFile);
      expect(ofLeaf).toContain('Basic Constraints: critical CA:FALSE');
      expect(ofLeaf).toContain('Key Usage: critical Digital Signature X509v3');
      expect(ofLeaf).toContain('Extended Key Usage: TLS Web Server Authentication');
      expect(ofLeaf).toContain('DNS:kindred.example.org, DNS:localhost, IP Address:127.0.0.1');
      const ofRoot = textOf(rootFile);
      expect(ofRoot).toContain('Basic Constraints: critical CA:TRUE, pathlen:0');
      expect(ofRoot).toContain('Key Usage: critical Certificate Sign X509v3');
      expect(ofRoot).toContain(
        'Permitted: DNS:kindred.example.org DNS:localhost IP:127.0.0.1/255.255.255.255',
      );
    },
  );
});

describe('its files', () => {
  let numbers = 0;
  const newFiles = () => {
    const name = join(folder, `files-${numbers++}`);
    return { certFile: `${name}.cert.pem`, keyFile: `${name}.key.pem` };
  };
  const fingerprint = (file: string) => chainOf(readFileSync(file, 'utf8'))[0].fingerprint256;

  test("stay as they are while they are good, and the key is its owner's", async () => {
    const files = newFiles();
    expect(await ensureCertificate(files, NAMES, NOW)).toBe('new');
    const before = fingerprint(files.certFile);
    expect(await ensureCertificate(files, NAMES, NOW + 300 * DAY_MS)).toBeUndefined();
    expect(await ensureCertificate(files, NAMES.slice(2), NOW)).toBeUndefined();
    expect(fingerprint(files.certFile)).toBe(before);
    if (process.platform !== 'win32') expect(statSync(files.keyFile).mode & 0o777).toBe(0o600);
  });

  test.each([
    ['a week before the end', NAMES, NOW + 390 * DAY_MS, 'expired'],
    ['before its beginning', NAMES, NOW - 2 * DAY_MS, 'expired'],
    ['for another name', [...NAMES, 'other.example'], NOW, 'other names'],
    ['for another address', [...NAMES, '192.168.7.6'], NOW, 'other names'],
  ] as const)('are renewed %s', async (_, names, nowMs, why) => {
    const files = newFiles();
    await ensureCertificate(files, NAMES, NOW);
    const before = fingerprint(files.certFile);
    expect(await ensureCertificate(files, names, nowMs)).toBe(why);
    expect(fingerprint(files.certFile)).not.toBe(before);
    expect(await ensureCertificate(files, names, nowMs)).toBeUndefined();
  });

  test('are renewed where a crash has come between the two', async () => {
    const files = newFiles();
    await ensureCertificate(files, NAMES, NOW);
    writeFileSync(files.keyFile, makeCertificate(NAMES, NOW).key);
    expect(await ensureCertificate(files, NAMES, NOW)).toBe('other key');
    writeFileSync(files.keyFile, 'torn');
    expect(await ensureCertificate(files, NAMES, NOW)).toBe('other key');
    rmSync(files.keyFile);
    expect(await ensureCertificate(files, NAMES, NOW)).toBe('other key');
  });

  test('of somebody else are refused and stay', async () => {
    const files = newFiles();
    writeFileSync(files.certFile, 'mine');
    await expect(ensureCertificate(files, NAMES, NOW)).rejects.toMatchObject({ code: 'BAD_CERTIFICATE' });
    expect(readFileSync(files.certFile, 'utf8')).toBe('mine');
    rmSync(files.certFile);
    writeFileSync(files.keyFile, 'mine');
    await expect(ensureCertificate(files, NAMES, NOW)).rejects.toThrow(/a key without one/);
    expect([existsSync(files.certFile), readFileSync(files.keyFile, 'utf8')]).toEqual([false, 'mine']);
  });

  test('are for this machine: its name, loopback, its addresses, and what it was given', () => {
    const names = ownNames(['kindred.example.org', 'localhost']);
    expect(names[0]).toBe('kindred.example.org');
    expect(names).toEqual(expect.arrayContaining(['localhost', '127.0.0.1', '::1', ...lanAddresses()]));
    if (/^[\w.-]+$/.test(hostname())) expect(names).toContain(hostname());
    expect(new Set(names).size).toBe(names.length);
  });
});

describe('a server with it', () => {
  async function start() {
    const files = { certFile: join(folder, 'server.cert.pem'), keyFile: join(folder, 'server.key.pem') };
    await ensureCertificate(files, ownNames([]), Date.now());
    const server = await servers.start({ tls: files });
    return { server, ca: readFileSync(files.certFile) };
  }

  test('is trusted by clients that have the file, by no others, and under its names only', async () => {
    const { server, ca } = await start();
    expect((await ask(`${server.url}/healthz`, { tls: { ca } })).status).toBe(200);
    expect(
      (await ask(`${server.url.replace('127.0.0.1', 'localhost')}/healthz`, { tls: { ca } })).status,
    ).toBe(200);
    await expect(ask(`${server.url}/healthz`)).rejects.toThrow(/certificate/);
    (await connected(server.url, { participant: 'ada', tls: { ca } })).close();
    const port = Number(new URL(server.url).port);
    const refused = new Promise((resolve, reject) => {
      const socket = connect({ host: '127.0.0.1', port, ca, servername: 'other.example' }, () => {
        socket.destroy();
        reject(new Error('connected under a name that is not its own'));
      });
      socket.on('error', ({ code }: Error & { code?: string }) => resolve(code));
    });
    expect(await refused).toBe('ERR_TLS_CERT_ALTNAME_INVALID');
  });

  test('gives away the certificate to trust, which is enough to trust it', async () => {
    const { server, ca } = await start();
    const { bytes, headers } = await ask(`${server.url}/authority.crt`, { tls: { ca } });
    expect(headers['content-type']).toBe('application/x-x509-ca-cert');
    const authority = new X509Certificate(bytes);
    expect(authority.fingerprint256).toBe(authorityIn(certificatesIn(ca))!.fingerprint256);
    const tls = { ca: Buffer.from(authority.toString()) };
    expect((await ask(`${server.url}/healthz`, { tls })).status).toBe(200);
  });

  test('without TLS there is nothing to give away', async () => {
    const server = await servers.start();
    expect((await ask(`${server.url}/authority.crt`)).status).toBe(404);
  });

  test.skipIf(!chromium)('Chromium sees a secure context, with what it withholds elsewhere', async () => {
    const { server } = await start();
    const page = await (await pages.context({ ignoreHTTPSErrors: true })).newPage();
    const seen = () =>
      page.evaluate(() => [
        isSecureContext,
        typeof crypto.subtle,
        'locks' in navigator,
        'serviceWorker' in navigator,
      ]);
    await page.goto(`${server.url}/`);
    expect(await seen()).toEqual([true, 'object', true, true]);
  });

  test.skipIf(!chromium || lanAddresses().length === 0)(
    'on an address of the network, too, where a page without TLS lacks them',
    async () => {
      const [host] = lanAddresses();
      const { certFile, keyFile } = {
        certFile: join(folder, 'lan.cert.pem'),
        keyFile: join(folder, 'lan.key.pem'),
      };
      await ensureCertificate({ certFile, keyFile }, ownNames([]), Date.now());
      const withTls = await servers.start({ host, tls: { certFile, keyFile } });
      const without = await servers.start({ host });
      const page = await (await pages.context({ ignoreHTTPSErrors: true })).newPage();
      const isSecure = async (url: string) => {
        await page.goto(url);
        return await page.evaluate(() => [isSecureContext, typeof crypto.subtle]);
      };
      expect(await isSecure(`${withTls.url}/`)).toEqual([true, 'object']);
      expect(await isSecure(`${without.url}/`)).toEqual([false, 'undefined']);
    },
  );
});
