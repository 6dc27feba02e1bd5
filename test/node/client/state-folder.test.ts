/** What a participant must not lose, under crashes, damage, mistakes and rivals. */
import { spawn } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { KindredError } from '../../../src/base/errors.ts';
import { seal } from '../../../src/base/packed.ts';
import { checkedSplit, openHome, withRows } from '../../../src/client/opening.ts';
import type { ParticipationOptions } from '../../../src/client/participation-options.ts';
import { rowsOfParticipant } from '../../../src/data/participants.ts';
import type { Table } from '../../../src/data/table.ts';
import { openFolder, readParticipantState } from '../../../src/node/client/state-folder.ts';
import { STATE_SEAL, snapshotOf } from '../../../src/node/client/state-journal.ts';
import type { ParticipantEffect } from '../../../src/participant/effects.ts';
import { NOTHING_STORED, type Stored } from '../../../src/participant/state.ts';
import type { FederationSettings } from '../../../src/settings/wire.ts';
import { runSecurely } from '../../helpers/secure-federation.ts';
import { smallHar } from '../../helpers/tables.ts';
import { temporaryFolder } from './helpers.ts';

const table = smallHar(1, 3, 12);
const root = temporaryFolder();
let folders = 0;
const newFolder = () => join(root, `state-${folders++}`);

function optionsFor(changes: Partial<ParticipationOptions> = {}, rows: Table = table): ParticipationOptions {
  return { data: { table: rowsOfParticipant(rows, '1')! }, participant: '1', ...changes };
}

async function open(path: string, changes?: Partial<ParticipationOptions>, rows?: Table) {
  const options = optionsFor(changes, rows);
  return await openHome(options, checkedSplit(options), (newcomer) => openFolder(path, newcomer));
}

async function openAndRelease(...given: Parameters<typeof open>): Promise<void> {
  const { store } = await open(...given);
  await store.release();
}

/** A folder that has been used: returns its path. */
async function usedFolder(stored: Partial<Stored> = { session: 1 }): Promise<string> {
  const path = newFolder();
  const { store } = await open(path);
  await store.save({
    stored: { ...NOTHING_STORED, ...stored },
    federation: { id: 'f1', name: 'default' },
  });
  await store.release();
  return path;
}

async function refused(act: () => unknown, code: string, ...words: string[]): Promise<void> {
  let error: unknown;
  try {
    await act();
  } catch (thrown) {
    error = thrown;
  }
  expect(error).toBeInstanceOf(KindredError);
  expect((error as KindredError).code).toBe(code);
  for (const word of words) expect((error as KindredError).message).toContain(word);
}

