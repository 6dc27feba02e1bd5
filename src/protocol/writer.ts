import { invariant } from '../base/errors.ts';
import type { Precision } from './messages.ts';
import { firstNotFinite, putNumbers } from './numbers.ts';

const START_BYTES = 256;
/** Room for what usually follows a vector, so that a frame grows once. */
const SPARE_BYTES = 64;

/**
 * Writes a frame from front to back, growing as needed. What a peer would refuse is not written: it is a mistake in this
 * code base, not an expected outcome, hence plain errors.
 */
export class Writer {
  private readonly where: string;
  private readonly precision: Precision;
  private bytes = new Uint8Array(START_BYTES);
  private view = new DataView(this.bytes.buffer);
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
    const wire = this.precision === 'f32' ? new Float32Array(values) : values;
    const bad = firstNotFinite(wire);
    if (bad >= 0) this.fail(`${name}[${bad}]: expected a finite ${this.precision}, got ${values[bad]}`);
    const at = this.advance(wire.byteLength);
    putNumbers(this.bytes, at, wire);
  }

  /** Puts a u32 where it was left open. */
  patchU32(at: number, value: number): void {
    this.view.setUint32(at, value, true);
  }

  /** All so far: a view that the next write may leave behind. */
  written(): Uint8Array {
    return this.bytes.subarray(0, this.at);
  }

  fail(sentence: string): never {
    invariant(false, `${this.where}: ${sentence}`);
  }

  /** Makes room; may move `bytes` and `view`. */
  private advance(count: number): number {
    const start = this.at;
    this.at = start + count;
    if (this.at > this.bytes.length) this.grow(this.at + SPARE_BYTES);
    return start;
  }

  private grow(least: number): void {
    const grown = new Uint8Array(Math.max(least, 2 * this.bytes.length));
    grown.set(this.bytes);
    this.bytes = grown;
    this.view = new DataView(grown.buffer);
  }
}
