/** A table from typed arrays, one set per participant: how programs (rather than files) bring their rows. */
import { inputError } from '../base/errors.ts';
import { LARGEST_FEATURE } from './number.ts';
import { ParticipantColumn } from './participants.ts';
import type { Table } from './table.ts';

export interface ParticipantRows {
  readonly id: string;
  /** Row by row, n x d. */
  readonly x: ArrayLike<number>;
  /** n targets: classes or values. */
  readonly y: ArrayLike<number | string>;
}

export interface ArrayNames {
  readonly features?: readonly string[];
  /** What errors call the data. */
  readonly source?: string;
}

export function tableFrom(participants: readonly ParticipantRows[], names: ArrayNames = {}): Table {
  const { source = 'arrays' } = names;
  const [first] = participants;
  if (!first || participants.some((participant) => participant.y.length === 0)) {
    throw inputError(
      'NO_ROWS',
      `${source}: expected at least one participant, and at least one row for each`,
    );
  }
  const d = names.features?.length ?? first.x.length / first.y.length;
  const features = names.features ?? Array.from({ length: d }, (_, j) => `x${j + 1}`);
  const n = participants.reduce((sum, { y }) => sum + y.length, 0);
  const x = new Float64Array(n * d);
  const targets: string[] = [];
  const column = new ParticipantColumn();
  for (const participant of participants) {
    checkShape(source, participant, d);
    x.set(participant.x, targets.length * d);
    for (let i = 0; i < participant.y.length; i++) {
      column.push(participant.id);
      targets.push(String(participant.y[i]));
    }
  }
  return { source, features, n, x, ...column.finish(), targets, lines: undefined };
}

function checkShape(source: string, { id, x, y }: ParticipantRows, d: number): void {
  if (!Number.isInteger(d) || d < 1 || x.length !== y.length * d) {
    throw inputError(
      'ARRAY_SHAPE',
      `${source}, participant "${id}": expected rows x features values in x for ${y.length} targets, got ${x.length} values`,
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
