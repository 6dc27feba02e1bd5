/** The rows that somebody takes part with, from a file of theirs or from the demo generator, and what the page shows of them. */
import { inputError } from '../../base/errors.ts';
import { splitAsTrain } from '../../client/own-rows.ts';
import type { OwnColumns } from '../../client/participant-file.ts';
import type { ByteSource } from '../../data/byte-source.ts';
import { type ColumnSummary, summarise } from '../../data/column-summary.ts';
import { makeHarPerson } from '../../data/generate-har.ts';
import { classKey, regressionTargets } from '../../data/labels.ts';
import { naturallySorted, rowsOfParticipant } from '../../data/participants.ts';
import type { Split } from '../../data/split.ts';
import type { Table } from '../../data/table.ts';
import { readTableBytes } from '../../data/table-bytes.ts';
import type { Objective } from '../../settings/losses.ts';
import type { FileChoices } from './choices.ts';
import type { DemoPerson } from './link.ts';
import { SPLIT } from './test-rows.ts';

export type DataSource =
  | { readonly kind: 'file'; readonly file: Blob; readonly name: string; readonly choices: FileChoices }
  | { readonly kind: 'demo'; readonly demo: DemoPerson };

export interface OwnTable {
  readonly table: Table;
  /** For the model file: how to read such files again. */
  readonly columns: OwnColumns | undefined;
  readonly split: Split;
}

/** What the page shows of rows; nothing of it is sent. */
export interface RowsSummary {
  readonly source: string;
  readonly rows: number;
  readonly testRows: number;
  readonly columns: readonly ColumnNote[];
  readonly target: TargetNote;
  /** Values of the column that says whose row it is, with their numbers of rows; empty: there is no such column. */
  readonly people: readonly (readonly [string, number])[];
  /** Bytes that the rows take in memory: what is not sent. */
  readonly bytes: number;
}

export interface ColumnNote {
  readonly name: string;
  readonly kind: 'numbers' | 'text';
  readonly missing: number;
  /** Of text: how many different values. */
  readonly levels: number | undefined;
}

export type TargetNote =
  | { readonly kind: 'classes'; readonly classes: readonly (readonly [string, number])[] }
  | { readonly kind: 'numbers'; readonly low: number; readonly high: number };

/** Classes that a page lists, and beyond which a target is taken for a mistake. */
const MOST_CLASSES = 100;

export async function readOwnRows(
  source: DataSource,
  participant: string,
  objective: Objective,
): Promise<{ readonly own: OwnTable; readonly summary: RowsSummary }> {
  const {
    all,
    own: table,
    columns,
  } = source.kind === 'demo' ? demoRows(source.demo) : await fileRows(source);
  const target = targetNote(table, objective);
  const { testFraction, seed } = SPLIT;
  const split = splitAsTrain(table, participant, testFraction, seed);
  const everyRow = Uint32Array.from({ length: table.n }, (_, i) => i);
  const summaries = summarise(table, table.features.length, everyRow);
  return {
    own: { table, columns, split },
    summary: {
      source: table.source,
      rows: table.n,
      testRows: split.test.length,
      columns: summaries.map((column, j) => columnNote(table.features[j], column)),
      target,
      people: peopleIn(all),
      bytes: table.x.byteLength + (table.targets?.join().length ?? 0),
    },
  };
}

/** The person's rows are called by its number, as in the files of `kindred demo`. */
function demoRows({ seed, person }: DemoPerson) {
  const own = { ...makeHarPerson(person, { seed }), source: `demo person ${person}` };
  return { all: { ...own, participants: [''] }, own, columns: undefined };
}

async function fileRows({ file, name, choices }: Extract<DataSource, { kind: 'file' }>) {
  const { label, task, own, drop, decimal, header } = choices;
  const format = { ...(decimal === 'comma' && { decimal }), ...(!header && { header }) };
  const columns = { task: task ?? 'task', label, drop, own, ...format };
  const all = await readTableBytes(sourceOf(file), name, {
    ...columns,
    need: own === undefined ? 'label' : 'task and label',
  });
  const mine = own === undefined ? all : rowsOfParticipant(all, own);
  if (!mine)
    throw inputError('UNKNOWN_TASK', `${name}: expected rows of "${own}" in column "${task}", got none`);
  return { all, own: mine, columns };
}

export function sourceOf(file: Blob): ByteSource {
  return { size: file.size, chunks: file.stream() as unknown as AsyncIterable<Uint8Array> };
}

function peopleIn({ participants, participantOf }: Table): readonly (readonly [string, number])[] {
  const counts = new Uint32Array(participants.length);
  for (const k of participantOf) counts[k]++;
  return participants.flatMap((id, k) => (id === '' ? [] : [[id, counts[k]] as const]));
}

function columnNote(name: string, column: ColumnSummary): ColumnNote {
  const isText = column.kind === 'text';
  return {
    name,
    kind: isText ? 'text' : 'numbers',
    missing: column.missing,
    levels: isText ? column.levels.size : undefined,
  };
}

/** Refuses what this federation cannot learn, before anything is sent. */
function targetNote(table: Table, objective: Objective): TargetNote {
  if (objective === 'regression') {
    const values = regressionTargets(table);
    const low = values.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
    const high = values.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
    return { kind: 'numbers', low, high };
  }
  const counts = new Map<string, number>();
  for (const target of table.targets!) counts.set(classKey(target), (counts.get(classKey(target)) ?? 0) + 1);
  if (counts.size > MOST_CLASSES) {
    throw inputError(
      'TOO_MANY_CLASSES',
      `${table.source}: expected at most ${MOST_CLASSES} classes to predict, got ${counts.size} different values in the target column`,
    );
  }
  return {
    kind: 'classes',
    classes: naturallySorted(counts.keys()).map((name) => [name, counts.get(name)!]),
  };
}
