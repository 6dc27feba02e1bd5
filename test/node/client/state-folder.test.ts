/** What a participant must not lose, under crashes, damage, mistakes and rivals. */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { KindredError } from '../../../src/base/errors.ts';
import { seal } from '../../../src/base/packed.ts';
import { rowsOfParticipant } from '../../../src/data/participants.ts';
import type { Table } from '../../../src/data/table.ts';
import { withRows } from '../../../src/node/client/changed-rows.ts';
import type { JoinOptions } from '../../../src/node/client/join-options.ts';
import { type OwnFolder, ownDataOf, ownFolder } from '../../../src/node/client/settle-in.ts';
import { readParticipantState, STATE_SEAL, type StateFolder } from '../../../src/node/client/state-folder.ts';
import { NOTHING_STORED, type Stored } from '../../../src/participant/state.ts';
import type { FederationSettings } from '../../../src/settings/federation.ts';
import { runSecurely } from '../../helpers/secure-federation.ts';
import { smallHar } from '../../helpers/tables.ts';
import { temporaryFolder } from './helpers.ts';

const table = smallHar(1, 3, 12);
const root = temporaryFolder();
let folders = 0;
const newFolder = () => join(root, `state-${folders++}`);

function optionsFor(
  stateFolder: string,
  changes: Partial<JoinOptions> = {},
  rows: Table = table,
): JoinOptions {
  const participant = changes.participant ?? '1';
  const data = { table: rowsOfParticipant(rows, '1')! };
  return { url: 'http://127.0.0.1:1', data, participant, stateFolder, ...changes };
}

function open(stateFolder: string, changes?: Partial<JoinOptions>, rows?: Table): StateFolder {
  return ownFolderOf(stateFolder, changes, rows).folder;
}

function ownFolderOf(stateFolder: string, changes?: Partial<JoinOptions>, rows?: Table): OwnFolder {
  const options = optionsFor(stateFolder, changes, rows);
  return ownFolder(options, ownDataOf(options));
}

/** A folder that has been used: returns its path. */
function usedFolder(stored: Partial<Stored> = { session: 1 }): string {
  const path = newFolder();
  const folder = open(path);
  folder.update({ stored: { ...NOTHING_STORED, ...stored }, federation: { id: 'f1', name: 'default' } });
  folder.release();
  return path;
}

function refused(act: () => unknown, code: string, ...words: string[]): void {
  let error: unknown;
  try {
    act();
  } catch (thrown) {
    error = thrown;
  }
  expect(error).toBeInstanceOf(KindredError);
  expect((error as KindredError).code).toBe(code);
  for (const word of words) expect((error as KindredError).message).toContain(word);
}

describe('a state folder', () => {
  test('is made with a state, an identity and a secret of its own, for its owner only', () => {
    const path = join(newFolder(), 'deep');
    const folder = open(path);
    expect(readdirSync(path).sort()).toEqual(['identity', 'lock', 'state']);
    for (const name of ['identity', 'state']) expect(statSync(join(path, name)).mode & 0o077).toBe(0);
    expect(folder.file.secret).toHaveLength(32);
    const { key } = folder.identity;
    folder.release();
    expect(readdirSync(path).sort()).toEqual(['identity', 'state']);
    const again = open(path);
    expect(again.identity.key).toBe(key);
    expect(again.file.secret).toEqual(folder.file.secret);
    again.release();
    const other = open(newFolder());
    expect(other.identity.key).not.toBe(key);
    expect(other.file.secret).not.toEqual(folder.file.secret);
    other.release();
  });

  test('keeps all that a participant of secret sums remembers', () => {
    const simulation = runSecurely(table, { rounds: 3, gap: 0 });
    for (const node of simulation.participants.values()) {
      const path = newFolder();
      const folder = open(path);
      folder.update({ stored: node.disk! });
      folder.release();
      expect(node.disk!.secure!.core.peers.size).toBeGreaterThan(0);
      expect(readParticipantState(path).stored).toEqual(node.disk);
    }
  });

  test('shows the old state or the new one, however a write was torn', () => {
    const path = usedFolder({ session: 3, base: 2 });
    const whole = readFileSync(join(path, 'state'));
    for (const left of [new Uint8Array(0), whole.subarray(0, 100), whole, Buffer.from('garbage')]) {
      writeFileSync(join(path, 'state.tmp'), left);
      expect(readParticipantState(path).stored.session).toBe(3);
      const folder = open(path);
      expect(folder.file.stored.base).toBe(2);
      folder.update({ stored: { ...folder.file.stored, session: 3 } });
      folder.release();
      expect(existsSync(join(path, 'state.tmp'))).toBe(false);
    }
  });

  test('is read while somebody else uses it', () => {
    const path = newFolder();
    const folder = open(path);
    expect(readParticipantState(path).participant).toBe('1');
    folder.release();
  });

  test('refuses damage anywhere, with its path, and changes nothing', () => {
    const path = usedFolder();
    for (const name of ['state', 'identity']) {
      const file = join(path, name);
      const whole = readFileSync(file);
      const step = Math.max(1, Math.floor(whole.length / 60));
      for (let i = 0; i < whole.length; i += step) {
        const damaged = Buffer.from(whole);
        damaged[i] ^= 1 << (i % 8);
        writeFileSync(file, damaged);
        refused(() => open(path), 'CORRUPT', file, 'put back a copy');
        expect(readFileSync(file)).toEqual(damaged);
      }
      for (const cut of [0, 5, whole.length - 1]) {
        writeFileSync(file, whole.subarray(0, cut));
        refused(() => open(path), 'CORRUPT', file);
      }
      writeFileSync(file, whole);
    }
    open(path).release();
  });

  test('refuses files of another kind, of another version and from elsewhere', () => {
    const path = usedFolder();
    const state = readFileSync(join(path, 'state'));
    writeFileSync(join(path, 'state'), readFileSync(join(path, 'identity')));
    refused(() => open(path), 'CORRUPT', 'got "kindred participant identity"');
    writeFileSync(join(path, 'state'), seal({ ...STATE_SEAL, version: 9 }, {}));
    refused(() => open(path), 'STORED_VERSION', 'version 9');
    // As kindred wrote it that trained by updates.
    writeFileSync(join(path, 'state'), seal({ ...STATE_SEAL, version: 1 }, {}));
    refused(
      () => open(path),
      'STORED_VERSION',
      path,
      'expected kindred participant state of version 2, got version 1',
    );
    refused(() => open(path), 'STORED_VERSION', 'use the kindred that wrote it, or have the operator forget');
    refused(() => readParticipantState(path), 'STORED_VERSION', 'give another --state');
    writeFileSync(join(path, 'state'), state);
    open(path).release();
  });

  test('never begins anew in silence', () => {
    const path = usedFolder();
    const identity = readFileSync(join(path, 'identity'));
    rmSync(join(path, 'identity'));
    refused(() => open(path), 'STATE_INCOMPLETE', 'identity', 'put back');
    writeFileSync(join(path, 'identity'), identity);
    rmSync(join(path, 'state'));
    refused(() => open(path), 'STATE_INCOMPLETE', join(path, 'state'));
    refused(() => readParticipantState(path), 'NO_STATE', path);
  });

  test('a crash between making the state and the identity is no loss', () => {
    const path = newFolder();
    open(path).release();
    rmSync(join(path, 'identity'));
    open(path).release();
    expect(existsSync(join(path, 'identity'))).toBe(true);
  });

  test('refuses to be a file', () => {
    const path = newFolder();
    writeFileSync(path, '');
    refused(() => open(path), 'NOT_A_FOLDER', path);
  });
});

