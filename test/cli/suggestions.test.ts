/** What `serve`, `invite` and the others suggest, run as a shell would. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { trustWords } from '../../src/cli/join-command.ts';
import { Authority, hasOpenssl } from '../helpers/certificates.ts';
import { wordsOf } from '../helpers/shell.ts';
import { smallHar } from '../helpers/tables.ts';
import { csvOf, run, Sandbox } from './helpers.ts';

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
  return { ended, join: line('Join'), invite: line('Invite') };
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

test('data make suggests the training of its own file, quoted', async () => {
  const file = join(sandbox.folder, "my father's data.csv");
  const size = ['--participants', '3', '--rows', '20', '--features', '4'];
  const { stdout } = await run(['data', 'make', 'regression', ...size, '--out', file]);
  const [, next] = /^Next: kindred (.*)$/m.exec(stdout)!;
  expect(wordsOf(next)).toEqual(['train', file]);
  expect((await run(wordsOf(next))).code).toBe(0);
});
