import { crc32 } from '../base/crc32.ts';
import { invariant } from '../base/errors.ts';
import type { Precision } from './messages.ts';
import { firstNotFinite, NUMBER_BYTES, putF32, putF64 } from './numbers.ts';

/**
 * Every frame is begun in the same memory and copied out when it is complete, and only one too large for it gets memory of
 * its own: allocating costs as much as all the rest of encoding. Nothing is called while a frame is being written that
 * could begin another.
 */
const SCRATCH = new Uint8Array(64 * 1024);
const SCRATCH_VIEW = new DataView(SCRATCH.buffer);

/**
 * Writes a frame from front to back, growing as needed. What a peer would refuse is not written: it is a mistake in this
 * code base, not an expected outcome, hence plain errors.
 */
export class Writer {
  private readonly where: string;
  private readonly precision: Precision;
  private bytes = SCRATCH;
  private view = SCRATCH_VIEW;
  private at = 0;

  constructor(where: string, precision: Precision) {
    this.where = where;
    this.precision = precision;
  }

  u8(value: number): void {
    const at = this.advance(1);
    this.bytes[at] = value;
  }

  u16(value: number): void {
    const at = this.advance(2);
    this.view.setUint16(at, value, true);
  }

  u32(value: number): void {
    const at = this.advance(4);
    this.view.setUint32(at, value, true);
  }

  f64(value: number): void {
    const at = this.advance(8);
    this.view.setFloat64(at, value, true);
  }

  raw(bytes: Uint8Array): void {
    const at = this.advance(bytes.length);
    this.bytes.set(bytes, at);
  }

  /** In the payload's precision. */
  vector(name: string, values: Float64Array): void {
    const bad = firstNotFinite(values, this.precision);
    if (bad >= 0) this.fail(`${name}[${bad}]: expected a finite ${this.precision}, got ${values[bad]}`);
    const at = this.advance(values.length * NUMBER_BYTES[this.precision]);
    if (this.precision === 'f32') putF32(this.view, at, values);
    else putF64(this.view, at, values);
  }

  /** Puts a u32 where it was left open. */
  patchU32(at: number, value: number): void {
    this.view.setUint32(at, value, true);
  }

  get length(): number {
    return this.at;
  }

  /** Of all so far. */
  crc32(): number {
    return crc32(this.view, this.at);
  }

  /** A copy of all so far. */
  copy(): Uint8Array {
    return this.bytes.slice(0, this.at);
  }

  fail(sentence: string): never {
    invariant(false, `${this.where}: ${sentence}`);
  }

  /** Makes room; may move `bytes` and `view`. */
  private advance(count: number): number {
    const start = this.at;
    this.at = start + count;
    if (this.at > this.bytes.length) this.grow(this.at);
    return start;
  }

  private grow(least: number): void {
    const grown = new Uint8Array(Math.max(least, 2 * this.bytes.length));
    grown.set(this.bytes);
    this.bytes = grown;
    this.view = new DataView(grown.buffer);
  }
}
