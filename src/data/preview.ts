/**
 * How a file begins: the names of its columns and its first rows as they are written, before anybody has said which column means what. For
 * people who choose by looking. Of CSV no more is read than that takes.
 */
import { inputError } from '../base/errors.ts';
import { type ByteSource, inMemory, peek } from './byte-source.ts';
import { CsvCursor } from './csv-cursor.ts';
import { detectFormat, unknownFormat } from './data-format.ts';
import { gunzipped } from './gzip.ts';
import { HeldBytes } from './held-bytes.ts';
import type { Table } from './table.ts';
import { readTableBytes } from './table-bytes.ts';
import { checkNoZeros, emptyFile } from './text.ts';
import { separatorOf } from './text-format.ts';

export interface FilePreview {
  readonly names: readonly string[];
  /** Fields as text, trimmed; a row may have more or fewer than there are names. */
  readonly rows: readonly (readonly string[])[];
}

const KIND = 'CSV text';
/** A first line longer than this is not one of a table. */
const MOST_BYTES = 1 << 24;
/** No name of a column: a NUL cannot be written in text. */
const NO_COLUMN = { task: '\0task', label: '\0label' };

export async function previewFile(
  data: Uint8Array | ByteSource,
  name: string,
  rows: number,
): Promise<FilePreview> {
  const { head, source } = await peek(data instanceof Uint8Array ? inMemory(data) : data);
  const format = detectFormat(name, head);
  if (format === 'csv') return previewCsv(source, name, rows);
  if (format === 'csv.gz') return previewCsv(gunzipped(source, name), name, rows);
  return previewTable(await readTableBytes(source, name, { ...NO_COLUMN, need: 'neither' }), rows);
}

/** Reads on until the rows are there, or the file ends. */
async function previewCsv({ chunks }: ByteSource, source: string, rows: number): Promise<FilePreview> {
  const held = new HeldBytes();
  let wanted = 0;
  for await (const chunk of chunks) {
    held.add(chunk);
    if (held.length < wanted) continue;
    const records = firstRecords(held.bytes, source, rows + 1, 'more follows');
    if (records.length > rows || (held.length > MOST_BYTES && records.length > 0)) return asPreview(records);
    if (held.length > MOST_BYTES) throw unknownFormat(source, 'text without lines');
    wanted = 2 * held.length;
  }
  if (held.length === 0) throw emptyFile(source, KIND);
  const records = firstRecords(held.bytes, source, rows + 1, 'end');
  if (records.length === 0)
    throw inputError('EMPTY_FILE', `${source}: expected a header line, got only blank lines`);
  return asPreview(records);
}

function asPreview([names, ...rows]: readonly (readonly string[])[]): FilePreview {
  return { names, rows };
}

function firstRecords(
  bytes: Uint8Array,
  source: string,
  most: number,
  rest: 'more follows' | 'end',
): string[][] {
  checkNoZeros(bytes, { source, kind: KIND, first: bytes, before: 0 });
  const cursor = new CsvCursor(source);
  cursor.show(bytes, rest);
  cursor.skipByteOrderMark();
  const records: string[][] = [];
  while (records.length < most && cursor.nextRecord()) {
    if (records.length === 0) {
      const line = cursor.peekLine();
      if (line === undefined) break;
      cursor.separateBy(separatorOf(line, [], true));
    }
    if (!cursor.holdsRecord()) break;
    records.push(cursor.fields());
    cursor.endRecord();
  }
  return records;
}

function previewTable({ features, n, x, levels }: Table, most: number): FilePreview {
  const d = features.length;
  const textOf = (value: number, j: number) =>
    Number.isNaN(value) ? '' : (levels?.[j]?.[value] ?? String(value));
  const rows = Array.from({ length: Math.min(n, most) }, (_, i) =>
    Array.from(x.subarray(i * d, (i + 1) * d), textOf),
  );
  return { names: features, rows };
}
