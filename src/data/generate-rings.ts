/**
 * Two classes that no plane separates: a ring (in more than two features a shell) around another one. Participants share the shape and differ in
 * where it is and how large:
 *
 *     x_ik = centre_k + r e,   e a random direction,   r = radius_k (1 or 2) + noise,   class +1 for the outer ring
 *
 * centre_k ~ N(0, shift^2 I), radius_k uniform in [0.7, 1.3], noise ~ N(0, 0.2^2): some rows of the two classes overlap.
 */
import { inputError } from '../base/errors.ts';
import { type Stream, stream } from '../base/random.ts';
import type { Table } from './table.ts';

export interface RingsOptions {
  /** Default 20. */
  readonly participants?: number;
  /** Rows of each (default 200), half of them of each class. */
  readonly rows?: number;
  /** Default 2. */
  readonly features?: number;
  /** How far centres lie apart: their standard deviation in every feature (default 0.5). */
  readonly shift?: number;
  readonly seed?: number;
}

const NOISE = 0.2;

export function makeRings(options: RingsOptions = {}): Table {
  const { participants = 20, rows = 200, features: d = 2, shift = 0.5, seed = 1 } = options;
  for (const [name, value] of Object.entries({ participants, rows, features: d })) {
    if (!(Number.isInteger(value) && value >= 1))
      throw refused(name, 'to be a whole number of at least 1', value);
  }
  if (!(shift >= 0 && shift < Infinity)) throw refused('shift', 'to be a number of at least 0', shift);
  const n = participants * rows;
  const x = new Float64Array(n * d);
  for (let k = 0; k < participants; k++) {
    const random = stream(seed, 'rings', 0, k + 1);
    const centre = Float64Array.from({ length: d }, () => shift * random.normal());
    const radius = 0.7 + 0.6 * random.uniform();
    for (let i = 0; i < rows; i++) {
      const r = radius * (isOuter(i) ? 2 : 1) + NOISE * random.normal();
      const at = (k * rows + i) * d;
      direction(d, random).forEach((e, j) => {
        x[at + j] = centre[j] + r * e;
      });
    }
  }
  return {
    source: 'rings',
    features: Array.from({ length: d }, (_, j) => `x${j + 1}`),
    n,
    x,
    participants: Array.from({ length: participants }, (_, k) => String(k + 1)),
    participantOf: Uint32Array.from({ length: n }, (_, i) => Math.floor(i / rows)),
    targets: Array.from({ length: n }, (_, i) => (isOuter(i % rows) ? '1' : '-1')),
    lines: undefined,
  };
}

function refused(name: string, expected: string, got: number): Error {
  return inputError('GENERATOR_OPTION', `rings: expected ${name} ${expected}, got ${got}`);
}

function isOuter(i: number): boolean {
  return i % 2 === 1;
}

/** Uniform on the unit sphere. */
function direction(d: number, random: Stream): Float64Array {
  const vector = Float64Array.from({ length: d }, () => random.normal());
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
  return vector.map((value) => value / length);
}