describe('whose state it is', () => {
  test('another participant is refused', () => {
    const path = usedFolder();
    refused(() => open(path, { participant: '2' }), 'OTHER_PARTICIPANT', path, '"2"', '"1"', '--name 1');
    // And the folder is free again.
    open(path).release();
  });

  test('other columns are refused', () => {
    const path = usedFolder();
    const renamed = { ...table, features: table.features.map((name, j) => (j === 3 ? 'other' : name)) };
    refused(() => open(path, {}, renamed), 'OTHER_COLUMNS', path, 'other names');
  });

  const changed = { ...table, x: table.x.map((value, at) => (at === 0 ? value + 1 : value)) };
  const committed = { beta: new Float64Array(12), u: new Float64Array(25), s: 0 };

  test('training by steps: other rows are refused once something was contributed with them, and taken before', () => {
    const settings = { training: 'steps' } as FederationSettings;
    open(usedFolder({ session: 1, settings }), {}, changed).release();
    const path = usedFolder({ session: 1, settings, committed });
    open(path).release();
    refused(() => open(path, {}, changed), 'OTHER_ROWS', path, 'trains by steps');
    refused(() => open(path, { testFraction: 0.3 }), 'OTHER_ROWS', '--test-fraction');
  });

  test('training by answers: other rows are noticed, and stored with all that follows from them', () => {
    const settings = { training: 'answers' } as FederationSettings;
    const path = usedFolder({ session: 1, settings, committed });
    const same = ownFolderOf(path);
    expect(same.hasChanged).toBe(false);
    same.folder.release();
    const { rows } = readParticipantState(path);
    const { folder, hasChanged } = ownFolderOf(path, {}, changed);
    expect(hasChanged).toBe(true);
    // Not before the model is fitted to them: after a crash they are noticed again.
    expect(readParticipantState(path).rows).toBe(rows);
    const u = new Float64Array(25).fill(2);
    const w = new Float64Array(25).fill(1);
    folder.update({ stored: { ...folder.file.stored, base: 7, model: { round: 7, w, u: committed.u } } });
    folder.update(withRows(folder.file, 'digest of the new rows', u));
    folder.release();
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
  const own = (path: string) => {
    const folder = open(path);
    const holder = JSON.parse(readFileSync(lockOf(path), 'utf8')) as { pid: number; started: string };
    folder.release();
    return holder;
  };

  test('keeps a second one out, in the same process too', () => {
    const path = newFolder();
    const folder = open(path);
    refused(() => open(path), 'STATE_IN_USE', path, '--state');
    folder.release();
    open(path).release();
  });

  test('of a living process counts, of one that is gone it does not', async () => {
    const path = newFolder();
    mkdirSync(path);
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
    write(path, { ...own(path), pid: child.pid, started: '' });
    refused(() => open(path), 'STATE_IN_USE', `process ${child.pid}`);
    child.kill('SIGKILL');
    await new Promise((resolve) => child.on('exit', resolve));
    open(path).release();
  });

  test.runIf(existsSync('/proc/self/stat'))('of an earlier process with the same number does not', () => {
    const path = newFolder();
    const holder = own(path);
    expect(holder.started).toMatch(/^\d+$/);
    write(path, { ...holder, pid: process.ppid });
    open(path).release();
    write(path, { ...holder, started: '1' });
    open(path).release();
    write(path, { ...holder, boot: 'another' });
    open(path).release();
  });

  test.each(['', '{', '[]', '{"pid":-5}', '{"pid":"x"}'])('that is none, %j, blocks nobody', (text) => {
    const path = newFolder();
    mkdirSync(path);
    writeFileSync(lockOf(path), text);
    open(path).release();
    expect(readdirSync(path).sort()).toEqual(['identity', 'state']);
  });
});
