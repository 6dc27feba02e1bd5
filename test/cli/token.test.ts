/** kindred token and the list of keys of kindred serve, as an operator uses them. */
import { writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { SqliteStore } from '../../src/node/store/sqlite-store.ts';
import { ask, post } from '../helpers/http.ts';
import { serve } from '../helpers/serve.ts';
import { ServerTest } from '../helpers/server.ts';
import { Keys, openSession } from '../helpers/ws-participant.ts';
import { run, Sandbox } from './helpers.ts';

const servers = new ServerTest();
const sandbox = new Sandbox();

describe('kindred token', () => {
  test('adds, lists, rotates and removes', async () => {
    const server = await servers.start({ loopback: false });
    const env = { KINDRED_OPERATOR_TOKEN: server.operatorToken };
    const token = (...argv: string[]) => run(['token', ...argv], { env });
    const added = await token('add', server.url, 'dash', '--role', 'read', '--expires', '7d');
    expect([added.code, added.stderr]).toEqual([
      0,
      expect.stringContaining('token "dash", role read, valid until 20'),
    ]);
    const first = added.stdout.trim();
    const status = async (one: string) => (await ask(`${server.url}/v1/federations`, { token: one })).status;
    expect(await status(first)).toBe(200);
    const rotated = await token('rotate', server.url, 'dash', '--overlap', '1h');
    expect(await status(rotated.stdout.trim())).toBe(200);
    expect(await status(first)).toBe(200);
    const listed = await token('list', server.url);
    expect(listed.stdout).toMatch(
      /^operator, role admin.*\ndash, role read, valid until .*, the previous one until .*\n$/,
    );
    expect((await token('remove', server.url, 'dash')).stdout).toBe('token "dash" is no longer valid\n');
    expect([await status(first), await status(rotated.stdout.trim())]).toEqual([403, 403]);
    expect((await token('remove', server.url, 'dash')).stderr).toContain('[NO_SUCH_TOKEN]');
    const wrong = await token('add', server.url, 'x', '--role', 'god');
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('[BAD_OPTION]')]);
  });
});

describe('kindred serve --allow', () => {
  test('a start names the lines of the file that are revoked, and leaves them so', async () => {
    const store = sandbox.path('allow.db');
    const file = sandbox.path('keys.txt');
    const keys = new Keys();
    writeFileSync(file, `# those we know\nada ${keys.publicKey}\nben ${new Keys().publicKey}\n`);
    const argv = ['--store', store, '--allow', file, '--invite-only'];
    const env = { KINDRED_OPERATOR_TOKEN: 'a-token-for-tests' };
    const home = '/v1/federations/default';
    const first = await serve(argv, env);
    expect((await openSession(first.url, { participant: 'ada', keys })).status).toBe(200);
    await post(`${first.url}${home}/participants/ada/revoke`, 'a-token-for-tests');
    await post(`${first.url}${home}/finish`, 'a-token-for-tests');
    expect((await first.outcome).stderr).toBe('');
    const second = await serve(argv, env);
    const { stderr } = await second.outcome;
    expect(stderr).toContain(`${file}, line 2: "ada" was revoked with this key and stays revoked`);
    expect(stderr).not.toContain('ben');
    const kept = new SqliteStore(store);
    expect(kept.enrolment('default', 'ada')?.revokedMs).toBeGreaterThan(0);
    kept.close();
  });

  test.each(['kindred.example.org:7070', 'a b', 'https://x.example', ''])(
    '--host-name %j is refused',
    async (name) => {
      const { code, stderr } = await run(['serve', '--host-name', name, '--store', sandbox.path('never.db')]);
      expect([code, stderr]).toEqual([2, expect.stringContaining('option --host-name: expected a name')]);
    },
  );
});