describe('a state folder', () => {
  test('is made with a state, an identity and a secret of its own, for its owner only', async () => {
    const path = join(newFolder(), 'deep');
    const { store: folder, signer } = await open(path);
    expect(readdirSync(path).sort()).toEqual(['identity', 'lock', 'state']);
    for (const name of ['identity', 'state']) expect(statSync(join(path, name)).mode & 0o077).toBe(0);
    expect(folder.file.secret).toHaveLength(32);
    const { key } = signer;
    await folder.release();
    expect(readdirSync(path).sort()).toEqual(['identity', 'state']);
    const again = await open(path);
    expect(again.signer.key).toBe(key);
    expect(again.store.file.secret).toEqual(folder.file.secret);
    await again.store.release();
    const other = await open(newFolder());
    expect(other.signer.key).not.toBe(key);
    expect(other.store.file.secret).not.toEqual(folder.file.secret);
    await other.store.release();
  });

  test('keeps all that a participant of secure aggregation stores', async () => {
    const simulation = runSecurely(table, { rounds: 3, gap: 0 });
    for (const node of simulation.participants.values()) {
      const path = newFolder();
      const { store: folder } = await open(path);
      await folder.save({ stored: node.disk! });
      await folder.release();
      expect(node.disk!.secure!.core.peers.size).toBeGreaterThan(0);
      expect(readParticipantState(path).stored).toEqual(node.disk);
    }
  });

  test('shows the old state or the new one, however a write was torn', async () => {
    const path = await usedFolder({ session: 3, base: 2 });
    const whole = readFileSync(join(path, 'state'));
    for (const left of [new Uint8Array(0), whole.subarray(0, 100), whole, Buffer.from('garbage')]) {
      writeFileSync(join(path, 'state.tmp'), left);
      expect(readParticipantState(path).stored.session).toBe(3);
      const { store: folder } = await open(path);
      expect(folder.file.stored.base).toBe(2);
      await folder.save({ stored: { ...folder.file.stored, session: 3 } });
      await folder.release();
      expect(existsSync(join(path, 'state.tmp'))).toBe(false);
    }
  });

  test('is read while somebody else uses it', async () => {
    const path = newFolder();
    const { store: folder } = await open(path);
    expect(readParticipantState(path).participant).toBe('1');
    await folder.release();
  });

  test('refuses damage anywhere, with its path, and changes nothing', async () => {
    const path = await usedFolder();
    for (const name of ['state', 'identity']) {
      const file = join(path, name);
      const whole = readFileSync(file);
      const step = Math.max(1, Math.floor(whole.length / 60));
      for (let i = 0; i < whole.length; i += step) {
        const damaged = Buffer.from(whole);
        damaged[i] ^= 1 << (i % 8);
        writeFileSync(file, damaged);
        await refused(() => open(path), 'CORRUPT', file, 'restore it from a backup');
        expect(readFileSync(file)).toEqual(damaged);
      }
      // What was written whole is never cut short by a crash.
      const first = name === 'state' ? 8 + whole.readUInt32LE(0) : whole.length;
      for (const cut of [0, 5, first - 1]) {
        writeFileSync(file, whole.subarray(0, cut));
        await refused(() => open(path), 'CORRUPT', file);
      }
      writeFileSync(file, whole);
    }
    await openAndRelease(path);
  });

  test('refuses files of another kind, of another version and from elsewhere', async () => {
    const path = await usedFolder();
    const state = readFileSync(join(path, 'state'));
    writeFileSync(join(path, 'state'), readFileSync(join(path, 'identity')));
    await refused(() => open(path), 'CORRUPT', 'got "kindred participant identity"');
    // A checksum that is right, and content that is not.
    writeFileSync(join(path, 'state'), seal({ ...STATE_SEAL, version: 2 }, { participant: 7 }));
    await refused(() => open(path), 'CORRUPT', 'got other content');
    writeFileSync(join(path, 'state'), seal({ ...STATE_SEAL, version: 9 }, {}));
    await refused(() => open(path), 'STORED_VERSION', 'version 9');
    // As kindred wrote it that trained by updates.
    writeFileSync(join(path, 'state'), seal({ ...STATE_SEAL, version: 1 }, {}));
    await refused(
      () => open(path),
      'STORED_VERSION',
      path,
      'expected kindred participant state of version 3, got version 1',
    );
    await refused(
      () => open(path),
      'STORED_VERSION',
      'use the kindred that wrote it, or have the operator forget',
    );
    await refused(() => readParticipantState(path), 'STORED_VERSION', 'give another --state');
    writeFileSync(join(path, 'state'), state);
    await openAndRelease(path);
  });

  test('never begins again in silence', async () => {
    const path = await usedFolder();
    const identity = readFileSync(join(path, 'identity'));
    rmSync(join(path, 'identity'));
    await refused(() => open(path), 'STATE_INCOMPLETE', 'identity', 'restore it from a backup');
    writeFileSync(join(path, 'identity'), identity);
    rmSync(join(path, 'state'));
    await refused(() => open(path), 'STATE_INCOMPLETE', join(path, 'state'));
    await refused(() => readParticipantState(path), 'NO_STATE', path);
  });

  test('a crash between making the state and the identity is no loss', async () => {
    const path = newFolder();
    await openAndRelease(path);
    rmSync(join(path, 'identity'));
    await openAndRelease(path);
    expect(existsSync(join(path, 'identity'))).toBe(true);
  });

  test('refuses to be a file', async () => {
    const path = newFolder();
    writeFileSync(path, '');
    await refused(() => open(path), 'NOT_A_FOLDER', path);
  });
});

