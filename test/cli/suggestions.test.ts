/** What `serve`, `invite` and the others suggest, run as a shell would. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { trustWords } from '../../src/cli/join-command.ts';
import { certificatesIn, isCertificateFor } from '../../src/node/server/tls.ts';
import { Authority, hasOpenssl } from '../helpers/certificates.ts';
import { wordsOf } from '../helpers/shell.ts';
import { smallHar } from '../helpers/tables.ts';
import { csvOf, run, runJson, Sandbox } from './helpers.ts';

const sandbox = new Sandbox();
const PEOPLE = 3;
const table = smallHar(1, PEOPLE, 30);
const everybody = sandbox.write('everybody.csv', csvOf(table));

/** `kindred serve` in this process, until its participants have finished; the lines that it says. */
async function serving(argv: readonly string[]) {
  let hear: (text: string) => void;
  const said = new Promise<string>((resolve) => {
    hear = resolve;
  });
  const stdout = { isTerminal: false, write: (text: string) => hear(text) };
  const always = [
    '--port',
    '0',
    '--exit-when-finished',
    '--log-level',
    'silent',
    '--min-participants',
    `${PEOPLE}`,
  ];
  const ended = run(['serve', ...always, ...argv], { stdout });
  const text = await Promise.race([said, ended.then(({ stderr }) => stderr)]);
  const line = (label: string) => new RegExp(`^${label} +kindred (.*)$`, 'm').exec(text)?.[1] ?? text;
  return { ended, text, join: line('Join'), invite: line('Invite') };
}

/** The words of the join line, for one of the people instead of the reader. */
function joinOf(line: string, id: string, token = ''): string[] {
  const words = wordsOf(line);
  const given = {
    '--data': everybody,
    '--task': id,
    '--name': id,
    '--state': join(sandbox.folder, `state of ${id} ${token.slice(0, 6)}`),
    '--invitation-file': sandbox.write(`invitation of ${id}`, `${token}\n`),
  };
  return words.map((word, i) => given[words[i - 1] as keyof typeof given] ?? word);
}

describe.skipIf(!hasOpenssl)('with TLS (needs openssl)', () => {
  const cert = join(sandbox.folder, 'self signed.pem');
  const key = join(sandbox.folder, 'self signed.key');
  if (hasOpenssl) {
    const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
    const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1,DNS:localhost'];
    spawnSync('openssl', ['req', '-x509', ...curve, '-keyout', key, '-out', cert, ...subject]);
  }
  const tls = ['--tls-cert', cert, '--tls-key', key];

  test('the Join line of a secure federation lets people in as it is', async () => {
    const { ended, join: line } = await serving([
      ...tls,
      '--secure',
      '--store',
      join(sandbox.folder, 'secure.db'),
    ]);
    expect(wordsOf(line)).toEqual(expect.arrayContaining(['--secure', '--ca', cert]));
    const outcomes = await Promise.all(table.participants.map((id) => run(joinOf(line, id))));
    for (const { code, stderr } of outcomes) expect(code, stderr).toBe(0);
    expect((await ended).code).toBe(0);
  });

  test('the Invite line reaches the server, and what it suggests leads in', async () => {
    const store = join(sandbox.folder, 'by invitation.db');
    const {
      ended,
      join: line,
      invite,
    } = await serving([...tls, '--invite-only', '--store', store, '--federation', 'wards']);
    const [command, file] = invite.split(' > ');
    expect(wordsOf(line)).toEqual(expect.arrayContaining(['--invitation-file', file]));
    const one = await run(wordsOf(command));
    expect(one.code, one.stderr).toBe(0);
    const [, suggested] = /good once, for one new participant: kindred (.*)\n/.exec(one.stderr)!;
    expect(suggested).toBe(line);
    const others = await run([...wordsOf(command), '--count', `${PEOPLE - 1}`]);
    expect(others.stderr).toContain(
      'each is good once, for one new participant, in a file of its own: kindred',
    );
    const tokens = `${one.stdout}${others.stdout}`.trim().split('\n');
    const outcomes = await Promise.all(
      table.participants.map((id, k) => run(joinOf(suggested, id, tokens[k]))),
    );
    for (const { code, stderr } of outcomes) expect(code, stderr).toBe(0);
    expect((await ended).code).toBe(0);
  });

  test('what is to be trusted depends on who has signed', async () => {
    const authority = new Authority(sandbox.folder, 'authority');
    expect(await trustWords(undefined)).toEqual([]);
    expect(await trustWords(cert)).toEqual(['--ca', cert]);
    const [flag, placeholder] = await trustWords(authority.issue('server').cert);
    expect([flag, placeholder]).toEqual(['--ca', { text: '<ca.pem>' }]);
  });
});

