/**
 * Features that give the target away: usually the target itself in another form, left in by mistake. A cheap look for every training (most features are
 * ruled out by a few rows); `data describe` looks closer.
 */
import { type ClassMapping, isMany } from '../data/labels.ts';
import type { Table } from '../data/table.ts';
import { decidingFeatures } from './scan-features.ts';

interface Targets {
  readonly y: Float64Array;
  readonly classes: ClassMapping | undefined;
}

/** With fewer rows a feature tells the target by chance. */
const LEAST_ROWS = 20;
/** Share of the target's variance that one feature explains. */
const EXPLAINED = 0.8;
/** Rows that this is estimated from, evenly spread. */
const MOST_ROWS = 1000;

/** Names of the columns that determine the class of every row, or alone explain most of a numeric target. `table` as it was read. */
export function leaksIn(table: Table, { y, classes }: Targets): readonly string[] {
  if (table.n < LEAST_ROWS) return [];
  const places = classes
    ? decidingFeatures(
        table,
        Uint8Array.from(y, (value) => (isMany(classes) ? value : Number(value > 0))),
      )
    : explainingFeatures(table, y);
  return places.map((j) => table.features[j]);
}

/** Those whose squared correlation with the target is large; not text, and not what has gaps. */
function explainingFeatures({ n, x, features, levels }: Table, y: Float64Array): number[] {
  const d = features.length;
  const every = Math.ceil(n / MOST_ROWS);
  const rows = Array.from({ length: Math.ceil(n / every) }, (_, r) => r * every);
  const mean = (of: (i: number) => number) => rows.reduce((sum, i) => sum + of(i), 0) / rows.length;
  const yMean = mean((i) => y[i]);
  const yy = mean((i) => (y[i] - yMean) ** 2);
  return features.flatMap((_, j) => {
    if (levels?.[j]) return [];
    const xMean = mean((i) => x[i * d + j]);
    const xx = mean((i) => (x[i * d + j] - xMean) ** 2);
    const xy = mean((i) => (x[i * d + j] - xMean) * (y[i] - yMean));
    return xx > 0 && yy > 0 && xy * xy >= EXPLAINED * xx * yy ? [j] : [];
  });
}
