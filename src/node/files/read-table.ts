/** A table from a file in any of the formats, or from the UCI HAR folder. */
import { join } from 'node:path';
import { type ByteSource, peek } from '../../data/byte-source.ts';
import { detectFormat } from '../../data/data-format.ts';
import type { Table } from '../../data/table.ts';
import {
  readTableBytes,
  refuseUnused,
  type TableOptions,
  tableColumns,
  withoutDropped,
} from '../../data/table-bytes.ts';
import { readUciHar, UCI_HAR_FILES, type UciHarFiles } from '../../data/uci-har.ts';
import { withFile } from './file-source.ts';
import { kindOf, readBytes } from './files.ts';
import { readNpz } from './npz.ts';

export interface ReadOptions extends TableOptions {
  /** LIBSVM text knows no participants: a file with one id for each row. */
  readonly taskFile?: string | undefined;
  /** Target of the UCI HAR folder: sitting (1 or -1, default) or activity (1 to 6). */
  readonly uciTarget?: 'sitting' | 'activity' | undefined;
}

export async function readTable(path: string, options: ReadOptions = {}): Promise<Table> {
  if ((await kindOf(path)) !== 'folder') return withFile(path, (data) => parseFile(data, path, options));
  refuseUnused('--task-file', options.taskFile, 'LIBSVM text', path);
  const table = readUciHar(await readUciHarFolder(path), path, { target: options.uciTarget ?? 'sitting' });
  return withoutDropped(table, tableColumns(options));
}

/** Of bytes from anywhere: a file, or standard input. */
export async function parseFile(data: ByteSource, name: string, options: ReadOptions): Promise<Table> {
  const { taskFile, uciTarget, ...rest } = options;
  refuseUnused('--uci-target', uciTarget, 'the UCI HAR folder', name);
  const { head, source } = await peek(data);
  if (detectFormat(name, head) !== 'libsvm') refuseUnused('--task-file', taskFile, 'LIBSVM text', name);
  const tasks = taskFile === undefined ? undefined : { bytes: await readBytes(taskFile), source: taskFile };
  return readTableBytes(source, name, { ...rest, tasks, unzip: readNpz });
}

/** The folder inside the archive. */
const UCI_HAR_FOLDER = 'UCI HAR Dataset';

/** Bytes of the files that are there; the reader reports those that are missing. */
export async function readUciHarFolder(path: string): Promise<UciHarFiles> {
  const inner = join(path, UCI_HAR_FOLDER);
  const root = (await kindOf(join(path, 'features.txt'))) || !(await kindOf(inner)) ? path : inner;
  const files: Record<string, Uint8Array> = {};
  for (const file of UCI_HAR_FILES) {
    const name = join(root, file.path);
    if ((await kindOf(name)) === 'file') files[file.path] = await readBytes(name);
  }
  return files;
}
