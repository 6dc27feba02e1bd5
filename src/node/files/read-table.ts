/** A table from a file in any of the formats, or from the UCI HAR folder. */
import {
  detectFormat,
  parseTable,
  refuseUnused,
  type TableOptions,
  tableColumns,
  withoutDropped,
} from '../../data/parse-table.ts';
import type { Table } from '../../data/table.ts';
import { readUciHar } from '../../data/uci-har.ts';
import { kindOf, readBytes } from './files.ts';
import { readUciHarFolder } from './uci-har-folder.ts';

export interface ReadOptions extends TableOptions {
  /** LIBSVM text knows no participants: a file with one id for each row. */
  readonly taskFile?: string | undefined;
  /** Target of the UCI HAR folder: sitting (1 or -1, default) or activity (1 to 6). */
  readonly uciTarget?: 'sitting' | 'activity' | undefined;
}

export async function readTable(path: string, options: ReadOptions = {}): Promise<Table> {
  if ((await kindOf(path)) !== 'folder') return parseFile(await readBytes(path), path, options);
  refuseUnused('--task-file', options.taskFile, 'LIBSVM text', path);
  const table = readUciHar(await readUciHarFolder(path), path, { target: options.uciTarget ?? 'sitting' });
  return withoutDropped(table, tableColumns(options));
}

/** Of a file that has been read already: standard input, for one. */
export async function parseFile(bytes: Uint8Array, source: string, options: ReadOptions): Promise<Table> {
  const { taskFile, uciTarget, ...rest } = options;
  refuseUnused('--uci-target', uciTarget, 'the UCI HAR folder', source);
  if (detectFormat(source, bytes) !== 'libsvm') refuseUnused('--task-file', taskFile, 'LIBSVM text', source);
  const tasks = taskFile === undefined ? undefined : { bytes: await readBytes(taskFile), source: taskFile };
  return parseTable(bytes, source, { ...rest, tasks });
}
