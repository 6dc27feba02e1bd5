/** Data for a model that is already there: its columns found by name, its features in its order. */
import type { Command } from 'commander';
import { inputError, KindredError } from '../base/errors.ts';
import { categoryNames, columnNames } from '../data/encoding.ts';
import { listed } from '../data/number.ts';
import type { Table, TableColumns } from '../data/table.ts';
import { modelFromJson } from '../methods/model.ts';
import { withFeaturesOf } from '../methods/model-rows.ts';
import { type Joined, joinedAs, recordedColumns } from '../methods/recorded-columns.ts';
import { type UnfamiliarValues, unfamiliarValues } from '../methods/unfamiliar-values.ts';
import { kindOf, readText } from '../node/files/files.ts';
import type { Model } from '../solver/model.ts';
import { type ColumnNames, columnsFrom, type DataFlags, DEFAULT_COLUMNS, readData } from './data-options.ts';
import type { Io } from './io.ts';
import { count } from './number-text.ts';

export function addModelOption(command: Command): Command {
  return command.requiredOption(
    '--model <file>',
    'model written by train, or the state folder of a participant',
  );
}

/** From a model file, or from the state folder of a participant, at any time. */
export async function readModel(path: string): Promise<Model> {
  if ((await kindOf(path)) !== 'folder') return modelFromJson(await readText(path), path);
  const { modelFromFolder } = await import('../node/client/state-folder.ts');
  return modelFromFolder(path);
}

interface ReadForModel {
  /** Rows as the model wants them. */
  readonly table: Table;
  /** A sentence where a participant's own model serves rows of others. */
  readonly served: string | undefined;
  /** What the table has that training did not. */
  readonly unfamiliar: UnfamiliarValues;
}

export async function readTableFor(
  model: Model,
  io: Io,
  path: string,
  flags: DataFlags,
  need: TableColumns['need'],
): Promise<ReadForModel> {
  const categorical = model.encoding && { categorical: categoryNames(model.encoding) };
  const columns = columnsFrom(flags, { ...rememberedColumns(model), ...categorical });
  const joined = joinedAs(model);
  const needed = need === 'task and label' && joined && joined.own === undefined ? 'label' : need;
  const read = (names: ColumnNames) =>
    readData(io, path, flags, { ...names, need: needed, features: largestIndex(model, names) });
  const readRest = async (names: ColumnNames): Promise<Table> =>
    read(names).catch((error: unknown) => {
      const rest = path === '-' ? undefined : withoutAbsent(names, flags, error);
      if (!rest) throw error;
      return readRest(rest);
    });
  const table = await readRest(columns);
  const ordered = withFeaturesOf(model, table);
  const unfamiliar = unfamiliarValues(model, table);
  if (!joined) return { table: ordered, served: undefined, unfamiliar };
  const served = servedOthers(ordered, joined, columns.task);
  return { table: underItsName(ordered, joined), served, unfamiliar };
}

/** What training left out, weighed by or took for categories may be absent by now; only what is given must exist. */
function withoutAbsent(columns: ColumnNames, flags: DataFlags, error: unknown): ColumnNames | undefined {
  const { weight: _, categorical: __, ...rest } = columns;
  const code = error instanceof KindredError ? error.code : '';
  if (code === 'UNKNOWN_DROP_COLUMN' && !flags.drop) return { ...columns, drop: [] };
  if (code === 'MISSING_WEIGHT_COLUMN' && !flags.weight)
    return { ...rest, ...(columns.categorical && { categorical: columns.categorical }) };
  if (code === 'UNKNOWN_CATEGORICAL_COLUMN' && !flags.categorical)
    return { ...rest, ...(columns.weight !== undefined && { weight: columns.weight }) };
  return undefined;
}

function servedOthers(
  { participants, participantOf, n }: Table,
  joined: Joined,
  task: string,
): string | undefined {
  const { participant, own } = joined;
  const isOther = (id: string) => id !== '' && id !== (own ?? participant);
  const others = participants.filter(isOther);
  // Who joined with all rows of a file may be called otherwise in it.
  if (others.length === 0 || (own === undefined && participants.length === 1)) return undefined;
  const rows = participantOf.reduce((sum, k) => sum + (isOther(participants[k]) ? 1 : 0), 0);
  const whose = `${count(rows)} of ${count(n)} rows are of other participants (${listed(others, 5)} in column "${task}")`;
  return own === undefined
    ? `${whose}: the model of "${participant}" was used for them, because it joined with --task all`
    : `${whose} than "${own}", whose model this is: the shared part w was used for them`;
}

/** A participant's own rows as its model knows them: all, or those that the data call so, or that they call nothing. */
function underItsName(table: Table, { participant, own }: Joined): Table {
  if (own === undefined)
    return { ...table, participants: [participant], participantOf: new Uint32Array(table.n) };
  const participants = table.participants.map((id) => (id === own || id === '' ? participant : id));
  return { ...table, participants };
}

/** The model with the names of the columns as they are now, so that the next command finds them too. */
export function rememberingColumns(model: Model, flags: DataFlags): Model {
  const columns = columnsFrom(flags, rememberedColumns(model));
  return { ...model, options: { ...model.options, columns } };
}

/** Names of the columns at training, where the model was written by `kindred train`. */
function rememberedColumns(model: Model): ColumnNames {
  return recordedColumns(model) ?? DEFAULT_COLUMNS;
}

/** LIBSVM text leaves out zeros, and with them the last features: their number follows from the names x1, x2, ... */
function largestIndex(model: Model, { drop }: ColumnNames): number | undefined {
  const columns = model.encoding ? columnNames(model.encoding) : model.features;
  const indices = [...columns, ...drop].map((name) => Number(/^x(\d+)$/.exec(name)?.[1]));
  const largest = indices.reduce((most, index) => Math.max(most, index), 0);
  return Number.isNaN(largest) ? undefined : largest;
}

/** Participants that the model does not know, to be served by w; refused where the model has no w for them. */
export function newcomersIn(table: Table, model: Model): string[] {
  const unknown = table.participants.filter((id) => !model.personal.has(id));
  if (unknown.length === 0 || model.servesNewcomers) return unknown;
  const [first] = unknown;
  const who = first === '' ? 'rows without a participant (--task)' : `participant "${first}"`;
  throw inputError(
    'UNKNOWN_PARTICIPANT',
    `${table.source}: no prediction for ${who}: a model of method ${model.method} has no shared part`,
  );
}
