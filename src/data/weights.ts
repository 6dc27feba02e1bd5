/**
 * Weights of rows (c_ik of the problem), from a column of the table. Within each participant they are scaled to a mean of 1 over its
 * training rows: nobody gains influence by a choice of units, and a coordinator knows what they add up to. Rows of weight 0 are not
 * trained on.
 */
import { inputError } from '../base/errors.ts';
import { parseDecimal, shown } from './number.ts';
import type { Table } from './table.ts';

const LARGEST_WEIGHT = 1e15;

export function weightFrom(text: string, where: () => string): number {
  return checkedWeight(parseDecimal(text), where, () => shown(text));
}

export function checkedWeight(
  value: number,
  where: () => string,
  got: () => string = () => `${value}`,
): number {
  if (value >= 0 && value <= LARGEST_WEIGHT) return value;
  throw inputError(
    'BAD_WEIGHT',
    `${where()}: expected a weight from 0 to ${LARGEST_WEIGHT} (--weight), got ${got()}`,
  );
}

/** Without those of weight 0. */
export function weightedRows({ weights }: Pick<Table, 'weights'>, rows: Uint32Array): Uint32Array {
  return weights ? rows.filter((i) => weights[i] > 0) : rows;
}

/** Of a participant's training rows, with a mean of 1; undefined: all weigh the same. */
export function meanOneWeights(
  { source, weights }: Pick<Table, 'source' | 'weights'>,
  rows: Uint32Array,
  participant: string,
): Float64Array | undefined {
  if (!weights) return undefined;
  let sum = 0;
  for (const i of rows) sum += weights[i];
  if (!(sum > 0)) {
    throw inputError(
      'NO_WEIGHT',
      `${source}: expected a training row with a weight above 0 (--weight) of participant "${participant}", got none`,
    );
  }
  const scale = rows.length / sum;
  return Float64Array.from(rows, (i) => weights[i] * scale);
}