describe('the journal', () => {
  const vector = (...values: number[]) => Float64Array.from(values);
  const solution = (value: number) => ({ beta: vector(value), u: vector(value, -value), s: value });
  const sizeOf = (path: string) => statSync(join(path, 'state')).size;

  test('a save appends what has changed, and nothing else', async () => {
    const path = await usedFolder({ session: 1, committed: solution(1) });
    const { store } = await open(path);
    const before = readFileSync(join(path, 'state'));
    await store.save({ stored: { ...store.file.stored } });
    expect(sizeOf(path)).toBe(before.length);
    const large = { round: 3, w: new Float64Array(1000).fill(1), u: vector(1) };
    await store.save({ stored: { ...store.file.stored, model: large } });
    expect(sizeOf(path)).toBeGreaterThan(before.length + 8000);
    const grown = sizeOf(path);
    await store.save({ stored: { ...store.file.stored, base: 3, model: { ...large, u: vector(2) } } });
    expect(sizeOf(path) - grown).toBeLessThan(300);
    expect(readFileSync(join(path, 'state')).subarray(0, before.length)).toEqual(before);
    await store.save({ stored: { ...store.file.stored, model: undefined } });
    expect(readParticipantState(path)).toEqual(store.file);
    expect(readParticipantState(path).stored.model).toBeUndefined();
    await store.release();
  });

  test('cut short at any byte, or filled up with zeros, it is the state before that save; and it goes on from there', async () => {
    const path = await usedFolder({ session: 1, committed: solution(1) });
    const before = sizeOf(path);
    const { store } = await open(path);
    await store.save({
      stored: { ...store.file.stored, session: 2, pending: undefined, committed: solution(2) },
    });
    await store.release();
    const file = join(path, 'state');
    const whole = readFileSync(file);
    for (let cut = before; cut < whole.length; cut++) {
      const zeros = Buffer.concat([whole.subarray(0, cut), Buffer.alloc(whole.length - cut)]);
      // With a part of the checksum it cannot be told from damage.
      for (const torn of cut <= whole.length - 4
        ? [whole.subarray(0, cut), zeros]
        : [whole.subarray(0, cut)]) {
        writeFileSync(file, torn);
        expect(readParticipantState(path).stored).toMatchObject({ session: 1, committed: solution(1) });
        expect(readFileSync(file)).toEqual(torn);
      }
      if (cut % 41 > 0) continue;
      const again = await open(path);
      await again.store.save({ stored: { ...again.store.file.stored, session: 9 } });
      await again.store.release();
      expect(readParticipantState(path).stored).toMatchObject({ session: 9, committed: solution(1) });
    }
  });

  test('is written whole again once it has grown to several times its size', async () => {
    const path = await usedFolder();
    const { store } = await open(path);
    let largest = 0;
    let shrinks = 0;
    let last = 0;
    for (let round = 1; round <= 300; round++) {
      const w = new Float64Array(200).fill(round);
      await store.save({ stored: { ...store.file.stored, base: round, model: { round, w, u: undefined } } });
      const size = sizeOf(path);
      largest = Math.max(largest, size);
      if (size < last) shrinks++;
      last = size;
      if (round % 10 === 0) expect(readParticipantState(path)).toEqual(store.file);
    }
    expect(largest).toBeLessThan(70_000);
    expect(shrinks).toBeGreaterThan(3);
    expect(statSync(join(path, 'state')).mode & 0o077).toBe(0);
    await store.release();
    expect((await open(path)).store.file.stored.base).toBe(300);
  });

  test('after a save that failed the next one writes everything', async () => {
    const path = await usedFolder();
    const { store } = await open(path);
    const model = { round: 1, w: new Float64Array(20_000), u: undefined };
    await store.save({ stored: { ...store.file.stored, model } });
    // What stands in the way of the temporary file stands in the way of a file that is written whole.
    mkdirSync(join(path, 'state.tmp'));
    const known = store.file;
    const next = { ...store.file.stored, base: 5 };
    await refused(() => store.save({ stored: next }), 'IS_A_FOLDER', path);
    expect(store.file).toBe(known);
    expect(readParticipantState(path)).toEqual(known);
    rmSync(join(path, 'state.tmp'), { recursive: true });
    await store.save({ stored: next });
    expect(readParticipantState(path).stored.base).toBe(5);
    await store.release();
  });

  test('holds every state that a participant of secure aggregation goes through', async () => {
    const stored: Stored[] = [];
    const watch = (node: string) =>
      node === '1'
        ? {
            started: () => {},
            step: (_input: unknown, effects: readonly unknown[]) => {
              for (const effect of effects as ParticipantEffect[])
                if (effect.type === 'persist') stored.push(effect.stored);
            },
          }
        : undefined;
    runSecurely(table, { rounds: 4, gap: 0 }, { observerOf: watch });
    expect(stored.length).toBeGreaterThan(15);
    const path = newFolder();
    const { store } = await open(path);
    const copies = stored.map((one) => structuredClone(one));
    for (const [i, one] of stored.entries()) {
      await store.save({ stored: one });
      expect(readParticipantState(path).stored).toEqual(copies[i]);
    }
    await store.release();
  });

  test('a state of version 2 is read, and becomes a journal with the first save', async () => {
    const path = newFolder();
    cpSync(join(import.meta.dirname, '../../fixtures/state-v2'), path, { recursive: true });
    const before = readFileSync(join(path, 'state'));
    expect(readParticipantState(path)).toMatchObject({
      participant: 'ada',
      federation: { id: 'f1', name: 'default' },
      stored: {
        session: 2,
        base: 4,
        edition: 1,
        // Settled by itself, as participants did then.
        agreement: { classes: { labels: ['-1', '1'], positive: '1' }, target: undefined },
        model: { round: 4, u: vector(1, -2, 3, -4) },
      },
    });
    const { features, schema, rows, columns } = readParticipantState(path);
    const { store, signer } = openFolder(path, { participant: 'ada', features, schema, rows, columns });
    expect(signer.key).toBe('7SSmrdsbjmBYYkPC2XCNo71RmOYRGoL8yg62Ifsys9o');
    expect(readFileSync(join(path, 'state'))).toEqual(before);
    await store.save({ stored: { ...store.file.stored, session: 3 } });
    expect(readFileSync(join(path, 'state'))).toEqual(Buffer.from(snapshotOf(store.file)));
    await store.release();
    expect(readParticipantState(path)).toEqual(store.file);
    expect(readParticipantState(path).stored.pending!.message.round).toBe(5);
  });
});

