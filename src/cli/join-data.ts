/** The rows that `kindred join` takes part with: those of one participant of a file, or all of it. */
import { basename } from 'node:path';
import { inputError } from '../base/errors.ts';
import type { OwnColumns } from '../client/participant-file.ts';
import { inMemory } from '../data/byte-source.ts';
import { completeLines } from '../data/complete-lines.ts';
import { rowsOfParticipant, selectRows } from '../data/participants.ts';
import type { CategoricalRule, MissingRule, Table } from '../data/table.ts';
import { readBytes } from '../node/files/files.ts';
import { parseFile, type ReadOptions } from '../node/files/read-table.ts';
import { readSource } from './data-options.ts';
import type { Io } from './io.ts';
import type { TlsFlags } from './tls-files.ts';

/** Commander's values, by option. */
export interface JoinFlags extends TlsFlags {
  readonly data?: string;
  readonly task?: string;
  readonly state: string;
  readonly name?: string;
  readonly taskColumn: string;
  readonly label: string;
  readonly drop?: readonly string[];
  readonly weight?: string;
  readonly missing?: MissingRule;
  readonly categorical?: CategoricalRule;
  readonly separator?: string;
  readonly decimal?: 'point' | 'comma';
  readonly header: boolean;
  readonly maxBytes?: number;
  readonly positive?: string;
  readonly invitationFile?: string;
  readonly testFraction: number;
  readonly seed: number;
  readonly reportTests?: true;
  readonly waitForUpgrade: boolean;
  readonly probabilities?: true;
  readonly slowdown: number;
  readonly secure?: true;
  readonly policy?: string;
  readonly once?: true;
  readonly forever?: true;
  readonly watch?: true;
  /** Row numbers, or a file. */
  readonly unlearn?: string;
  readonly leave?: true;
  readonly record?: string;
  readonly verbose?: true;
  readonly json?: true;
}

/** More values than this are not listed. */
const FEW = 8;

export interface JoinRows {
  readonly participant: string;
  /** Its own. */
  readonly table: Table;
  readonly columns: OwnColumns;
  /** For each of all rows of the file its place among the own ones; -1: it is somebody else's. */
  readonly places: Int32Array;
}

export async function readJoinData(io: Io, flags: JoinFlags): Promise<JoinRows> {
  const { data, task } = flags;
  if (data === undefined || task === undefined) {
    const [missing, what] = data === undefined ? ['--data <data>', 'rows'] : ['--task <value>', 'whose rows'];
    throw inputError('MISSING_OPTION', `option ${missing}: expected ${what} to take part with, got none`);
  }
  const { table, columns } = await readFile(io, data, flags);
  if (task === 'all')
    return { participant: flags.name ?? nameOf(data), table, columns, places: placesOf(table) };
  const own = rowsOfParticipant(table, task);
  if (!own) throw nobody(table, task, flags.taskColumn);
  return { participant: flags.name ?? task, table: own, columns, places: placesOf(table, task) };
}

async function readFile(io: Io, path: string, flags: JoinFlags) {
  const { task, taskColumn, label, drop = [], separator, decimal, header, maxBytes } = flags;
  const everybody = task === 'all';
  const { weight, missing, categorical } = flags;
  const format = {
    ...(weight !== undefined && { weight }),
    ...(missing !== undefined && { missing }),
    ...(categorical !== undefined && { categorical }),
    ...(separator !== undefined && { separator }),
    ...(decimal !== undefined && { decimal }),
    ...(!header && { header }),
  };
  const read = flags.watch ? readWhole : readSource;
  const table = await read(io, path, {
    ...{ task: taskColumn, label, drop, taskOption: '--task-column', maxBytes },
    ...format,
    need: everybody ? 'label' : 'task and label',
  });
  const columns = { task: taskColumn, label, drop, own: everybody ? undefined : task, ...format };
  return { table, columns };
}

/** Without a last line that is still being written. */
async function readWhole(_: Io, path: string, options: ReadOptions): Promise<Table> {
  return parseFile(inMemory(completeLines(await readBytes(path), path)), path, options);
}

function placesOf({ participants, participantOf }: Table, task?: string): Int32Array {
  let next = 0;
  return Int32Array.from(participantOf, (k) =>
    task === undefined || participants[k] === task ? next++ : -1,
  );
}

/** Rows to unlearn: some of the data by their numbers, or those of a file like it. */
export async function readUnlearned(
  io: Io,
  flags: JoinFlags,
  { table, places }: JoinRows,
): Promise<Table | undefined> {
  const { unlearn } = flags;
  if (unlearn === undefined) return undefined;
  if (!/^[0-9]+(,[0-9]+)*$/.test(unlearn)) {
    const { table: given } = await readFile(io, unlearn, flags);
    return flags.task === 'all' ? given : (rowsOfParticipant(given, flags.task!) ?? nobodyIn(given, flags));
  }
  const rows = unlearn.split(',').map((text) => {
    const place = places[Number(text) - 1] ?? -1;
    if (place >= 0) return place;
    const whose = `rows of this participant, numbered from 1 to ${places.length} as in ${table.source}`;
    throw inputError('UNKNOWN_ROWS', `option --unlearn: expected ${whose}, got ${text}`);
  });
  return selectRows(table, rows);
}

function nobodyIn(table: Table, { task, taskColumn }: JoinFlags): never {
  throw nobody(table, task!, taskColumn);
}

/** "data/mine.csv.gz" -> "mine" */
function nameOf(path: string): string {
  const name = path === '-' ? '' : basename(path).replace(/(?<=.)\..*$/, '');
  if (name !== '') return name;
  const why = 'because the data have no file name to derive it from';
  throw inputError('MISSING_OPTION', `option --name: expected a name, ${why}`);
}

function nobody({ source, participants }: Table, task: string, taskColumn: string): Error {
  const few = participants.slice(0, FEW).map((id) => `"${id}"`);
  const more = participants.length > FEW ? ` and ${participants.length - FEW} more` : '';
  return inputError(
    'UNKNOWN_TASK',
    `${source}: expected rows with "${task}" in column "${taskColumn}" (--task), got ${few.join(', ')}${more}; --task all uses all rows`,
  );
}
