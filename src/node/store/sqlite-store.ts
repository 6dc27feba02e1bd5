/** The default store: one SQLite file, written through before anything is sent. */
import type Database from 'libsql';
import { type Seal, sealForNow, unseal } from '../../base/packed.ts';
import type { StoredCoordinator } from '../../coordinator/stored.ts';
import type {
  Enrolment,
  FederationRecord,
  HistoryRow,
  Invitation,
  SchemaRecord,
  Store,
} from '../../host/ports.ts';
import { upgraded } from '../../settings/federation.ts';
import { blobBytes, blobOf, closeDatabase, onDatabase, openDatabase, Transactions } from './database.ts';
import { RUN_TABLES, RunCells } from './run-cells.ts';

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
  ${RUN_TABLES}
`;

/** Tables of two keys at the most, and what their cells are. */
export const CELLS = {
  federations: { kind: 'kindred federation', version: 1 },
  schemas: { kind: 'kindred schema', version: 1 },
  rounds: { kind: 'kindred round', version: 1 },
  enrolments: { kind: 'kindred enrolment', version: 1 },
  invitations: { kind: 'kindred invitation', version: 1 },
} as const satisfies Record<string, Seal>;
type Table = keyof typeof CELLS;

export class SqliteStore implements Store {
  readonly name: string;
  private readonly db: Database.Database;
  private readonly transactions: Transactions;
  private readonly runs: RunCells;
  private readonly statements = new Map<string, Database.Statement>();

  constructor(path: string) {
    this.name = path;
    this.db = openDatabase(path, { version: VERSION, tables: TABLES });
    this.transactions = new Transactions(this.db);
    this.runs = new RunCells(this.db, path);
  }

  federations(): FederationRecord[] {
    const records = this.read('federations', 'ORDER BY name') as FederationRecord[];
    return records.map((record) => ({ ...record, options: upgraded(record.options) }));
  }

  addFederation(record: FederationRecord): void {
    this.atOnce(() => this.put('federations', record, record.name));
  }

  loadRun(federation: string) {
    return onDatabase(this.name, () => this.runs.load(federation));
  }

  saveRun(federation: string, changes: StoredCoordinator, rows: readonly HistoryRow[]): void | Promise<void> {
    this.atOnce(() => {
      this.runs.save(federation, changes);
      for (const row of rows) this.put('rounds', row, federation, row.round);
    });
  }

  history(federation: string, after: number, limit: number): HistoryRow[] {
    const where = 'WHERE federation = ? AND round > ? ORDER BY round LIMIT ?';
    return this.read('rounds', where, federation, after, limit) as HistoryRow[];
  }

  schema(federation: string): SchemaRecord | undefined {
    return this.read('schemas', 'WHERE federation = ?', federation)[0] as SchemaRecord | undefined;
  }

  saveSchema(federation: string, schema: SchemaRecord): void {
    this.atOnce(() => this.put('schemas', schema, federation));
  }

  enrolment(federation: string, participant: string): Enrolment | undefined {
    const where = 'WHERE federation = ? AND participant = ?';
    return this.read('enrolments', where, federation, participant)[0] as Enrolment | undefined;
  }

  enrolments(federation: string): Enrolment[] {
    return this.read('enrolments', 'WHERE federation = ? ORDER BY participant', federation) as Enrolment[];
  }

  enrol(federation: string, enrolment: Enrolment, used?: Invitation): void {
    this.atOnce(() => {
      this.put('enrolments', enrolment, federation, enrolment.participant);
      if (used) this.put('invitations', used, federation, used.digest);
    });
  }

  invitation(federation: string, digest: string): Invitation | undefined {
    const where = 'WHERE federation = ? AND digest = ?';
    return this.read('invitations', where, federation, digest)[0] as Invitation | undefined;
  }

  invitations(federation: string): Invitation[] {
    const all = this.read('invitations', 'WHERE federation = ?', federation) as Invitation[];
    return all.sort((a, b) => a.createdMs - b.createdMs);
  }

  addInvitations(federation: string, invitations: readonly Invitation[]): void {
    this.atOnce(() => {
      for (const invitation of invitations)
        this.put('invitations', invitation, federation, invitation.digest);
    });
  }

  close(): void {
    onDatabase(this.name, () => closeDatabase(this.db));
  }

  private atOnce(act: () => void): void {
    onDatabase(this.name, () => this.transactions.run(act));
  }

  private put(table: Table, value: unknown, ...keys: (string | number)[]): void {
    const marks = keys.map(() => '?').join(', ');
    const body = blobOf(sealForNow(CELLS[table], value));
    this.statement(`INSERT OR REPLACE INTO ${table} VALUES (${marks}, ?)`).run(...keys, body);
  }

  private read(table: Table, where: string, ...keys: (string | number)[]): unknown[] {
    return onDatabase(this.name, () => {
      const rows = this.statement(`SELECT body FROM ${table} ${where}`).all(...keys);
      return rows.map((row) => {
        const { body } = row as { body: ArrayBuffer };
        return unseal(CELLS[table], blobBytes(body), `${this.name}, table ${table}`);
      });
    });
  }

  private statement(sql: string): Database.Statement {
    let found = this.statements.get(sql);
    if (!found) this.statements.set(sql, (found = this.db.prepare(sql)));
    return found;
  }
}