describe('whose state it is', () => {
  test('another participant is refused', async () => {
    const path = await usedFolder();
    await refused(
      () => open(path, { participant: '2' }),
      'OTHER_PARTICIPANT',
      path,
      '"2"',
      '"1"',
      '--name 1',
    );
    // And the folder is free again.
    await openAndRelease(path);
  });

  test('other columns are refused', async () => {
    const path = await usedFolder();
    const renamed = { ...table, features: table.features.map((name, j) => (j === 3 ? 'other' : name)) };
    await refused(() => open(path, {}, renamed), 'OTHER_COLUMNS', path, 'other names');
  });

  const changed = { ...table, x: table.x.map((value, at) => (at === 0 ? value + 1 : value)) };
  const committed = { beta: new Float64Array(12), u: new Float64Array(25), s: 0 };

  test('training by steps: other rows are refused once something was contributed with them, and taken before', async () => {
    const settings = { training: 'steps' } as FederationSettings;
    await openAndRelease(await usedFolder({ session: 1, settings }), {}, changed);
    const path = await usedFolder({ session: 1, settings, committed });
    await openAndRelease(path);
    await refused(() => open(path, {}, changed), 'OTHER_ROWS', path, 'trains by steps');
    await refused(() => open(path, { testFraction: 0.3 }), 'OTHER_ROWS', '--test-fraction');
  });

  test('training by answers: other rows are noticed, and stored with all that follows from them', async () => {
    const settings = { training: 'answers' } as FederationSettings;
    const path = await usedFolder({ session: 1, settings, committed });
    const same = await open(path);
    expect(same.change).toBeUndefined();
    await same.store.release();
    const { rows } = readParticipantState(path);
    const { store: folder, change } = await open(path, {}, changed);
    expect(change).toMatchObject({ added: 1, gone: 1, kept: 11 });
    // Not before the model is fitted to them: after a crash they are noticed again.
    expect(readParticipantState(path).rows).toBe(rows);
    const u = new Float64Array(25).fill(2);
    const w = new Float64Array(25).fill(1);
    await folder.save({ stored: { ...folder.file.stored, base: 7, model: { round: 7, w, u: committed.u } } });
    await folder.save(withRows(folder.file, { ...change!, rows: 'digest of the new rows' }, u));
    await folder.release();
    expect(readParticipantState(path)).toMatchObject({
      rows: 'digest of the new rows',
      secret: folder.file.secret,
      stored: {
        session: 1,
        base: 7,
        edition: 1,
        committed: { ...committed, beta: new Float64Array(0) },
        model: { round: 7, w, u },
      },
    });
  });
});

