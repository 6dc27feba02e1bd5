/** Sigmoids where none have been fitted (calibration.ts). */
import type { Sigmoid } from './platt.ts';

/** Where nothing is known: 0.88 at a decision of 1, the margin. */
const FIXED: Sigmoid = { a: 2, b: 0 };

export function fixedSigmoids(heads: number): readonly Sigmoid[] {
  return Array.from({ length: heads }, () => FIXED);
}
