/**
 * What an encoding is learnt from, column by column: of numbers how many are known, their mean and spread, of text how often each level
 * occurs, of both how many values are missing. Each participant summarises its own training rows; summaries are merged, as in a federation.
 */
import { invariant } from '../base/errors.ts';
import type { Table } from './table.ts';

export interface KnownNumbers {
  readonly kind: 'number';
  readonly missing: number;
  /** How many are known. */
  readonly count: number;
  readonly mean: number;
  /** Sum of squared deviations from the mean. */
  readonly m2: number;
}

export interface LevelCounts {
  readonly kind: 'text';
  readonly missing: number;
  /** Rows of each level. */
  readonly levels: ReadonlyMap<string, number>;
}

export type ColumnSummary = KnownNumbers | LevelCounts;

type Columns = Pick<Table, 'x' | 'levels'>;

/** Whether all is numbers, and nothing is missing: such a table needs no encoding. */
export function isPlain({ x, levels }: Columns): boolean {
  if (levels?.some((texts) => texts)) return false;
  for (let at = 0; at < x.length; at++) if (Number.isNaN(x[at])) return false;
  return true;
}

/** Of some rows of d columns. */
export function summarise({ x, levels }: Columns, d: number, rows: Uint32Array): ColumnSummary[] {
  return Array.from({ length: d }, (_, j) => {
    const texts = levels?.[j];
    return texts ? textColumn(x, d, j, texts, rows) : numberColumn(x, d, j, rows);
  });
}

/** Two passes, the second correcting the first one's mean. */
function numberColumn(x: Float64Array, d: number, j: number, rows: Uint32Array): KnownNumbers {
  let count = 0;
  let sum = 0;
  for (const i of rows) {
    const value = x[i * d + j];
    if (Number.isNaN(value)) continue;
    count++;
    sum += value;
  }
  const missing = rows.length - count;
  if (count === 0) return { kind: 'number', missing, count, mean: 0, m2: 0 };
  const about = sum / count;
  let drift = 0;
  let squares = 0;
  for (const i of rows) {
    const value = x[i * d + j];
    if (Number.isNaN(value)) continue;
    drift += value - about;
    squares += (value - about) ** 2;
  }
  const m2 = Math.max(0, squares - (drift * drift) / count);
  return { kind: 'number', missing, count, mean: about + drift / count, m2 };
}

function textColumn(
  x: Float64Array,
  d: number,
  j: number,
  levels: readonly string[],
  rows: Uint32Array,
): LevelCounts {
  const counts = new Uint32Array(levels.length);
  let missing = 0;
  for (const i of rows) {
    const place = x[i * d + j];
    if (Number.isNaN(place)) missing++;
    else counts[place]++;
  }
  const found = levels.flatMap((level, place) =>
    counts[place] > 0 ? [[level, counts[place]] as const] : [],
  );
  return { kind: 'text', missing, levels: new Map(found) };
}

export function mergeSummaries(a: readonly ColumnSummary[], b: readonly ColumnSummary[]): ColumnSummary[] {
  invariant(a.length === b.length, 'summaries of the same columns');
  return a.map((column, j) => mergeColumns(column, b[j]));
}

function mergeColumns(a: ColumnSummary, b: ColumnSummary): ColumnSummary {
  const missing = a.missing + b.missing;
  if (a.kind === 'text' && b.kind === 'text') {
    const levels = new Map(a.levels);
    for (const [level, rows] of b.levels) levels.set(level, (levels.get(level) ?? 0) + rows);
    return { kind: 'text', missing, levels };
  }
  invariant(a.kind === 'number' && b.kind === 'number', 'summaries of columns of the same kind');
  const count = a.count + b.count;
  if (b.count === 0) return { ...a, missing };
  if (a.count === 0) return { ...b, missing };
  const share = b.count / count;
  const delta = b.mean - a.mean;
  const m2 = a.m2 + b.m2 + delta * delta * a.count * share;
  return { kind: 'number', missing, count, mean: a.mean + delta * share, m2 };
}

/** Rows of any level. */
export function knownRows({ levels }: LevelCounts): number {
  let rows = 0;
  for (const one of levels.values()) rows += one;
  return rows;
}
