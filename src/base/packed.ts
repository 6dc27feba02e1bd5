/**
 * Plain data to bytes and back, for what is stored: state files, the coordinator's store, run logs. (What is sent has a
 * layout of its own, in src/protocol.)
 *
 * Canonical: equal data give equal bytes, whatever the order in which the fields of an object were set. Self-describing: a reader
 * needs no schema to see what is there. Exact: numbers stay the bits they were. Little endian:
 *
 *   value    tag u8, then by tag: number f64 | bigint and text as UTF-8, typed arrays: length u32, content |
 *            array: length u32, values | map: size u32, (value, value) in its order |
 *            object: size u32, (name as UTF-8 after its length u32, value) by ascending name
 *   sealed   "KNDS", version u8, length of kind u8, kind, value, CRC-32 u32 of all before it
 *
 * Fields that are undefined are left out of objects, as in JSON.
 */
import { crc32 } from './crc32.ts';
import { inputError, invariant } from './errors.ts';
import { Packer } from './packer.ts';
import { Unpacker } from './unpacker.ts';

const MAGIC = [0x4b, 0x4e, 0x44, 0x53];
const CRC_BYTES = 4;

const toUtf8 = new TextEncoder();

export function pack(value: unknown): Uint8Array {
  const out = new Packer();
  out.value(value);
  return out.view().slice();
}

/** Throws a plain Error on bytes that `pack` has not made. */
export function unpack(bytes: Uint8Array): unknown {
  return unpackFrom(new Unpacker(bytes, 0, bytes.length));
}

/** What a piece of stored data is, and in which version of its format. */
export interface Seal {
  readonly kind: string;
  readonly version: number;
}

/** Cells are sealed by the thousand, as a few things. */
const HEADERS = new WeakMap<Seal, Uint8Array>();

/** How everything that is sealed as this begins. */
export function sealHeader(as: Seal): Uint8Array {
  let header = HEADERS.get(as);
  if (!header) {
    const name = toUtf8.encode(as.kind);
    header = Uint8Array.of(...MAGIC, as.version, name.length, ...name);
    HEADERS.set(as, header);
  }
  return header;
}

export function seal(as: Seal, value: unknown): Uint8Array {
  return sealForNow(as, value).slice();
}

/** Without a copy: good until anything else is packed. */
export function sealForNow(as: Seal, value: unknown): Uint8Array {
  const out = new Packer();
  out.raw(sealHeader(as));
  out.value(value);
  out.checksum();
  return out.view();
}

/** Refuses what is damaged, of another kind or of another version, in words that begin with `source`. */
export function unseal(expected: Seal, bytes: Uint8Array, source: string): unknown {
  const { kind, version } = expected;
  const header = MAGIC.length + 2;
  const name = bytes.length > header ? bytes.subarray(header, header + bytes[header - 1]) : new Uint8Array(0);
  const ours = bytes.length > header + CRC_BYTES && MAGIC.every((byte, i) => bytes[i] === byte);
  if (!ours) throw corrupt(source, kind, `got ${bytes.length} bytes that are none`);
  const end = bytes.length - CRC_BYTES;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (view.getUint32(end, true) !== crc32(view, end)) {
    throw corrupt(source, kind, 'got one whose checksum does not match');
  }
  const found = new TextDecoder().decode(name);
  if (found !== kind) throw corrupt(source, kind, `got "${found}"`);
  if (bytes[4] !== version) {
    throw inputError(
      'STORED_VERSION',
      `${source}: expected ${kind} of version ${version}, got version ${bytes[4]}; use the kindred that wrote it`,
    );
  }
  return unpackFrom(new Unpacker(bytes, header + name.length, end));
}

function corrupt(source: string, kind: string, got: string): Error {
  return inputError('CORRUPT', `${source}: expected ${kind}, ${got}: damaged; put back a copy of it`);
}

function unpackFrom(input: Unpacker): unknown {
  const value = input.value(0);
  invariant(input.ended, 'packed data end where their value ends');
  return value;
}
