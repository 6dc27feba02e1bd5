/** A SQLite file of kindred: opened by one process at a time, durable at every commit, refused if it is damaged or another file. */
import { closeSync, openSync } from 'node:fs';
import Database from 'libsql';
import { inputError, KindredError } from '../../base/errors.ts';
import { fileError } from '../files/file-error.ts';
import { plainBytes } from '../files/files.ts';

/** "KNDR" in the header of the file: it is a store of kindred. */
const APPLICATION_ID = 0x4b4e4452;
const IN_MEMORY = ':memory:';

interface Schema {
  readonly version: number;
  /** Statements that make the tables of a new file. */
  readonly tables: string;
  /** Statements that make what an older file of the same version may lack. */
  readonly later: string;
}

export function openDatabase(path: string, schema: Schema): Database.Database {
  if (path !== IN_MEMORY) keepToOwner(path);
  const db = onDatabase(path, () => new Database(path));
  try {
    onDatabase(path, () => setUp(db, path, schema));
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/**
 * A new file is its owner's alone: it holds what each participant has contributed. One that is there is left as it is, and not even
 * opened: closing it again would take away the locks that this process may have on it.
 */
function keepToOwner(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    const { code } = error as { code?: string };
    // Opening it reports better what else is wrong with the path.
    if (code === 'EACCES' || code === 'EROFS') throw fileError(error, path);
  }
}

function setUp(db: Database.Database, path: string, { version, tables, later }: Schema): void {
  // One process at a time, from here to the end: two coordinators of one store would each undo the other's rounds.
  db.exec('PRAGMA locking_mode = EXCLUSIVE');
  db.exec('PRAGMA busy_timeout = 2000');
  const found = numberOf(db, 'application_id');
  const isNew = found === 0 && numberOf(db, 'schema_version') === 0;
  if (!isNew && found !== APPLICATION_ID) {
    throw inputError('NOT_A_STORE', `${path}: expected a kindred store, got another SQLite file`);
  }
  const written = numberOf(db, 'user_version');
  if (!isNew && written !== version) {
    throw inputError(
      'STORED_VERSION',
      `${path}: expected a store of version ${version}, got version ${written}; use the kindred that wrote it, or give another --store and let every participant join with a new --state`,
    );
  }
  // Cells of some kilobytes: several to a page, where small pages would spill each over pages of its own.
  db.exec('PRAGMA page_size = 16384');
  db.exec('PRAGMA journal_mode = WAL');
  // A commit is on the disk when it returns, also if the machine loses power right after it.
  db.exec('PRAGMA synchronous = FULL');
  // What is deleted, or forgotten, is overwritten: nobody reads it from the free pages of the file.
  db.exec('PRAGMA secure_delete = ON');
  if (isNew) {
    db.exec(
      `BEGIN IMMEDIATE; PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${version}; ${tables} ${later} COMMIT`,
    );
    return;
  }
  const [check] = db.prepare('PRAGMA quick_check(1)').all() as { quick_check: string }[];
  if (check.quick_check !== 'ok') throw damaged(path, check.quick_check);
  db.exec(`BEGIN IMMEDIATE; ${later} COMMIT`);
}

function numberOf(db: Database.Database, pragma: string): number {
  const [row] = db.prepare(`PRAGMA ${pragma}`).all() as Record<string, number>[];
  return row[pragma];
}

function damaged(path: string, why: string): Error {
  return inputError('CORRUPT', `${path}: damaged (${why}); restore it from a backup`);
}

/** Errors of SQLite as errors with a stable code that name the file. */
export function onDatabase<T>(path: string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    if (error instanceof KindredError) throw error;
    const { code = '', message } = error as { code?: string; message: string };
    if (code.startsWith('SQLITE_BUSY') || code.startsWith('SQLITE_LOCKED')) {
      throw inputError('STORE_IN_USE', `${path}: in use by another process; stop that process first`);
    }
    if (code === 'SQLITE_NOTADB') {
      throw inputError(
        'NOT_A_DATABASE',
        `${path}: expected a kindred store, got a file that is not a database`,
      );
    }
    if (code.startsWith('SQLITE_CORRUPT')) throw damaged(path, message);
    if (message.startsWith('ConnectionFailed')) {
      throw inputError('STORE_NOT_OPENED', `${path}: cannot be opened; does its folder exist?`);
    }
    throw new KindredError('STORE_FAILED', `${path}: ${message}`, 'run');
  }
}

/**
 * Writes everything into the one file and releases the lock: libsql keeps a closed file open, and locked, as long as statements of
 * it are in memory.
 */
export function closeDatabase(db: Database.Database): void {
  try {
    db.exec('PRAGMA journal_mode = DELETE');
    db.exec('PRAGMA locking_mode = NORMAL');
    // The lock is released when the file is read next.
    db.prepare('PRAGMA schema_version').all();
  } catch {
    // A full disk: what is durable is in the write-ahead log beside the file, and is read from there.
  } finally {
    db.close();
  }
}

/** All or nothing, and durable. */
export function inTransaction(db: Database.Database, act: () => void): void {
  db.exec('BEGIN IMMEDIATE');
  try {
    act();
    db.exec('COMMIT');
  } catch (error) {
    // After a failed COMMIT there may be nothing left to roll back.
    if (db.inTransaction) db.exec('ROLLBACK');
    throw error;
  }
}

/** libsql returns a blob as a Buffer for one row, an ArrayBuffer for many. */
export function blobBytes(blob: Buffer | ArrayBuffer): Uint8Array {
  return blob instanceof ArrayBuffer ? new Uint8Array(blob) : plainBytes(blob);
}

/** Never as the only parameter of a statement: libsql 0.5 takes that for an object of named ones, and aborts the process. */
export function blobOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
