/**
 * One session with a PostgreSQL database, and the right to write to it. Whoever opens the store for writing takes an advisory lock of the
 * database, which lasts as long as the session, and raises the epoch. Every change checks the epoch in its own transaction: a server
 * that has lost its session, and with it the lock, changes nothing once another one has been here.
 *
 * A lost session is a failure of what was under way; the next operation opens another. Operations run one after the other.
 */
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { inputError, KindredError } from '../../base/errors.ts';
import { passwordFromFile } from './postgres-password.ts';
import type { PostgresValue, Query, Rows } from './postgres-query.ts';
import { postgresSettings, type StoreSchema, setUpSchema, versionRefusal } from './postgres-schema.ts';

/** `read`: many may read, but nobody while a server writes. */
export type SessionAccess = 'write' | 'read';

/** Locks belong to a database, so one number is enough: "KNDR". */
const LOCK = 0x4b4e4452;
const CONNECT_MS = 10_000;
/** A query without an answer for so long: the connection is given up. */
const QUERY_MS = 60_000;
const KEEP_ALIVE_MS = 10_000;
/** How often a session of our own that was lost is ended before it counts as somebody else's. */
const LOCK_ATTEMPTS = 20;
const LOCK_RETRY_MS = 100;

export class PostgresSession {
  /** The address without user, password and settings. */
  readonly name: string;
  private readonly url: string;
  private readonly access: SessionAccess;
  private readonly schema: StoreSchema;
  /** By which the database knows all sessions of this one. */
  private readonly id = `kindred ${randomBytes(6).toString('hex')}`;
  private client: pg.Client | undefined;
  /** Undefined: it has not been raised yet. */
  private epoch: string | undefined;
  /** Changes so far, as the store counts them. */
  private changes = '';
  private last: Promise<unknown> = Promise.resolve();
  private fenced: Error | undefined;
  private onFenced: (error: Error) => void = () => {};
  readonly whenFenced = new Promise<Error>((resolve) => {
    this.onFenced = resolve;
  });
  private isClosed = false;

  private constructor(url: string, access: SessionAccess, schema: StoreSchema) {
    const { connection, name } = postgresAddress(url);
    this.url = connection;
    this.name = name;
    this.access = access;
    this.schema = schema;
  }

  static async open(url: string, access: SessionAccess, schema: StoreSchema): Promise<PostgresSession> {
    const session = new PostgresSession(url, access, schema);
    try {
      await session.connected();
      return session;
    } catch (error) {
      session.drop();
      throw session.openingError(error as Error);
    }
  }

  /** All of it is read from one moment. */
  read<T>(act: (query: Query) => Promise<T>): Promise<T> {
    return this.inTurn(async () => {
      const query = await this.connected();
      await query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
      try {
        const result = await act(query);
        await query('COMMIT');
        return result;
      } catch (error) {
        await this.rollBack();
        throw error;
      }
    });
  }

  /** All or nothing, and durable. */
  change(act: (query: Query) => Promise<void>): Promise<void> {
    return this.inTurn(async () => {
      const query = await this.connected();
      await query('BEGIN');
      let counted: string;
      try {
        // Holds the row until the end: whoever takes the store over waits for this change, or comes before it.
        const [found] = await query(
          'UPDATE kindred.store SET changes = changes + 1 WHERE epoch = $1 RETURNING changes',
          [this.epoch!],
        );
        if (!found) throw this.fence();
        counted = String(found.changes);
        await act(query);
      } catch (error) {
        await this.rollBack();
        throw error;
      }
      await this.commit(query, counted);
    });
  }

  /** When all that is under way is done; a second time, nothing. */
  async close(): Promise<void> {
    const { last } = this;
    this.isClosed = true;
    await last;
    const { client } = this;
    this.client = undefined;
    await client?.end().catch(() => {});
  }

  /** Where the answer to a commit is lost, the count of changes tells whether it has happened. */
  private async commit(query: Query, counted: string): Promise<void> {
    try {
      await query('COMMIT');
      this.changes = counted;
    } catch (error) {
      if (this.client) throw error;
      await this.connected().catch(() => {
        throw error;
      });
      if (this.changes !== counted) throw error;
    }
  }

  private inTurn<T>(act: () => Promise<T>): Promise<T> {
    if (this.isClosed) return Promise.reject(this.failure('it is closed'));
    const result = this.last.then(async () => {
      if (this.fenced) throw this.fenced;
      try {
        return await act();
      } catch (error) {
        throw error instanceof KindredError ? error : this.failure((error as Error).message);
      }
    });
    this.last = result.catch(() => {});
    return result;
  }

  /** After a failure nothing of the transaction is left, whether the server hears of it or not. */
  private async rollBack(): Promise<void> {
    const { client } = this;
    if (!client) return;
    await this.ask(client, 'ROLLBACK', []).catch(() => this.drop());
  }

  private async connected(): Promise<Query> {
    const client = this.client ?? (await this.connect());
    return (sql, values = []) => this.ask(client, sql, values);
  }

