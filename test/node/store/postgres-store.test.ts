/** The store in PostgreSQL against a real one: one writer at a time, lost connections, secrets. What every store must do is in test/contracts. */
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { passwordIn } from '../../../src/node/store/postgres-password.ts';
import { PostgresStore } from '../../../src/node/store/postgres-store.ts';
import { freePort } from '../../helpers/nats.ts';
import { PASSWORD, PostgresServer, postgresProgram } from '../../helpers/postgres.ts';
import { codeOf, memberOf, NAME, rowOf, runOf, savedRound, saveRound } from '../../helpers/stored-runs.ts';

describe('the password file', () => {
  const wanted = { host: 'db.example', port: 5432, database: 'wards', user: 'ada' };
  test.each([
    ['db.example:5432:wards:ada:secret', 'secret'],
    ['# a comment\r\n*:*:*:ada:for ada\n*:*:*:*:for all', 'for ada'],
    ['other:*:*:*:no\n*:5433:*:*:no\n*:*:*:ben:no\n*:*:wards:*:a\\:b\\\\c', 'a:b\\c'],
    ['db.example:5432:wards:ada', ''],
    ['', ''],
  ])('%j', (text, password) => expect(passwordIn(text, wanted)).toBe(password));

  test('sockets are in it as localhost', () => {
    expect(passwordIn('localhost:*:*:*:here', { ...wanted, host: '/run/postgresql' })).toBe('here');
  });
});

