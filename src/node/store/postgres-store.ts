/**
 * A store in PostgreSQL, for those who run one already: the cells of the SQLite store in tables of a schema `kindred`. Every change is a
 * transaction (`postgres-session.ts`).
 */
import { seal, unseal } from '../../base/packed.ts';
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
import { plainBytes } from '../files/files.ts';
import type { PostgresValue, Query } from './postgres-query.ts';
import { PostgresSession, type SessionAccess } from './postgres-session.ts';

/** Of the tables. What is in a cell has a version of its own. */
const VERSION = 1;
/** Cells of one statement: more are sent in several. */
const BATCH_BYTES = 16 << 20;

/** The columns of the key, by table; text in the order of its bytes. Vectors hardly compress: none is tried. */
const KEYS = {
  federations: { name: 'text' },
  schemas: { federation: 'text' },
  rounds: { federation: 'text', round: 'bigint' },
  enrolments: { federation: 'text', participant: 'text' },
  invitations: { federation: 'text', digest: 'text' },
  runs: { federation: 'text' },
  members: { federation: 'text', id: 'text' },
  tokens: { name: 'text' },
} as const satisfies Record<CellKind, Readonly<Record<string, 'text' | 'bigint'>>>;

const TABLES = `
  ${Object.entries(KEYS)
    .map(([table, columns]) => tableOf(table, columns))
    .join('')}
  CREATE TABLE kindred.audit (seq bigint PRIMARY KEY, line text NOT NULL);
`;
/** Tables whose rows belong to one federation, and go with it. Tokens and the audit log are the server's. */
const OF_A_FEDERATION = ['schemas', 'rounds', 'enrolments', 'invitations', 'runs', 'members'] as const;

function tableOf(table: string, columns: Readonly<Record<string, string>>): string {
  const keys = Object.entries(columns).map(
    ([name, type]) => `${name} ${type}${type === 'text' ? ' COLLATE "C"' : ''}`,
  );
  return `CREATE TABLE kindred.${table} (${keys.join(', ')}, body bytea NOT NULL, PRIMARY KEY (${Object.keys(columns).join(', ')}));
    ALTER TABLE kindred.${table} ALTER COLUMN body SET STORAGE EXTERNAL;`;
}

/** A value and the last part of its key. */
type Cell = readonly [key: string | number, body: Uint8Array];

export class PostgresStore implements Store {
  readonly name: string;
  readonly fenced: Promise<Error>;
  private readonly session: PostgresSession;

  private constructor(session: PostgresSession) {
    this.session = session;
    this.name = session.name;
    this.fenced = session.whenFenced;
  }

  /** `url`: postgres://user@host:5432/database, with the settings that PostgreSQL's own programs know (sslmode, sslrootcert, ...). */
  static async open(url: string, access: SessionAccess = 'write'): Promise<PostgresStore> {
    return new PostgresStore(await PostgresSession.open(url, access, { version: VERSION, tables: TABLES }));
  }

  async federations(): Promise<FederationRecord[]> {
    const records = await this.read<FederationRecord>('federations', 'ORDER BY name');
    return records.map((record) => ({ ...record, options: upgradedOptions(record.options) }));
  }

  async addFederation(record: FederationRecord): Promise<void> {
    const cells = [cellOf('federations', record.name, record)];
    await this.session.change((query) => put(query, 'federations', undefined, cells));
  }

  removeFederation(federation: string): Promise<void> {
    return this.session.change(async (query) => {
      await query('DELETE FROM kindred.federations WHERE name = $1', [federation]);
      for (const table of OF_A_FEDERATION)
        await query(`DELETE FROM kindred.${table} WHERE federation = $1`, [federation]);
    });
  }

  loadRun(federation: string): Promise<SavedRun | undefined> {
    return this.session.read(async (query) => {
      const where = 'WHERE federation = $1';
      const [run] = await this.select<StoredRun>(query, 'runs', where, [federation]);
      if (!run) return undefined;
      return { run, members: await this.select<StoredMember>(query, 'members', where, [federation]) };
    });
  }

  async saveRun(
    federation: string,
    { run, members, removed }: StoredCoordinator,
    rows: readonly HistoryRow[],
  ): Promise<void> {
    const runs = [cellOf('runs', federation, run)];
    const changed = members.map((member) => cellOf('members', member.id, member));
    const closed = rows.map((row) => cellOf('rounds', row.round, row));
    await this.session.change(async (query) => {
      await put(query, 'runs', undefined, runs);
      await put(query, 'members', federation, changed);
      if (removed.length > 0)
        await query('DELETE FROM kindred.members WHERE federation = $1 AND id = ANY($2::text[])', [
          federation,
          removed,
        ]);
      await put(query, 'rounds', federation, closed);
    });
  }

  history(federation: string, after: number, limit: number): Promise<HistoryRow[]> {
    const where = 'WHERE federation = $1 AND round > $2 ORDER BY round LIMIT $3';
    return this.read<HistoryRow>('rounds', where, federation, after, limit);
  }

  async schema(federation: string): Promise<SchemaRecord | undefined> {
    return (await this.read<SchemaRecord>('schemas', 'WHERE federation = $1', federation))[0];
  }

  async saveSchema(federation: string, schema: SchemaRecord): Promise<void> {
    const cells = [cellOf('schemas', federation, schema)];
    await this.session.change((query) => put(query, 'schemas', undefined, cells));
  }

