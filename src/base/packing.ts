/** Writes and reads the values of packed data (packed.ts has the format). */
import { ByteReader, ByteWriter, SHORT_TEXT, utf8Bytes } from './bytes.ts';
import { invariant } from './errors.ts';

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

const NAN = 0x7ff8_0000_0000_0000n;
/** Objects with at most this many names have them sorted by insertion. */
const FEW_NAMES = 32;

/** Deeper than anything that is stored; damaged bytes must not exhaust the stack. */
const DEEPEST = 64;

/** Names of fields repeat. */
const NAMES = new Map<string, Uint8Array>();
const MOST_NAMES = 10_000;

function nameBytes(name: string): Uint8Array {
  let bytes = NAMES.get(name);
  if (!bytes) {
    bytes = utf8Bytes(name);
    if (NAMES.size < MOST_NAMES) NAMES.set(name, bytes);
  }
  return bytes;
}

/** By code units. Few, and often in order already: by insertion, which takes a fraction of what `sort` does. */
function inOrder(names: string[]): string[] {
  if (names.length > FEW_NAMES) return names.sort();
  for (let i = 1; i < names.length; i++) {
    const name = names[i];
    let j = i;
    for (; j > 0 && names[j - 1] > name; j--) names[j] = names[j - 1];
    names[j] = name;
  }
  return names;
}

export class Packer extends ByteWriter {
  value(value: unknown): void {
    const type = typeof value;
    if (type === 'number') this.number(value as number);
    else if (type === 'string') this.string(TAG.text, value as string);
    else if (type === 'boolean') this.u8(value ? TAG.true : TAG.false);
    else if (type === 'undefined') this.u8(TAG.undefined);
    else if (type === 'bigint') this.string(TAG.bigint, String(value));
    else this.structure(value as object | null);
  }

  private structure(value: object | null): void {
    if (value === null) this.u8(TAG.null);
    else if (ArrayBuffer.isView(value)) this.typedArray(value as TypedArray);
    else if (Array.isArray(value)) this.list(value);
    else if (value instanceof Map) this.map(value);
    else this.object(value as Record<string, unknown>);
  }

  private number(value: number): void {
    const at = this.reserve(9);
    this.bytes[at] = TAG.number;
    // Which of its many patterns a NaN has depends on how it was computed.
    if (Number.isNaN(value)) this.view.setBigUint64(at + 1, NAN, true);
    else this.view.setFloat64(at + 1, value, true);
  }

  private string(tag: number, value: string): void {
    this.u8(tag);
    if (value.length > SHORT_TEXT || !this.ascii(value)) this.text(utf8Bytes(value));
  }

  /** Whether it could: ids and names come by the thousand, and an encoder takes longer to call than they take to write. */
  private ascii(value: string): boolean {
    const start = this.reserve(4 + value.length);
    for (let i = 0; i < value.length; i++) {
      const code = value.charCodeAt(i);
      if (code >= 0x80) {
        this.at = start;
        return false;
      }
      this.bytes[start + 4 + i] = code;
    }
    this.patchU32(start, value.length);
    return true;
  }

  private text(utf8: Uint8Array): void {
    this.u32(utf8.length);
    this.raw(utf8);
  }

  private list(values: readonly unknown[]): void {
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
    this.array(array);
  }

  private object(value: Record<string, unknown>): void {
    const prototype = Object.getPrototypeOf(value);
    invariant(prototype === Object.prototype || prototype === null, 'pack: plain data only');
    this.u8(TAG.object);
    const countAt = this.reserve(4);
    let count = 0;
    for (const name of inOrder(Object.keys(value))) {
      const field = value[name];
      if (field === undefined) continue;
      this.text(nameBytes(name));
      this.value(field);
      count++;
    }
    this.patchU32(countAt, count);
  }
}

export class Unpacker extends ByteReader {
  private readonly refuse: (sentence: string) => never;

  constructor(bytes: Uint8Array, start: number, end: number, refuse: (sentence: string) => never) {
    super(bytes, start, end);
    this.refuse = refuse;
  }

  protected refused(sentence: string): never {
    this.refuse(sentence);
  }

  value(depth = 0): unknown {
    if (depth >= DEEPEST) this.refused(`expected at most ${DEEPEST} levels`);
    const tag = this.u8('a tag');
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
        return this.f64('a number');
      case TAG.text:
        return this.string();
      case TAG.bigint:
        return this.bigint();
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
      const name = this.string();
      // Assignment would not make a field of this one.
      if (name === '__proto__') this.refused('expected names of fields, got "__proto__"');
      object[name] = this.value(depth);
    }
    return object;
  }

  private bigint(): bigint {
    const digits = this.string();
    return /^-?\d+$/.test(digits) ? BigInt(digits) : this.refused('expected the digits of an integer');
  }

  private typedArray(tag: number): TypedArray {
    const type = ARRAYS[tag - TAG.bytes] ?? this.refused(`expected a known tag, got ${tag}`);
    const length = this.count(type.BYTES_PER_ELEMENT);
    return new type(this.raw('an array', length * type.BYTES_PER_ELEMENT).buffer);
  }

  private string(): string {
    return this.text('text', this.count(1));
  }

  /** A count of things that take at least so many bytes each: checked before anything is allocated. */
  private count(bytesEach: number): number {
    const count = this.u32('a count');
    if (count * bytesEach > this.left) this.refused(`expected ${count} values, got ${this.left} bytes`);
    return count;
  }
}
