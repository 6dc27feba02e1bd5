/** kindred serve, invite, revoke and verify, together as an operator uses them. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { generate } from 'lean-qr';
import Database from 'libsql';
import { describe, expect, test } from 'vitest';
import { durationFrom } from '../../src/cli/flags.ts';
import { readParticipantState } from '../../src/node/client/state-folder.ts';
import { lanAddresses } from '../../src/node/server/own-certificate.ts';
import { SqliteStore } from '../../src/node/store/sqlite-store.ts';
import { ask } from '../helpers/http.ts';
import { serve } from '../helpers/serve.ts';
import { ServerTest } from '../helpers/server.ts';
import { storedBy, writeState } from '../helpers/state-folder.ts';
import { connected, Keys } from '../helpers/ws-participant.ts';
import { Trainer } from '../helpers/ws-trainer.ts';
import { csvOf, run, runJson, Sandbox, smallHar } from './helpers.ts';

const sandbox = new Sandbox();
const servers = new ServerTest();
let stores = 0;
const newStore = () => sandbox.path(`store-${stores++}.db`);

async function trained(url: string): Promise<Trainer[]> {
  const trainers = [new Trainer('ada'), new Trainer('ben', 20)];
  for (const trainer of trainers) await trainer.join(url);
  for (const trainer of trainers) await trainer.finished;
  return trainers;
}

describe('serve', () => {
  test('runs a federation to its end and then ends itself', async () => {
    const store = newStore();
    const served = await serve(['--store', store, '--min-participants', '2', '--gap', '1e-5']);
    const { url } = served;
    const page = `${url}/join/default`;
    expect(served).toMatchObject({ store, federations: ['default'], pid: process.pid });
    expect(served).toMatchObject({ dashboard: `${url}/`, page });
    expect(served.operatorTokenFile).toBe(`${store}.token`);
    expect(statSync(`${store}.token`).mode & 0o777).toBe(0o600);
    await trained(served.url);
    expect(await served.outcome).toMatchObject({ code: 0, stderr: '' });
    const kept = new SqliteStore(store);
    expect(kept.loadRun('default')!.run.finish).toBe('gap');
    kept.close();
  });

  test('--recount asks everybody of a healthy store again', async () => {
    const store = newStore();
    const options = ['--store', store, '--min-participants', '2', '--gap', '1e-5'];
    const first = await serve(options);
    const trainers = await trained(first.url);
    expect((await first.outcome).code).toBe(0);
    const kept = new SqliteStore(store);
    const { round } = kept.loadRun('default')!.run;
    kept.close();
    const second = await serve([...options, '--recount']);
    for (const trainer of trainers) await trainer.join(second.url);
    const { code, stderr } = await second.outcome;
    expect([code, stderr]).toEqual([
      0,
      'kindred: note: federation "default": all participants are asked again\n',
    ]);
    for (const trainer of trainers) expect(trainer.base).toBeGreaterThan(round);
    const again = new SqliteStore(store);
    expect(again.loadRun('default')!.run).toMatchObject({ finish: 'gap', missing: [] });
    again.close();
  });

  test('a damaged store is refused with a hint, and with --recount everybody begins anew', async () => {
    const store = newStore();
    const data = sandbox.write('anew.csv', csvOf(smallHar(3)));
    const states = ['1', '2'].map((id) => sandbox.path(`anew-${id}`));
    const options = ['--store', store, '--min-participants', '2', '--gap', '1e-3'];
    const joining = (url: string) =>
      ['1', '2'].map((id, k) => run(['join', url, '--data', data, '--task', id, '--state', states[k]]));
    const first = await serve(options);
    for (const { code } of await Promise.all(joining(first.url))) expect(code).toBe(0);
    await first.outcome;
    const before = states.map((state) => readParticipantState(state));
    const db = new Database(store);
    db.exec("UPDATE runs SET body = x'00'");
    db.close();
    const refused = await run(['serve', '--port', '0', ...options]);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain('--recount moves it aside, and participants start over [CORRUPT]');
    expect(existsSync(`${store}.damaged-1`)).toBe(false);
    const second = await serve([...options, '--recount']);
    expect(existsSync(`${store}.damaged-1`)).toBe(true);
    for (const { code } of await Promise.all(joining(second.url))) expect(code).toBe(0);
    const { code, stderr } = await second.outcome;
    expect(code).toBe(0);
    expect(stderr).toContain(
      `moved to ${store}.damaged-1; a new store is created, and participants of default start over automatically`,
    );
    for (const [k, state] of states.entries()) {
      const { stored, federation } = readParticipantState(state);
      expect(federation).toEqual(before[k].federation);
      // A start, and a new beginning.
      expect(stored.session).toBe(before[k].stored.session + 2);
      expect(stored.base).toBeGreaterThan(0);
    }
    expect((await runJson<VerifyDocument>('verify', store, ...states)).ok).toBe(true);
  }, 30_000);

  test('takes options from flags and from a file, flags first, and keeps to those in the store', async () => {
    const store = newStore();
    const file = sandbox.write(
      'f.json',
      JSON.stringify({ name: 'wards', options: { c1: 5, c2: 7, stop: { rounds: 9 } } }),
    );
    const flags = [
      '--c1',
      '2',
      '--gap',
      '0.5',
      '--wait',
      '90%',
      '--max-wait',
      '2s',
      '--no-bias',
      '--straggler',
      'resume',
    ];
    const first = await serve(['--store', store, '--federation-file', file, ...flags]);
    expect(first.federations).toEqual(['wards']);
    const optionsAt = async (url: string) => (await ask(`${url}/v1/federations/wards`)).json.options;
    const options = await optionsAt(first.url);
    expect(options).toMatchObject({
      c1: 2,
      c2: 7,
      bias: false,
      straggler: 'resume',
      waiting: { kind: 'share', share: 0.9 },
      maxWaitMs: 2000,
      stop: { rounds: 9, gap: 0.5 },
    });
    await end(first);

    // Its training has ended, so it ends at once.
    const other = ['--federation', 'wards', '--c1', '3', '--c2', '7', '--rounds', '10'];
    const again = await run(['serve', '--port', '0', '--store', store, '--exit-when-finished', ...other]);
    expect(again.code).toBe(0);
    expect(again.stderr).toContain(
      'federation "wards" is in the store with different options (c1, stop.rounds): the stored options are used',
    );
    const kept = new SqliteStore(store);
    expect(kept.federations()[0].options).toMatchObject({ c1: 2, stop: { rounds: 9 } });
    kept.close();
  });

  test('what is inside of objects has flags: alone, beside a file, and as a switch', async () => {
    const optionsWith = async (...argv: string[]) => {
      const served = await serve(['--store', newStore(), ...argv]);
      const { options } = (await ask(`${served.url}/v1/federations/default`)).json;
      await end(served);
      return options;
    };
    const dp = ['--dp-clip', '2', '--dp-epsilon', '4', '--dp-delta', '1e-6', '--rounds', '20'];
    const bounded = await optionsWith(...dp, '--dp-bounds', '-1,1.5');
    expect(bounded.dp).toMatchObject({ clip: 2, epsilon: 4, delta: 1e-6, bounds: [-1, 1.5] });
    const wrong = await run(['serve', '--port', '0', '--store', newStore(), ...dp, '--dp-bounds', '1,x']);
    expect([wrong.code, wrong.stderr]).toEqual([
      2,
      expect.stringContaining('option --dp-bounds: expected a number, got x'),
    ]);
    const options = { scale: 'none', dp: { clip: 2, noiseMultiplier: 3 } };
    const file = sandbox.write('dp.json', JSON.stringify(options));
    const merged = await optionsWith('--federation-file', file, '--dp-clip', '5');
    expect(merged.dp).toMatchObject({ clip: 5, noiseMultiplier: 3 });
    const defence = ['--defence-robust', '--defence-norm-bound', '7', '--defence-scores'];
    expect((await optionsWith(...defence)).defence).toEqual({
      normBound: 7,
      robust: { quantile: 0.5, factor: 2 },
      scores: 'on',
    });
    const quantile = await optionsWith('--defence-robust-quantile', '0.9');
    expect(quantile.defence).toEqual({ robust: { quantile: 0.9, factor: 2 } });
    const secure = await optionsWith(
      '--secure',
      '--secure-dropout',
      '0.1',
      '--secure-phase',
      '3s',
      '--min-participants',
      '5',
    );
    expect(secure.secure).toMatchObject({ dropout: 0.1, phaseMs: 3000, scaleBits: 30 });
  });

  test('plain options are a federation file, too', async () => {
    const file = sandbox.write('plain.json', JSON.stringify({ c1: 5 }));
    const served = await serve(['--store', newStore(), '--federation-file', file]);
    expect((await ask(`${served.url}/v1/federations/default`)).json.options.c1).toBe(5);
    await end(served);
  });

  test('the token may come from the environment, and then no file is made', async () => {
    const store = newStore();
    const served = await serve(['--store', store], { KINDRED_OPERATOR_TOKEN: 'from-the-environment' });
    expect(served.operatorTokenFile).toBeNull();
    expect(existsSync(`${store}.token`)).toBe(false);
    const finish = `${served.url}/v1/federations/default/finish`;
    expect((await ask(finish, { method: 'POST', token: 'from-the-environment' })).status).toBe(200);
    await served.outcome;
  });

  test('a list of keys lets in those who are on it, and nobody else', async () => {
    const keys = new Keys();
    const list = sandbox.write('keys.txt', `# friends\n\nada lovelace  ${keys.publicKey}\n`);
    const served = await serve(['--store', newStore(), '--invite-only', '--allow', list]);
    (await connected(served.url, { participant: 'ada lovelace', keys })).close();
    await expect(connected(served.url, { participant: 'ben' })).rejects.toThrow('INVITATION_NEEDED');
    await end(served);
  });

  test.each([
    [['--port', '70000'], '--port'],
    [['--c1', '-1'], '--c1'],
    [['--aggregation', 'best'], '--aggregation'],
    [['--wait', 'long'], '--wait'],
    [['--wait', '0%'], '--wait'],
    [['--max-wait', '5'], '--max-wait'],
    [['--straggler', 'wait'], '--straggler'],
    [['--origin', 'https://a.example/path'], '--origin'],
    [['--dp-clip', '0'], 'option --dp-clip: expected a number above 0, got 0'],
    [['--dp-epsilon', '4'], 'dp.clip: expected a number above 0, got nothing'],
    [['--defence-robust-quantile', '2'], 'option --defence-robust-quantile: expected'],
    [['--secure-phase', 'soon'], 'option --secure-phase: expected a time'],
    [['--tls-cert', 'a.pem'], '--tls-cert'],
    [['--tls-cert', 'no.pem', '--tls-key', 'no.pem'], 'no.pem'],
    [['--tls-self-signed', '--tls-key', 'a.pem'], '--tls-cert'],
    [['--tls-self-signed', '--tls-cert', '/no/such/folder/a', '--tls-key', 'a'], '/no/such/folder'],
    [['--open', '--invite-only'], '--open'],
    [['--log-level', 'loud'], '--log-level'],
    [['--federation', 'no spaces'], 'no spaces'],
    [['--federation-file', 'none.json'], 'none.json'],
    [['--allow', 'none.txt'], 'none.txt'],
    [['--store', '/no/such/folder/a.db'], '/no/such/folder'],
    [['--host', 'no.such.host.invalid'], 'no.such.host.invalid'],
  ])('%j is refused with one sentence', async (argv, named) => {
    const store = argv.includes('--store') ? [] : ['--store', newStore()];
    const { code, stdout, stderr } = await run([
      'serve',
      '--port',
      '0',
      '--log-level',
      'warn',
      ...store,
      ...argv,
    ]);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/^kindred: [^\n]+ \[[A-Z_]+\]\n$/);
    expect(stderr).toContain(named);
  });

  test('bad files are named with what is wrong in them', async () => {
    const bad = sandbox.write('bad-keys.txt', 'ada not-a-key\n');
    const { stderr } = await run(['serve', '--store', newStore(), '--allow', bad]);
    expect(stderr).toMatch(/bad-keys\.txt, line 1: expected a name and a key.*BAD_ALLOW_LIST/);
    for (const text of [
      '{',
      '[]',
      '{"name": 3}',
      '{"options": 3}',
      '{"name": "a", "c1": 2}',
      '{"colour": 1}',
    ]) {
      const file = sandbox.write('bad.json', text);
      const refused = await run(['serve', '--store', newStore(), '--federation-file', file]);
      expect([refused.code, refused.stdout]).toEqual([2, '']);
      expect(refused.stderr).toContain('bad.json');
    }
  });
});

describe('invite and revoke', () => {
  async function running() {
    const server = await servers.start({ enrolment: 'invitation' });
    const token = sandbox.write('operator.token', `${server.operatorToken}\n`);
    return { server, url: server.url, access: ['--token-file', token] };
  }

  test('a token that is printed lets one in', async () => {
    const { url, access } = await running();
    const { code, stdout } = await run(['invite', url, '--name', 'ada', '--expires', '7d', ...access]);
    expect(code).toBe(0);
    const invitation = stdout.trim();
    expect(invitation).toMatch(/^[\w-]{32}$/);
    (await connected(url, { participant: 'ada', invitation })).close();
    const document = await runJson<{ federation: string; invitations: object[] }>(
      'invite',
      url,
      '--count',
      '3',
      ...access,
    );
    expect(document.federation).toBe('default');
    expect(document.invitations).toHaveLength(3);
  });

  const onTerminal = async (argv: readonly string[], env: Record<string, string> = {}) => {
    let seen = '';
    const write = (text: string) => {
      seen += text;
    };
    const { code, stdout } = await run(argv, { stderr: { isTerminal: true, write }, env });
    return { code, stdout, seen };
  };

  test('there is a link for browsers beside the token, which shows the token on terminals only', async () => {
    const { url, access } = await running();
    const argv = ['invite', url, '--name', 'ada l', ...access];
    const { code, stdout, seen } = await onTerminal(argv);
    expect(code).toBe(0);
    const link = `${url}/join/default#invitation=${stdout.trim()}&name=ada%20l`;
    expect(seen).toContain(`in a browser, on this machine only (127.0.0.1): ${link}\n`);
    // Nobody else could open it.
    expect(seen).not.toContain('▄');
    const logged = await run(argv);
    expect(logged.stderr).toContain('/join/default#invitation=<invitation>&name=ada%20l\n');
    expect(logged.stderr).not.toContain(logged.stdout.trim());
    const { invitations } = await runJson<{ invitations: { token: string; link: string }[] }>(...argv);
    expect(invitations).toHaveLength(1);
    expect(invitations[0].link).toBe(`${url}/join/default#invitation=${invitations[0].token}&name=ada%20l`);
    const several = await onTerminal(['invite', url, '--count', '3', ...access]);
    for (const token of several.stdout.trim().split('\n'))
      expect(several.seen).toContain(`/join/default#invitation=${token}\n`);
  });

  test.skipIf(lanAddresses().length === 0)('a link for others is drawn as a QR code', async () => {
    const server = await servers.start({ host: lanAddresses()[0] });
    const token = sandbox.write('lan.token', `${server.operatorToken}\n`);
    const argv = ['invite', server.url, '--token-file', token];
    const { stdout, seen } = await onTerminal(argv, { NO_COLOR: '1' });
    const link = `${server.url}/join/default#invitation=${stdout.trim()}`;
    expect(seen).toContain(`in a browser: ${link}\n`);
    const lines = seen.split('\n').filter((line) => /^[ ▄▀█]+$/.test(line));
    const rows = lines.flatMap((line) => [
      [...line].map((cell) => cell === '▀' || cell === '█'),
      [...line].map((cell) => cell === '▄' || cell === '█'),
    ]);
    const code = generate(link);
    // Two light rows before it, and two columns.
    for (let y = -2; y < code.size + 2; y++)
      for (let x = -2; x < code.size + 2; x++) expect(rows[y + 2][x + 2], `${x}, ${y}`).toBe(!code.get(x, y));
    expect((await onTerminal(argv)).seen).toContain('\x1b[38;5;231;48;5;16m█');
    for (const other of [['--no-qr'], ['--count', '2']])
      expect((await onTerminal([...argv, ...other])).seen).not.toContain('▄');
  });

  test('a key that is allowed needs none, and a revoked one does not come in', async () => {
    const { url, access } = await running();
    const keys = new Keys();
    const allowed = await run(['invite', url, '--name', 'ada', '--key', keys.publicKey, ...access]);
    expect(allowed).toMatchObject({ code: 0, stderr: '' });
    (await connected(url, { participant: 'ada', keys })).close();
    expect((await run(['revoke', url, 'ada', ...access])).code).toBe(0);
    await expect(connected(url, { participant: 'ada', keys })).rejects.toThrow('REVOKED');
    const again = await runJson<{ participant: { revoked: boolean } }>('revoke', url, 'ada', ...access);
    expect(again.participant.revoked).toBe(true);
  });

  test('the federation is in the address or in a flag, the token beside the store or in the environment', async () => {
    const store = newStore();
    const server = await servers.start({ store });
    await server.ensure('wards', server.federation('default').record.options);
    sandbox.write(`${store.split('/').at(-1)}.token`, server.operatorToken);
    for (const argv of [
      [`${server.url}/wards`],
      [server.url, '--federation', 'wards'],
      [`${server.url}/v1/federations/wards/`],
    ])
      expect((await runJson<{ federation: string }>('invite', ...argv, '--store', store)).federation).toBe(
        'wards',
      );
    expect(await server.store.invitations('wards')).toHaveLength(3);
    const env = { KINDRED_OPERATOR_TOKEN: server.operatorToken };
    expect((await run(['invite', server.url], { env })).code).toBe(0);
  });

  test.each([
    [['invite', 'URL', '--token-file', 'none.token'], 2, 'NO_TOKEN'],
    [['invite', 'URL', '--federation', 'none', 'TOKEN'], 2, 'NO_SUCH_FEDERATION'],
    [['invite', 'URL', '--name', 'ada', '--count', '2', 'TOKEN'], 2, 'BAD_OPTION'],
    [['invite', 'URL', '--key', 'abc', 'TOKEN'], 2, 'BAD_OPTION'],
    [['invite', 'URL', '--key', 'abc', '--name', 'ada', 'TOKEN'], 2, 'BAD_REQUEST'],
    [['invite', 'URL', '--expires', 'soon', 'TOKEN'], 2, 'BAD_OPTION'],
    [['invite', 'URL', 'WRONG'], 2, 'WRONG_TOKEN'],
    [['invite', 'ftp://a', 'TOKEN'], 2, 'BAD_URL'],
    [['invite', 'URL/a/b', 'TOKEN'], 2, 'BAD_URL'],
    [['invite', 'http://127.0.0.1:1', 'TOKEN'], 1, 'NOT_RUNNING'],
    [['revoke', 'http://127.0.0.1:1', 'ada', 'TOKEN'], 1, 'NOT_RUNNING'],
    [['revoke', 'URL', 'nobody', 'TOKEN'], 2, 'NO_SUCH_PARTICIPANT'],
  ] as const)('%j: exit %i, %s', async (argv, exit, code) => {
    const { url, access } = await running();
    const wrong = ['--token-file', sandbox.write('wrong.token', 'not-the-token')];
    const words: Record<string, readonly string[]> = { TOKEN: access, WRONG: wrong };
    const full = argv.flatMap((word) => words[word] ?? [word.replace('URL', url)]);
    const outcome = await run(full);
    expect([outcome.code, outcome.stdout]).toEqual([exit, '']);
    expect(outcome.stderr).toMatch(new RegExp(`^kindred: [^\\n]+ \\[${code}\\]\\n$`));
  });

  test('something else that listens there is not taken for a server', async () => {
    const { createServer } = await import('node:http');
    const other = createServer((_, response) => response.end('<html>')).listen(0, '127.0.0.1');
    await new Promise((resolve) => other.once('listening', resolve));
    const { port } = other.address() as { port: number };
    const token = sandbox.write('any.token', 'any-token');
    const outcome = await run(['invite', `http://127.0.0.1:${port}`, '--token-file', token]);
    other.close();
    expect(outcome.code).toBe(1);
    expect(outcome.stderr).toContain('[NOT_A_SERVER]');
  });
});

test('the whole way: serve, invite, join, verify, and a model from the server that predicts', async () => {
  const store = newStore();
  const data = sandbox.write('har.csv', csvOf(smallHar()));
  const logs = sandbox.path('logs');
  const served = await serve([
    '--store',
    store,
    '--invite-only',
    '--min-participants',
    '2',
    '--record',
    logs,
  ]);
  const states = ['1', '2'].map((task) => sandbox.path(`whole-${task}`));
  const joined = ['1', '2'].map(async (task, i) => {
    const [{ token }] = (await runJson<Invited>('invite', served.url, '--name', task, '--store', store))
      .invitations;
    return run([
      'join',
      served.url,
      '--data',
      data,
      '--task',
      task,
      '--state',
      states[i],
      '--invitation-file',
      sandbox.write(`invitation-${task}`, `${token}\n`),
    ]);
  });
  for (const { code, stderr } of await Promise.all(joined)) expect([code, stderr]).toEqual([0, '']);
  expect((await served.outcome).code).toBe(0);
  const document = await runJson<VerifyDocument>('verify', store, ...states);
  expect(document.participants.map(({ verdict }) => verdict)).toEqual(['summed', 'summed']);
  expect(document.ok).toBe(true);

  const replayed = await run(['replay', join(logs, 'default.log')]);
  expect([replayed.code, replayed.stderr]).toEqual([0, '']);
  expect(replayed.stdout).toMatch(/1 start, \d+ inputs, \d+ effects: identical/);

  const again = await servers.start({ store }, 'none');
  const model = sandbox.write(
    'server-model.json',
    (await ask(`${again.url}/v1/federations/default/model`)).text,
  );
  const predicted = await run(['predict', '--model', model, data]);
  expect(predicted.code).toBe(0);
}, 60_000);

interface Invited {
  readonly invitations: readonly { readonly token: string }[];
}

interface VerifyDocument {
  readonly federation: string;
  readonly participants: readonly { id: string; verdict: string; relativeDifference: number | null }[];
  readonly conservation: { readonly relativeError: number };
  readonly ok: boolean;
}

describe('verify', () => {
  const store = newStore();
  const folders = [sandbox.path('ada'), sandbox.path('ben')];
  let trainers: Trainer[];
  let federation: { id: string; name: string };

  test('a store and all states of a training add up', async () => {
    const served = await serve(['--store', store, '--min-participants', '2', '--gap', '1e-5']);
    expect((await run(['verify', store, ...folders])).stderr).toContain('[STORE_IN_USE]');
    trainers = await trained(served.url);
    await served.outcome;
    const kept = new SqliteStore(store);
    const [{ id, name }] = kept.federations();
    kept.close();
    federation = { id, name };
    for (const [i, trainer] of trainers.entries()) writeState(folders[i], trainer, federation);

    const { code, stdout, stderr } = await run(['verify', store, ...folders]);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^ {2}ada +\d+ +\d+ +\S* *in the sum$/m);
    expect(stdout).toMatch(/^Verdict +conserved$/m);
    const document = await runJson<VerifyDocument>('verify', store, ...folders);
    expect(document).toMatchObject({ federation: 'default', ok: true });
    expect(document.conservation.relativeError).toBeLessThan(1e-12);
    expect(document.participants.map(({ verdict }) => verdict)).toEqual(['summed', 'summed']);
  }, 30_000);

  test('what does not add up, or is missing, exits 1 with the whole report', async () => {
    const missing = await run(['verify', store, folders[0], '--json']);
    expect(missing.code).toBe(1);
    expect(missing.stderr).toContain('participant "ben" is missing');
    const document = JSON.parse(missing.stdout) as VerifyDocument;
    expect([document.ok, document.participants[1].verdict]).toEqual([false, 'missing']);

    const stored = storedBy(trainers[0]);
    const u = stored.committed!.u.map((value) => 1.001 * value);
    const changed = writeState(sandbox.path('changed'), trainers[0], federation, {
      ...stored,
      committed: { ...stored.committed!, u },
    });
    const different = await run(['verify', store, changed, folders[1]]);
    expect(different.code).toBe(1);
    expect(different.stderr).toMatch(
      /expected the stored sum to match the sum of all contributions within 1e-9, got .* \[NOT_CONSERVED\]/,
    );
    expect(different.stdout).toMatch(/^Verdict +NOT conserved$/m);
    expect((await run(['verify', store, changed, folders[1], '--tolerance', '0.1'])).code).toBe(0);
  });

  test('what is not to be compared is refused with exit 2', async () => {
    const other = writeState(sandbox.path('other'), trainers[0], { id: 'another', name: 'default' });
    const cases: [string[], string][] = [
      [[store, other], 'OTHER_FEDERATION'],
      [[store, folders[0], folders[0]], 'SAME_PARTICIPANT'],
      [[store, sandbox.path('nobody')], 'NO_STATE'],
      [[sandbox.path('none.db'), ...folders], 'FILE_NOT_FOUND'],
      [[store, ...folders, '--federation', 'none'], 'NO_SUCH_FEDERATION'],
      [[store, ...folders, '--tolerance', 'some'], 'BAD_OPTION'],
      [[`${store}.token`, ...folders], 'NOT_A_DATABASE'],
    ];
    for (const [argv, code] of cases) {
      const outcome = await run(['verify', ...argv]);
      expect([outcome.code, outcome.stdout], code).toEqual([2, '']);
      expect(outcome.stderr).toContain(`[${code}]`);
    }
    expect(existsSync(sandbox.path('none.db'))).toBe(false);
    expect(readFileSync(`${store}.token`, 'utf8').trim()).toMatch(/^[\w-]{32}$/);
  });
});

test('times are a number and a unit', () => {
  expect(['500ms', '2s', '1.5s', '10m', '12h', '7d'].map((text) => durationFrom(text))).toEqual([
    500, 2000, 1500, 600_000, 43_200_000, 604_800_000,
  ]);
  for (const text of ['', '5', 's', '-1s', '0s', '1 s', '1w', '1e3s', '1sec', '..s'])
    expect(durationFrom(text), text).toBeUndefined();
});

/** Ends a server whose training nobody joins. */
async function end({ url, operatorTokenFile, federations, outcome }: Awaited<ReturnType<typeof serve>>) {
  const token = readFileSync(operatorTokenFile!, 'utf8').trim();
  for (const name of federations)
    expect((await ask(`${url}/v1/federations/${name}/finish`, { method: 'POST', token })).status).toBe(200);
  const ended = await outcome;
  expect(ended.code).toBe(0);
  return ended;
}
