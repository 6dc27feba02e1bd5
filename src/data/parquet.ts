/** Parquet, by hyparquet. Columns are decoded one at a time, so memory stays near that of the table itself. */
import { type FileMetaData, parquetMetadata, parquetRead, parquetSchema } from 'hyparquet';
import { inputError, type KindredError } from '../base/errors.ts';
import { type ColumnPlan, type ColumnRole, isNeeded, planColumns } from './columns.ts';
import { allocateRows, checkDenseSize, count, unpackedLimit } from './memory.ts';
import { badFeature, dropHint, isMissing, isText, LARGEST_FEATURE, parseDecimal, shown } from './number.ts';
import { checkPages } from './parquet-pages.ts';
import { ParticipantColumn } from './participants.ts';
import type { Table, TableColumns } from './table.ts';
import { TextColumns } from './text-columns.ts';
import { checkedWeight } from './weights.ts';

/** What hyparquet unpacks without further code. */
const CODECS = ['UNCOMPRESSED', 'SNAPPY'];

/** `limitBytes`: what the numbers of the table may take. */
export async function readParquet(
  bytes: Uint8Array,
  source: string,
  columns: TableColumns,
  limitBytes = unpackedLimit(bytes.length),
): Promise<Table> {
  const metadata = readMetadata(bytes, source);
  const plan = planColumns(topLevelNames(metadata, source), columns, source);
  checkStorage(metadata, plan, source);
  const n = Number(metadata.num_rows);
  if (n === 0) throw inputError('NO_ROWS', `${source}: expected at least one row, got none`);
  checkDenseSize(source, n, plan.features.length, limitBytes, '; raise --max-bytes');
  return readColumns({ bytes, source, metadata, plan, columns }, n);
}

function readMetadata(bytes: Uint8Array, source: string): FileMetaData {
  const magic = String.fromCharCode(...bytes.subarray(0, 4));
  if (magic !== 'PAR1') {
    throw inputError('NOT_PARQUET', `${source}: expected a Parquet file (PAR1), got other bytes`);
  }
  try {
    const metadata = parquetMetadata(bytes, { geoparquet: false });
    let rows = 0n;
    for (const group of metadata.row_groups) rows += group.num_rows;
    if (rows !== metadata.num_rows || rows < 0n) throw new Error('its row counts disagree');
    const unnamed = metadata.row_groups.some((group) =>
      group.columns.some(({ meta_data: chunk }) => typeof chunk?.path_in_schema[0] !== 'string'),
    );
    if (unnamed) throw new Error('a column has no name');
    return metadata;
  } catch (cause) {
    throw corrupt(source, cause);
  }
}

function topLevelNames(metadata: FileMetaData, source: string): string[] {
  try {
    return parquetSchema(metadata).children.map((child) => child.element.name.trim());
  } catch (cause) {
    throw corrupt(source, cause);
  }
}

/** Nested columns and unknown compression are refused before anything is decoded. */
function checkStorage(metadata: FileMetaData, plan: ColumnPlan, source: string): void {
  const used = new Set(plan.names.filter((_, i) => plan.roles[i] !== 'dropped'));
  for (const child of parquetSchema(metadata).children) {
    const name = child.element.name.trim();
    if (!used.has(name) || (child.children.length === 0 && child.element.repetition_type !== 'REPEATED'))
      continue;
    throw inputError(
      'NESTED_COLUMN',
      `${source}, column ${shown(name)}: expected plain values, got nested ones`,
    );
  }
  for (const group of metadata.row_groups) {
    for (const { meta_data: chunk } of group.columns) {
      if (!chunk || !used.has(chunk.path_in_schema[0].trim()) || CODECS.includes(chunk.codec)) continue;
      const name = shown(chunk.path_in_schema[0].trim());
      throw inputError(
        'PARQUET_CODEC',
        `${source}, column ${name}: expected Snappy or no compression, got ${chunk.codec ?? 'an unknown one'}`,
      );
    }
  }
}

interface ParquetFile {
  readonly bytes: Uint8Array;
  readonly source: string;
  readonly metadata: FileMetaData;
  readonly plan: ColumnPlan;
  readonly columns: TableColumns;
}

async function readColumns(file: ParquetFile, n: number): Promise<Table> {
  const { source, plan } = file;
  const d = plan.features.length;
  const x = allocateRows(source, n, d);
  const ids = plan.hasTask ? await texts(file, 'task', n) : undefined;
  const targets = plan.hasLabel ? await texts(file, 'label', n) : undefined;
  const weights = plan.hasWeight ? await weightsOf(file, n) : undefined;
  const names = fileNames(file, 'feature');
  const found = new TextColumns(source, plan.features, file.columns.categorical);
  for (const [j, name] of names.entries()) {
    await column(file, name, n, (i, value) => {
      x[i * d + j] = featureOf(file, value, i, name, found, j);
    });
  }
  const levels = found.finish(x, n);
  const participants = new ParticipantColumn();
  for (let i = 0; i < n; i++) participants.push(ids ? ids[i] : '');
  return {
    ...{ source, features: plan.features, n, x, ...(levels && { levels }) },
    ...{ ...participants.finish(), targets, ...(weights && { weights }), lines: undefined },
  };
}

/** Names as the file spells them: hyparquet wants them untrimmed. */
function fileNames({ metadata, plan }: ParquetFile, role: ColumnRole): string[] {
  const { children } = parquetSchema(metadata);
  return children.map((child) => child.element.name).filter((_, i) => plan.roles[i] === role);
}

