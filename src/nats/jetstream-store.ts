/**
 * A store in JetStream, for coordinators that run on NATS: the cells of the other stores, in an ordered map (`store-tree.ts`) that one
 * compare-and-set replaces (`store-session.ts`). Values and record are in one bucket, that is in one stream: a copy of it is a state
 * between two changes, and whatever a crash takes from its end, no record is left without its values.
 */
import type { NatsConnection } from '@nats-io/transport-node';
import { seal, unseal } from '../base/packed.ts';
import type { StoredCoordinator, StoredMember, StoredRun } from '../coordinator/stored.ts';
import type { AuditLine } from '../host/audit-chain.ts';
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
} from '../host/ports.ts';
import { CELLS, type CellKind } from '../host/store-cells.ts';
import { upgradedOptions } from '../settings/federation.ts';
import type { Bucket } from './bucket.ts';
import { type StoreAccess, StoreSession } from './store-session.ts';
import { keysIn, lookUp, scan } from './store-tree.ts';
import { pieceBytesFor, Values } from './store-values.ts';

/** What belongs to one federation, and goes with it. Tokens and the audit log are the server's. */
const OF_A_FEDERATION = ['schemas', 'rounds', 'enrolments', 'invitations', 'runs', 'members'] as const;
const AUDIT = { kind: 'kindred audit line', version: 1 };
type Table = CellKind | 'audit';
type Change = readonly [key: string, body: Uint8Array | undefined];

export interface JetStreamStoreOptions {
  readonly connection: NatsConnection;
  readonly bucket: Bucket;
  /** What messages call it. */
  readonly name: string;
  /** How long a change is tried again before it has failed. */
  readonly patienceMs?: number | undefined;
  /** When the store is closed. */
  readonly onClose?: (() => Promise<void>) | undefined;
}

export class JetStreamStore implements Store {
  readonly name: string;
  readonly fenced: Promise<Error>;
  private readonly session: StoreSession;
  private readonly onClose: () => Promise<void>;
  private closing: Promise<void> | undefined;

  private constructor(session: StoreSession, onClose: () => Promise<void>) {
    this.session = session;
    this.name = session.name;
    this.fenced = session.whenFenced;
    this.onClose = onClose;
  }

  /** For writing it raises the epoch: whoever had the store open for writing before changes nothing any more. */
  static async open(options: JetStreamStoreOptions, access: StoreAccess = 'write'): Promise<JetStreamStore> {
    const { connection, bucket, name, patienceMs, onClose = async () => {} } = options;
    const pieceBytes = pieceBytesFor(connection.info?.max_payload ?? 1 << 20);
    const values = new Values(bucket, pieceBytes, name);
    const session = await StoreSession.open({ name, bucket, values, patienceMs }, access);
    return new JetStreamStore(session, onClose);
  }

  /** Raised by every opening for writing; undefined: for reading. */
  get epoch(): number | undefined {
    return this.session.epoch;
  }

  /** Finds out whether another one has taken it over, and fails with FENCED if so. */
  check(): Promise<void> {
    return this.session.check();
  }

  async federations(): Promise<FederationRecord[]> {
    const records = await this.all<FederationRecord>('federations');
    return records.map((record) => ({ ...record, options: upgradedOptions(record.options) }));
  }

  async addFederation(record: FederationRecord): Promise<void> {
    await this.put(cellOf('federations', [record.name], record));
  }

  removeFederation(federation: string): Promise<void> {
    return this.session.change(async ({ reader, root }) => {
      const changes = new Map<string, undefined>([[keyOf('federations', federation), undefined]]);
      for (const table of OF_A_FEDERATION) {
        for (const key of await keysIn(reader, root, rangeOf(table, federation))) changes.set(key, undefined);
      }
      return changes;
    });
  }

  loadRun(federation: string): Promise<SavedRun | undefined> {
    return this.session.read(async ({ reader, root }) => {
      const key = keyOf('runs', federation, '');
      const body = await lookUp(reader, root, key);
      if (!body) return undefined;
      const cells = await scan(reader, root, rangeOf('members', federation));
      return {
        run: this.opened<StoredRun>('runs', key, body),
        members: cells.map(([name, cell]) => this.opened<StoredMember>('members', name, cell)),
      };
    });
  }

  async saveRun(
    federation: string,
    { run, members, removed }: StoredCoordinator,
    rows: readonly HistoryRow[],
  ): Promise<void> {
    await this.put(
      cellOf('runs', [federation, ''], run),
      ...members.map((member) => cellOf('members', [federation, member.id], member)),
      ...removed.map((id) => [keyOf('members', federation, id), undefined] as const),
      ...rows.map((row) => cellOf('rounds', [federation, numberKey(row.round)], row)),
    );
  }

  history(federation: string, after: number, limit: number): Promise<HistoryRow[]> {
    return this.page('rounds', federation, after, limit);
  }

  schema(federation: string): Promise<SchemaRecord | undefined> {
    return this.one('schemas', federation, '');
  }

