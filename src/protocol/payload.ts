import { ByteReader, ByteWriter } from '../base/bytes.ts';
import { invariant } from '../base/errors.ts';
import type { RejectCode } from './codes.ts';
import type { Limits } from './limits.ts';
import type { Precision } from './messages.ts';
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
    const isF64 = this.precision === 'f64';
    const values = isF64 ? new Float64Array(this.raw(name, 8 * length).buffer) : this.f32s(name, length);
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

  private f32s(name: string, length: number): Float64Array {
    const start = this.advance(4 * length, name);
    const { view } = this;
    const values = new Float64Array(length);
    for (let i = 0; i < length; i++) values[i] = view.getFloat32(start + 4 * i, true);
    return values;
  }
}

/**
 * Writes a frame from front to back. What a peer would refuse is not written: it is a mistake in this code base, not an expected
 * outcome, hence plain errors.
 */
export class Writer extends ByteWriter {
  private readonly where: string;
  private readonly precision: Precision;

  constructor(where: string, precision: Precision) {
    super();
    this.where = where;
    this.precision = precision;
  }

  /** In the payload's precision. */
  vector(name: string, values: Float64Array): void {
    const bad = firstNotFinite(values, this.precision);
    if (bad >= 0) this.fail(`${name}[${bad}]: expected a finite ${this.precision}, got ${values[bad]}`);
    if (this.precision === 'f64') this.array(values);
    else this.f32s(values);
  }

  /** Number by number: a second array to convert through costs more than the loop. */
  private f32s(values: Float64Array): void {
    const at = this.reserve(4 * values.length);
    const { view } = this;
    for (let i = 0; i < values.length; i++) view.setFloat32(at + 4 * i, values[i], true);
  }

  fail(sentence: string): never {
    invariant(false, `${this.where}: ${sentence}`);
  }
}

/** The largest number that does not become Infinity; past the largest f32 by just under half a unit, which rounds down. */
const LARGEST: Readonly<Record<Precision, number>> = { f64: Number.MAX_VALUE, f32: 3.4028235677973362e38 };

/** Index of the first NaN, infinity, or number that would become one in this precision; -1 if there is none. */
export function firstNotFinite(numbers: Float64Array, precision: Precision): number {
  if (precision === 'f64' && allFinite(numbers)) return -1;
  const largest = LARGEST[precision];
  for (let i = 0; i < numbers.length; i++) {
    // Negated, because no comparison with NaN is true.
    if (!(Math.abs(numbers[i]) <= largest)) return i;
  }
  return -1;
}

/** Nothing but NaN comes of NaN or infinity times 0. Four sums, so that no addition waits for the one before it; and no branches. */
function allFinite(numbers: Float64Array): boolean {
  let [a, b, c, d] = [0, 0, 0, 0];
  const whole = numbers.length & ~3;
  for (let i = 0; i < whole; i += 4) {
    a += numbers[i] * 0;
    b += numbers[i + 1] * 0;
    c += numbers[i + 2] * 0;
    d += numbers[i + 3] * 0;
  }
  for (let i = whole; i < numbers.length; i++) a += numbers[i] * 0;
  return a + b + c + d === 0;
}