describe('with a certificate of its own', () => {
  const store = join(sandbox.folder, 'own certificate.db');
  const own = ['--tls-self-signed', '--store', store];

  test('the Join line lets people in as it is, and serve says what to trust', async () => {
    const { ended, text, join: line } = await serving(own);
    expect(wordsOf(line)).toEqual(expect.arrayContaining(['--ca', `${store}.cert.pem`]));
    const [leaf, authority] = certificatesIn(readFileSync(`${store}.cert.pem`));
    expect(text).toContain(leaf.fingerprint256);
    expect(text).toContain(authority.fingerprint256);
    const [, url] = /^Listening +(https:\S+)$/m.exec(text)!;
    expect(text).toContain(`${url}/authority.crt, for phones to trust`);
    expect(text).toMatch(new RegExp(`^Dashboard +${url}/$`, 'm'));
    expect(text).toMatch(new RegExp(`^Page +${url}/join/default$`, 'm'));
    const outcomes = await Promise.all(table.participants.map((id) => run(joinOf(line, id, 'own'))));
    for (const { code, stderr } of outcomes) expect(code, stderr).toBe(0);
    expect(await ended).toMatchObject({ code: 0, stderr: '' });
  });

  test('it is used again, renewed with a sentence, and never put in the place of another', async () => {
    const before = readFileSync(`${store}.cert.pem`, 'utf8');
    // Its training has ended, so it ends at once.
    const { certificate } = await runJson<{ certificate: { file: string; fingerprint: string } }>(
      ...['serve', '--port', '0', '--exit-when-finished', '--log-level', 'silent', ...own],
    );
    expect(readFileSync(`${store}.cert.pem`, 'utf8')).toBe(before);
    expect(certificate).toMatchObject({
      file: `${store}.cert.pem`,
      fingerprint: certificatesIn(Buffer.from(before))[0].fingerprint256,
    });
    const again = await (await serving([...own, '--host-name', 'kindred.example.org'])).ended;
    expect(again).toMatchObject({
      code: 0,
      stderr: `kindred: note: ${store}.cert.pem: a new certificate, because this machine has other names or addresses than those in the old one; whoever trusted it must trust the new one\n`,
    });
    const [leaf] = certificatesIn(readFileSync(`${store}.cert.pem`));
    expect(isCertificateFor(leaf, 'kindred.example.org')).toBe(true);
    const foreign = sandbox.write('foreign.pem', 'mine');
    const files = ['--tls-cert', foreign, '--tls-key', sandbox.path('foreign.key')];
    const refused = await run(['serve', '--port', '0', ...own, ...files]);
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(refused.stderr).toMatch(
      /foreign\.pem: expected a certificate that --tls-self-signed has written.*BAD_CERT/,
    );
  });
});

test('data make suggests the training of its own file, quoted', async () => {
  const file = join(sandbox.folder, "my father's data.csv");
  const size = ['--participants', '3', '--rows', '20', '--features', '4'];
  const { stdout } = await run(['data', 'make', 'regression', ...size, '--out', file]);
  const [, next] = /^Next: kindred (.*)$/m.exec(stdout)!;
  expect(wordsOf(next)).toEqual(['train', file]);
  expect((await run(wordsOf(next))).code).toBe(0);
});
