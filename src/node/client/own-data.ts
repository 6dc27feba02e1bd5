/** One participant's rows: which of them train, what their targets are, and a digest by which they are known again. */
import { createHash } from 'node:crypto';
import { inputError } from '../../base/errors.ts';
import { type ClassMapping, ownClassificationTargets, regressionTargets } from '../../data/labels.ts';
import { type Split, splitRows } from '../../data/split.ts';
import type { Table } from '../../data/table.ts';
import type { Objective } from '../../solver/problem.ts';

export interface OwnData {
  /** All rows, under the participant's own name. */
  readonly table: Table;
  readonly split: Split;
  /** Of the training rows, features and targets. */
  readonly digest: string;
}

export interface OwnTargets {
  /** Of all rows: -1 and +1, or values. */
  readonly y: Float64Array;
  /** Undefined for regression. */
  readonly classes: ClassMapping | undefined;
}

/** The split is that of `train` for the participant that the rows name, where they name one. */
export function ownData(given: Table, participant: string, testFraction: number, seed: number): OwnData {
  if (!given.targets) throw inputError('NO_TARGETS', `${given.source}: expected a target column, got none`);
  const table = { ...given, participants: [participant], participantOf: new Uint32Array(given.n) };
  const named = given.participants.length === 1 && given.participants[0] !== '' ? given : table;
  const split = splitRows(named, { testFraction, seed });
  return { table, split, digest: digestOf(table, split.train) };
}

export function ownTargets(
  { table }: OwnData,
  objective: Objective,
  positive: string | undefined,
): OwnTargets {
  if (objective === 'regression') return { y: regressionTargets(table), classes: undefined };
  const { y, positive: up, negative: down } = ownClassificationTargets(table, { positive });
  return { y, classes: { positive: up, negative: down } };
}

function digestOf(table: Table, rows: Uint32Array): string {
  const d = table.features.length;
  const hash = createHash('sha256');
  for (const i of rows) {
    hash.update(new Uint8Array(table.x.buffer, table.x.byteOffset + 8 * i * d, 8 * d));
    hash.update(`${JSON.stringify(table.targets![i])}\n`);
  }
  return hash.digest('hex');
}
