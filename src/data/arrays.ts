/** A table from typed arrays, one set per participant: how programs (rather than files) bring their rows. */
import { inputError } from '../base/errors.ts';
import { LARGEST_FEATURE } from './number.ts';
import { ParticipantColumn } from './participants.ts';
import type { Table } from './table.ts';

export interface ParticipantRows {
  readonly id: string;
  /** Row by row, n x d. */
  readonly x: ArrayLike<number>;
  /** n targets: classes or values. Absent for everybody: rows to predict; `features` is needed then. */
  readonly y?: ArrayLike<number | string> | undefined;
}

interface ArrayNames {
  readonly features?: readonly string[];
  /** What errors call the data. */
  readonly source?: string;
}

export function tableFrom(participants: readonly ParticipantRows[], names: ArrayNames = {}): Table {
  const { source = 'arrays' } = names;
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
  let row = 0;
  for (const [k, participant] of participants.entries()) {
    x.set(participant.x, row * d);
    row += counts[k];
    for (let i = 0; i < counts[k]; i++) column.push(participant.id);
    for (const target of Array.from(participant.y ?? [])) targets.push(String(target));
  }
  return {
    source,
    features,
    n,
    x,
    ...column.finish(),
    targets: hasTargets ? targets : undefined,
    lines: undefined,
  };
}

function checkShape(source: string, { id, x, y }: ParticipantRows, rows: number, d: number): void {
  if (!Number.isInteger(d) || d < 1 || !Number.isInteger(rows) || x.length !== rows * d) {
    const targets = y ? `for ${y.length} targets` : 'and the names of the features, or targets';
    throw inputError(
      'ARRAY_SHAPE',
      `${source}, participant "${id}": expected rows x features values in x ${targets}, got ${x.length} values`,
    );
  }
  for (let at = 0; at < x.length; at++) {
    if (!(Math.abs(x[at]) <= LARGEST_FEATURE)) {
      throw inputError(
        'NOT_A_NUMBER',
        `${source}, participant "${id}" row ${Math.floor(at / d) + 1}, feature ${(at % d) + 1}: expected a finite number, got ${x[at]}`,
      );
    }
  }
}
