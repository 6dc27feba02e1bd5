/** Data for a model that is already there: its columns found by name, its features in its order. */
import type { Command } from 'commander';
import { inputError, KindredError } from '../base/errors.ts';
import type { Table, TableColumns } from '../data/table.ts';
import { modelFromJson } from '../methods/model.ts';
import { withFeaturesOf } from '../methods/predict.ts';
import { kindOf, readText } from '../node/files/files.ts';
import type { Output } from '../settings/kind.ts';
import { accepted, choice, list, text, toggle } from '../settings/kinds.ts';
import { object } from '../settings/objects.ts';
import type { Model } from '../solver/model.ts';
import { type ColumnNames, columnsFrom, type DataFlags, DEFAULT_COLUMNS, readData } from './data-options.ts';
import type { Io } from './io.ts';

const columnsKind = object(
  {
    ...{ task: text(), label: text(), drop: list(text(), 'a list of columns') },
    separator: text().optional(),
    decimal: choice('point', 'comma').optional(),
    header: toggle().optional(),
  },
  'ignored',
);

/** Of a model that comes from a participant's state: whose it is, and how the data name it (`modelOf`, client/participant-file.ts). */
const joinedFields = { participant: text(), own: text().optional() };
const joinedKind = object(joinedFields, 'ignored');

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

/** The table's rows as the model wants them. */
export async function readTableFor(
  model: Model,
  io: Io,
  path: string,
  flags: DataFlags,
  need: TableColumns['need'],
): Promise<Table> {
  const columns = columnsFrom(flags, rememberedColumns(model));
  const joined = accepted(joinedKind, model.options.joined);
  const needed = need === 'task and label' && joined && joined.own === undefined ? 'label' : need;
  const read = (names: ColumnNames) =>
    readData(io, path, flags, { ...names, need: needed, features: largestIndex(model, names) });
  const table = await read(columns).catch((error: unknown) => {
    // What training left out may be absent by now; only a --drop that was given must exist.
    const forgotten = error instanceof KindredError && error.code === 'UNKNOWN_DROP_COLUMN' && !flags.drop;
    if (!forgotten || path === '-') throw error;
    return read({ ...columns, drop: [] });
  });
  const ordered = withFeaturesOf(model, table);
  return joined ? underItsName(ordered, joined) : ordered;
}

/** A participant's own rows as its model knows them: all, or those that the data call so, or that they call nothing. */
function underItsName(table: Table, { participant, own }: Output<typeof joinedFields>): Table {
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
  return accepted(columnsKind, model.options.columns) ?? DEFAULT_COLUMNS;
}

/** LIBSVM text leaves out zeros, and with them the last features: their number follows from the names x1, x2, ... */
function largestIndex(model: Model, { drop }: ColumnNames): number | undefined {
  const indices = [...model.features, ...drop].map((name) => Number(/^x(\d+)$/.exec(name)?.[1]));
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
    `${table.source}: ${who} cannot be served, a model of method ${model.method} has no part for newcomers`,
  );
}
