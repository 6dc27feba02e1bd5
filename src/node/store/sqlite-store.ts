/**
 * The default store: one SQLite file, written through before anything is sent. A run has one cell for what is common, and one for each
 * participant: with answers a round changes the common one alone.
 */
import type Database from 'libsql';
import { sealForNow, unseal } from '../../base/packed.ts';
import type { StoredCoordinator, StoredMember, StoredRun } from '../../coordinator/stored.ts';
import type { AuditLine } from '../../host/audit-chain.ts';
import type {
  Enrolling,
  Enrolment,
  FederationRecord,
  HistoryRow,
  Invitation,
  SavedRun,
  SchemaRecord,
  Store,
  TokenRecord,
} from '../../host/ports.ts';
import { CELLS, type CellKind } from '../../host/store-cells.ts';
import { upgradedOptions } from '../../settings/federation.ts';
import { blobBytes, blobOf, closeDatabase, inTransaction, onDatabase, openDatabase } from './database.ts';

/** Of the tables. What is in a cell has a version of its own. */
const VERSION = 2;

const TABLES = `
  CREATE TABLE federations (name TEXT PRIMARY KEY, body BLOB NOT NULL);
  CREATE TABLE schemas (federation TEXT PRIMARY KEY, body BLOB NOT NULL);
  CREATE TABLE rounds (
    federation TEXT, round INTEGER, body BLOB NOT NULL, PRIMARY KEY (federation, round)
  );
  CREATE TABLE enrolments (
    federation TEXT, participant TEXT, body BLOB NOT NULL, PRIMARY KEY (federation, participant)
  );
  CREATE TABLE invitations (
    federation TEXT, digest TEXT, body BLOB NOT NULL, PRIMARY KEY (federation, digest)
  );
  CREATE TABLE runs (federation TEXT PRIMARY KEY, body BLOB NOT NULL);
  CREATE TABLE members (federation TEXT, id TEXT, body BLOB NOT NULL, PRIMARY KEY (federation, id));
`;
/** Tables that stores of the same version may lack: earlier programs know nothing of them, and need not. */
const LATER_TABLES = `
  CREATE TABLE IF NOT EXISTS tokens (name TEXT PRIMARY KEY, body BLOB NOT NULL);
  CREATE TABLE IF NOT EXISTS audit (seq INTEGER PRIMARY KEY, line TEXT NOT NULL);
`;

/** Tables whose rows belong to one federation, and go with it. Tokens and the audit log are the server's. */
const OF_A_FEDERATION = ['schemas', 'rounds', 'enrolments', 'invitations', 'runs', 'members'] as const;
const REPLACE = 'ON CONFLICT DO UPDATE SET body = excluded.body';
type Row = { readonly [key: string]: unknown; readonly body: ArrayBuffer };

export class SqliteStore implements Store {
  readonly name: string;
  private readonly db: Database.Database;
  private readonly statements = new Map<string, Database.Statement>();

  constructor(path: string) {
    this.name = path;
    this.db = openDatabase(path, { version: VERSION, tables: TABLES, later: LATER_TABLES });
  }

  federations(): FederationRecord[] {
    const records = this.read<FederationRecord>('federations', 'ORDER BY name');
    return records.map((record) => ({ ...record, options: upgradedOptions(record.options) }));
  }

  addFederation(record: FederationRecord): void {
    this.atOnce(() => this.put('federations', record, record.name));
  }

  removeFederation(federation: string): void {
    this.atOnce(() => {
      this.statement('DELETE FROM federations WHERE name = ?').run(federation);
      for (const table of OF_A_FEDERATION)
        this.statement(`DELETE FROM ${table} WHERE federation = ?`).run(federation);
    });
    onDatabase(this.name, () => this.db.exec('PRAGMA wal_checkpoint(TRUNCATE)'));
  }

  loadRun(federation: string): SavedRun | undefined {
    const [run] = this.read<StoredRun>('runs', 'WHERE federation = ?', federation);
    if (!run) return undefined;
    return { run, members: this.read<StoredMember>('members', 'WHERE federation = ?', federation) };
  }

  saveRun(federation: string, changes: StoredCoordinator, rows: readonly HistoryRow[]): void | Promise<void> {
    const { run, members, removed } = changes;
    this.atOnce(() => {
      this.put('runs', run, federation);
      for (const member of members) this.put('members', member, federation, member.id);
      for (const id of removed)
        this.statement('DELETE FROM members WHERE federation = ? AND id = ?').run(federation, id);
      for (const row of rows) this.put('rounds', row, federation, row.round);
    });
  }

