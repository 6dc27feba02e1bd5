import { ByteWriter } from '../base/bytes.ts';
import { invariant } from '../base/errors.ts';
import type { Precision } from './messages.ts';
import { firstNotFinite } from './numbers.ts';

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
