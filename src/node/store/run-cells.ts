/**
 * The state of a run in an SQLite file: one cell for what is common, and one for each participant. With answers a round changes the
 * common one alone.
 */
import type Database from 'libsql';
import { type Seal, sealForNow, unseal } from '../../base/packed.ts';
import type { StoredCoordinator, StoredMember, StoredRun } from '../../coordinator/stored.ts';
import { blobBytes, blobOf } from './database.ts';

export const RUN_TABLES = `
  CREATE TABLE runs (federation TEXT PRIMARY KEY, body BLOB NOT NULL);
  CREATE TABLE members (federation TEXT, id TEXT, body BLOB NOT NULL, PRIMARY KEY (federation, id));
`;
const REPLACE = 'ON CONFLICT DO UPDATE SET body = excluded.body';

const RUN: Seal = { kind: 'kindred run', version: 2 };
const MEMBER: Seal = { kind: 'kindred member', version: 2 };

interface Row {
  readonly id: string;
  readonly body: Buffer | ArrayBuffer;
}

export class RunCells {
  private readonly db: Database.Database;
  private readonly source: string;
  private readonly putRun: Database.Statement;
  private readonly putMember: Database.Statement;
  private readonly dropMember: Database.Statement;

  constructor(db: Database.Database, source: string) {
    this.db = db;
    this.source = source;
    this.putRun = db.prepare(`INSERT INTO runs VALUES (?, ?) ${REPLACE}`);
    this.putMember = db.prepare(`INSERT INTO members VALUES (?, ?, ?) ${REPLACE}`);
    this.dropMember = db.prepare('DELETE FROM members WHERE federation = ? AND id = ?');
  }

  /** Inside a transaction. */
  save(federation: string, { run, members, removed }: StoredCoordinator): void {
    this.putRun.run(federation, blobOf(sealForNow(RUN, run)));
    for (const member of members) {
      this.putMember.run(federation, member.id, blobOf(sealForNow(MEMBER, member)));
    }
    for (const id of removed) this.dropMember.run(federation, id);
  }

  load(federation: string): { run: StoredRun; members: StoredMember[] } | undefined {
    const found = this.db.prepare('SELECT body FROM runs WHERE federation = ?').get(federation) as
      | Row
      | undefined;
    if (!found) return undefined;
    const rows = this.db
      .prepare('SELECT id, body FROM members WHERE federation = ?')
      .all(federation) as Row[];
    const members = rows.map(({ id, body }): StoredMember => {
      const source = `${this.source}, participant "${id}" of "${federation}"`;
      return unseal(MEMBER, blobBytes(body), source) as StoredMember;
    });
    const run = unseal(RUN, blobBytes(found.body), `${this.source}, run of "${federation}"`) as StoredRun;
    return { run, members };
  }
}
