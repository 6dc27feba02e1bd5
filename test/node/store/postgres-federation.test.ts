/** A whole federation on a store in PostgreSQL, as operators run it: sessions that are ended and a database that crashes in the middle of it. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { csvOf, run, runJson, Sandbox, smallHar } from '../../cli/helpers.ts';
import { PASSWORD, PostgresServer, postgresProgram } from '../../helpers/postgres.ts';
import { serve } from '../../helpers/serve.ts';
import { until } from '../../helpers/server.ts';

const sandbox = new Sandbox();

interface VerifyDocument {
  readonly ok: boolean;
  readonly conservation: { readonly relativeError: number };
}

describe.skipIf(!postgresProgram)('a federation on PostgreSQL', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await PostgresServer.start();
  });
  afterAll(() => server?.end());

  const ids = ['1', '2', '3'];
  const secrets = [PASSWORD, encodeURIComponent(PASSWORD)];
  const stateOf = (id: string) => sandbox.path(`state-${id}`);

  test('trains to its end and is conserved, whatever happens to its sessions', async () => {
    const store = await server.newDatabase();
    const database = new URL(store).pathname.slice(1);
    const data = sandbox.write('rows.csv', csvOf(smallHar(4)));
    const token = ['--operator-token-file', sandbox.path('token')];
    const options = ['--store', store, '--min-participants', '3', '--gap', '1e-7', ...token];
    const served = await serve(options);
    expect(served.store).toBe(`postgres://127.0.0.1:${server.port}/${database}`);
    const second = await run(['serve', '--port', '0', ...options]);
    expect(second).toMatchObject({ code: 2, stderr: expect.stringContaining('in use by another server') });

    const joined = ids.map((id) =>
      run(['join', served.url, '--data', data, '--task', id, '--state', stateOf(id)]),
    );
    const closed = async () => {
      const [{ count }] = await server.query('SELECT count(*)::int FROM kindred.rounds', database);
      return Number(count);
    };
    let ended = 0;
    for (let round = 1; round <= 3; round++) {
      await until(async () => (await closed()) >= round, `round ${round}`);
      ended += await server.endSessions(store);
    }
    await server.crash();
    await server.run();
    expect(ended).toBeGreaterThan(0);
    for (const { code, stderr } of await Promise.all(joined)) expect(code, stderr).toBe(0);
    const { code, stdout, stderr } = await served.outcome;
    expect(code, stderr).toBe(0);
    expect(stderr).toContain('the store is failing; trying again');

    const result = await runJson<VerifyDocument>('verify', store, ...ids.map(stateOf));
    expect(result).toMatchObject({ ok: true });
    const audit = await run(['audit-log', 'verify', store]);
    expect(audit).toMatchObject({ code: 0, stdout: expect.stringContaining('none changed, none missing') });
    const written = [stdout, stderr, second.stdout, second.stderr, audit.stdout].join('\n');
    for (const secret of secrets) expect(written).not.toContain(secret);
  }, 120_000);

  test('a server whose store was taken over ends with a sentence', async () => {
    const store = await server.newDatabase();
    const database = new URL(store).pathname.slice(1);
    const token = ['--operator-token-file', sandbox.path('token')];
    const served = await serve(['--store', store, ...token]);
    await server.query('UPDATE kindred.store SET epoch = epoch + 1', database);
    // An action of the operator is a change: it goes into the audit log.
    const invited = await run(['invite', served.url, '--token-file', sandbox.path('token')]);
    // Refused, or cut off: the server is stopping.
    expect(invited.code).toBe(1);
    const { code, stderr } = await served.outcome;
    expect([code, stderr]).toEqual([1, expect.stringContaining('this server has stopped writing [FENCED]')]);
  });
});
