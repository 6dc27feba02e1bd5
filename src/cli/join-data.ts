/** The rows that `kindred join` takes part with: those of one participant of a file, or all of it. */
import { basename } from 'node:path';
import { inputError } from '../base/errors.ts';
import { rowsOfParticipant } from '../data/participants.ts';
import type { CategoricalRule, MissingRule, Table } from '../data/table.ts';
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
  readonly slowdown: number;
  readonly secure?: true;
  readonly policy?: string;
  readonly once?: true;
  readonly forever?: true;
  readonly leave?: true;
  readonly record?: string;
  readonly verbose?: true;
  readonly json?: true;
}

/** More values than this are not listed. */
const FEW = 8;

export async function readJoinData(io: Io, flags: JoinFlags) {
  const { data, task, taskColumn, label, drop = [], separator, decimal, header, maxBytes } = flags;
  if (data === undefined || task === undefined) {
    const [missing, what] = data === undefined ? ['--data <data>', 'rows'] : ['--task <value>', 'whose rows'];
    throw inputError('MISSING_OPTION', `option ${missing}: expected ${what} to take part with, got none`);
  }
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
  const table = await readSource(io, data, {
    ...{ task: taskColumn, label, drop, taskOption: '--task-column', maxBytes },
    ...format,
    need: everybody ? 'label' : 'task and label',
  });
  const columns = { task: taskColumn, label, drop, own: everybody ? undefined : task, ...format };
  if (everybody) return { participant: flags.name ?? nameOf(data), table, columns };
  const own = rowsOfParticipant(table, task);
  if (!own) throw nobody(table, task, taskColumn);
  return { participant: flags.name ?? task, table: own, columns };
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
