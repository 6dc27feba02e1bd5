/** Which classes are taken for which. */
import { type ClassMapping, classNames, headsOf } from '../data/labels.ts';
import { classesOf } from './metrics.ts';
import type { TestedRows } from './model-metrics.ts';

export interface Confusion {
  /** In the order of their numbers; of two classes the negative one first. */
  readonly labels: readonly string[];
  /** Rows of class i that are taken for class j: counts[i][j]. */
  readonly counts: readonly (readonly number[])[];
}

/** A rate of nothing is absent. */
export interface ClassResult {
  readonly label: string;
  /** Rows of the class, and rows that are taken for it. */
  readonly rows: number;
  readonly predicted: number;
  readonly precision?: number;
  readonly recall?: number;
  readonly f1?: number;
}

/** Of all participants' rows together. */
export function confusionOf(classes: ClassMapping, tested: readonly TestedRows[]): Confusion {
  const labels = classNames(classes);
  const counts = labels.map(() => labels.map(() => 0));
  for (const { y, decisions } of tested) {
    const [, expected, given] = classesOf(y, decisions, headsOf(classes));
    for (let i = 0; i < expected.length; i++) counts[expected[i]][given[i]]++;
  }
  return { labels, counts };
}

export function classResults({ labels, counts }: Confusion): ClassResult[] {
  return labels.map((label, c) => {
    const hits = counts[c][c];
    const rows = counts[c].reduce((sum, count) => sum + count, 0);
    const predicted = counts.reduce((sum, row) => sum + row[c], 0);
    return {
      ...{ label, rows, predicted },
      ...(predicted > 0 && { precision: hits / predicted }),
      ...(rows > 0 && { recall: hits / rows }),
      ...(rows + predicted > 0 && { f1: (2 * hits) / (rows + predicted) }),
    };
  });
}
