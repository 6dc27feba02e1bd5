import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'libsql';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { StoredMember, StoredRun } from '../../../src/coordinator/stored.ts';
import type { HistoryRow } from '../../../src/host/ports.ts';
import { SqliteStore } from '../../../src/node/store/sqlite-store.ts';

let folder: string;
let path: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'kindred-store-'));
  path = join(folder, 'kindred.db');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const NAME = 'default';
const runOf = (round: number) => ({ phase: 'open', round, forgotten: [] }) as unknown as StoredRun;
const memberOf = (id: string) =>
  ({ id, index: 0, known: { u: Float64Array.of(1, 2, 3) } }) as unknown as StoredMember;
const rowOf = (round: number) =>
  ({ round, closedMs: round, relativeGap: Number.NaN }) as unknown as HistoryRow;

/** What every store must do is in test/contracts. */
describe('the store in a file', () => {
  test('one process at a time', () => {
    const store = new SqliteStore(path);
    expect(() => new SqliteStore(path)).toThrow(`${path}: in use by another process`);
    store.close();
    new SqliteStore(path).close();
  });

  test.each(['runs', 'members', 'rounds', 'federations'])(
    'a damaged cell of %s is refused by name',
    (table) => {
      let store = new SqliteStore(path);
      const options = { c1: 1 } as never;
      store.addFederation({ name: NAME, id: 'x', createdMs: 1, options });
      const members = [memberOf('1')];
      store.saveRun(NAME, { run: runOf(1), members, removed: [] }, [rowOf(1)]);
      store.close();
      const db = new Database(path);
      const [{ body }] = db.prepare(`SELECT body FROM ${table}`).all() as { body: ArrayBuffer }[];
      const bytes = Buffer.from(body);
      bytes[bytes.length >> 1] ^= 4;
      db.prepare(`UPDATE ${table} SET body = ? WHERE 1 = ?`).run(bytes, 1);
      db.close();
      store = new SqliteStore(path);
      const read = () => [store.federations(), store.loadRun(NAME), store.history(NAME, 0, 9)];
      expect(read).toThrow(new RegExp(`^${path}, .*damaged bytes: the checksum does not match`));
      store.close();
    },
  );
});
