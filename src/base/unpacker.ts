/** Reads packed data (packed.ts has the format). Bytes that nobody packed are refused by a plain Error, before anything is allocated. */
import { invariant } from './errors.ts';
import { ARRAYS, TAG, type TypedArray } from './packed-tags.ts';

/** Deeper than anything that is stored; corrupt bytes must not exhaust the stack. */
const DEEPEST = 64;
const fromUtf8 = new TextDecoder('utf-8', { fatal: true });

export class Unpacker {
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