async function texts(file: ParquetFile, role: 'task' | 'label', n: number): Promise<string[]> {
  const [name] = fileNames(file, role);
  const found = new Array<string>(n);
  await column(file, name, n, (i, value) => {
    found[i] = textOf(file, value, i, name, role);
  });
  return found;
}

async function weightsOf(file: ParquetFile, n: number): Promise<Float64Array> {
  const [name] = fileNames(file, 'weight');
  const weights = new Float64Array(n);
  await column(file, name, n, (i, value) => {
    const number = typeof value === 'bigint' ? Number(value) : typeof value === 'number' ? value : Number.NaN;
    weights[i] = checkedWeight(
      number,
      () => where(file, i, name),
      () => shown(plainText(value) ?? '?'),
    );
  });
  return weights;
}

/** Hands every value of a column to `take`, and makes sure that there is one for every row. */
async function column(
  parquet: ParquetFile,
  name: string,
  n: number,
  take: (i: number, value: unknown) => void,
): Promise<void> {
  const { source, metadata, bytes } = parquet;
  let taken = 0;
  let refused: KindredError | undefined;
  const onChunk = (chunk: { columnData: ArrayLike<unknown>; rowStart: number }) => {
    if (refused) return;
    try {
      const end = Math.min(chunk.columnData.length, n - chunk.rowStart);
      for (let k = 0; k < end; k++) take(chunk.rowStart + k, chunk.columnData[k]);
      taken += end;
    } catch (cause) {
      // Thrown inside hyparquet's callback it would be lost.
      refused = cause as KindredError;
    }
  };
  try {
    const file = {
      byteLength: bytes.byteLength,
      slice: (start: number, end?: number) =>
        Uint8Array.prototype.slice.call(bytes, start, end).buffer as ArrayBuffer,
    };
    checkColumn(parquet, name);
    await parquetRead({ file, metadata, columns: [name], onChunk, geoparquet: false });
  } catch (cause) {
    throw corrupt(source, cause);
  }
  if (refused) throw refused;
  if (taken !== n) {
    const reason = `column ${shown(name)} has ${count(taken)} of ${count(n)} values`;
    throw corrupt(source, new Error(reason));
  }
}

function checkColumn({ bytes, metadata }: ParquetFile, name: string): void {
  const element = metadata.schema.find((candidate) => candidate.name === name && candidate.type);
  const levels = element?.repetition_type === 'REQUIRED' ? 0 : 1;
  for (const group of metadata.row_groups) {
    for (const { meta_data: chunk } of group.columns) {
      if (chunk?.path_in_schema[0] === name) checkPages(bytes, chunk, Number(group.num_rows), levels);
    }
  }
}

function featureOf(
  file: ParquetFile,
  value: unknown,
  i: number,
  name: string,
  texts: TextColumns,
  j: number,
): number {
  if (typeof value === 'number' && Math.abs(value) <= LARGEST_FEATURE) return value;
  if (typeof value === 'bigint') return Number(value);
  if (typeof value === 'boolean') return value ? 1 : 0;
  const text = value instanceof Date ? value.toISOString() : plainText(value);
  const refused = (found: string) => badFeature(where(file, i, name), found, name.trim());
  if (text === undefined) {
    throw inputError(
      'NOT_A_NUMBER',
      `${where(file, i, name)}: expected a number or text, got a value of another kind${dropHint(name.trim())}`,
    );
  }
  if (isMissing(text)) {
    if (file.columns.missing !== 'refuse') return Number.NaN;
    throw refused(value === null || value === undefined ? 'null' : text);
  }
  if (typeof value === 'number') throw refused(text);
  const number = parseDecimal(text);
  if (Math.abs(number) <= LARGEST_FEATURE) return number;
  if (!isText(text) && !texts.isListed(j)) throw refused(text);
  return texts.take(j, text, () =>
    inputError(
      'NOT_A_NUMBER',
      `${where(file, i, name)}: expected a number, got the text ${shown(text)}${dropHint(name.trim())}`,
    ),
  );
}

function textOf(file: ParquetFile, value: unknown, i: number, name: string, role: 'task' | 'label'): string {
  const text = plainText(value);
  if (text === undefined) {
    throw inputError(
      'NOT_TEXT',
      `${where(file, i, name)}: expected text or a number, got a value of another kind`,
    );
  }
  const absent = role === 'task' ? text === '' : isMissing(text);
  if (!absent || !isNeeded(role, file.columns.need)) return text;
  const [code, what] =
    role === 'task' ? ['MISSING_PARTICIPANT', 'a participant id'] : ['MISSING_TARGET', 'a target'];
  const got = value === null || value === undefined ? 'null' : shown(text);
  throw inputError(code, `${where(file, i, name)}: expected ${what}, got ${got}`);
}

function where({ source }: ParquetFile, i: number, name: string): string {
  return `${source} row ${i + 1}, column ${shown(name.trim())}`;
}

/** Undefined for what is neither text nor a number; null is the empty text. */
function plainText(value: unknown): string | undefined {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') return value.trim();
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean')
    return String(value);
  return undefined;
}

function corrupt(source: string, cause: unknown): KindredError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return inputError(
    'PARQUET_CORRUPT',
    `${source}: expected a complete Parquet file, could not read it (${reason})`,
  );
}
