/** A store in memory, for simulations and tests. Cells are packed as in a file: what is saved does not change with what it was made of. */
import { seal, unseal } from '../base/packed.ts';
import type { StoredCoordinator, StoredMember, StoredRun } from '../coordinator/stored.ts';
import type { AuditLine } from './audit-chain.ts';
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
} from './ports.ts';

const CELL = { kind: 'cell in memory', version: 1 };

type Key = string | number;

export class MemoryStore implements Store {
  readonly name = 'memory';
  private readonly tables = new Map<string, Map<Key, Uint8Array>>();

  federations(): FederationRecord[] {
    return this.all('federations');
  }

  addFederation(record: FederationRecord): void {
    this.put(['federations', record.name, record]);
  }

  removeFederation(federation: string): void {
    for (const table of ['federations', 'runs', 'schemas']) this.table(table).delete(federation);
    for (const what of ['members', 'rounds', 'enrolments', 'invitations'])
      this.tables.delete(`${what} of ${federation}`);
  }

  loadRun(federation: string): SavedRun | undefined {
    const run = this.get<StoredRun>('runs', federation);
    return run && { run, members: this.all<StoredMember>(`members of ${federation}`) };
  }

  saveRun(federation: string, changes: StoredCoordinator, rows: readonly HistoryRow[]): void {
    const members = `members of ${federation}`;
    this.put(
      ['runs', federation, changes.run],
      ...changes.members.map((member) => [members, member.id, member] as const),
      ...rows.map((row) => [`rounds of ${federation}`, row.round, row] as const),
    );
    for (const id of changes.removed) this.table(members).delete(id);
  }

  history(federation: string, after: number, limit: number): HistoryRow[] {
    const rows = this.all<HistoryRow>(`rounds of ${federation}`);
    return rows.filter(({ round }) => round > after).slice(0, limit);
  }

  schema(federation: string): SchemaRecord | undefined {
    return this.get('schemas', federation);
  }

  saveSchema(federation: string, schema: SchemaRecord): void {
    this.put(['schemas', federation, schema]);
  }

  enrolment(federation: string, participant: string): Enrolment | undefined {
    return this.get(`enrolments of ${federation}`, participant);
  }

  enrolments(federation: string): Enrolment[] {
    return this.all(`enrolments of ${federation}`);
  }

  enrol(federation: string, enrolling: readonly Enrolling[]): void | Promise<void> {
    this.put(
      ...enrolling.flatMap(({ enrolment, used }) => [
        [`enrolments of ${federation}`, enrolment.participant, enrolment] as const,
        ...(used ? [[`invitations of ${federation}`, used.digest, used] as const] : []),
      ]),
    );
  }

  invitation(federation: string, digest: string): Invitation | undefined {
    return this.get(`invitations of ${federation}`, digest);
  }

  invitations(federation: string): Invitation[] {
    const all = this.all<Invitation>(`invitations of ${federation}`);
    return all.sort((a, b) => a.createdMs - b.createdMs);
  }

  addInvitations(federation: string, invitations: readonly Invitation[]): void {
    this.put(...invitations.map((one) => [`invitations of ${federation}`, one.digest, one] as const));
  }

  tokens(): TokenRecord[] {
    return this.all('tokens');
  }

  saveToken(token: TokenRecord): void {
    this.put(['tokens', token.name, token]);
  }

  removeToken(name: string): void {
    this.table('tokens').delete(name);
  }

  lastAuditLine(): AuditLine | undefined {
    return this.get('audit', this.table('audit').size);
  }

  auditLines(after: number, limit: number): AuditLine[] {
    const count = Math.max(0, Math.min(limit, this.table('audit').size - after));
    return Array.from({ length: count }, (_, i) => this.get<AuditLine>('audit', after + i + 1)!);
  }

  appendAuditLine(entry: AuditLine): void {
    const { seq } = entry;
    if (seq !== this.table('audit').size + 1) throw new Error(`audit log: entry ${seq} is not the next`);
    this.put(['audit', seq, entry]);
  }

  close(): void {}

  /** As it is now, for good: what a backup has. */
  copy(): MemoryStore {
    const copy = new MemoryStore();
    for (const [name, cells] of this.tables) copy.tables.set(name, new Map(cells));
    return copy;
  }

  private table(name: string): Map<Key, Uint8Array> {
    let cells = this.tables.get(name);
    if (!cells) this.tables.set(name, (cells = new Map()));
    return cells;
  }

  /** All is packed before anything is put: it is all or nothing. */
  private put(...cells: (readonly [table: string, key: Key, value: unknown])[]): void {
    const packed = cells.map(([table, key, value]) => [table, key, seal(CELL, value)] as const);
    for (const [table, key, cell] of packed) this.table(table).set(key, cell);
  }

  private get<T>(table: string, key: Key): T | undefined {
    const cell = this.table(table).get(key);
    return cell && (unseal(CELL, cell, 'memory') as T);
  }

  /** By key. */
  private all<T>(table: string): T[] {
    const keys = [...this.table(table).keys()].sort((a, b) => (a < b ? -1 : 1));
    return keys.map((key) => this.get<T>(table, key)!);
  }
}
