/**
 * The durable state of one participant: a folder with
 *
 *   state      what its machine stores, what belongs to it (federation, columns, classes) and its secret
 *   identity   its key pair
 *   lock       which process uses it
 *
 * `state` and `identity` are sealed (base/packed.ts) and written whole. `state` is made first: an identity without a state has
 * lost it, and nothing is ever begun anew in silence.
 */
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inputError, KindredError } from '../../base/errors.ts';
import { type Seal, seal, unseal } from '../../base/packed.ts';
import { NOTHING_STORED } from '../../participant/state.ts';
import { upgraded } from '../../settings/federation.ts';
import { systemEntropy } from '../entropy.ts';
import { writeDurably } from '../files/durable-file.ts';
import { fileError } from '../files/file-error.ts';
import { plainBytes } from '../files/files.ts';
import { type Identity, identityOf, type KeyPair, newKeyPair } from './identity.ts';
import { lockFolder } from './lock.ts';
import type { ParticipantFile } from './participant-file.ts';

export const STATE_SEAL: Seal = { kind: 'kindred participant state', version: 2 };
const IDENTITY_SEAL: Seal = { kind: 'kindred participant identity', version: 1 };
const SECRET_BYTES = 32;
const ELSE_FORGET = 'or have the operator forget the participant and give another --state';

/** What a participant that begins puts into its folder. */
export type Newcomer = Omit<ParticipantFile, 'federation' | 'classes' | 'secret' | 'stored'>;

export class StateFolder {
  readonly path: string;
  readonly identity: Identity;
  private current: ParticipantFile;
  private readonly unlock: () => void;

  private constructor(path: string, file: ParticipantFile, identity: Identity, unlock: () => void) {
    this.path = path;
    this.current = file;
    this.identity = identity;
    this.unlock = unlock;
  }

  /** Takes a folder for its own, as it is or, where there is none yet, as that of `newcomer`. */
  static open(path: string, newcomer: Newcomer): StateFolder {
    makeFolder(path);
    const unlock = lockFolder(path);
    try {
      const known = readState(join(path, 'state'));
      const keys = readSealed(join(path, 'identity'), IDENTITY_SEAL) as KeyPair | undefined;
      if (!known && keys) throw lost(path, 'state', 'the identity is there, but not the state');
      if (known && !keys && known.stored.session > 0)
        throw lost(path, 'identity', 'the state is there, but not the identity');
      const file = known ?? begin(path, newcomer);
      return new StateFolder(path, file, identityOf(keys ?? makeKeys(path)), unlock);
    } catch (error) {
      unlock();
      throw error;
    }
  }

  get file(): ParticipantFile {
    return this.current;
  }

  /** Durable when it returns. */
  update(changes: Partial<ParticipantFile>): void {
    this.current = { ...this.current, ...changes };
    writeDurably(join(this.path, 'state'), seal(STATE_SEAL, this.current));
  }

  release(): void {
    this.unlock();
  }
}

/** For whoever only looks: needs no lock, and sees a whole state whatever is going on. */
export function readParticipantState(folder: string): ParticipantFile {
  const path = join(folder, 'state');
  const file = readState(path);
  if (file) return file;
  throw inputError(
    'NO_STATE',
    `${path}: expected the state of a participant (as kindred join keeps it in its --state folder), got no such file`,
  );
}

function makeFolder(path: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
  } catch (error) {
    const isFile = (error as { code?: string }).code === 'EEXIST';
    throw isFile
      ? inputError('NOT_A_FOLDER', `${path}: expected a folder for the state, got a file`)
      : fileError(error, path);
  }
}

function begin(path: string, newcomer: Newcomer): ParticipantFile {
  const file: ParticipantFile = {
    ...newcomer,
    federation: undefined,
    classes: undefined,
    secret: systemEntropy(SECRET_BYTES),
    stored: NOTHING_STORED,
  };
  writeDurably(join(path, 'state'), seal(STATE_SEAL, file));
  return file;
}

function makeKeys(path: string): KeyPair {
  const keys = newKeyPair();
  writeDurably(join(path, 'identity'), seal(IDENTITY_SEAL, keys));
  return keys;
}

/** Undefined where there is no such file. */
function readState(path: string): ParticipantFile | undefined {
  const file = readSealed(path, STATE_SEAL) as ParticipantFile | undefined;
  const settings = file?.stored.settings;
  return file && settings ? { ...file, stored: { ...file.stored, settings: upgraded(settings) } } : file;
}

function readSealed(path: string, expected: Seal): unknown {
  let bytes: Uint8Array;
  try {
    bytes = plainBytes(readFileSync(path));
  } catch (error) {
    if ((error as { code?: string }).code === 'ENOENT') return undefined;
    throw fileError(error, path);
  }
  try {
    return unseal(expected, bytes, path);
  } catch (error) {
    if (error instanceof KindredError && (error.code === 'CORRUPT' || error.code === 'STORED_VERSION'))
      throw inputError(error.code, `${error.message}, ${ELSE_FORGET}`);
    if (error instanceof KindredError) throw error;
    // The checksum is right, so nothing is damaged: somebody has made this by other means.
    throw inputError('CORRUPT', `${path}: expected ${expected.kind}, got something else under its seal`);
  }
}

function lost(folder: string, missing: string, what: string): Error {
  return inputError(
    'STATE_INCOMPLETE',
    `${join(folder, missing)}: ${what}; put back a copy of it, ${ELSE_FORGET}`,
  );
}
