/** The tables of a store in PostgreSQL: in a schema of their own, made at the first start, with a version. */
import { inputError } from '../../base/errors.ts';
import type { Query } from './postgres-query.ts';

export interface StoreSchema {
  readonly version: number;
  /** Statements that make the tables of a new store. */
  readonly tables: string;
}

/** The place of the epoch and of the count of changes: one row. */
const STORE = `
  CREATE TABLE kindred.store (
    single boolean PRIMARY KEY DEFAULT true CHECK (single),
    version integer NOT NULL,
    epoch bigint NOT NULL DEFAULT 0,
    changes bigint NOT NULL DEFAULT 0
  );
`;

/**
 * For every session. A commit is on the disk when it returns, whatever the database is set to. A session whose machine is gone, or that
 * hangs in a transaction, ends soon and gives the lock back.
 */
export function postgresSettings(): string {
  return `
    SET client_min_messages = warning;
    SET idle_in_transaction_session_timeout = '60s';
    SET tcp_keepalives_idle = 10;
    SET tcp_keepalives_interval = 5;
    SET tcp_keepalives_count = 3;
    SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off';
  `;
}

/** Under the lock: nobody else does the same. */
export async function setUpSchema(query: Query, name: string, schema: StoreSchema): Promise<void> {
  if (!(await isThere(query, "to_regclass('kindred.store')"))) {
    await checkEmpty(query, name);
    const create = (await isThere(query, "to_regnamespace('kindred')")) ? '' : 'CREATE SCHEMA kindred;';
    await query(
      `BEGIN; ${create} ${STORE} ${schema.tables} INSERT INTO kindred.store (version) VALUES (${schema.version}); COMMIT`,
    );
    return;
  }
  const refusal = await versionRefusal(query, name, schema);
  if (refusal) throw refusal;
}

/** What is wrong with what is there; undefined: nothing. */
export async function versionRefusal(
  query: Query,
  name: string,
  { version }: StoreSchema,
): Promise<Error | undefined> {
  if (!(await isThere(query, "to_regclass('kindred.store')")))
    return inputError('NOT_A_STORE', `${name}: expected a kindred store, got a database without one`);
  const [found] = await query('SELECT version FROM kindred.store');
  if (found?.version === version) return undefined;
  const hint = 'use the kindred that wrote it, or give another --store';
  return inputError(
    'STORED_VERSION',
    `${name}: expected a store of version ${version}, got version ${found?.version}; ${hint}`,
  );
}

/** Tables of another program are left alone. */
async function checkEmpty(query: Query, name: string): Promise<void> {
  const others = await query("SELECT 1 FROM pg_tables WHERE schemaname = 'kindred' LIMIT 1");
  if (others.length > 0)
    throw inputError(
      'NOT_A_STORE',
      `${name}: expected a kindred store, got a schema "kindred" of another program`,
    );
}

async function isThere(query: Query, expression: string): Promise<boolean> {
  const [{ found }] = await query(`SELECT ${expression} IS NOT NULL AS found`);
  return found === true;
}
