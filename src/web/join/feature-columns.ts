/** From features of a model back to columns of the data: a text column has a feature for each of its levels. */
import { columnNames } from '../../data/encoding.ts';
import type { Contribution } from '../../explain/explain-row.ts';
import type { Model } from '../../solver/model.ts';

/** The column that a feature of the model comes from: `color=red` from `color`. */
export function columnOfFeature({ encoding }: Pick<Model, 'encoding'>, feature: string): string {
  if (!encoding) return feature;
  const names = columnNames(encoding);
  return (
    names.find((name) => name === feature) ?? names.find((name) => feature.startsWith(`${name}=`)) ?? feature
  );
}

/** Contributions by column: levels of one text column count together. The strongest first. */
export function byColumn(
  model: Pick<Model, 'encoding'>,
  contributions: readonly Pick<Contribution, 'feature' | 'contribution'>[],
): Map<string, number> {
  const sums = new Map<string, number>();
  for (const { feature, contribution } of contributions) {
    const column = columnOfFeature(model, feature);
    sums.set(column, (sums.get(column) ?? 0) + contribution);
  }
  return new Map([...sums].sort(([, a], [, b]) => Math.abs(b) - Math.abs(a)));
}
