/** Passes over the columns of a table, for `describe`: ranges, repeated columns and rows, features that tell the target. */
import type { ColumnSummary } from '../data/column-summary.ts';
import { parseDecimal } from '../data/number.ts';
import type { Table } from '../data/table.ts';
import { isRounding } from '../math/scaling.ts';
import type { ClassSummary, NumberSummary } from './target-summary.ts';

export interface FeatureRange {
  /** Undefined for text. */
  readonly sd: number | undefined;
  readonly constant: boolean;
}

/** Constant is what scaling will treat as such. */
export function featureRanges(columns: readonly ColumnSummary[]): FeatureRange[] {
  return columns.map((column) => {
    const hasGaps = column.missing > 0;
    if (column.kind === 'text') return { sd: undefined, constant: column.levels.size < 2 && !hasGaps };
    const sd = Math.sqrt(column.m2 / Math.max(1, column.count));
    return { sd, constant: isRounding(sd, column.mean) && !hasGaps };
  });
}

/** Missing values are the same as each other. */
function isSame(a: number, b: number): boolean {
  return a === b || (Number.isNaN(a) && Number.isNaN(b));
}

/** Whether values of two columns mean the same: numbers, or places in equal lists of texts. */
function areComparable({ levels }: Table, a: number, b: number): boolean {
  const [first, second] = [levels?.[a], levels?.[b]];
  return first?.length === second?.length && (first ?? []).every((text, place) => text === second![place]);
}

/** Pairs [first, repeat] of features that are equal in every row. */
export function repeatedColumns(table: Table): [number, number][] {
  const { n, x } = table;
  const d = table.features.length;
  const words = new Uint32Array(x.buffer, x.byteOffset, 2 * n * d);
  const hashes = new Uint32Array(d).fill(0x811c9dc5);
  for (let i = 0, at = 0; i < n; i++) {
    for (let j = 0; j < d; j++, at += 2) hashes[j] = mixed(mixed(hashes[j], words[at]), words[at + 1]);
  }
  const equal = (a: number, b: number) => {
    if (!areComparable(table, a, b)) return false;
    for (let at = 0; at < n * d; at += d) if (!isSame(x[at + a], x[at + b])) return false;
    return true;
  };
  return repeats(hashes, equal);
}

/** How many rows repeat an earlier one: same participant, same target, same features. */
export function repeatedRows(table: Table): number {
  const { n, x, participantOf, targets } = table;
  const d = table.features.length;
  const words = new Uint32Array(x.buffer, x.byteOffset, 2 * n * d);
  const hashes = Uint32Array.from(participantOf, (k) => mixed(0x811c9dc5, k));
  for (let i = 0, at = 0; i < n; i++) {
    let hash = hashes[i];
    for (let j = 0; j < 2 * d; j++) hash = mixed(hash, words[at++]);
    hashes[i] = hash;
  }
  const equal = (a: number, b: number) => {
    if (participantOf[a] !== participantOf[b] || targets?.[a] !== targets?.[b]) return false;
    for (let j = 0; j < d; j++) if (!isSame(x[a * d + j], x[b * d + j])) return false;
    return true;
  };
  return repeats(hashes, equal).length;
}

/** Items equal to an earlier one. The hash finds candidates, `equal` decides. */
function repeats(hashes: Uint32Array, equal: (a: number, b: number) => boolean): [number, number][] {
  const byHash = new Map<number, number[]>();
  const found: [number, number][] = [];
  for (const [i, hash] of hashes.entries()) {
    const candidates = byHash.get(hash);
    if (!candidates) {
      byHash.set(hash, [i]);
      continue;
    }
    const first = candidates.find((candidate) => equal(candidate, i));
    if (first === undefined) candidates.push(i);
    else found.push([first, i]);
  }
  return found;
}

function mixed(hash: number, word: number): number {
  const h = Math.imul(hash ^ word, 0x9e3779b1);
  return (h ^ (h >>> 15)) >>> 0;
}

/** Features that equal the target, and others that by themselves tell every row's class. */
export function telltaleFeatures(
  table: Table,
  target: ClassSummary | NumberSummary | undefined,
): { equal: number[]; separating: number[] } {
  if (!table.targets || !target || target.distinct < 2) return { equal: [], separating: [] };
  const equal = featuresEqualTo(table, table.targets);
  if (target.kind === 'numbers' || target.distinct > target.classes.length) return { equal, separating: [] };
  // With few rows a feature separates the classes by chance.
  if (target.classes.some(({ rows }) => rows < 5) || table.n < 20) return { equal, separating: [] };
  const classOf = new Map(target.classes.map(({ value }, c) => [value, c]));
  const rowClass = Uint8Array.from(table.targets, (text) => classOf.get(text)!);
  const separating = new Set([
    ...separatingFeatures(table, rowClass, target.classes.length),
    ...decidingFeatures(table, rowClass),
  ]);
  for (const j of equal) separating.delete(j);
  return { equal, separating: [...separating].sort((a, b) => a - b) };
}

function featuresEqualTo(table: Table, targets: readonly string[]): number[] {
  const { n, x } = table;
  const d = table.features.length;
  const y = Float64Array.from(targets, parseDecimal);
  const found: number[] = [];
  for (let j = 0; j < d; j++) {
    const texts = table.levels?.[j];
    const isEqual = (i: number) => (texts ? texts[x[i * d + j]] === targets[i] : x[i * d + j] === y[i]);
    let i = 0;
    while (i < n && isEqual(i)) i++;
    if (i === n) found.push(j);
  }
  return found;
}

/** Features of few distinct values, each of which occurs with one class only: a code of the target left in by mistake. */
export function decidingFeatures(table: Table, rowClass: Uint8Array): number[] {
  const { n, x } = table;
  const d = table.features.length;
  const most = Math.min(50, n / 10);
  const decides = (j: number) => {
    const classOf = new Map<number, number>();
    for (let i = 0; i < n; i++) {
      const value = x[i * d + j];
      const known = classOf.get(value);
      if (known === undefined) classOf.set(value, rowClass[i]);
      else if (known !== rowClass[i]) return false;
      if (classOf.size > most) return false;
    }
    return true;
  };
  return Array.from({ length: d }, (_, j) => j).filter(decides);
}

/** Numbers without gaps that put every class in an interval of its own. */
function separatingFeatures(table: Table, rowClass: Uint8Array, classes: number): number[] {
  const { n, x } = table;
  const d = table.features.length;
  const hasGaps = new Uint8Array(d);
  const low = new Float64Array(classes * d).fill(Number.POSITIVE_INFINITY);
  const high = new Float64Array(classes * d).fill(Number.NEGATIVE_INFINITY);
  for (let i = 0; i < n; i++) {
    const base = rowClass[i] * d;
    for (let j = 0; j < d; j++) {
      const value = x[i * d + j];
      if (value < low[base + j]) low[base + j] = value;
      if (value > high[base + j]) high[base + j] = value;
      if (Number.isNaN(value)) hasGaps[j] = 1;
    }
  }
  const apart = (j: number) => {
    if (hasGaps[j] || table.levels?.[j]) return false;
    const order = Array.from({ length: classes }, (_, c) => c * d + j).sort((a, b) => low[a] - low[b]);
    return order.every((at, c) => c === 0 || high[order[c - 1]] < low[at]);
  };
  return Array.from({ length: d }, (_, j) => j).filter(apart);
}
