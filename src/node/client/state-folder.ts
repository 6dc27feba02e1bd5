/**
 * The durable state of one participant: a folder with
 *
 *   state      what its machine stores, what belongs to it (federation, columns, classes) and its secret: a journal (state-journal.ts)
 *   identity   its key pair, sealed (base/packed.ts)
 *   lock       which process uses it
 *
 * `state` is made first: an identity without a state has lost it, and no state is ever begun again in silence.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { inputError } from '../../base/errors.ts';
import { type Seal, seal } from '../../base/packed.ts';
import {
  modelOf,
  type NewParticipant,
  newParticipantFile,
  type ParticipantFile,
} from '../../client/participant-file.ts';
import type { Home, StateStore } from '../../client/ports.ts';
import type { Model } from '../../solver/model.ts';
import { type KeyPair, newKeyPair, signerOf, systemEntropy } from '../crypto.ts';
import { fileError } from '../files/file-error.ts';
import { writeDurably } from '../files/files.ts';
import { lockFolder } from './lock.ts';
import { ELSE_FORGET, readSealed, readState, StateJournal } from './state-journal.ts';

const IDENTITY_SEAL: Seal = { kind: 'kindred participant identity', version: 1 };
const SECRET_BYTES = 32;

/** Takes a folder for its own, as it is or, where there is none yet, as that of `newcomer`. */
export function openFolder(path: string, newcomer: NewParticipant): Home {
  makeFolder(path);
  const unlock = lockFolder(path);
  try {
    const known = readState(join(path, 'state'));
    const keys = readSealed(join(path, 'identity'), IDENTITY_SEAL) as KeyPair | undefined;
    if (!known && keys) throw lost(path, 'state', 'the identity exists, but the state is missing');
    if (known && !keys && known.file.stored.session > 0)
      throw lost(path, 'identity', 'the state exists, but the identity is missing');
    const file = join(path, 'state');
    const journal = known
      ? StateJournal.open(file, known)
      : StateJournal.create(file, newParticipantFile(newcomer, systemEntropy(SECRET_BYTES)));
    return { store: storeOf(path, journal, unlock), signer: signerOf(keys ?? makeKeys(path)) };
  } catch (error) {
    unlock();
    throw error;
  }
}

function storeOf(place: string, journal: StateJournal, unlock: () => void): StateStore {
  return {
    place,
    get file() {
      return journal.file;
    },
    save: (changes) => journal.save({ ...journal.file, ...changes }),
    rewrite: (changes) => journal.rewrite({ ...journal.file, ...changes }),
    release: () => {
      journal.close();
      unlock();
    },
  };
}

/** For whoever only reads: needs no lock, and sees a whole state whatever is going on. */
export function readParticipantState(folder: string): ParticipantFile {
  const path = join(folder, 'state');
  const state = readState(path);
  if (state) return state.file;
  throw inputError(
    'NO_STATE',
    `${path}: expected the state of a participant (as kindred join keeps it in its --state folder), got no such file`,
  );
}

/** The model in a state folder, for who cannot go on without one. */
export function modelFromFolder(folder: string): Model {
  const file = readParticipantState(folder);
  const model = modelOf(file);
  if (model) return model;
  throw inputError(
    'NO_MODEL_YET',
    `${folder}: expected a participant that has received a model, got "${file.participant}" before its first round; let it join`,
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

function makeKeys(path: string): KeyPair {
  const keys = newKeyPair();
  writeDurably(join(path, 'identity'), seal(IDENTITY_SEAL, keys));
  return keys;
}

function lost(folder: string, missing: string, what: string): Error {
  return inputError(
    'STATE_INCOMPLETE',
    `${join(folder, missing)}: ${what}; restore it from a backup, ${ELSE_FORGET}`,
  );
}