describe('the lock', () => {
  const lockOf = (path: string) => join(path, 'lock');
  const write = (path: string, holder: object) => writeFileSync(lockOf(path), JSON.stringify(holder));
  const own = async (path: string) => {
    const { store: folder } = await open(path);
    const holder = JSON.parse(readFileSync(lockOf(path), 'utf8')) as { pid: number; started: string };
    await folder.release();
    return holder;
  };

  test('keeps a second one out, in the same process too', async () => {
    const path = newFolder();
    const { store: folder } = await open(path);
    await refused(() => open(path), 'STATE_IN_USE', path, '--state');
    await folder.release();
    await openAndRelease(path);
  });

  test('of a living process counts, of one that is gone it does not', async () => {
    const path = newFolder();
    mkdirSync(path);
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
    write(path, { ...(await own(path)), pid: child.pid, started: '' });
    await refused(() => open(path), 'STATE_IN_USE', `process ${child.pid}`);
    child.kill('SIGKILL');
    await new Promise((resolve) => child.on('exit', resolve));
    await openAndRelease(path);
  });

  test.runIf(existsSync('/proc/self/stat'))(
    'of an earlier process with the same number does not',
    async () => {
      const path = newFolder();
      const holder = await own(path);
      expect(holder.started).toMatch(/^\d+$/);
      write(path, { ...holder, pid: process.ppid });
      await openAndRelease(path);
      write(path, { ...holder, started: '1' });
      await openAndRelease(path);
      write(path, { ...holder, boot: 'another' });
      await openAndRelease(path);
    },
  );

  test.each(['', '{', '[]', '{"pid":-5}', '{"pid":"x"}'])('that is none, %j, blocks nobody', async (text) => {
    const path = newFolder();
    mkdirSync(path);
    writeFileSync(lockOf(path), text);
    await openAndRelease(path);
    expect(readdirSync(path).sort()).toEqual(['identity', 'state']);
  });
});
