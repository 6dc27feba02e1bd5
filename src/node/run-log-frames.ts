/** Where the records of a run log lie, without reading them: a length and so many bytes each; the last may be cut short. */
import { fstatSync, readSync } from 'node:fs';
import { inputError } from '../base/errors.ts';
import { type Seal, sealHeader } from '../base/packed.ts';
import { fileError } from './files/file-error.ts';

const LENGTH_BYTES = 4;
/** What a record that seems to be cut short is searched for: larger ones are not written. */
const SEARCHED_BYTES = 1 << 26;

export interface LogFile {
  readonly descriptor: number;
  /** What errors call it. */
  readonly path: string;
}

export interface Frame {
  /** Of its length, and of its bytes. */
  readonly at: number;
  readonly start: number;
  /** Undefined: the file ends before it does. */
  readonly end: number | undefined;
}

export function framed(bytes: Uint8Array): Uint8Array {
  const frame = new Uint8Array(LENGTH_BYTES + bytes.length);
  new DataView(frame.buffer).setUint32(0, bytes.length, true);
  frame.set(bytes, LENGTH_BYTES);
  return frame;
}

export function* framesIn(file: LogFile, kind: Seal): Generator<Frame> {
  const { size } = guarded(file.path, () => fstatSync(file.descriptor));
  for (let at = 0; at < size; ) {
    const start = at + LENGTH_BYTES;
    if (start > size) return yield { at, start, end: undefined };
    const length = new DataView(readAt(file, at, start).buffer).getUint32(0, true);
    const end = start + length;
    if (end > size) {
      const rest = readAt(file, start, Math.min(size, start + SEARCHED_BYTES));
      if (!isBegun(rest, kind)) throw badLength(file, at, length, size - start);
      return yield { at, start, end: undefined };
    }
    yield { at, start, end };
    at = end;
  }
}

function badLength({ path }: LogFile, at: number, length: number, left: number): Error {
  const expected = `expected a record of ${length} bytes, got ${left} that are not the beginning of one`;
  return inputError('CORRUPT', `${path}: byte ${at}: ${expected}: damaged; put back a copy of it`);
}

/** A record that was cut short begins like one, and no other follows it: then its length would be what is wrong. */
function isBegun(bytes: Uint8Array, kind: Seal): boolean {
  const header = sealHeader(kind);
  const there = Math.min(bytes.length, header.length);
  if (!header.subarray(0, there).every((byte, i) => byte === bytes[i])) return false;
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).indexOf(header, 1) < 0;
}

export function readAt({ descriptor, path }: LogFile, start: number, end: number): Uint8Array {
  const bytes = new Uint8Array(end - start);
  for (let at = 0; at < bytes.length; ) {
    const count = guarded(path, () => readSync(descriptor, bytes, at, bytes.length - at, start + at));
    // The file has become shorter meanwhile: the checksum will say so.
    if (count === 0) break;
    at += count;
  }
  return bytes;
}

/** Failures of the system name the file. */
export function guarded<T>(path: string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    throw fileError(error, path);
  }
}
