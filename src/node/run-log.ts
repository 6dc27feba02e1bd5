/**
 * The log of a run: what goes into a machine, and a digest of what comes out of it, so that `replay.ts` can run the very same
 * inputs again and see that they come to the same. One file for one machine, over all its lives. Little endian:
 *
 *   record   length u32, then so many bytes: a sealed value (base/packed.ts, kind "run log")
 *   life     what the machine begins with: options and what was stored, or a profile and what was stored
 *   step     the input, and the SHA-256 of the packed effects
 *
 * A log holds what the machine's state holds. That of a participant has its solutions, its moments and its secret keys: it
 * is as private as its state file. That of a coordinator has every update that it was sent. Files are made for the owner only.
 */
import { appendFileSync, closeSync, ftruncateSync, openSync } from 'node:fs';
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { inputError } from '../base/errors.ts';
import { pack, seal, unseal } from '../base/packed.ts';
import type { CoordinatorInput } from '../coordinator/effects.ts';
import type { CoordinatorStart } from '../coordinator/start.ts';
import type { ParticipantInput } from '../participant/effects.ts';
import type { ParticipantStart } from '../participant/state.ts';
import { framed, framesIn, guarded, type LogFile, readAt } from './run-log-frames.ts';

const SEAL = { kind: 'run log', version: 1 };
const OWNER_ONLY = 0o600;

export type Written =
  | { readonly type: 'life'; readonly life: CoordinatorStart | ParticipantStart }
  | {
      readonly type: 'step';
      readonly input: CoordinatorInput | ParticipantInput;
      /** SHA-256 of the packed effects, in hex. */
      readonly effects: string;
    };

/** As it is read: `torn` is a last record that a crash has cut short. */
export type LogRecord = Written | { readonly type: 'torn' };

export function digestOf(effects: readonly unknown[]): string {
  return bytesToHex(sha256(pack(effects)));
}

/** The bytes of a record in the file. */
export function recordBytes(record: Written): Uint8Array {
  return framed(seal(SEAL, record));
}

/** Writes a record at a time, and goes on with a log that is there. Nothing waits for the disk: a log is not a store. */
export class RunRecorder {
  private readonly file: LogFile;

  constructor(path: string) {
    this.file = opened(path, 'a+');
    dropTornTail(this.file);
  }

  life(life: CoordinatorStart | ParticipantStart): void {
    this.append({ type: 'life', life });
  }

  /** At once after the step: effects share arrays with a state that goes on. */
  step(input: CoordinatorInput | ParticipantInput, effects: readonly unknown[]): void {
    this.append({ type: 'step', input, effects: digestOf(effects) });
  }

  close(): void {
    closeSync(this.file.descriptor);
  }

  private append(record: Written): void {
    const { descriptor, path } = this.file;
    const bytes = recordBytes(record);
    guarded(path, () => appendFileSync(descriptor, bytes));
  }
}

function opened(path: string, flags: 'r' | 'a+'): LogFile {
  return { path, descriptor: guarded(path, () => openSync(path, flags, OWNER_ONLY)) };
}

/** What came after a record that was cut short could not be read. */
function dropTornTail(file: LogFile): void {
  try {
    for (const { at, end } of framesIn(file, SEAL)) {
      if (end === undefined) guarded(file.path, () => ftruncateSync(file.descriptor, at));
    }
  } catch (error) {
    closeSync(file.descriptor);
    throw error;
  }
}

/** Record by record, so that a log may be larger than memory. */
export function* readRunLog(path: string): Generator<LogRecord> {
  const file = opened(path, 'r');
  try {
    let alive = false;
    for (const { at, start, end } of framesIn(file, SEAL)) {
      if (end === undefined) return yield { type: 'torn' };
      const source = `${path}: byte ${at}`;
      const record = unseal(SEAL, readAt(file, start, end), source) as Written;
      alive ||= record.type === 'life';
      if (!alive) {
        throw inputError('CORRUPT', `${source}: expected how the machine began, got a ${record.type}`);
      }
      yield record;
    }
  } finally {
    closeSync(file.descriptor);
  }
}
