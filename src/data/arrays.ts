/** A table from arrays, one set per participant: how programs (rather than files) bring their rows. */
import { inputError } from '../base/errors.ts';
import { badFeature, isMissing, isText, LARGEST_FEATURE, parseDecimal } from './number.ts';
import { ParticipantColumn } from './participants.ts';
import type { CategoricalRule, Table } from './table.ts';
import { TextColumns } from './text-columns.ts';
import { checkedWeight } from './weights.ts';

/** Null, undefined and NaN: not known. */
export type Value = number | string | null | undefined;

export interface ParticipantRows {
  readonly id: string;
  /** Row by row, n x d: numbers or text, null where a value is missing. */
  readonly x: ArrayLike<Value>;
  /** n targets: classes or values. Absent for everybody: rows to predict; `features` is needed then. */
  readonly y?: ArrayLike<number | string> | undefined;
  /** n weights of at least 0. Absent for everybody: all rows weigh the same. */
  readonly weights?: ArrayLike<number> | undefined;
}

interface ArrayNames {
  readonly features?: readonly string[];
  /** What errors call the data. */
  readonly source?: string;
  /** As when reading files (default: auto). */
  readonly categorical?: CategoricalRule | undefined;
}

export function tableFrom(participants: readonly ParticipantRows[], names: ArrayNames = {}): Table {
  const { source = 'arrays', categorical } = names;
  const [first] = participants;
  const hasTargets = participants.some(({ y }) => y);
  const d = names.features?.length ?? (first?.x.length ?? 0) / (first?.y?.length ?? Number.NaN);
  const counts = participants.map(({ x, y }) => (hasTargets ? (y?.length ?? Number.NaN) : x.length / d));
  if (!first || counts.includes(0)) {
    throw inputError(
      'NO_ROWS',
      `${source}: expected at least one participant, and at least one row for each`,
    );
  }
  for (const [k, participant] of participants.entries()) checkShape(source, participant, counts[k], d);
  const features = names.features ?? Array.from({ length: d }, (_, j) => `x${j + 1}`);
  const n = counts.reduce((sum, rows) => sum + rows, 0);
  const x = new Float64Array(n * d);
  const targets: string[] = [];
  const column = new ParticipantColumn();
  const texts = new TextColumns(source, features, categorical);
  let row = 0;
  for (const [k, participant] of participants.entries()) {
    fill(x, row * d, participant, { source, features, texts });
    row += counts[k];
    for (let i = 0; i < counts[k]; i++) column.push(participant.id);
    for (const target of Array.from(participant.y ?? [])) targets.push(String(target));
  }
  const levels = texts.finish(x, n);
  const weights = weightsOf(source, participants, counts);
  return {
    ...{ source, features, n, x, ...(levels && { levels }) },
    ...column.finish(),
    ...{ targets: hasTargets ? targets : undefined, ...(weights && { weights }), lines: undefined },
  };
}

interface Filling {
  readonly source: string;
  readonly features: readonly string[];
  readonly texts: TextColumns;
}

function fill(out: Float64Array, from: number, rows: ParticipantRows, filling: Filling): void {
  const { x } = rows;
  for (let at = 0; at < x.length; at++) {
    const value = x[at];
    const isPlain = typeof value === 'number' && Math.abs(value) <= LARGEST_FEATURE;
    out[from + at] = isPlain ? value : otherValue(rows, at, filling);
  }
}

/** Missing, text or wrong. */
function otherValue({ id, x }: ParticipantRows, at: number, { source, features, texts }: Filling): number {
  const value = x[at];
  const j = at % features.length;
  const text = typeof value === 'string' ? value.trim() : String(value ?? '');
  if (isMissing(text)) return Number.NaN;
  const number = parseDecimal(text);
  if (Math.abs(number) <= LARGEST_FEATURE) return number;
  const where = `${source}, participant "${id}" row ${Math.floor(at / features.length) + 1}, feature ${j + 1}`;
  if (typeof value === 'string' && (isText(text) || texts.isListed(j)))
    return texts.take(j, text, () => badFeature(where, text, features[j]));
  throw inputError('NOT_A_NUMBER', `${where}: expected a finite number or text, got ${text}`);
}

function weightsOf(
  source: string,
  participants: readonly ParticipantRows[],
  counts: readonly number[],
): Float64Array | undefined {
  if (!participants.some(({ weights }) => weights)) return undefined;
  const all = participants.flatMap(({ id, weights }, k) => {
    if (weights?.length !== counts[k]) {
      const got = weights ? `${weights.length}` : 'none';
      throw inputError(
        'ARRAY_SHAPE',
        `${source}, participant "${id}": expected ${counts[k]} weights, got ${got}`,
      );
    }
    return Array.from(weights, (weight, i) =>
      checkedWeight(weight, () => `${source}, participant "${id}" row ${i + 1}`),
    );
  });
  return Float64Array.from(all);
}

function checkShape(source: string, { id, x, y }: ParticipantRows, rows: number, d: number): void {
  if (!Number.isInteger(d) || d < 1 || !Number.isInteger(rows) || x.length !== rows * d) {
    const targets = y ? `for ${y.length} targets` : 'and the names of the features, or targets';
    throw inputError(
      'ARRAY_SHAPE',
      `${source}, participant "${id}": expected rows x features values in x ${targets}, got ${x.length} values`,
    );
  }
}