  async saveSchema(federation: string, schema: SchemaRecord): Promise<void> {
    await this.put(cellOf('schemas', [federation, ''], schema));
  }

  enrolment(federation: string, participant: string): Promise<Enrolment | undefined> {
    return this.one('enrolments', federation, participant);
  }

  enrolments(federation: string): Promise<Enrolment[]> {
    return this.all('enrolments', federation);
  }

  async enrol(federation: string, enrolling: readonly Enrolling[]): Promise<void> {
    await this.put(
      ...enrolling.flatMap(({ enrolment, used }) => [
        cellOf('enrolments', [federation, enrolment.participant], enrolment),
        ...(used ? [cellOf('invitations', [federation, used.digest], used)] : []),
      ]),
    );
  }

  invitation(federation: string, digest: string): Promise<Invitation | undefined> {
    return this.one('invitations', federation, digest);
  }

  async invitations(federation: string): Promise<Invitation[]> {
    const all = await this.all<Invitation>('invitations', federation);
    return all.sort((a, b) => a.createdMs - b.createdMs);
  }

  async addInvitations(federation: string, invitations: readonly Invitation[]): Promise<void> {
    await this.put(...invitations.map((one) => cellOf('invitations', [federation, one.digest], one)));
  }

  tokens(): Promise<TokenRecord[]> {
    return this.all('tokens');
  }

  async saveToken(token: TokenRecord): Promise<void> {
    await this.put(cellOf('tokens', [token.name], token));
  }

  async removeToken(name: string): Promise<void> {
    await this.put([keyOf('tokens', name), undefined]);
  }

  lastAuditLine(): Promise<AuditLine | undefined> {
    return this.session.read(async ({ reader, root }) => {
      const found = await scan(reader, root, { ...rangeOf('audit'), limit: 1, order: 'descending' });
      return found.map(([key, body]) => this.opened<AuditLine>('audit', key, body))[0];
    });
  }

  auditLines(after: number, limit: number): Promise<AuditLine[]> {
    return this.page('audit', undefined, after, limit);
  }

  appendAuditLine(entry: AuditLine): Promise<void> {
    const key = keyOf('audit', numberKey(entry.seq));
    const body = seal(AUDIT, entry);
    return this.session.change(async ({ reader, root }) => {
      if (await lookUp(reader, root, key)) throw new Error(`audit log: entry ${entry.seq} is there already`);
      return new Map([[key, body]]);
    });
  }

  /** A second time, nothing. */
  close(): Promise<void> {
    this.closing ??= this.session.close().then(this.onClose);
    return this.closing;
  }

  private put(...changes: Change[]): Promise<void> {
    return this.session.change(new Map(changes));
  }

  private one<T>(table: CellKind, ...parts: string[]): Promise<T | undefined> {
    return this.session.read(async ({ reader, root }) => {
      const key = keyOf(table, ...parts);
      const body = await lookUp(reader, root, key);
      return body && this.opened<T>(table, key, body);
    });
  }

  /** By key. */
  private all<T>(table: CellKind, federation?: string): Promise<T[]> {
    return this.session.read(async ({ reader, root }) => {
      const found = await scan(reader, root, rangeOf(table, federation));
      return found.map(([key, body]) => this.opened<T>(table, key, body));
    });
  }

  private page<T>(table: Table, federation: string | undefined, after: number, limit: number): Promise<T[]> {
    return this.session.read(async ({ reader, root }) => {
      const { from, to } = rangeOf(table, federation);
      const found = await scan(reader, root, { from: `${from}${numberKey(after + 1)}`, to, limit });
      return found.map(([key, body]) => this.opened<T>(table, key, body));
    });
  }

  private opened<T>(table: Table, key: string, body: Uint8Array): T {
    const source = `${this.name}, ${key.replaceAll(SEPARATOR, ' ')}`;
    return unseal(table === 'audit' ? AUDIT : CELLS[table], body, source) as T;
  }
}

/** Packed before anything is sent: what cannot be stored fails here. */
function cellOf(table: CellKind, parts: readonly string[], value: unknown): Change {
  return [keyOf(table, ...parts), seal(CELLS[table], value)];
}

const SEPARATOR = '\u0000';
const AFTER_SEPARATOR = '\u0001';

/** All parts but the last are escaped: none can be read as two. */
function keyOf(table: Table, ...parts: readonly string[]): string {
  const last = parts.length - 1;
  return [table, ...parts.map((part, i) => (i < last ? encodeURIComponent(part) : part))].join(SEPARATOR);
}

function rangeOf(table: Table, federation?: string): { readonly from: string; readonly to: string } {
  const start = federation === undefined ? table : `${table}${SEPARATOR}${encodeURIComponent(federation)}`;
  return { from: `${start}${SEPARATOR}`, to: `${start}${AFTER_SEPARATOR}` };
}

/** In the order of the numbers. */
function numberKey(value: number): string {
  return `${Math.max(0, value)}`.padStart(16, '0');
}
