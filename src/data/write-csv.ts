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
  /** Weight column, of a table that has weights (default "weight"). */
  readonly weight?: string | undefined;
}

export function* writeCsv(table: Table, names: CsvNames = {}): Generator<string, void, undefined> {
  const { task = 'task', label = 'y', weight = 'weight' } = names;
  const { n, x, targets, levels, weights } = table;
  for (const name of [task, label, ...(weights ? [weight] : [])]) {
    if (!table.features.includes(name)) continue;
    throw inputError(
      'COLUMN_NAME_TAKEN',
      `${table.source}: expected a column name that is not the name of a feature, got ${shown(name)}`,
    );
  }
  const d = table.features.length;
  const header = [task, ...(targets ? [label] : []), ...(weights ? [weight] : []), ...table.features];
  let chunk = `${header.map(quoted).join(',')}\n`;
  const ids = table.participants.map(quoted);
  const texts = levels?.map((column) => column?.map(quoted));
  for (let i = 0; i < n; i++) {
    chunk += ids[table.participantOf[i]];
    if (targets) chunk += `,${quoted(targets[i])}`;
    if (weights) chunk += `,${weights[i]}`;
    for (let j = 0; j < d; j++) {
      const value = x[i * d + j];
      chunk += `,${Number.isNaN(value) ? '' : (texts?.[j]?.[value] ?? numberText(value))}`;
    }
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
