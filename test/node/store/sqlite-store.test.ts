import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'libsql';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Stream, stream } from '../../../src/base/random.ts';
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
const IDS = ['1', '2', 'drei "vier"', "o'neil", 'ü'];

const runOf = (round: number) =>
  ({ phase: 'open', round, forgotten: [], sigma: 1 / round }) as unknown as StoredRun;

function vector(random: Stream): Float64Array {
  return Float64Array.from({ length: 7 }, () => random.normal());
}

/** What a round does to a member: with steps a new u. */
function grown(id: string, round: number, random: Stream): StoredMember {
  const known = random.uniform() < 0.1 ? undefined : { u: vector(random) };
  return {
    id,
    index: IDS.indexOf(id),
    rows: 3,
    benchmarkMs: 1.5,
    session: round,
    barred: 0,
    presence: 'here',
    accepted: { round, factor: 0.25 },
    edition: 0,
    known,
  };
}

const rowOf = (round: number) =>
  ({ round, closedMs: round, relativeGap: Number.NaN }) as unknown as HistoryRow;

describe('the store in a file', () => {
  test('what was saved is there after opening it again, whatever came in between, also a save that failed', () => {
    for (let seed = 1; seed <= 20; seed++) {
      const file = join(folder, `${seed}.db`);
      const random = stream(seed, 'store');
      let store = new SqliteStore(file);
      const expected = new Map<string, StoredMember>();
      for (let round = 1; round <= 25; round++) {
        const changed = IDS.filter(() => random.uniform() < 0.6);
        const members = changed.map((id) => grown(id, round, random));
        const removed = IDS.filter((id) => !changed.includes(id) && random.uniform() < 0.1);
        if (random.uniform() < 0.2) {
          // Not a row: it fails after the cells of the run were written, and takes all of them back.
          const broken = [{ ...rowOf(round), scores: [() => 1] }] as unknown as HistoryRow[];
          expect(() => store.saveRun(NAME, { run: runOf(round), members, removed }, broken)).toThrow();
        }
        store.saveRun(NAME, { run: runOf(round), members, removed }, [rowOf(round)]);
        for (const member of members) expected.set(member.id, member);
        for (const id of removed) expected.delete(id);
        if (random.uniform() < 0.2) {
          store.close();
          store = new SqliteStore(file);
          // As a coordinator that was restored: it goes on with the objects that it was given.
          for (const member of store.loadRun(NAME)!.members) expected.set(member.id, member);
        }
      }
      store.close();
      const reopened = new SqliteStore(file);
      const { run, members } = reopened.loadRun(NAME)!;
      expect(run).toEqual(runOf(25));
      expect(new Map(members.map((member) => [member.id, member]))).toEqual(expected);
      expect(reopened.history(NAME, 20, 3).map(({ round }) => round)).toEqual([21, 22, 23]);
      reopened.close();
    }
  });

  test('federations do not see each other', () => {
    const store = new SqliteStore(path);
    const random = stream(1, 'store');
    const members = [grown('1', 1, random)];
    store.saveRun('a', { run: runOf(1), members, removed: [] }, [rowOf(1)]);
    store.enrol('a', { participant: '1', key: 'k', enrolledMs: 1, revokedMs: undefined });
    expect(store.loadRun('b')).toBeUndefined();
    expect(store.history('b', 0, 10)).toEqual([]);
    expect(store.enrolment('b', '1')).toBeUndefined();
    expect(store.enrolment('a', '1')?.key).toBe('k');
    store.close();
  });

  test('one process at a time', () => {
    const store = new SqliteStore(path);
    expect(() => new SqliteStore(path)).toThrow(`${path}: in use by another process`);
    store.close();
    new SqliteStore(path).close();
  });

  test('an invitation is used up with the enrolment, or neither', () => {
    const store = new SqliteStore(path);
    const invitation = {
      digest: 'd',
      participant: '1',
      createdMs: 1,
      expiresMs: undefined,
      usedBy: undefined,
    };
    store.addInvitations(NAME, [invitation]);
    store.enrol(
      NAME,
      { participant: '1', key: 'k', enrolledMs: 2, revokedMs: undefined },
      { ...invitation, usedBy: '1' },
    );
    expect(store.invitation(NAME, 'd')?.usedBy).toBe('1');
    store.close();
  });

  test.each(['runs', 'members', 'rounds', 'federations'])(
    'a damaged cell of %s is refused by name',
    (table) => {
      let store = new SqliteStore(path);
      const options = { c1: 1 } as never;
      store.addFederation({ name: NAME, id: 'x', createdMs: 1, options });
      const members = [grown('1', 1, stream(3, 'store'))];
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
      expect(read).toThrow(new RegExp(`^${path}, .*checksum does not match: damaged`));
      store.close();
    },
  );
});
