/** Synthetic rounds: honest participants share a direction and differ by one of their own; others pretend. */
import { type Stream, stream } from '../../../src/base/random.ts';
import type { Change } from '../../../src/privacy/defence/norm-bound.ts';
import { plusScaled } from '../../../src/solver/vector.ts';

export function randomVector(d: number, random: Stream): Float64Array {
  return Float64Array.from({ length: d }, () => random.normal() / Math.sqrt(d));
}

export function changeOf(member: number, du: Float64Array): Change {
  return { member, du };
}

export function scaled(c: number, vector: Float64Array): Float64Array {
  return vector.map((value) => c * value);
}

/** What an honest participant sends: a common part of the round, its own constant part, and some noise of the day. */
export function honestChange(seed: number, round: number, member: number, d: number, own: number): Change {
  const common = randomVector(d, stream(seed, 'common', round));
  const mine = randomVector(d, stream(seed, 'own', 0, member));
  const today = randomVector(d, stream(seed, 'today', round, member));
  const size = 0.5 + stream(seed, 'size', 0, member).uniform();
  return changeOf(member, scaled(size, plusScaled(plusScaled(common, own, mine), 0.5, today)));
}
