/**
 * Little-endian bytes, written and read from front to back: what frames of the protocol and packed data are made of.
 *
 * Typed arrays are copied as they lie in memory. That takes a little-endian machine, as all that run JavaScript today are.
 */
import { crc32 } from './crc32.ts';
import { invariant } from './errors.ts';

const toUtf8 = new TextEncoder();
// A byte order mark is a character like any other: dropping it would make two ids one.
const fromUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

interface Memory {
  readonly bytes: Uint8Array;
  readonly view: DataView;
}

function allocate(length: number): Memory {
  const bytes = new Uint8Array(length);
  return { bytes, view: new DataView(bytes.buffer) };
}

/** Text up to this length is tried as ASCII. */
export const SHORT_TEXT = 64;

const FIRST_BYTES = 64 * 1024;
/** More than this is not kept for the next writer. */
const KEPT_BYTES = 1024 * 1024;
/**
 * Writers use the same memory one after another, and copy out of it at the end: allocating costs as much as all the rest. Absent while
 * one is at work, so that a second one gets memory of its own.
 */
let spare: Memory | undefined;

export class ByteWriter {
  private memory: Memory;
  protected bytes: Uint8Array;
  protected view: DataView;
  protected at = 0;

  constructor() {
    this.memory = spare ?? allocate(FIRST_BYTES);
    spare = undefined;
    this.bytes = this.memory.bytes;
    this.view = this.memory.view;
  }

  get length(): number {
    return this.at;
  }

  u8(value: number): void {
    const at = this.reserve(1);
    this.bytes[at] = value;
  }

  u16(value: number): void {
    const at = this.reserve(2);
    this.view.setUint16(at, value, true);
  }

  u32(value: number): void {
    const at = this.reserve(4);
    this.view.setUint32(at, value, true);
  }

  f64(value: number): void {
    const at = this.reserve(8);
    this.view.setFloat64(at, value, true);
  }

  raw(bytes: Uint8Array): void {
    const at = this.reserve(bytes.length);
    this.bytes.set(bytes, at);
  }

  /** The bytes of a typed array, as they lie in memory. */
  array({ buffer, byteOffset, byteLength }: ArrayBufferView): void {
    this.raw(new Uint8Array(buffer, byteOffset, byteLength));
  }

  /** Puts a u32 where room was reserved for it. */
  patchU32(at: number, value: number): void {
    this.view.setUint32(at, value, true);
  }

  /** Of all so far. */
  checksum(): void {
    this.u32(crc32(this.view, this.at));
  }

  /** Where so many bytes can be written now. May move `bytes` and `view`. */
  reserve(count: number): number {
    const start = this.at;
    this.at = start + count;
    if (this.at > this.bytes.length) this.grow();
    return start;
  }

  /** A copy of all of it. The writer is done. */
  finish(): Uint8Array {
    this.release();
    return this.bytes.slice(0, this.at);
  }

  /** The same without a copy: valid until the next writer begins. */
  finishForNow(): Uint8Array {
    this.release();
    return this.bytes.subarray(0, this.at);
  }

  private release(): void {
    if (this.bytes.length <= KEPT_BYTES) spare = this.memory;
  }

  private grow(): void {
    this.memory = allocate(Math.max(this.at, 2 * this.bytes.length));
    this.memory.bytes.set(this.bytes);
    this.bytes = this.memory.bytes;
    this.view = this.memory.view;
  }
}

/**
 * Every read first makes sure that the bytes are there, before anything is allocated. `name` is what is read, for the sentence of a
 * refusal; `refused` throws it.
 */
export abstract class ByteReader {
  protected readonly bytes: Uint8Array;
  protected readonly view: DataView;
  private readonly end: number;
  private at: number;

  constructor(bytes: Uint8Array, start = 0, end = bytes.length) {
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.at = start;
    this.end = end;
  }

  protected abstract refused(sentence: string): never;

  get left(): number {
    return this.end - this.at;
  }

  u8(name: string): number {
    return this.bytes[this.advance(1, name)];
  }

  u16(name: string): number {
    return this.view.getUint16(this.advance(2, name), true);
  }

  u32(name: string): number {
    return this.view.getUint32(this.advance(4, name), true);
  }

  /** As it stands: may be NaN or infinite. */
  f64(name: string): number {
    return this.view.getFloat64(this.advance(8, name), true);
  }

  /** A copy, aligned for any typed array, that does not keep the rest alive. */
  raw(name: string, length: number): Uint8Array<ArrayBuffer> {
    const start = this.advance(length, name);
    const copy = new Uint8Array(length);
    copy.set(this.bytes.subarray(start, start + length));
    return copy;
  }

  text(name: string, length: number): string {
    const start = this.advance(length, name);
    const short = length <= SHORT_TEXT ? this.ascii(start, length) : undefined;
    if (short !== undefined) return short;
    try {
      return fromUtf8.decode(this.bytes.subarray(start, start + length));
    } catch {
      return this.refused(`${name}: expected UTF-8 text, got other bytes`);
    }
  }

  /** Names and ids come by the thousand, and a decoder takes longer to call than they take to read. */
  private ascii(start: number, length: number): string | undefined {
    let text = '';
    for (let i = start; i < start + length; i++) {
      const byte = this.bytes[i];
      if (byte >= 0x80) return undefined;
      text += String.fromCharCode(byte);
    }
    return text;
  }

  protected advance(count: number, name: string): number {
    const start = this.at;
    if (count > this.left) this.refused(`expected ${count} more bytes for ${name}, got ${this.left}`);
    this.at = start + count;
    return start;
  }

  ended(what: string): void {
    if (this.left > 0) this.refused(`expected the end of the ${what}, got ${this.left} more bytes`);
  }
}

/** For text whose length goes before it. */
export function utf8Bytes(text: string): Uint8Array {
  return toUtf8.encode(text);
}

invariant(new Uint8Array(Uint16Array.of(1).buffer)[0] === 1, 'a little-endian machine');
