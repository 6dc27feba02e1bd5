/** Writes packed data (packed.ts has the format). */
import { crc32 } from './crc32.ts';
import { invariant } from './errors.ts';
import { ARRAYS, TAG, type TypedArray } from './packed-tags.ts';

const NAN = 0x7ff8_0000_0000_0000n;
const toUtf8 = new TextEncoder();

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

/** By code units. Few, and often in order already: by insertion, which takes a fraction of what `sort` does. */
function inOrder(names: string[]): string[] {
  if (names.length > FEW) return names.sort();
  for (let i = 1; i < names.length; i++) {
    const name = names[i];
    let j = i;
    for (; j > 0 && names[j - 1] > name; j--) names[j] = names[j - 1];
    names[j] = name;
  }
  return names;
}

/** Names that are sorted by insertion. */
const FEW = 32;
/** Texts that are tried as ASCII. */
const SHORT = 64;

/** All packing is done in the same memory and copied out at the end: making room costs more than the rest of it. */
const scratch = { bytes: new Uint8Array(64 * 1024), view: new DataView(new ArrayBuffer(0)) };
scratch.view = new DataView(scratch.bytes.buffer);
/** More than this is given back. */
const KEPT_BYTES = 1024 * 1024;

export class Packer {
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
        this.string(value);
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

  private string(value: string): void {
    if (value.length > SHORT || !this.ascii(value)) this.text(toUtf8.encode(value));
  }

  /** Whether it could: ids and words come by the thousand, and an encoder takes longer to call than they take to write. */
  private ascii(value: string): boolean {
    const start = this.advance(4 + value.length);
    for (let i = 0; i < value.length; i++) {
      const code = value.charCodeAt(i);
      if (code >= 0x80) {
        this.at = start;
        return false;
      }
      this.buffer[start + 4 + i] = code;
    }
    this.data.setUint32(start, value.length, true);
    return true;
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
    const names = inOrder(Object.keys(value));
    this.u8(TAG.object);
    const countAt = this.advance(4);
    let count = 0;
    for (const name of names) {
      const field = value[name];
      if (field === undefined) continue;
      this.text(nameBytes(name));
      this.value(field);
      count++;
    }
    this.data.setUint32(countAt, count, true);
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
