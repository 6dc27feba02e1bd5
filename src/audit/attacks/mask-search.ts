/**
 * The subset of some vectors whose sum is nearest to a given one: every subset is tried, in Gray-code order, so each costs
 * one addition of a vector. 2^20 subsets take a moment, 2^24 some seconds; beyond MOST nothing is tried. (Meeting in the
 * middle would double the exponent, for exact sums.)
 */
interface MaskFit {
  /** One entry for each vector: 1 kept, 0 left out. */
  readonly mask: Uint8Array;
  /** Distance of the kept sum from the target. */
  readonly residual: number;
}

/** Vectors that differ from zero, at most. */
export const MOST = 24;

export function nearestSubset(parts: readonly Float64Array[], target: Float64Array): MaskFit | undefined {
  const live = parts.map((_, i) => i).filter((i) => parts[i].some((value) => value !== 0));
  if (live.length > MOST) return undefined;
  const rest = target.slice();
  const kept = new Uint8Array(parts.length);
  let best = { squared: squaredLength(rest), mask: kept.slice() };
  for (let code = 1; code < 2 ** live.length; code++) {
    // The bit that a Gray code changes at this count.
    const i = live[31 - Math.clz32(code & -code)];
    kept[i] ^= 1;
    const part = parts[i];
    const sign = kept[i] === 1 ? -1 : 1;
    let squared = 0;
    for (let j = 0; j < rest.length; j++) {
      rest[j] += sign * part[j];
      squared += rest[j] * rest[j];
    }
    if (squared < best.squared) best = { squared, mask: kept.slice() };
  }
  // What leaves no trace counts as kept: its mask does not matter.
  for (let i = 0; i < parts.length; i++) if (!live.includes(i)) best.mask[i] = 1;
  return { mask: best.mask, residual: Math.sqrt(best.squared) };
}

function squaredLength(a: Float64Array): number {
  return a.reduce((sum, value) => sum + value * value, 0);
}
