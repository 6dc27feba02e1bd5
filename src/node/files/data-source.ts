/** A table from wherever it lies: a file in any of the formats, the UCI HAR folder, or standard input. */
import { inputError } from '../../base/errors.ts';
import { readCsv } from '../../data/csv.ts';
import { detectFormat } from '../../data/format.ts';
import { gunzip } from '../../data/gzip.ts';
import { readLibsvm } from '../../data/libsvm.ts';
import { readParquet } from '../../data/parquet.ts';
import { dropFeatures } from '../../data/select-features.ts';
import type { Table, TableColumns } from '../../data/table.ts';
import { readUciHar } from '../../data/uci-har.ts';
import { kindOf, readBytes } from './files.ts';
import { readUciHarFolder } from './uci-har-folder.ts';

export interface SourceRequest {
  readonly columns: TableColumns;
  /** LIBSVM text knows no participants: a file with one id for each row. */
  readonly taskFile?: string | undefined;
  readonly uciTarget?: 'sitting' | 'activity' | undefined;
  /** Number of features where a model knows it (LIBSVM text leaves zeros out). */
  readonly features?: number | undefined;
  readonly stdin: () => Promise<Uint8Array>;
}

export async function readSource(path: string, request: SourceRequest): Promise<Table> {
  if (path === '-') return readFile(await request.stdin(), 'stdin', request);
  if ((await kindOf(path)) === 'folder') return readFolder(path, request);
  return readFile(await readBytes(path), path, request);
}

async function readFolder(path: string, request: SourceRequest): Promise<Table> {
  refuse('--task-file', request.taskFile, 'LIBSVM text', path);
  const files = await readUciHarFolder(path);
  const table = readUciHar(files, path, { target: request.uciTarget ?? 'sitting' });
  return withoutDropped(table, request.columns);
}

async function readFile(bytes: Uint8Array, source: string, request: SourceRequest): Promise<Table> {
  const format = detectFormat(source, bytes);
  refuse('--uci-target', request.uciTarget, 'the UCI HAR folder', source);
  if (format === 'libsvm') return readLibsvmText(bytes, source, request);
  refuse('--task-file', request.taskFile, 'LIBSVM text', source);
  switch (format) {
    case 'csv':
      return readCsv(bytes, source, request.columns);
    case 'csv.gz':
      return readCsv(await gunzip(bytes, source), source, request.columns);
    case 'parquet':
      return readParquet(bytes, source, request.columns);
  }
}

async function readLibsvmText(bytes: Uint8Array, source: string, request: SourceRequest): Promise<Table> {
  const { taskFile, features } = request;
  if (taskFile === undefined && request.columns.need !== 'label') {
    throw inputError(
      'TASK_FILE_NEEDED',
      `${source}: LIBSVM text does not say whose rows they are; give --task-file, a file with one participant id on each line`,
    );
  }
  const tasks = taskFile === undefined ? undefined : { bytes: await readBytes(taskFile), source: taskFile };
  const table = readLibsvm(bytes, source, tasks, features === undefined ? {} : { features });
  return withoutDropped(table, request.columns);
}

function withoutDropped(table: Table, columns: TableColumns): Table {
  return dropFeatures(table, columns.drop, columns.need === 'neither' ? 'ignore' : 'refuse');
}

/** An option that would go unused is a misunderstanding worth a sentence. */
function refuse(option: string, value: string | undefined, only: string, source: string): void {
  if (value === undefined) return;
  throw inputError('BAD_OPTION', `option ${option}: expected only with ${only}, got ${source}`);
}
