/** Reads the bytes of a file in any of the formats (data-format.ts). */
import { inputError } from '../base/errors.ts';
import { type ByteSource, collect, inMemory, peek } from './byte-source.ts';
import { readCsvChunks } from './csv.ts';
import { detectFormat, unknownFormat } from './data-format.ts';
import { gunzipped } from './gzip.ts';
import { type NamedBytes, readLibsvm } from './libsvm.ts';
import { unpackedLimit } from './memory.ts';
import type { NamedArray } from './numpy-table.ts';
import { dropFeatures } from './select-features.ts';
import type { Table, TableColumns } from './table.ts';

/** Which columns mean what; everything has a default. */
export interface TableOptions extends Partial<TableColumns> {
  /** Number of features where a model knows it (LIBSVM text leaves zeros out). */
  readonly features?: number | undefined;
  /**
   * Most bytes that a gzipped, Parquet, Arrow or .npz file may unpack to (default: a hundredfold, but 256 MiB are always allowed and never more than 4 GiB), and
   * that the dense table of LIBSVM text may take (default: 2 GiB).
   */
  readonly maxBytes?: number | undefined;
}

export interface ParseOptions extends TableOptions {
  /** One participant id on each line, in a file beside LIBSVM text. */
  readonly tasks?: NamedBytes | undefined;
  /** The arrays of an archive (.npz), unpacked to at most so many bytes. */
  readonly unzip?: ((bytes: Uint8Array, name: string, limitBytes: number) => NamedArray[]) | undefined;
}

/** Column names are exact: participant in "task", target in "y", all other columns are features. */
export function tableColumns(options: TableOptions = {}): TableColumns {
  const { task = 'task', label = 'y', drop = [], need = 'task and label', taskOption } = options;
  const { separator = 'auto', decimal = 'point', header = true } = options;
  const { weight, missing = 'mean', categorical = 'auto' } = options;
  if (separator !== 'auto' && !/^[\x20-\x7e\t]$/.test(separator))
    throw badSeparator(`one character or auto, got ${JSON.stringify(separator)}`);
  if (separator === '"') throw badSeparator('a character other than the quotation mark');
  const columns = { task, label, drop, need, taskOption, separator, decimal, header };
  return { ...columns, weight, missing, categorical };
}

function badSeparator(expected: string): Error {
  return inputError('BAD_OPTION', `option --separator: expected ${expected}`);
}

/** As `parseTable` (parse-table.ts) says. */
export async function readTableBytes(
  data: Uint8Array | ByteSource,
  name: string,
  options: ParseOptions = {},
): Promise<Table> {
  const columns = tableColumns(options);
  const { head, source } = await peek(data instanceof Uint8Array ? inMemory(data) : data);
  const format = detectFormat(name, head);
  if (format !== 'libsvm') refuseUnused('--task-file', options.tasks, 'LIBSVM text', name);
  if (format === 'csv') return readCsvChunks(source, name, columns);
  if (format === 'csv.gz') return readCsvChunks(gunzipped(source, name, options.maxBytes), name, columns);
  const bytes = await collect(source);
  if (format === 'libsvm') return parseLibsvm(bytes, name, columns, options);
  const limit = unpackedLimit(bytes.length, options.maxBytes);
  // Loaded only where they are needed: no small part of what a page or a command loads.
  switch (format) {
    case 'parquet':
      return (await import('./parquet.ts')).readParquet(bytes, name, columns, limit);
    case 'arrow':
      return (await import('./arrow.ts')).readArrow(bytes, name, columns, limit);
    case 'npy':
      return (await import('./numpy-table.ts')).readNpy(bytes, name, columns, limit);
    case 'npz':
      if (!options.unzip) throw unknownFormat(name, 'a ZIP archive; unpack its .npy files');
      return (await import('./numpy-table.ts')).readNpyArrays(
        options.unzip(bytes, name, limit),
        name,
        columns,
        limit,
      );
  }
}

function parseLibsvm(
  bytes: Uint8Array,
  name: string,
  columns: TableColumns,
  { tasks, features, maxBytes }: ParseOptions,
): Table {
  if (!tasks && columns.need !== 'label') {
    throw inputError(
      'TASK_FILE_NEEDED',
      `${name}: LIBSVM text has no participants; give --task-file, a file with one participant id on each line`,
    );
  }
  refuseUnused('--weight', columns.weight, 'data with named columns', name);
  const table = readLibsvm(bytes, name, tasks, { features, memoryLimitBytes: maxBytes });
  return withoutDropped(table, columns);
}

export function withoutDropped(table: Table, { drop, need }: TableColumns): Table {
  return dropFeatures(table, drop, need === 'neither' ? 'ignore' : 'refuse');
}

/** An option that would go unused is a misunderstanding worth a sentence. */
export function refuseUnused(option: string, value: unknown, only: string, source: string): void {
  if (value === undefined) return;
  throw inputError('BAD_OPTION', `option ${option}: expected only with ${only}, got ${source}`);
}
