/** The store under a server: what is refused rather than used, and what is there again after a restart. */
import { copyFileSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'libsql';
import { describe, expect, test } from 'vitest';
import { CoordinatorServer } from '../../../src/node/server/server.ts';
import { isDamaged, replaceDamaged } from '../../../src/node/store/salvage.ts';
import { SqliteStore } from '../../../src/node/store/sqlite-store.ts';
import { operate, PATIENT, QUICK, ServerTest, until } from '../../helpers/server.ts';
import { connected, Keys } from '../../helpers/ws-participant.ts';
import { Trainer } from '../../helpers/ws-trainer.ts';

const servers = new ServerTest();
const HOME = '/v1/federations/default';

/** A store in which a training has taken place. */
async function trainedStore(): Promise<string> {
  const store = servers.newStore();
  const server = await servers.start({ store }, QUICK);
  const [ada, ben] = [new Trainer('ada'), new Trainer('ben')];
  await ada.join(server.url);
  await ben.join(server.url);
  await ada.finished;
  await server.close();
  return store;
}

const trained = await trainedStore();

function copied(): string {
  const path = servers.newStore();
  copyFileSync(trained, path);
  return path;
}

function errorOf(store: string): Promise<unknown> {
  return CoordinatorServer.open({ store }).then(
    () => {
      throw new Error('it was taken');
    },
    (error) => error,
  );
}

/** The code of the refusal; the store is free again afterwards. */
async function refusalOf(store: string): Promise<string> {
  return ((await errorOf(store)) as { code: string }).code;
}

/** Flips a bit in the middle of the first cell of a table. */
function damageCell(path: string, table: string): void {
  const db = new Database(path);
  const { body } = db.prepare(`SELECT body FROM ${table} LIMIT 1`).get() as { body: Buffer };
  const changed = Buffer.from(body);
  changed[changed.length >> 1] ^= 1;
  db.prepare(`UPDATE ${table} SET body = ? WHERE body = ?`).run(changed, body);
  db.close();
}

function overwrite(path: string, page: number): void {
  const bytes = readFileSync(path);
  const size = page === 0 ? 100 : bytes.readUInt16BE(16);
  bytes.fill(0xaa, page * size, (page + 1) * size);
  writeFileSync(path, bytes);
}

describe('a damaged store is refused', () => {
  test.each(['runs', 'members', 'federations'])('with a flipped byte in a cell of %s', async (table) => {
    const path = copied();
    damageCell(path, table);
    expect(await refusalOf(path)).toBe('CORRUPT');
    // And it is not kept open: whoever puts the copy back can start.
    copyFileSync(trained, path);
    new SqliteStore(path).close();
  });

  test('cut off in the middle', async () => {
    const path = copied();
    truncateSync(path, statSync(path).size >> 1);
    expect(await refusalOf(path)).toBe('CORRUPT');
  });

  test('with a page overwritten', async () => {
    const path = copied();
    overwrite(path, 1);
    expect(await refusalOf(path)).toBe('CORRUPT');
  });

  test('that is no database, or one of somebody else', async () => {
    const text = join(servers.folder, 'notes.txt');
    writeFileSync(text, 'These are notes, and they are rather more than sixteen bytes of them.'.repeat(100));
    expect(await refusalOf(text)).toBe('NOT_A_DATABASE');
    const other = servers.newStore();
    const db = new Database(other);
    db.exec('CREATE TABLE birds (name TEXT)');
    db.close();
    expect(await refusalOf(other)).toBe('NOT_A_STORE');
  });

  test.each([
    ['a newer version', 99],
    ['the version that trained by updates', 1],
  ])('of %s, with a sentence that says what to do', async (_, version) => {
    const path = copied();
    const db = new Database(path);
    db.exec(`PRAGMA user_version = ${version}`);
    db.close();
    expect(await refusalOf(path)).toBe('STORED_VERSION');
    expect(() => new SqliteStore(path)).toThrow(
      `${path}: expected a store of version 2, got version ${version}; use the kindred that wrote it, or give another --store and let every participant join with a new --state`,
    );
  });

  test('in a folder that does not exist', async () => {
    expect(await refusalOf(join(servers.folder, 'nowhere', 'a.db'))).toBe('STORE_NOT_OPENED');
  });
});

describe('a damaged store that is replaced', () => {
  test.each([
    ['a damaged cell', (path: string) => damageCell(path, 'runs')],
    ['a page overwritten', (path: string) => overwrite(path, 3)],
    ['a header overwritten', (path: string) => overwrite(path, 0)],
  ])('%s: it is moved aside whole, and a new one is begun', async (_, damage) => {
    const path = copied();
    damage(path);
    const error = await errorOf(path);
    const bytes = readFileSync(path);
    expect(isDamaged(error, path)).toBe(true);
    const { movedTo } = replaceDamaged(path);
    expect(movedTo).toBe(`${path}.damaged-1`);
    expect(readFileSync(movedTo)).toEqual(bytes);
    const server = await servers.start({ store: path }, 'none');
    for (const { host } of server.federations.values()) expect(host.state.round).toBe(0);
    await server.close();
    overwrite(path, 0);
    expect(replaceDamaged(path).movedTo).toBe(`${path}.damaged-2`);
  });

  test('federations, keys and columns are known again as far as they can be read', () => {
    const path = copied();
    damageCell(path, 'runs');
    expect(replaceDamaged(path).federations).toEqual(['default']);
    const [before, after] = [new SqliteStore(trained), new SqliteStore(path)];
    expect(after.federations()).toEqual(before.federations());
    expect(after.enrolments('default')).toEqual(before.enrolments('default'));
    expect(after.schema('default')).toEqual(before.schema('default'));
    expect(after.loadRun('default')).toBeUndefined();
    expect(after.history('default', 0, 10)).toEqual([]);
    before.close();
    after.close();
  });

  test('other files, older stores and stores in use are left alone', async () => {
    const text = join(servers.folder, 'other.txt');
    writeFileSync(text, 'These are notes, and they are rather more than sixteen bytes of them.'.repeat(100));
    expect(isDamaged(await errorOf(text), text)).toBe(false);
    const old = copied();
    const db = new Database(old);
    db.exec('PRAGMA user_version = 1');
    db.close();
    expect(isDamaged(await errorOf(old), old)).toBe(false);
    const used = servers.newStore();
    await servers.start({ store: used });
    expect(isDamaged(await errorOf(used), used)).toBe(false);
  }, 20_000);
});

test('a store belongs to one server at a time', async () => {
  const store = servers.newStore();
  const server = await servers.start({ store });
  expect(await refusalOf(store)).toBe('STORE_IN_USE');
  expect((await operate(server, HOME)).status).toBe(200);
  await server.close();
  new SqliteStore(store).close();
}, 20_000);

test('a new store is its owner’s alone', async () => {
  const store = servers.newStore();
  await servers.start({ store });
  expect(statSync(store).mode & 0o077).toBe(0);
});

test('a port that is taken is a sentence, and the store is free again', async () => {
  const first = await servers.start();
  const store = servers.newStore();
  const port = Number(new URL(first.url).port);
  await expect(servers.start({ store, port })).rejects.toThrow(`port ${port}: in use`);
  new SqliteStore(store).close();
});

describe('after a restart', () => {
  test('everything is there again: federations, enrolments, invitations, history, model', async () => {
    const store = servers.newStore();
    const before = await servers.start({ store }, QUICK);
    await before.ensure('empty', PATIENT);
    const [ada, ben] = [new Trainer('ada'), new Trainer('ben')];
    await ada.join(before.url);
    await ben.join(before.url);
    await ada.finished;
    await operate(before, `${HOME}/invitations`, { body: { participant: 'cyd' } });
    await operate(before, `${HOME}/participants/ben/revoke`, { method: 'POST' });
    const read = async (server: CoordinatorServer) => {
      const paths = [HOME, `${HOME}/rounds`, `${HOME}/history`, `${HOME}/model`, `${HOME}/invitations`];
      const seen = [];
      for (const path of paths) seen.push((await operate(server, path)).json);
      // Single contributions are not known after a restart, their sum is.
      const [{ conservation: _, ...state }, ...rest] = seen;
      return [{ ...state, participants: 0, uptimeMs: 0, nowMs: 0, traffic: 0 }, ...rest];
    };
    const seen = await read(before);
    await before.close();

    const after = await servers.start({ store }, 'none');
    expect([...after.federations.keys()]).toEqual(['default', 'empty']);
    expect(await read(after)).toEqual(seen);
    const { participants } = (await operate(after, `${HOME}/participants`)).json;
    expect(participants).toMatchObject([
      { id: 'ada', joined: true, revoked: false, connected: false },
      { id: 'ben', joined: true, revoked: true, connected: false },
    ]);
    // Her key is still hers, and she is sent the end.
    const link = await ada.join(after.url);
    expect((await link.next('finish')).reason).toBe('gap');
    await expect(connected(after.url, { participant: 'ada', keys: new Keys() })).rejects.toThrow(
      'NAME_TAKEN',
    );
  });

  test('a round that was open is open again, and training goes on from where it was', async () => {
    const store = servers.newStore();
    const before = await servers.start({ store }, QUICK);
    const [ada, ben] = [new Trainer('ada'), new Trainer('ben')];
    // Ben does not answer the third round: it stays open.
    ben.mayAnswer = (round) => round < 3;
    await ada.join(before.url);
    await ben.join(before.url);
    await until(() => ada.pending?.message.round === 3, 'the third round');
    const enrolled = await before.store.enrolments('default');
    await before.close();

    const after = await servers.start({ store }, 'none');
    expect(await after.store.enrolments('default')).toEqual(enrolled);
    const state = (await operate(after, HOME)).json;
    expect(state).toMatchObject({ phase: 'open', round: 3, aggregated: 2 });
    ben.mayAnswer = () => true;
    await ada.join(after.url);
    await ben.join(after.url);
    const finish = await ada.finished;
    expect(finish.reason).toBe('gap');
    const { json } = await operate(after, `${HOME}/history`);
    expect(json.map(({ round }: { round: number }) => round)).toEqual(
      json.map((_: unknown, i: number) => i + 1),
    );
    expect((await operate(after, HOME)).json.conservation.relativeError).toBeLessThan(1e-12);
  });
});
