/**
 * Moves a damaged store aside and begins a new one in its place. Federations with their ids and options, columns, enrolments,
 * invitations, tokens and the audit log are copied as far as they can be read, so that participants recognise the federation. What was
 * trained is not copied: they answer again.
 */
import { existsSync, readFileSync, renameSync } from 'node:fs';
import Database from 'libsql';
import { KindredError } from '../../base/errors.ts';
import { unseal } from '../../base/packed.ts';
import type { AuditLine } from '../../host/audit-chain.ts';
import type { Enrolment, FederationRecord, Invitation, SchemaRecord, TokenRecord } from '../../host/ports.ts';
import { CELLS, type CellKind } from '../../host/store-cells.ts';
import { blobBytes } from './database.ts';
import { SqliteStore } from './sqlite-store.ts';

/** SQLite keeps beside the file what is not in it yet. */
const PARTS = ['', '-wal', '-shm'];
/** Every cell begins with it: a file without any is not a store whose header was damaged. */
const CELL_MARK = 'KNDS';

interface Salvaged {
  /** Where the damaged store is now. */
  readonly movedTo: string;
  /** Names of the federations that were copied. */
  readonly federations: readonly string[];
}

/** Whether the store at this path is damaged, by an error on opening or reading it; other files are left alone. */
export function isDamaged(error: unknown, path: string): boolean {
  if (!(error instanceof KindredError)) return false;
  if (error.code === 'CORRUPT') return true;
  return error.code === 'NOT_A_DATABASE' && readFileSync(path).includes(CELL_MARK);
}

export function replaceDamaged(path: string): Salvaged {
  const movedTo = freeName(path);
  for (const part of PARTS) if (existsSync(path + part)) renameSync(path + part, movedTo + part);
  const fresh = new SqliteStore(path);
  try {
    return { movedTo, federations: takeOver(movedTo, fresh) };
  } finally {
    fresh.close();
  }
}

function freeName(path: string): string {
  for (let n = 1; ; n++) {
    const name = `${path}.damaged-${n}`;
    if (!existsSync(name)) return name;
  }
}

function takeOver(damaged: string, fresh: SqliteStore): string[] {
  const names: string[] = [];
  for (const { value } of cellsOf<FederationRecord>(damaged, 'federations')) {
    fresh.addFederation(value);
    names.push(value.name);
  }
  for (const { federation, value } of cellsOf<SchemaRecord>(damaged, 'schemas'))
    fresh.saveSchema(federation, value);
  for (const { federation, value } of cellsOf<Enrolment>(damaged, 'enrolments'))
    fresh.enrol(federation, [{ enrolment: value }]);
  for (const { federation, value } of cellsOf<Invitation>(damaged, 'invitations'))
    fresh.addInvitations(federation, [value]);
  for (const { value } of cellsOf<TokenRecord>(damaged, 'tokens')) fresh.saveToken(value);
  for (const entry of auditOf(damaged)) fresh.appendAuditLine(entry);
  return names;
}

interface Cell<T> {
  readonly federation: string;
  readonly value: T;
}

/** The audit log as far as it can be read: where entries are missing, `audit-log verify` says so. */
function auditOf(path: string) {
  return rowsOf<AuditLine>(path, 'SELECT seq, line FROM audit ORDER BY seq');
}

/** Those that can be read. */
function cellsOf<T>(path: string, table: CellKind): Cell<T>[] {
  const key = table === 'federations' || table === 'tokens' ? 'name' : 'federation';
  const rows = rowsOf<{ federation: string; body: ArrayBuffer }>(
    path,
    `SELECT ${key} AS federation, body FROM ${table}`,
  );
  return rows.flatMap(({ federation, body }) => {
    try {
      return [{ federation, value: unseal(CELLS[table], blobBytes(body), path) as T }];
    } catch {
      return [];
    }
  });
}

function rowsOf<R>(path: string, query: string): R[] {
  let db: Database.Database | undefined;
  try {
    db = new Database(path);
    return db.prepare(query).all() as R[];
  } catch {
    return [];
  } finally {
    db?.close();
  }
}