describe.skipIf(!postgresProgram)('the store in PostgreSQL', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await PostgresServer.start();
  });
  afterAll(() => server?.end());
  afterEach(() => {
    vi.restoreAllMocks();
    vi.unstubAllEnvs();
  });

  async function opened(url: string): Promise<PostgresStore> {
    const store = await PostgresStore.open(url);
    onTestFinished(() => store.close());
    return store;
  }

  async function refusal(url: string, access?: 'read'): Promise<{ code: string; message: string }> {
    const error = await PostgresStore.open(url, access).then(
      async (store) => {
        await store.close();
        expect.fail('expected a refusal');
      },
      (thrown: { code: string; message: string }) => thrown,
    );
    expect(error.message).not.toContain(PASSWORD);
    expect(error.message).not.toContain(encodeURIComponent(PASSWORD));
    return error;
  }

  test('the password may come from the address, the environment or a file, and is in no name', async () => {
    const url = await server.newDatabase();
    const store = await PostgresStore.open(url);
    expect(store.name).toBe(`postgres://127.0.0.1:${server.port}/${new URL(url).pathname.slice(1)}`);
    await store.close();
    const without = server.url(new URL(url).pathname.slice(1));
    vi.stubEnv('PGPASSFILE', '/nowhere');
    expect(await refusal(without)).toMatchObject({ code: 'STORE_NOT_OPENED' });
    vi.stubEnv('PGPASSWORD', PASSWORD);
    await (await PostgresStore.open(without)).close();
    vi.stubEnv('PGPASSWORD', undefined);
    const folder = mkdtempSync(join(tmpdir(), 'kindred-pgpass-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'pgpass');
    writeFileSync(file, `127.0.0.1:${server.port}:*:kindred:${PASSWORD}\n`, { mode: 0o600 });
    vi.stubEnv('PGPASSFILE', file);
    await (await PostgresStore.open(without)).close();
    // One that others can read is not read, as PostgreSQL has it.
    chmodSync(file, 0o644);
    expect(await refusal(without)).toMatchObject({ code: 'STORE_NOT_OPENED' });
  });

  test('what cannot be opened is refused in a sentence', async () => {
    const wrong = server.url().replace('kindred@', 'kindred:wrong@');
    expect((await refusal(wrong)).message).toContain('refused the user or the password');
    expect((await refusal(server.openUrl('nowhere'))).message).toMatch(
      /cannot be opened \(database .* not exist/,
    );
    const nobody = server.openUrl().replace(`:${server.port}/`, `:${await freePort()}/`);
    expect((await refusal(nobody)).message).toMatch(/cannot be opened \(connect ECONNREFUSED/);
    expect(await codeOf(() => PostgresStore.open('postgres://a:b c@:x/y'))).toBe('BAD_URL');
  });

  test('a schema of another program, another version and an empty database are left alone', async () => {
    const url = await server.newDatabase();
    const database = new URL(url).pathname.slice(1);
    expect((await refusal(url, 'read')).code).toBe('NOT_A_STORE');
    expect(await server.query("SELECT to_regnamespace('kindred') AS made", database)).toEqual([
      { made: null },
    ]);
    await server.query('CREATE SCHEMA kindred; CREATE TABLE kindred.other (x int)', database);
    expect((await refusal(url)).code).toBe('NOT_A_STORE');
    await server.query('DROP TABLE kindred.other', database);
    await (await PostgresStore.open(url)).close();
    await server.query('UPDATE kindred.store SET version = 7', database);
    const { code, message } = await refusal(url);
    expect([code, message]).toEqual(['STORED_VERSION', expect.stringContaining('got version 7')]);
  });

  test('a user without the right to make the schema is told which right it needs, or uses one that is there', async () => {
    const url = await server.newDatabase();
    const database = new URL(url).pathname.slice(1);
    const user = `user_${database}`;
    await server.query(`CREATE USER ${user} PASSWORD '${PASSWORD}'`, database);
    const theirs = url.replace('kindred:', `${user}:`);
    expect((await refusal(theirs)).message).toContain('GRANT CREATE ON DATABASE');
    await server.query(`CREATE SCHEMA kindred AUTHORIZATION ${user}`, database);
    const store = await opened(theirs);
    await saveRound(store, 1);
    expect(await savedRound(store)).toBe(1);
  });

  test('one server at a time; readers only while there is none', async () => {
    const url = await server.newDatabase();
    const store = await PostgresStore.open(url);
    const { code, message } = await refusal(url);
    expect([code, message]).toEqual([
      'STORE_IN_USE',
      `${store.name}: in use by another server; stop that server first`,
    ]);
    expect((await refusal(url, 'read')).code).toBe('STORE_IN_USE');
    await saveRound(store, 1);
    await store.close();
    const readers = [await PostgresStore.open(url, 'read'), await PostgresStore.open(url, 'read')];
    for (const reader of readers) expect(await savedRound(reader)).toBe(1);
    expect((await refusal(url)).code).toBe('STORE_IN_USE');
    for (const reader of readers) await reader.close();
    await (await PostgresStore.open(url)).close();
  });

  test('a server that has lost its session goes on, if nobody else has been there', async () => {
    const url = await server.newDatabase();
    const store = await opened(url);
    for (let round = 1; round <= 5; round++) {
      await server.endSessions(url);
      // The first attempt may still meet the end of the session.
      await saveRound(store, round).catch(async () => {
        expect(await savedRound(store)).toBe(round - 1);
        await saveRound(store, round);
      });
    }
    expect(await savedRound(store)).toBe(5);
  });

  test('a session that hangs on the other side does not lock out its own server', async () => {
    const url = await server.newDatabase();
    const store = await opened(url);
    await saveRound(store, 1);
    // What a network does that fails without a word: we have given the connection up, and the database has not heard of it.
    const { session } = store as unknown as { session: { client: pg.Client | undefined } };
    const lost = session.client!;
    session.client = undefined;
    await saveRound(store, 2);
    expect(await savedRound(store)).toBe(2);
    await lost.end();
  });

  test('a server that another has replaced changes nothing any more', async () => {
    const url = await server.newDatabase();
    const old = await opened(url);
    await saveRound(old, 1);
    await server.endSessions(url);
    const successor = await PostgresStore.open(url);
    await saveRound(successor, 2);
    for (const change of [
      () => saveRound(old, 2),
      () => old.removeFederation(NAME),
      () =>
        old.enrol(NAME, [
          { enrolment: { participant: 'eve', key: 'k', enrolledMs: 1, revokedMs: undefined } },
        ]),
      () => old.appendAuditLine({ seq: 1, line: 'x' }),
    ])
      expect(['FENCED', 'STORE_FAILED']).toContain(await codeOf(change));
    await saveRound(successor, 3);
    // Also when the lock is free again.
    await successor.close();
    expect(await codeOf(() => saveRound(old, 2))).toBe('FENCED');
    const after = await PostgresStore.open(url, 'read');
    expect(await savedRound(after)).toBe(3);
    expect(await after.enrolments(NAME)).toEqual([]);
    await after.close();
  });

  test('a server is fenced in the middle of its session, too', async () => {
    const url = await server.newDatabase();
    const store = await opened(url);
    await saveRound(store, 1);
    // A copy of the database was put in its place.
    await server.query('UPDATE kindred.store SET epoch = epoch - 1', new URL(url).pathname.slice(1));
    expect(await codeOf(() => saveRound(store, 2))).toBe('FENCED');
    expect(await codeOf(() => store.federations())).toBe('FENCED');
  });

  test.each([
    'BEGIN',
    'UPDATE kindred.store',
    'INSERT INTO kindred.runs',
    'INSERT INTO kindred.rounds',
    'COMMIT',
  ])(
    'the connection is lost before %s: nothing has changed, and the next attempt succeeds',
    async (statement) => {
      const url = await server.newDatabase();
      const store = await opened(url);
      await saveRound(store, 1);
      losing(statement, 'before');
      expect(await codeOf(() => saveRound(store, 2))).toBe('STORE_FAILED');
      expect(await savedRound(store)).toBe(1);
      await saveRound(store, 2);
      expect(await savedRound(store)).toBe(2);
    },
  );

  test('the answer to a commit is lost: it has happened, and that is what is said', async () => {
    const url = await server.newDatabase();
    const store = await opened(url);
    losing('COMMIT', 'after');
    await store.appendAuditLine({ seq: 1, line: 'one' });
    expect(await store.auditLines(0, 9)).toEqual([{ seq: 1, line: 'one' }]);
  });

  test('the database crashes and comes back', async () => {
    const url = await server.newDatabase();
    const store = await opened(url);
    await saveRound(store, 1);
    await server.crash();
    expect(await codeOf(() => saveRound(store, 2))).toBe('STORE_FAILED');
    await server.run();
    await saveRound(store, 2);
    expect(await savedRound(store)).toBe(2);
  });

  test('thousands of members at once, and a row twice in one change', async () => {
    const url = await server.newDatabase();
    const store = await opened(url);
    const members = Array.from({ length: 3000 }, (_, i) => memberOf(`m${i}`, 1, 1000));
    await store.saveRun(NAME, { run: runOf(1), members, removed: [] }, [rowOf(1), rowOf(1)]);
    expect((await store.loadRun(NAME))?.members.length).toBe(3000);
    const removed = members.slice(10).map(({ id }) => id);
    await store.saveRun(NAME, { run: runOf(2), members: [], removed }, []);
    expect((await store.loadRun(NAME))?.members.length).toBe(10);
  });

  test('commits wait for the disk, whatever the database is set to', async () => {
    const url = await server.newDatabase();
    const database = new URL(url).pathname.slice(1);
    await server.query(`ALTER DATABASE ${database} SET synchronous_commit = off`);
    const store = await opened(url);
    const { session } = store as unknown as { session: { client: pg.Client } };
    const { rows } = await session.client.query('SHOW synchronous_commit');
    expect(rows).toEqual([{ synchronous_commit: 'on' }]);
  });

  /** Ends the connection once, before the statement is sent or when it has been carried out. */
  function losing(statement: string, when: 'before' | 'after'): void {
    const query = pg.Client.prototype.query as (this: pg.Client, config: object) => Promise<unknown>;
    let isDone = false;
    const lose = async function (this: pg.Client, config: { text: string }) {
      if (isDone || !config.text.startsWith(statement)) return await query.call(this, config);
      isDone = true;
      if (when === 'after') await query.call(this, config);
      const { connection } = this as unknown as { connection: { stream: { destroy(): void } } };
      connection.stream.destroy();
      throw new Error('Connection terminated unexpectedly');
    };
    vi.spyOn(pg.Client.prototype, 'query').mockImplementation(lose as never);
  }
});
