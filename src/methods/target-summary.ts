/** The targets of a table in a few numbers: rows of each class, or mean and spread. */

import { differentNumbers } from '../data/labels.ts';
import { parseDecimal } from '../data/number.ts';
import { naturallySorted } from '../data/participants.ts';
import type { Table } from '../data/table.ts';
import type { Objective } from '../settings/losses.ts';

const LISTED = 20;

/**
 * Half of an even share. Of two classes a quarter: a model that never predicts the rarer one then has an error rate below 25%, which on noisy data is
 * as good as a useful model's.
 */
export function unevenShare(classes: number): number {
  return 0.5 / classes;
}

/** Whether the rarest of some classes has less than that. `tune` and `describe` go by it. */
export function isUneven(shares: readonly number[]): boolean {
  return shares.length > 1 && Math.min(...shares) < unevenShare(shares.length);
}

export interface ClassSummary {
  readonly kind: 'classes';
  readonly distinct: number;
  /** In natural order, the first 20. */
  readonly classes: readonly { readonly value: string; readonly rows: number; readonly share: number }[];
  /** Rows of each of those classes, in the same order. */
  readonly byParticipant: readonly { readonly id: string; readonly rows: readonly number[] }[];
}

export interface NumberSummary {
  readonly kind: 'numbers';
  readonly distinct: number;
  readonly mean: number;
  readonly sd: number;
  readonly min: number;
  readonly max: number;
}

export function summariseTarget(
  table: Table,
  targets: readonly string[],
  groups: readonly Uint32Array[],
  objective: Objective | undefined,
): ClassSummary | NumberSummary {
  const values = naturallySorted(new Set(targets));
  const numeric = values.every((value) => !Number.isNaN(parseDecimal(value)));
  const asNumbers = objective
    ? numeric && objective === 'regression'
    : differentNumbers(targets) !== undefined;
  return asNumbers
    ? summariseNumbers(targets, values.length)
    : summariseClasses(table, targets, groups, values);
}

function summariseClasses(
  table: Table,
  targets: readonly string[],
  groups: readonly Uint32Array[],
  values: readonly string[],
): ClassSummary {
  const listed = values.slice(0, LISTED);
  const place = new Map(listed.map((value, c) => [value, c]));
  const total = listed.map(() => 0);
  const byParticipant = groups.map((own, k) => {
    const rows = listed.map(() => 0);
    for (const i of own) {
      const c = place.get(targets[i]);
      if (c === undefined) continue;
      rows[c]++;
      total[c]++;
    }
    return { id: table.participants[k], rows };
  });
  const classes = listed.map((value, c) => ({ value, rows: total[c], share: total[c] / table.n }));
  return { kind: 'classes', distinct: values.length, classes, byParticipant };
}

function summariseNumbers(targets: readonly string[], distinct: number): NumberSummary {
  const numbers = targets.map(Number);
  const mean = numbers.reduce((sum, value) => sum + value, 0) / numbers.length;
  const variance = numbers.reduce((sum, value) => sum + (value - mean) ** 2, 0) / numbers.length;
  let min = numbers[0];
  let max = numbers[0];
  for (const value of numbers) {
    if (value < min) min = value;
    if (value > max) max = value;
  }
  return { kind: 'numbers', distinct, mean, sd: Math.sqrt(variance), min, max };
}