  private async ask(client: pg.Client, sql: string, values: readonly PostgresValue[]): Promise<Rows> {
    try {
      const { rows } = await client.query({ text: sql, values: [...values] });
      return rows;
    } catch (error) {
      // Whatever is not a statement's own error has ended the session: nothing more is known of it.
      if (!isStatementError(error)) this.drop(client);
      throw error;
    }
  }

  private async connect(): Promise<pg.Client> {
    const client = new pg.Client({
      connectionString: this.url,
      application_name: this.id,
      connectionTimeoutMillis: CONNECT_MS,
      query_timeout: QUERY_MS,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    });
    client.on('error', () => this.drop(client));
    givePassword(client);
    await client.connect();
    const query: Query = async (sql, values = []) =>
      (await client.query({ text: sql, values: [...values] })).rows;
    try {
      await query(postgresSettings());
      await this.takePlace(query);
    } catch (error) {
      client.end().catch(() => {});
      throw error;
    }
    this.client = client;
    return client;
  }

  /** The lock, the tables and the epoch: the first time, or again after a session was lost. */
  private async takePlace(query: Query): Promise<void> {
    if (!(await this.takeLock(query))) throw await this.lockRefusal(query);
    if (this.access === 'read') {
      const refusal = await versionRefusal(query, this.name, this.schema);
      if (refusal) throw refusal;
      return;
    }
    if (this.epoch === undefined) {
      await setUpSchema(query, this.name, this.schema);
      const [raised] = await query(
        'UPDATE kindred.store SET epoch = epoch + 1 RETURNING epoch::text AS epoch, changes::text AS changes',
      );
      this.epoch = String(raised.epoch);
      this.changes = String(raised.changes);
      return;
    }
    const [found] = await query('SELECT epoch::text AS epoch, changes::text AS changes FROM kindred.store');
    if (found?.epoch !== this.epoch) throw this.fence();
    this.changes = String(found.changes);
  }

  /** A session that we have lost may still hold it on the other side: that one is ended. */
  private async takeLock(query: Query): Promise<boolean> {
    const shared = this.access === 'read' ? '_shared' : '';
    for (let attempt = 1; ; attempt++) {
      const [{ locked }] = await query(`SELECT pg_try_advisory_lock${shared}(${LOCK}) AS locked`);
      if (locked) return true;
      const ended = await query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1 AND pid <> pg_backend_pid()`,
        [this.id],
      );
      if (ended.length === 0 || attempt === LOCK_ATTEMPTS) return false;
      await new Promise((resolve) => setTimeout(resolve, LOCK_RETRY_MS));
    }
  }

  private async lockRefusal(query: Query): Promise<Error> {
    if (this.epoch === undefined)
      return inputError('STORE_IN_USE', `${this.name}: in use by another server; stop that server first`);
    const [found] = await query('SELECT epoch::text AS epoch FROM kindred.store');
    return found?.epoch === this.epoch ? this.failure('locked by another session') : this.fence();
  }

  private fence(): Error {
    const why = 'another server has taken the store over, or it was restored from a copy';
    this.fenced = new KindredError('FENCED', `${this.name}: ${why}; this server has stopped writing`, 'run');
    this.onFenced(this.fenced);
    return this.fenced;
  }

  private drop(client = this.client): void {
    if (this.client === client) this.client = undefined;
    client?.end().catch(() => {});
  }

  private failure(why: string): KindredError {
    return new KindredError('STORE_FAILED', `${this.name}: ${why}`, 'run');
  }

  private openingError(error: Error & { readonly code?: string }): Error {
    if (error instanceof KindredError) return error;
    const { code = '', message } = error;
    const isRefused = code.startsWith('28') || message.includes('password must be');
    const why = isRefused
      ? `the database refused the user or the password (${message}); set PGPASSWORD, or a line in ~/.pgpass`
      : code === '42501'
        ? `${message}; the user needs the right to create the schema "kindred": GRANT CREATE ON DATABASE`
        : `cannot be opened (${message || code})`;
    return inputError('STORE_NOT_OPENED', `${this.name}: ${why}`);
  }
}

/** An error that a statement has been answered with, after which the session goes on. */
function isStatementError(error: unknown): boolean {
  const { code = '', severity } = error as { code?: string; severity?: string };
  return severity === 'ERROR' && !code.startsWith('08') && !code.startsWith('57P');
}

/** Where neither the address nor PGPASSWORD has one. */
function givePassword(client: pg.Client): void {
  if (client.password) return;
  const { host, port, database = '', user = '' } = client;
  client.password = passwordFromFile({ host, port, database, user });
}

export function isPostgresAddress(text: string): boolean {
  return /^postgres(ql)?:\/\//.test(text);
}

/** For `pg`, and for people: the latter without anything that may be secret. */
function postgresAddress(text: string): { readonly connection: string; readonly name: string } {
  // Without a host it is that of a socket.
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url) throw inputError('BAD_URL', 'address of PostgreSQL: expected postgres://user@host:5432/database');
  const name = `${url.protocol}//${url.host}${url.pathname}`;
  // `require` and the others mean what they mean to PostgreSQL's own programs.
  if (url.searchParams.has('sslmode') && !url.searchParams.has('uselibpqcompat'))
    url.searchParams.set('uselibpqcompat', 'true');
  return { connection: url.href, name };
}
