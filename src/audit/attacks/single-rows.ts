/**
 * Rows that stand alone in a change. With the constant 1 at the end of every row, a change of one row's dual alone is
 * (change of beta) (x, 1): divided by its last entry it is the row. Such changes differ from mixtures because the same
 * row comes again: two rounds whose changes point the same way to 7 digits. In a classification the change of the dual sum
 * must be y times the last entry, which gives the label.
 *
 * Assumes the bias column. Bernoulli masks make more such rounds, not fewer: they leave one row standing with probability
 * m keep (1 - keep)^(m-1), m being the number of rows that changed.
 */
import { LOSSES, lossOf } from '../../solver/losses/losses.ts';
import { norm } from '../../solver/vector.ts';
import { changesOf, type Observation, type ObservedChange } from './observation.ts';

export interface RecoveredRow {
  /** With the bias. */
  readonly x: Float64Array;
  /** The target, where the attack gives one. */
  readonly y: number | undefined;
  /** Rounds that agree on it. */
  readonly support: number;
}

/** Relative distance at which two changes point the same way. */
const SAME = 1e-7;
/** A change whose last entry is smaller than this share of its length is not used. */
const LEAST_BIAS = 1e-3;

export function singleRows(observation: Observation): RecoveredRow[] {
  if (!observation.settings.bias) return [];
  // Where s is y beta the change of both gives y.
  const tellsClass = lossOf(observation.settings) === LOSSES.hinge;
  const groups: { x: Float64Array; y: number | undefined; lengths: number[] }[] = [];
  for (const round of changesOf(observation)) {
    const x = alone(round);
    if (!x) continue;
    const last = round.du[round.du.length - 1];
    const y = tellsClass ? (round.ds ?? 0) / last : undefined;
    if (y !== undefined && Math.abs(Math.abs(y) - 1) > SAME) continue;
    const group = groups.find((known) => distance(known.x, x) < SAME * norm(x));
    if (group) group.lengths.push(last);
    else groups.push({ x, y: y && Math.sign(y), lengths: [last] });
  }
  return groups
    .filter(({ lengths }) => lengths.length > 1)
    .map(({ x, y, lengths }) => ({ x, y, support: lengths.length }));
}

/** The row that a change would be, if it were one row. */
function alone({ du }: ObservedChange): Float64Array | undefined {
  const last = du[du.length - 1];
  return Math.abs(last) > LEAST_BIAS * norm(du) ? du.map((value) => value / last) : undefined;
}

export function distance(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let j = 0; j < a.length; j++) sum += (a[j] - b[j]) ** 2;
  return Math.sqrt(sum);
}
