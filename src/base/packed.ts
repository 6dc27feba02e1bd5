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

type TypedArray = Uint8Array | Uint32Array | Float64Array | BigUint64Array;

const TAG = {
  undefined: 0,
  null: 1,
  false: 2,
  true: 3,
  number: 4,
  text: 5,
  bigint: 6,
  array: 7,
  object: 8,
  map: 9,
  bytes: 16,
} as const;

/** By tag, from TAG.bytes on. */
const ARRAYS = [Uint8Array, Uint32Array, Float64Array, BigUint64Array] as const;

const MAGIC = [0x4b, 0x4e, 0x44, 0x53];
const CRC_BYTES = 4;
const NAN = 0x7ff8_0000_0000_0000n;
/** Deeper than anything that is stored; corrupt bytes must not exhaust the stack. */
const DEEPEST = 64;

const toUtf8 = new TextEncoder();
const fromUtf8 = new TextDecoder('utf-8', { fatal: true });

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

/** How everything that is sealed as this begins. */
export function sealHeader({ kind, version }: Seal): Uint8Array {
  const name = toUtf8.encode(kind);
  return Uint8Array.of(...MAGIC, version, name.length, ...name);
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

/** Names of fields come again and again. */
const NAMES = new Map<string, Uint8Array>();
const MOST_NAMES = 10_000;

function nameBytes(name: string): Uint8Array {
  let bytes = NAMES.get(name);
  if (!bytes) {
    bytes = toUtf8.encode(name);
    if (NAMES.size < MOST_NAMES) NAMES.set(name, bytes);
  }
  return bytes;
}

/** All packing is done in the same memory and copied out at the end: making room costs more than the rest of it. */
const scratch = { bytes: new Uint8Array(64 * 1024), view: new DataView(new ArrayBuffer(0)) };
scratch.view = new DataView(scratch.bytes.buffer);
/** More than this is given back. */
const KEPT_BYTES = 1024 * 1024;

class Packer {
  private buffer = scratch.bytes;
  private data = scratch.view;
  private at = 0;

  value(value: unknown): void {
    switch (typeof value) {
      case 'number':
        this.number(value);
        break;
      case 'string':
        this.u8(TAG.text);
        this.text(toUtf8.encode(value));
        break;
      case 'boolean':
        this.u8(value ? TAG.true : TAG.false);
        break;
      case 'undefined':
        this.u8(TAG.undefined);
        break;
      case 'bigint':
        this.u8(TAG.bigint);
        this.text(toUtf8.encode(String(value)));
        break;
      default:
        this.structure(value as object | null);
    }
  }

  raw(bytes: Uint8Array): void {
    const at = this.advance(bytes.length);
    this.buffer.set(bytes, at);
  }

  checksum(): void {
    const crc = crc32(this.data, this.at);
    this.u32(crc);
  }

  /** Of all so far; the packer is done. */
  view(): Uint8Array {
    if (this.buffer.length > scratch.bytes.length && this.buffer.length <= KEPT_BYTES) {
      scratch.bytes = this.buffer;
      scratch.view = this.data;
    }
    return this.buffer.subarray(0, this.at);
  }

  private structure(value: object | null): void {
    if (value === null) this.u8(TAG.null);
    else if (ArrayBuffer.isView(value)) this.typedArray(value as TypedArray);
    else if (Array.isArray(value)) this.array(value);
    else if (value instanceof Map) this.map(value);
    else this.object(value as Record<string, unknown>);
  }

  private number(value: number): void {
    const at = this.advance(9);
    this.buffer[at] = TAG.number;
    // Which of its many patterns a NaN has depends on how it was computed.
    if (Number.isNaN(value)) this.data.setBigUint64(at + 1, NAN, true);
    else this.data.setFloat64(at + 1, value, true);
  }

  private text(utf8: Uint8Array): void {
    this.u32(utf8.length);
    this.raw(utf8);
  }

  private array(values: readonly unknown[]): void {
    this.u8(TAG.array);
    this.u32(values.length);
    for (const value of values) this.value(value);
  }

  private map(entries: ReadonlyMap<unknown, unknown>): void {
    this.u8(TAG.map);
    this.u32(entries.size);
    for (const [key, value] of entries) {
      this.value(key);
      this.value(value);
    }
  }

  private typedArray(array: TypedArray): void {
    const type = ARRAYS.findIndex((known) => array instanceof known);
    invariant(type >= 0, `pack: ${array.constructor.name} is not stored`);
    this.u8(TAG.bytes + type);
    this.u32(array.length);
    this.raw(new Uint8Array(array.buffer, array.byteOffset, array.byteLength));
  }

  private object(value: Record<string, unknown>): void {
    const prototype = Object.getPrototypeOf(value);
    invariant(prototype === Object.prototype || prototype === null, 'pack: plain data only');
    const names = Object.keys(value).filter((name) => value[name] !== undefined);
    this.u8(TAG.object);
    this.u32(names.length);
    for (const name of names.sort()) {
      this.text(nameBytes(name));
      this.value(value[name]);
    }
  }

  private u8(value: number): void {
    const at = this.advance(1);
    this.buffer[at] = value;
  }

  private u32(value: number): void {
    const at = this.advance(4);
    this.data.setUint32(at, value, true);
  }

  /** Makes room; may move the buffer. */
  private advance(count: number): number {
    const start = this.at;
    this.at += count;
    if (this.at > this.buffer.length) {
      const grown = new Uint8Array(Math.max(this.at, 2 * this.buffer.length));
      grown.set(this.buffer);
      this.buffer = grown;
      this.data = new DataView(grown.buffer);
    }
    return start;
  }
}

class Unpacker {
  private readonly bytes: Uint8Array;
  private readonly view: DataView;
  private readonly end: number;
  private at: number;

  constructor(bytes: Uint8Array, start: number, end: number) {
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.at = start;
    this.end = end;
  }

  get ended(): boolean {
    return this.at === this.end;
  }

  value(depth: number): unknown {
    invariant(depth < DEEPEST, 'packed data are not deeper than they can be');
    const tag = this.bytes[this.take(1)];
    switch (tag) {
      case TAG.undefined:
        return undefined;
      case TAG.null:
        return null;
      case TAG.false:
        return false;
      case TAG.true:
        return true;
      case TAG.number:
        return this.view.getFloat64(this.take(8), true);
      case TAG.text:
        return this.text();
      case TAG.bigint:
        return BigInt(this.text());
      case TAG.array:
        return Array.from({ length: this.count(1) }, () => this.value(depth + 1));
      case TAG.map:
        return this.map(depth + 1);
      case TAG.object:
        return this.object(depth + 1);
      default:
        return this.typedArray(tag);
    }
  }

  private map(depth: number): Map<unknown, unknown> {
    const entries = new Map<unknown, unknown>();
    for (let left = this.count(2); left > 0; left--) {
      const key = this.value(depth);
      entries.set(key, this.value(depth));
    }
    return entries;
  }

  private object(depth: number): Record<string, unknown> {
    const object: Record<string, unknown> = {};
    for (let left = this.count(5); left > 0; left--) {
      const name = this.text();
      // Assignment would not make a field of this one.
      invariant(name !== '__proto__', 'packed objects have fields of their own only');
      object[name] = this.value(depth);
    }
    return object;
  }

  private typedArray(tag: number): TypedArray {
    const type = ARRAYS[tag - TAG.bytes];
    invariant(type, `packed data have no tag ${tag}`);
    const length = this.count(type.BYTES_PER_ELEMENT);
    const bytes = length * type.BYTES_PER_ELEMENT;
    const at = this.take(bytes);
    // A copy of its own: aligned, and not keeping the rest alive.
    const copy = new Uint8Array(bytes);
    copy.set(this.bytes.subarray(at, at + bytes));
    return new type(copy.buffer);
  }

  private text(): string {
    const length = this.count(1);
    const at = this.take(length);
    return fromUtf8.decode(this.bytes.subarray(at, at + length));
  }

  /** A count of things that take at least so many bytes each: checked before anything is allocated. */
  private count(bytesEach: number): number {
    const count = this.view.getUint32(this.take(4), true);
    invariant(count * bytesEach <= this.end - this.at, 'packed data hold as much as they say');
    return count;
  }

  private take(count: number): number {
    const start = this.at;
    invariant(start + count <= this.end, 'packed data do not end early');
    this.at += count;
    return start;
  }
}
