import { ByteReader } from '../base/bytes.ts';
import type { Limits } from './limits.ts';
import type { Precision, RejectCode } from './messages.ts';
import { firstNotFinite } from './numbers.ts';
import { ProtocolError } from './protocol-error.ts';

/** Reads a payload from front to back. Every length is checked against the limits before anything of that length is allocated. */
export class Reader extends ByteReader {
  readonly limits: Limits;
  private readonly where: string;
  private readonly precision: Precision;

  constructor(where: string, payload: Uint8Array, precision: Precision, limits: Limits) {
    super(payload);
    this.where = where;
    this.precision = precision;
    this.limits = limits;
  }

  /** A length that went before, checked against the most that is allowed. */
  length(name: string, length: number, most: number, unit: string): number {
    if (length > most) this.refused(`${name}: expected at most ${most} ${unit}, got ${length}`);
    return length;
  }

  /** In the payload's precision; a copy, so that the frame need not be kept. */
  vector(name: string, length: number): Float64Array {
    const values = this.precision === 'f64' ? this.f64s(name, length) : this.f32s(name, length);
    const bad = firstNotFinite(values, 'f64');
    if (bad >= 0) this.refuse('NOT_FINITE', `${name}[${bad}]: expected a finite number, got ${values[bad]}`);
    return values;
  }

  refuse(code: RejectCode, sentence: string): never {
    throw new ProtocolError(code, `${this.where}: ${sentence}`);
  }

  protected refused(sentence: string): never {
    this.refuse('BAD_FRAME', sentence);
  }

  private f64s(name: string, length: number): Float64Array {
    return new Float64Array(this.raw(name, 8 * length).buffer);
  }

  private f32s(name: string, length: number): Float64Array {
    const start = this.advance(4 * length, name);
    const { view } = this;
    const values = new Float64Array(length);
    for (let i = 0; i < length; i++) values[i] = view.getFloat32(start + 4 * i, true);
    return values;
  }
}
