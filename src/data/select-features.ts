/** A table with other features: some left out, or in another order. */
import { inputError } from '../base/errors.ts';
import { nearestName } from './columns.ts';
import { listed, shown } from './number.ts';
import type { Table } from './table.ts';

/** Feature j of the result is feature `order[j]` of the table; -1: none, it is missing in all rows. */
export function selectFeatures(table: Table, order: readonly number[]): Table {
  const { n, x, levels } = table;
  const from = table.features.length;
  const to = order.length;
  const selected = new Float64Array(n * to);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < to; j++) selected[i * to + j] = order[j] < 0 ? Number.NaN : x[i * from + order[j]];
  }
  const features = order.map((j) => table.features[j]);
  return { ...table, features, x: selected, ...(levels && { levels: order.map((j) => levels[j]) }) };
}

/** For sources that come as a table at once; CSV and Parquet leave columns out while reading. */
export function dropFeatures(table: Table, drop: readonly string[], unknown: 'refuse' | 'ignore'): Table {
  if (drop.length === 0) return table;
  if (unknown === 'refuse') {
    for (const name of drop) {
      if (table.features.includes(name)) continue;
      const near = nearestName(name, table.features);
      const hint = near === undefined ? '' : `; did you mean --drop ${shown(near)}?`;
      throw inputError(
        'UNKNOWN_DROP_COLUMN',
        `${table.source}: expected a column to drop ${shown(name)}, got columns ${listed(table.features)}${hint}`,
      );
    }
  }
  const kept = table.features.flatMap((name, j) => (drop.includes(name) ? [] : [j]));
  if (kept.length === 0) {
    throw inputError('NO_FEATURES', `${table.source}: expected at least one feature after dropping columns`);
  }
  return kept.length === table.features.length ? table : selectFeatures(table, kept);
}
