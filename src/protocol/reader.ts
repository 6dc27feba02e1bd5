import type { Limits } from './limits.ts';
import type { Precision, RejectCode } from './messages.ts';
import { firstNotFinite, NUMBER_BYTES, takeF32, takeF64 } from './numbers.ts';
import { ProtocolError } from './protocol-error.ts';

/**
 * Reads a payload from front to back. Every read first makes sure that the bytes are there, and every length is held
 * against the limits and the bytes that are left before anything of that length is allocated.
 * `name` is the field, for the sentence of a refusal.
 */
export class Reader {
  readonly limits: Limits;
  private readonly where: string;
  private readonly bytes: Uint8Array;
  private readonly view: DataView;
  private readonly precision: Precision;
  private at = 0;

  constructor(where: string, payload: Uint8Array, precision: Precision, limits: Limits) {
    this.where = where;
    this.bytes = payload;
    this.view = new DataView(payload.buffer, payload.byteOffset, payload.byteLength);
    this.precision = precision;
    this.limits = limits;
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

  /** A length that went before, held against the most that is allowed. */
  length(name: string, length: number, most: number, unit: string): number {
    if (length > most) this.refuse('BAD_FRAME', `${name}: expected at most ${most} ${unit}, got ${length}`);
    return length;
  }

  /** A copy. */
  raw(name: string, length: number): Uint8Array {
    const start = this.advance(length, name);
    return this.bytes.slice(start, start + length);
  }

  text(name: string, byteLength: number): string {
    const start = this.advance(byteLength, name);
    try {
      return UTF8.decode(this.bytes.subarray(start, start + byteLength));
    } catch {
      return this.refuse('BAD_FRAME', `${name}: expected text in UTF-8, got bytes that are not`);
    }
  }

  /** In the payload's precision; a copy, so that the frame need not be kept. */
  vector(name: string, length: number): Float64Array {
    const start = this.advance(length * NUMBER_BYTES[this.precision], name);
    const values = new Float64Array(length);
    if (this.precision === 'f32') takeF32(this.view, start, values);
    else takeF64(this.view, start, values);
    const bad = firstNotFinite(values, 'f64');
    if (bad >= 0) this.refuse('NOT_FINITE', `${name}[${bad}]: expected a finite number, got ${values[bad]}`);
    return values;
  }

  end(): void {
    const left = this.bytes.length - this.at;
    if (left > 0) this.refuse('BAD_FRAME', `expected the end of the payload, got ${left} more bytes`);
  }

  refuse(code: RejectCode, sentence: string): never {
    throw new ProtocolError(code, `${this.where}: ${sentence}`);
  }

  /** Where the next `count` bytes start. */
  private advance(count: number, name: string): number {
    const start = this.at;
    const left = this.bytes.length - start;
    if (count > left) {
      this.refuse('BAD_FRAME', `expected ${count} more bytes for ${name}, got ${left}`);
    }
    this.at = start + count;
    return start;
  }
}

// A byte order mark is a character like any other: dropping it would make two ids one.
const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
