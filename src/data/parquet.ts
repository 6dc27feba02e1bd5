/** Parquet, by hyparquet. Columns are decoded one at a time, so memory stays near that of the table itself. */
import {
  type CompressionCodec,
  type FileMetaData,
  parquetMetadata,
  parquetRead,
  parquetSchema,
} from 'hyparquet';
import { inputError, type KindredError } from '../base/errors.ts';
import { type ColumnPlan, nestedColumn, planColumns } from './columns.ts';
import { count, unpackedLimit } from './memory.ts';
import { shown } from './number.ts';
import { type Decompressors, decompressorsFor, isKnownCodec, KNOWN_CODECS } from './parquet-codecs.ts';
import { checkPages } from './parquet-pages.ts';
import type { Table, TableColumns } from './table.ts';
import { type Take, tableFromColumns } from './typed-columns.ts';

/** `limitBytes`: what the numbers of the table may take, and what a page may unpack to. */
export async function readParquet(
  bytes: Uint8Array,
  source: string,
  columns: TableColumns,
  limitBytes = unpackedLimit(bytes.length),
): Promise<Table> {
  const metadata = readMetadata(bytes, source);
  const plan = planColumns(topLevelNames(metadata, source), columns, source);
  refuseNested(metadata, plan, source);
  const unpack = await decompressorsFor(usedCodecs(metadata, plan, source));
  const file = { bytes, source, metadata, unpack, limitBytes, n: Number(metadata.num_rows) };
  // Names as the file spells them: hyparquet wants them untrimmed.
  const names = parquetSchema(metadata).children.map((child) => child.element.name);
  const read = (column: number, take: Take) => readColumn(file, names[column], take);
  return tableFromColumns({ source, n: file.n, plan, columns, limitBytes, read });
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

/** Before anything is decoded. */
function refuseNested(metadata: FileMetaData, plan: ColumnPlan, source: string): void {
  for (const [i, { element, children }] of parquetSchema(metadata).children.entries()) {
    const isPlain = children.length === 0 && element.repetition_type !== 'REPEATED';
    if (!isPlain && plan.roles[i] !== 'dropped') throw nestedColumn(source, plan.names[i]);
  }
}

function usedCodecs(metadata: FileMetaData, plan: ColumnPlan, source: string): Set<CompressionCodec> {
  const used = new Set(plan.names.filter((_, i) => plan.roles[i] !== 'dropped'));
  const codecs = new Set<CompressionCodec>();
  for (const group of metadata.row_groups) {
    for (const { meta_data: chunk } of group.columns) {
      const name = chunk?.path_in_schema[0].trim();
      if (!chunk || !used.has(name!)) continue;
      if (!isKnownCodec(chunk.codec)) {
        throw inputError(
          'PARQUET_CODEC',
          `${source}, column ${shown(name!)}: expected one of the compressions ${KNOWN_CODECS.join(', ')}, ` +
            `got ${chunk.codec ?? 'an unknown one'}`,
        );
      }
      codecs.add(chunk.codec);
    }
  }
  return codecs;
}

interface ParquetFile {
  readonly bytes: Uint8Array;
  readonly source: string;
  readonly metadata: FileMetaData;
  readonly n: number;
  readonly unpack: Decompressors;
  readonly limitBytes: number;
}

/** Hands every value of a column to `take`, and makes sure that there is one for every row. */
async function readColumn(parquet: ParquetFile, name: string, take: Take): Promise<void> {
  const { source, metadata, bytes, n, unpack: compressors } = parquet;
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
    await parquetRead({ file, metadata, columns: [name], onChunk, compressors, geoparquet: false });
  } catch (cause) {
    throw corrupt(source, cause);
  }
  if (refused) throw refused;
  if (taken !== n) {
    const reason = `column ${shown(name)} has ${count(taken)} of ${count(n)} values`;
    throw corrupt(source, new Error(reason));
  }
}

function checkColumn({ bytes, metadata, unpack, limitBytes }: ParquetFile, name: string): void {
  const element = metadata.schema.find((candidate) => candidate.name === name && candidate.type);
  const levels = element?.repetition_type === 'REQUIRED' ? 0 : 1;
  for (const group of metadata.row_groups) {
    for (const { meta_data: chunk } of group.columns) {
      if (chunk?.path_in_schema[0] !== name) continue;
      checkPages(bytes, chunk, { rows: Number(group.num_rows), levels, unpack, limitBytes });
    }
  }
}

function corrupt(source: string, cause: unknown): KindredError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return inputError(
    'PARQUET_CORRUPT',
    `${source}: expected a complete Parquet file, could not read it (${reason})`,
  );
}
