/** Run logs as files, for the owner only (see check/run-log.ts for what is in them). */
import { appendFileSync, closeSync, fstatSync, ftruncateSync, openSync, readSync } from 'node:fs';
import {
  digestOf,
  type LogRecord,
  recordBytes,
  recordsIn,
  type WrittenRecord,
  wholeLength,
} from '../check/run-log.ts';
import type { CoordinatorInput } from '../coordinator/effects.ts';
import type { CoordinatorStart } from '../coordinator/stored.ts';
import type { ParticipantInput } from '../participant/effects.ts';
import type { ParticipantStart } from '../participant/state.ts';
import { onFileSync } from './files/file-error.ts';

const OWNER_ONLY = 0o600;

class LogFile {
  readonly name: string;
  private readonly descriptor: number;

  constructor(path: string, flags: 'r' | 'a+') {
    this.name = path;
    this.descriptor = this.guarded(() => openSync(path, flags, OWNER_ONLY));
  }

  get size(): number {
    return this.guarded(() => fstatSync(this.descriptor).size);
  }

  read(start: number, end: number): Uint8Array {
    const bytes = new Uint8Array(end - start);
    for (let at = 0; at < bytes.length; ) {
      const count = this.guarded(() => readSync(this.descriptor, bytes, at, bytes.length - at, start + at));
      // The file has become shorter meanwhile: the checksum will not match.
      if (count === 0) break;
      at += count;
    }
    return bytes;
  }

  append(bytes: Uint8Array): void {
    this.guarded(() => appendFileSync(this.descriptor, bytes));
  }

  truncate(length: number): void {
    this.guarded(() => ftruncateSync(this.descriptor, length));
  }

  close(): void {
    closeSync(this.descriptor);
  }

  private guarded<T>(act: () => T): T {
    return onFileSync(this.name, act);
  }
}

/** Writes a record at a time, and continues a log that is there. Nothing waits for the disk: a log is not a store. */
export class RunRecorder {
  private readonly file: LogFile;

  constructor(path: string) {
    this.file = new LogFile(path, 'a+');
    try {
      const length = wholeLength(this.file);
      if (length < this.file.size) this.file.truncate(length);
    } catch (error) {
      this.file.close();
      throw error;
    }
  }

  started(start: CoordinatorStart | ParticipantStart): void {
    this.append({ type: 'start', start });
  }

  /** At once after the step: effects share arrays with a state that goes on. */
  step(input: CoordinatorInput | ParticipantInput, effects: readonly unknown[]): void {
    this.append({ type: 'step', input, effects: digestOf(effects) });
  }

  close(): void {
    this.file.close();
  }

  private append(record: WrittenRecord): void {
    this.file.append(recordBytes(record));
  }
}

export function* readRunLog(path: string): Generator<LogRecord> {
  const file = new LogFile(path, 'r');
  try {
    yield* recordsIn(file);
  } finally {
    file.close();
  }
}
