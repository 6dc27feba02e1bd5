/** A store in memory, for simulations and tests. Cells are packed as in a file: what is saved does not change with what it was made of. */
import { seal, unseal } from '../base/packed.ts';
import type { StoredCoordinator, StoredMember, StoredRun } from '../coordinator/stored.ts';
import type { Enrolment, FederationRecord, HistoryRow, Invitation, SchemaRecord, Store } from './ports.ts';

const CELL = { kind: 'cell in memory', version: 1 };

function pack(value: unknown): Uint8Array {
  return seal(CELL, value);
}

function unpack(cell: Uint8Array): unknown {
  return unseal(CELL, cell, 'memory');
}

class Cells<T> {
  private readonly cells = new Map<string | number, Uint8Array>();

  put(key: string | number, cell: Uint8Array): void {
    this.cells.set(key, cell);
  }

  remove(key: string): void {
    this.cells.delete(key);
  }

  get(key: string | number): T | undefined {
    const cell = this.cells.get(key);
    return cell && (unpack(cell) as T);
  }

  /** By key. */
  all(): T[] {
    const keys = [...this.cells.keys()].sort((a, b) => (a < b ? -1 : 1));
    return keys.map((key) => unpack(this.cells.get(key)!) as T);
  }
}

/** Everything of one federation. */
class FederationCells {
  run: Uint8Array | undefined;
  readonly members = new Cells<StoredMember>();
  readonly rows = new Cells<HistoryRow>();
  schema: SchemaRecord | undefined;
  readonly enrolments = new Cells<Enrolment>();
  readonly invitations = new Cells<Invitation>();
}

export class MemoryStore implements Store {
  readonly name = 'memory';
  private readonly records = new Cells<FederationRecord>();
  private readonly byName = new Map<string, FederationCells>();

  federations(): FederationRecord[] {
    return this.records.all();
  }

  addFederation(record: FederationRecord): void {
    this.records.put(record.name, pack(record));
  }

  loadRun(federation: string): { run: StoredRun; members: StoredMember[] } | undefined {
    const { run, members } = this.of(federation);
    return run && { run: unpack(run) as StoredRun, members: members.all() };
  }

  saveRun(federation: string, changes: StoredCoordinator, rows: readonly HistoryRow[]): void {
    // All is packed before anything is put: it is all or nothing.
    const run = pack(changes.run);
    const members = changes.members.map((member) => [member.id, pack(member)] as const);
    const closed = rows.map((row) => [row.round, pack(row)] as const);
    const cells = this.of(federation);
    cells.run = run;
    for (const [id, cell] of members) cells.members.put(id, cell);
    for (const id of changes.removed) cells.members.remove(id);
    for (const [round, cell] of closed) cells.rows.put(round, cell);
  }

  history(federation: string, after: number, limit: number): HistoryRow[] {
    const rows = this.of(federation).rows.all();
    return rows.filter(({ round }) => round > after).slice(0, limit);
  }

  schema(federation: string): SchemaRecord | undefined {
    return this.of(federation).schema;
  }

  saveSchema(federation: string, schema: SchemaRecord): void {
    this.of(federation).schema = unpack(pack(schema)) as SchemaRecord;
  }

  enrolment(federation: string, participant: string): Enrolment | undefined {
    return this.of(federation).enrolments.get(participant);
  }

  enrolments(federation: string): Enrolment[] {
    return this.of(federation).enrolments.all();
  }

  enrol(federation: string, enrolment: Enrolment, used?: Invitation): void {
    const [cell, usedCell] = [pack(enrolment), used && pack(used)];
    const { enrolments, invitations } = this.of(federation);
    enrolments.put(enrolment.participant, cell);
    if (used && usedCell) invitations.put(used.digest, usedCell);
  }

  invitation(federation: string, digest: string): Invitation | undefined {
    return this.of(federation).invitations.get(digest);
  }

  invitations(federation: string): Invitation[] {
    const all = this.of(federation).invitations.all();
    return all.sort((a, b) => a.createdMs - b.createdMs);
  }

  addInvitations(federation: string, invitations: readonly Invitation[]): void {
    const cells = invitations.map((invitation) => [invitation.digest, pack(invitation)] as const);
    for (const [digest, cell] of cells) this.of(federation).invitations.put(digest, cell);
  }

  close(): void {}

  private of(federation: string): FederationCells {
    let cells = this.byName.get(federation);
    if (!cells) this.byName.set(federation, (cells = new FederationCells()));
    return cells;
  }
}
