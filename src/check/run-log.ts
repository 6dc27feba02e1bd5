/**
 * The log of a run: what goes into a machine, and a digest of what comes out of it, so that `replay.ts` can run the very same
 * inputs again and compare. One log for one machine, over all its starts. Little endian:
 *
 *   record   length u32, then so many bytes: a sealed value (base/packed.ts, kind "run log")
 *   start    a start of the machine, with what it begins with: options and what was stored, or a profile and what was stored
 *   step     the input, and the SHA-256 of the packed effects
 *
 * A log holds what the machine's state holds. That of a participant has its solutions, its moments and its secret keys: it
 * is as private as its state file. That of a coordinator has every answer that it was sent.
 */
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { inputError } from '../base/errors.ts';
import { pack, seal, sealHeader, unseal } from '../base/packed.ts';
import type { CoordinatorInput } from '../coordinator/effects.ts';
import type { CoordinatorStart } from '../coordinator/stored.ts';
import type { ParticipantInput } from '../participant/effects.ts';
import type { ParticipantStart } from '../participant/state.ts';

/** Version 1 was of protocol 3: its effects hold other settings, so it cannot be replayed. */
const SEAL = { kind: 'run log', version: 3 };
const LENGTH_BYTES = 4;
/** How much of a record that seems to be cut short is searched: larger ones are not written. */
const SEARCHED_BYTES = 1 << 26;

export type WrittenRecord =
  | { readonly type: 'start'; readonly start: CoordinatorStart | ParticipantStart }
  | {
      readonly type: 'step';
      readonly input: CoordinatorInput | ParticipantInput;
      /** SHA-256 of the packed effects, in hex. */
      readonly effects: string;
    };

/** As it is read: `torn` is a last record that a crash has cut short. */
export type LogRecord = WrittenRecord | { readonly type: 'torn' };

/** The bytes of a log, wherever they are. */
interface LogBytes {
  /** Errors name it. */
  readonly name: string;
  readonly size: number;
  read(start: number, end: number): Uint8Array;
}

export function digestOf(effects: readonly unknown[]): string {
  return bytesToHex(sha256(pack(effects)));
}

/** The bytes of a record in the log. */
export function recordBytes(record: WrittenRecord): Uint8Array {
  const bytes = seal(SEAL, record);
  const frame = new Uint8Array(LENGTH_BYTES + bytes.length);
  new DataView(frame.buffer).setUint32(0, bytes.length, true);
  frame.set(bytes, LENGTH_BYTES);
  return frame;
}

/** Record by record, so that a log may be larger than memory. */
export function* recordsIn(log: LogBytes): Generator<LogRecord> {
  let hasStart = false;
  for (const { at, start, end } of framesIn(log)) {
    if (end === undefined) return yield { type: 'torn' };
    const source = `${log.name}: byte ${at}`;
    const record = unseal(SEAL, log.read(start, end), source) as WrittenRecord;
    hasStart ||= record.type === 'start';
    if (!hasStart) {
      throw inputError('CORRUPT', `${source}: expected how the machine began, got a ${record.type}`);
    }
    yield record;
  }
}

/** Where the whole records end: what is appended after one that was cut short could not be read. */
export function wholeLength(log: LogBytes): number {
  for (const { at, end } of framesIn(log)) if (end === undefined) return at;
  return log.size;
}

interface Frame {
  /** Of its length, and of its bytes. */
  readonly at: number;
  readonly start: number;
  /** Undefined: the log ends before it does. */
  readonly end: number | undefined;
}

/** Without reading the records; the last may be cut short. */
function* framesIn(log: LogBytes): Generator<Frame> {
  const { size } = log;
  for (let at = 0; at < size; ) {
    const start = at + LENGTH_BYTES;
    if (start > size) return yield { at, start, end: undefined };
    const length = new DataView(log.read(at, start).buffer).getUint32(0, true);
    const end = start + length;
    if (end > size) {
      const rest = log.read(start, Math.min(size, start + SEARCHED_BYTES));
      if (!isBegun(rest)) {
        const expected = `expected a record of ${length} bytes, got ${size - start} that are not the beginning of one`;
        throw inputError(
          'CORRUPT',
          `${log.name}: byte ${at}: ${expected}: damaged; restore it from a backup`,
        );
      }
      return yield { at, start, end: undefined };
    }
    yield { at, start, end };
    at = end;
  }
}

/** A record that was cut short begins like one, and no other follows it: then its length would be what is wrong. */
function isBegun(bytes: Uint8Array): boolean {
  const header = sealHeader(SEAL);
  const there = Math.min(bytes.length, header.length);
  if (!header.subarray(0, there).every((byte, i) => byte === bytes[i])) return false;
  for (let at = bytes.indexOf(header[0], 1); at >= 0; at = bytes.indexOf(header[0], at + 1)) {
    if (header.every((byte, i) => byte === bytes[at + i])) return false;
  }
  return true;
}
