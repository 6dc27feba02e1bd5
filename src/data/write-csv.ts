/**
 * A table as CSV, in chunks: the whole as one string could be larger than a string may be. Reading it back gives the
 * same table to the bit: numbers are written as the shortest text that reads back as the same double.
 */
import { inputError } from '../base/errors.ts';
import { shown } from './number.ts';
import type { Table } from './table.ts';

const CHUNK_CHARACTERS = 1 << 20;

export interface CsvNames {
  /** Participant column (default "task"). */
  readonly task?: string;
  /** Target column (default "y"). */
  readonly label?: string;
}

export function* writeCsv(table: Table, names: CsvNames = {}): Generator<string, void, undefined> {
  const { task = 'task', label = 'y' } = names;
  for (const name of [task, label]) {
    if (!table.features.includes(name)) continue;
    throw inputError(
      'COLUMN_NAME_TAKEN',
      `${table.source}: expected a column name that is not the name of a feature, got ${shown(name)}`,
    );
  }
  const { n, x, targets } = table;
  const d = table.features.length;
  const header = [task, ...(targets ? [label] : []), ...table.features];
  let chunk = `${header.map(quoted).join(',')}\n`;
  const ids = table.participants.map(quoted);
  for (let i = 0; i < n; i++) {
    chunk += ids[table.participantOf[i]];
    if (targets) chunk += `,${quoted(targets[i])}`;
    for (let at = i * d; at < (i + 1) * d; at++) chunk += `,${numberText(x[at])}`;
    chunk += '\n';
    if (chunk.length < CHUNK_CHARACTERS) continue;
    yield chunk;
    chunk = '';
  }
  if (chunk !== '') yield chunk;
}

function numberText(value: number): string {
  return Object.is(value, -0) ? '-0' : String(value);
}

function quoted(text: string): string {
  return /[",\r\n]|^\s|\s$|^$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
