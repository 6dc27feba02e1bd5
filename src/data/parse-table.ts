/** A table from the bytes of a file in any of the formats: CSV (also gzipped), Parquet, LIBSVM text. */
import { inputError } from '../base/errors.ts';
import { readCsv } from './csv.ts';
import { gunzip, isGzip } from './gzip.ts';
import { type NamedBytes, readLibsvm } from './libsvm.ts';
import { unpackedLimit } from './memory.ts';
import { dropFeatures } from './select-features.ts';
import type { Table, TableColumns } from './table.ts';

/** Which columns mean what; everything has a default. */
export interface TableOptions extends Partial<TableColumns> {
  /** Number of features where a model knows it (LIBSVM text leaves zeros out). */
  readonly features?: number | undefined;
  /** Most bytes that a gzipped or Parquet file may unpack to (default: a hundredfold, but 256 MiB are always allowed and never more than 4 GiB). */
  readonly maxBytes?: number | undefined;
}

/** One participant id on each line, in a file beside LIBSVM text. */
export interface ParseOptions extends TableOptions {
  readonly tasks?: NamedBytes | undefined;
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

/** `name` is what errors call the data; its ending decides on the format where the bytes do not. */
export async function parseTable(
  bytes: Uint8Array,
  name: string,
  options: ParseOptions = {},
): Promise<Table> {
  const columns = tableColumns(options);
  const format = detectFormat(name, bytes);
  if (format === 'libsvm') return parseLibsvm(bytes, name, columns, options);
  refuseUnused('--task-file', options.tasks, 'LIBSVM text', name);
  const limit = unpackedLimit(bytes.length, options.maxBytes);
  switch (format) {
    case 'csv':
      return readCsv(bytes, name, columns);
    case 'csv.gz':
      return readCsv(await gunzip(bytes, name, limit), name, columns);
    case 'parquet':
      // Loaded only where it is needed: no small part of what a page or a command loads.
      return (await import('./parquet.ts')).readParquet(bytes, name, columns, limit);
  }
}

function parseLibsvm(
  bytes: Uint8Array,
  name: string,
  columns: TableColumns,
  { tasks, features }: ParseOptions,
): Table {
  if (!tasks && columns.need !== 'label') {
    throw inputError(
      'TASK_FILE_NEEDED',
      `${name}: LIBSVM text has no participants; give --task-file, a file with one participant id on each line`,
    );
  }
  refuseUnused('--weight', columns.weight, 'data with named columns', name);
  const table = readLibsvm(bytes, name, tasks, features === undefined ? {} : { features });
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

type DataFormat = 'csv' | 'csv.gz' | 'parquet' | 'libsvm';

const LIBSVM_NAME = /\.(libsvm|svm|svmlight)$/i;
const LIBSVM_LINE = /^[+-]?\d+(?:\.\d*)?(?:[eE][+-]?\d+)?[ \t]+\d+:[+-]?[\d.][^,]*$/;

/** By the magic bytes of a file, then by its name, then by its first line. */
export function detectFormat(name: string, firstBytes: Uint8Array): DataFormat {
  if (startsWith(firstBytes, 'PAR1')) return 'parquet';
  if (isGzip(firstBytes)) {
    const inner = name.replace(/\.gz$/i, '');
    if (!LIBSVM_NAME.test(inner) && !/\.parquet$/i.test(inner)) return 'csv.gz';
    throw inputError('UNKNOWN_FORMAT', `${name}: expected gzip only around CSV, unpack this file first`);
  }
  if (/\.(csv|tsv|tab|psv)$/i.test(name)) return 'csv';
  if (/\.gz$/i.test(name)) return 'csv.gz';
  if (/\.(parquet|pq)$/i.test(name)) return 'parquet';
  if (LIBSVM_NAME.test(name)) return 'libsvm';
  return byFirstLine(name, firstBytes);
}

function byFirstLine(name: string, firstBytes: Uint8Array): DataFormat {
  const head = firstBytes.subarray(0, 4096);
  if (head.some((c) => c < 0x20 && c !== 0x09 && c !== 0x0a && c !== 0x0d)) {
    throw inputError(
      'UNKNOWN_FORMAT',
      `${name}: expected CSV, gzipped CSV, Parquet or LIBSVM text, got binary data of another kind`,
    );
  }
  const [line] = new TextDecoder().decode(head).split(/[\r\n]/);
  return LIBSVM_LINE.test(line) ? 'libsvm' : 'csv';
}

function startsWith(bytes: Uint8Array, magic: string): boolean {
  return bytes.length >= magic.length && [...magic].every((ch, i) => bytes[i] === ch.charCodeAt(0));
}