  history(federation: string, after: number, limit: number): HistoryRow[] {
    const where = 'WHERE federation = ? AND round > ? ORDER BY round LIMIT ?';
    return this.read<HistoryRow>('rounds', where, federation, after, limit);
  }

  schema(federation: string): SchemaRecord | undefined {
    return this.read<SchemaRecord>('schemas', 'WHERE federation = ?', federation)[0];
  }

  saveSchema(federation: string, schema: SchemaRecord): void {
    this.atOnce(() => this.put('schemas', schema, federation));
  }

  enrolment(federation: string, participant: string): Enrolment | undefined {
    const where = 'WHERE federation = ? AND participant = ?';
    return this.read<Enrolment>('enrolments', where, federation, participant)[0];
  }

  enrolments(federation: string): Enrolment[] {
    return this.read<Enrolment>('enrolments', 'WHERE federation = ? ORDER BY participant', federation);
  }

  enrol(federation: string, enrolling: readonly Enrolling[]): void {
    this.atOnce(() => {
      for (const { enrolment, used } of enrolling) {
        this.put('enrolments', enrolment, federation, enrolment.participant);
        if (used) this.put('invitations', used, federation, used.digest);
      }
    });
  }

  invitation(federation: string, digest: string): Invitation | undefined {
    const where = 'WHERE federation = ? AND digest = ?';
    return this.read<Invitation>('invitations', where, federation, digest)[0];
  }

  invitations(federation: string): Invitation[] {
    const all = this.read<Invitation>('invitations', 'WHERE federation = ?', federation);
    return all.sort((a, b) => a.createdMs - b.createdMs);
  }

  addInvitations(federation: string, invitations: readonly Invitation[]): void {
    this.atOnce(() => {
      for (const invitation of invitations)
        this.put('invitations', invitation, federation, invitation.digest);
    });
  }

  tokens(): TokenRecord[] {
    return this.read<TokenRecord>('tokens', 'ORDER BY name');
  }

  saveToken(token: TokenRecord): void {
    this.atOnce(() => this.put('tokens', token, token.name));
  }

  removeToken(name: string): void {
    this.atOnce(() => this.statement('DELETE FROM tokens WHERE name = ?').run(name));
  }

  lastAuditLine(): AuditLine | undefined {
    return this.lines('ORDER BY seq DESC LIMIT 1')[0];
  }

  auditLines(after: number, limit: number): AuditLine[] {
    return this.lines('WHERE seq > ? ORDER BY seq LIMIT ?', after, limit);
  }

  appendAuditLine({ seq, line }: AuditLine): void {
    this.atOnce(() => this.statement('INSERT INTO audit VALUES (?, ?)').run(seq, line));
  }

  close(): void {
    onDatabase(this.name, () => closeDatabase(this.db));
  }

  private atOnce(act: () => void): void {
    onDatabase(this.name, () => inTransaction(this.db, act));
  }

  private put(table: CellKind, value: unknown, ...keys: (string | number)[]): void {
    const marks = keys.map(() => '?').join(', ');
    const body = blobOf(sealForNow(CELLS[table], value));
    this.statement(`INSERT INTO ${table} VALUES (${marks}, ?) ${REPLACE}`).run(...keys, body);
  }

  private read<T>(table: CellKind, where: string, ...keys: (string | number)[]): T[] {
    return onDatabase(this.name, () => {
      const rows = this.statement(`SELECT * FROM ${table} ${where}`).all(...keys) as Row[];
      return rows.map(({ body, ...found }) => {
        const source = `${this.name}, table ${table}, ${Object.values(found).join(' ')}`;
        return unseal(CELLS[table], blobBytes(body), source) as T;
      });
    });
  }

  private lines(where: string, ...keys: number[]): AuditLine[] {
    return onDatabase(
      this.name,
      () => this.statement(`SELECT seq, line FROM audit ${where}`).all(...keys) as AuditLine[],
    );
  }

  private statement(sql: string): Database.Statement {
    let found = this.statements.get(sql);
    if (!found) this.statements.set(sql, (found = this.db.prepare(sql)));
    return found;
  }
}
