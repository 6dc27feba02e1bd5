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
import { utf8Bytes } from './bytes.ts';
import { crc32 } from './crc32.ts';
import { inputError } from './errors.ts';
import { Packer, Unpacker } from './packing.ts';

const MAGIC = [0x4b, 0x4e, 0x44, 0x53];
const VERSION_AT = 4;
const HEADER_BYTES = 6;
const CRC_BYTES = 4;

export function pack(value: unknown): Uint8Array {
  const out = new Packer();
  out.value(value);
  return out.finish();
}

/** What `pack` has made. */
export function unpack(bytes: Uint8Array): unknown {
  const input = new Unpacker(bytes, 0, bytes.length, (got) => {
    throw new Error(`packed data: got ${got}`);
  });
  return input.value();
}

/** What a piece of stored data is, and in which version of its format. */
export interface Seal {
  readonly kind: string;
  readonly version: number;
}

/** Cells are sealed by the thousand, under a few seals. */
const HEADERS = new WeakMap<Seal, Uint8Array>();

/** How everything under this seal begins. */
export function sealHeader(as: Seal): Uint8Array {
  let header = HEADERS.get(as);
  if (!header) {
    const name = utf8Bytes(as.kind);
    header = Uint8Array.of(...MAGIC, as.version, name.length, ...name);
    HEADERS.set(as, header);
  }
  return header;
}

export function seal(as: Seal, value: unknown): Uint8Array {
  return sealForNow(as, value).slice();
}

/** Without a copy: valid until anything else is packed or encoded. */
export function sealForNow(as: Seal, value: unknown): Uint8Array {
  const out = new Packer();
  out.raw(sealHeader(as));
  out.value(value);
  out.checksum();
  return out.finishForNow();
}

/** Refuses what is damaged, of another kind or of another version, with a sentence that begins with `source`. */
export function unseal({ kind, version }: Seal, bytes: Uint8Array, source: string): unknown {
  const corrupt = (got: string): never => {
    throw inputError('CORRUPT', `${source}: expected ${kind}, got ${got}; restore it from a backup`);
  };
  const end = bytes.length - CRC_BYTES;
  if (end <= HEADER_BYTES || !MAGIC.every((byte, i) => bytes[i] === byte))
    corrupt(`${bytes.length} bytes of another format`);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (view.getUint32(end, true) !== crc32(view, end)) corrupt('damaged bytes: the checksum does not match');
  const input = new Unpacker(bytes, HEADER_BYTES, end, corrupt);
  const found = input.text('the kind', bytes[HEADER_BYTES - 1]);
  if (found !== kind) corrupt(`"${found}"`);
  if (bytes[VERSION_AT] !== version) {
    throw inputError(
      'STORED_VERSION',
      `${source}: expected ${kind} of version ${version}, got version ${bytes[VERSION_AT]}; use the kindred that wrote it`,
    );
  }
  const value = input.value();
  input.ended('packed data');
  return value;
}
