/**
 * The state of a run in an SQLite file: one cell for what is common, one for each participant, and one for each atom that the
 * coordinator keeps of it. A round changes one atom of those who answered; the others stay where they are.
 */
import type Database from 'libsql';
import { type Seal, seal, sealForNow, unseal } from '../../base/packed.ts';
import type { StoredCoordinator, StoredMember, StoredRun } from '../../coordinator/index.ts';
import type { KnownMember } from '../../solver/index.ts';
import { blobBytes, blobOf } from './database.ts';

/** Atoms of one slot lie side by side, and are replaced where they are: a round writes whole pages of them. */
export const RUN_TABLES = `
  CREATE TABLE runs (federation TEXT PRIMARY KEY, body BLOB NOT NULL);
  CREATE TABLE members (federation TEXT, id TEXT, body BLOB NOT NULL, PRIMARY KEY (federation, id));
  CREATE TABLE atoms (
    federation TEXT, slot INTEGER, id TEXT, body BLOB NOT NULL, PRIMARY KEY (federation, slot, id)
  );
`;
const REPLACE = 'ON CONFLICT DO UPDATE SET body = excluded.body';
/** Members that one statement writes: beginning a statement costs more than writing a small cell. */
const AT_ONCE = 50;

const RUN: Seal = { kind: 'kindred run', version: 1 };
const MEMBER: Seal = { kind: 'kindred member', version: 1 };
const ATOM: Seal = { kind: 'kindred atom', version: 1 };

type Atom = KnownMember['atoms'][number];

interface MemberCell {
  readonly lasting: Omit<StoredMember, 'known'>;
  readonly u: Float64Array | undefined;
  /** Where its atoms are, oldest first. */
  readonly slots: readonly number[];
}

interface Row {
  readonly id: string;
  readonly slot: number;
  readonly body: Buffer | ArrayBuffer;
}

export class RunCells {
  private readonly db: Database.Database;
  private readonly source: string;
  /** Atoms that are in the file, by identity: they are never changed in place. */
  private readonly slotOf = new WeakMap<Atom, number>();
  /** By the transaction under way: it may yet fail. */
  private written: [Atom, number][] = [];
  private readonly putRun: Database.Statement;
  private readonly putMember: Database.Statement;
  private readonly putMembers: Database.Statement;
  private readonly putAtom: Database.Statement;
  private readonly dropMember: Database.Statement;
  private readonly dropAtoms: Database.Statement;

  constructor(db: Database.Database, source: string) {
    this.db = db;
    this.source = source;
    this.putRun = db.prepare(`INSERT INTO runs VALUES (?, ?) ${REPLACE}`);
    this.putMember = db.prepare(`INSERT INTO members VALUES (?, ?, ?) ${REPLACE}`);
    const places = Array.from({ length: AT_ONCE }, () => '(?, ?, ?)').join(', ');
    this.putMembers = db.prepare(`INSERT INTO members VALUES ${places} ${REPLACE}`);
    this.putAtom = db.prepare(`INSERT INTO atoms VALUES (?, ?, ?, ?) ${REPLACE}`);
    this.dropMember = db.prepare('DELETE FROM members WHERE federation = ? AND id = ?');
    this.dropAtoms = db.prepare('DELETE FROM atoms WHERE federation = ? AND id = ?');
  }

  /** Inside a transaction; `committed` says that it has gone through. */
  save(federation: string, { run, members, removed }: StoredCoordinator): void {
    this.written = [];
    this.putRun.run(federation, blobOf(sealForNow(RUN, run)));
    this.saveMembers(federation, members);
    for (const id of removed) {
      this.dropMember.run(federation, id);
      this.dropAtoms.run(federation, id);
    }
  }

  committed(): void {
    for (const [atom, slot] of this.written) this.slotOf.set(atom, slot);
    this.written = [];
  }

  private saveMembers(federation: string, members: readonly StoredMember[]): void {
    const several = members.length - (members.length % AT_ONCE);
    for (let first = 0; first < several; first += AT_ONCE) {
      const together = members.slice(first, first + AT_ONCE);
      this.putMembers.run(
        together.flatMap((member) => [
          federation,
          member.id,
          blobOf(seal(MEMBER, this.cellOf(federation, member))),
        ]),
      );
    }
    for (const member of members.slice(several)) {
      const cell = this.cellOf(federation, member);
      this.putMember.run(federation, member.id, blobOf(sealForNow(MEMBER, cell)));
    }
  }

  /** With its atoms written. */
  private cellOf(federation: string, { known, ...lasting }: StoredMember): MemberCell {
    const slots = this.saveAtoms(federation, lasting.id, known?.atoms ?? []);
    return { lasting, u: known?.u, slots };
  }

  private saveAtoms(federation: string, id: string, atoms: readonly Atom[]): number[] {
    const taken = new Set(atoms.map((atom) => this.slotOf.get(atom)));
    let free = 0;
    return atoms.map((atom) => {
      const known = this.slotOf.get(atom);
      if (known !== undefined) return known;
      while (taken.has(free)) free++;
      const slot = free++;
      this.putAtom.run(federation, slot, id, blobOf(sealForNow(ATOM, atom)));
      this.written.push([atom, slot]);
      return slot;
    });
  }

  load(federation: string): { run: StoredRun; members: StoredMember[] } | undefined {
    const found = this.db.prepare('SELECT body FROM runs WHERE federation = ?').get(federation) as
      | Row
      | undefined;
    if (!found) return undefined;
    const atoms = this.loadAtoms(federation);
    const rows = this.db
      .prepare('SELECT id, body FROM members WHERE federation = ?')
      .all(federation) as Row[];
    const members = rows.map(({ id, body }): StoredMember => {
      const source = `${this.source}, participant "${id}" of "${federation}"`;
      const { lasting, u, slots } = unseal(MEMBER, blobBytes(body), source) as MemberCell;
      const own = slots.map((slot) => atoms.get(id)!.get(slot)!);
      return { ...lasting, known: u && { u, atoms: own } };
    });
    const run = unseal(RUN, blobBytes(found.body), `${this.source}, run of "${federation}"`) as StoredRun;
    return { run, members };
  }

  private loadAtoms(federation: string): Map<string, Map<number, Atom>> {
    const atoms = new Map<string, Map<number, Atom>>();
    const rows = this.db
      .prepare('SELECT id, slot, body FROM atoms WHERE federation = ?')
      .all(federation) as Row[];
    for (const { id, slot, body } of rows) {
      const source = `${this.source}, atom ${slot} of participant "${id}" of "${federation}"`;
      const atom = unseal(ATOM, blobBytes(body), source) as Atom;
      this.slotOf.set(atom, slot);
      let own = atoms.get(id);
      if (!own) atoms.set(id, (own = new Map()));
      own.set(slot, atom);
    }
    return atoms;
  }
}