  async enrolment(federation: string, participant: string): Promise<Enrolment | undefined> {
    const where = 'WHERE federation = $1 AND participant = $2';
    return (await this.read<Enrolment>('enrolments', where, federation, participant))[0];
  }

  enrolments(federation: string): Promise<Enrolment[]> {
    return this.read<Enrolment>('enrolments', 'WHERE federation = $1 ORDER BY participant', federation);
  }

  async enrol(federation: string, enrolling: readonly Enrolling[]): Promise<void> {
    const enrolled = enrolling.map(({ enrolment }) => cellOf('enrolments', enrolment.participant, enrolment));
    const invitations = enrolling.flatMap(({ used }) =>
      used ? [cellOf('invitations', used.digest, used)] : [],
    );
    await this.session.change(async (query) => {
      await put(query, 'enrolments', federation, enrolled);
      await put(query, 'invitations', federation, invitations);
    });
  }

  async invitation(federation: string, digest: string): Promise<Invitation | undefined> {
    const where = 'WHERE federation = $1 AND digest = $2';
    return (await this.read<Invitation>('invitations', where, federation, digest))[0];
  }

  async invitations(federation: string): Promise<Invitation[]> {
    const all = await this.read<Invitation>('invitations', 'WHERE federation = $1', federation);
    return all.sort((a, b) => a.createdMs - b.createdMs);
  }

  async addInvitations(federation: string, invitations: readonly Invitation[]): Promise<void> {
    const cells = invitations.map((one) => cellOf('invitations', one.digest, one));
    await this.session.change((query) => put(query, 'invitations', federation, cells));
  }

  tokens(): Promise<TokenRecord[]> {
    return this.read<TokenRecord>('tokens', 'ORDER BY name');
  }

  async saveToken(token: TokenRecord): Promise<void> {
    const cells = [cellOf('tokens', token.name, token)];
    await this.session.change((query) => put(query, 'tokens', undefined, cells));
  }

  removeToken(name: string): Promise<void> {
    return this.session.change(async (query) => {
      await query('DELETE FROM kindred.tokens WHERE name = $1', [name]);
    });
  }

  async lastAuditLine(): Promise<AuditLine | undefined> {
    return (await this.lines('ORDER BY seq DESC LIMIT 1'))[0];
  }

  auditLines(after: number, limit: number): Promise<AuditLine[]> {
    return this.lines('WHERE seq > $1 ORDER BY seq LIMIT $2', after, limit);
  }

  appendAuditLine({ seq, line }: AuditLine): Promise<void> {
    return this.session.change(async (query) => {
      await query('INSERT INTO kindred.audit VALUES ($1, $2)', [seq, line]);
    });
  }

  close(): Promise<void> {
    return this.session.close();
  }

  private read<T>(table: CellKind, where: string, ...keys: (string | number)[]): Promise<T[]> {
    return this.session.read((query) => this.select<T>(query, table, where, keys));
  }

  private async select<T>(
    query: Query,
    table: CellKind,
    where: string,
    keys: readonly PostgresValue[],
  ): Promise<T[]> {
    const rows = await query(`SELECT * FROM kindred.${table} ${where}`, keys);
    return rows.map(({ body, ...found }) => {
      const source = `${this.name}, table ${table}, ${Object.values(found).join(' ')}`;
      return unseal(CELLS[table], plainBytes(body as Buffer), source) as T;
    });
  }

  private lines(where: string, ...keys: number[]): Promise<AuditLine[]> {
    return this.session.read(async (query) => {
      const rows = await query(`SELECT seq, line FROM kindred.audit ${where}`, keys);
      return rows.map(({ seq, line }) => ({ seq: Number(seq), line: String(line) }));
    });
  }
}

/** Packed before anything is sent: what cannot be stored fails here. */
function cellOf(table: CellKind, key: string | number, value: unknown): Cell {
  return [key, seal(CELLS[table], value)];
}

/** `federation`: undefined where the key has one part only. */
async function put(
  query: Query,
  table: CellKind,
  federation: string | undefined,
  cells: readonly Cell[],
): Promise<void> {
  const columns = Object.keys(KEYS[table]);
  const type = Object.values(KEYS[table]).at(-1);
  const first = federation === undefined ? [] : [federation];
  const [keys, bodies] = [first.length + 1, first.length + 2];
  const sql = `INSERT INTO kindred.${table} SELECT ${first.map(() => '$1, ').join('')}key, body
    FROM unnest($${keys}::${type}[], $${bodies}::bytea[]) AS cell (key, body)
    ON CONFLICT (${columns.join(', ')}) DO UPDATE SET body = excluded.body`;
  for (const batch of batches(cells))
    await query(sql, [...first, batch.map(([key]) => key), batch.map(([, body]) => body)]);
}

/** Each key once, the last of equal ones: a statement may not touch a row twice. */
function* batches(cells: readonly Cell[]): Generator<Cell[]> {
  let batch: Cell[] = [];
  let bytes = 0;
  for (const cell of new Map(cells)) {
    batch.push(cell);
    bytes += cell[1].length;
    if (bytes < BATCH_BYTES) continue;
    yield batch;
    [batch, bytes] = [[], 0];
  }
  if (batch.length > 0) yield batch;
}
