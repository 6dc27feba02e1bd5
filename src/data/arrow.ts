/**
 * Arrow IPC, file (also Feather V2) and stream format, by flechette. Columns are found by name as in Parquet. Bodies may be compressed
 * with LZ4 or Zstandard.
 */
import {
  type Batch,
  CompressionType,
  type DataType,
  setCompressionCodec,
  Type,
  tableFromIPC,
} from '@uwdata/flechette';
import { inputError, KindredError } from '../base/errors.ts';
import { arrowMessages, isArrow } from './arrow-messages.ts';
import { nestedColumn, planColumns } from './columns.ts';
import { unpackLz4Frame } from './lz4-frame.ts';
import { gibibytes, unpackedLimit } from './memory.ts';
import { shown } from './number.ts';
import type { Table, TableColumns } from './table.ts';
import { type Take, tableFromColumns } from './typed-columns.ts';
import { unpackZstd } from './zstd.ts';

type ArrowTable = ReturnType<typeof tableFromIPC>;

const NESTED: readonly number[] = [
  ...[Type.List, Type.LargeList, Type.ListView, Type.LargeListView, Type.FixedSizeList],
  ...[Type.Struct, Type.Map, Type.Union, Type.RunEndEncoded],
];
const TEXTS: readonly number[] = [Type.Utf8, Type.LargeUtf8, Type.Binary, Type.LargeBinary];

/** `limitBytes`: what the numbers of the table may take, and what compressed columns may unpack to. */
export async function readArrow(
  bytes: Uint8Array,
  source: string,
  columns: TableColumns,
  limitBytes = unpackedLimit(bytes.length),
): Promise<Table> {
  if (!isArrow(bytes)) {
    throw inputError(
      'NOT_ARROW',
      `${source}: expected Arrow IPC (a file that begins with ARROW1, or a stream), got other bytes`,
    );
  }
  const arrow = await decode(bytes, source, limitBytes);
  const names = arrow.names.map((name) => String(name).trim());
  const plan = planColumns(names, columns, source);
  for (const [i, { type }] of arrow.schema.fields.entries()) {
    if (NESTED.includes(type.typeId) && plan.roles[i] !== 'dropped') throw nestedColumn(source, names[i]);
  }
  const read = (column: number, take: Take) =>
    orCorrupt(source, () => readColumn(arrow, column, limitBytes, take));
  return tableFromColumns({ source, n: arrow.numRows, plan, columns, limitBytes, read });
}

async function decode(bytes: Uint8Array, source: string, limitBytes: number): Promise<ArrowTable> {
  // Numbers of 8 bytes must stand at multiples of 8.
  const aligned = bytes.byteOffset % 8 === 0 ? bytes : bytes.slice();
  const { messages, isBigEndian, isCompressed } = orCorrupt(source, () => arrowMessages(aligned, limitBytes));
  if (isBigEndian) throw unsupported(source, 'numbers in big-endian order');
  if (isCompressed) await allowCompression(source, limitBytes);
  return orCorrupt(source, () => tableFromIPC([...messages], { useBigInt: true, useDate: true }));
}

/** Codecs are registered with flechette for all files; these are for the one that is decoded next. */
async function allowCompression(source: string, limitBytes: number): Promise<void> {
  const { decompressZstd } = await import('hyparquet-compressors');
  let unpacked = 0;
  const codec = (unpack: (packed: Uint8Array, size: number) => Uint8Array) => ({
    encode: (plain: Uint8Array) => plain,
    decode: (packed: Uint8Array, size = 0) => {
      if (size < 0) throw new Error(`a buffer of ${size} bytes`);
      unpacked += size;
      if (unpacked > limitBytes) throw tooLarge(source, limitBytes);
      const plain = unpack(packed, size);
      if (plain.length !== size) throw new Error(`a buffer of ${plain.length} instead of ${size} bytes`);
      return plain;
    },
  });
  setCompressionCodec(CompressionType.LZ4_FRAME, codec(unpackLz4Frame));
  setCompressionCodec(
    CompressionType.ZSTD,
    codec((packed, size) => unpackZstd(decompressZstd, packed, size)),
  );
}

function readColumn(arrow: ArrowTable, column: number, limitBytes: number, take: Take): void {
  const { data, type } = arrow.getChildAt(column);
  let row = 0;
  let characters = 0;
  for (const batch of data) {
    checkBuffers(batch, type);
    for (let i = 0; i < batch.length; i++) {
      const value: unknown = batch.at(i);
      if (value === undefined) throw new Error(`row ${row + 1} lies outside its column`);
      // Texts may share their bytes: a few could be made to take all memory and time.
      if (typeof value === 'string' && (characters += value.length) > limitBytes)
        throw new Error('its texts are too long');
      take(row++, value);
    }
  }
  if (row !== arrow.numRows) throw new Error(`column ${shown(String(arrow.names[column]))} has ${row} rows`);
}

/** flechette reads beyond the end of a buffer without a word. */
function checkBuffers(batch: Batch<unknown>, type: DataType): void {
  const { length, nullCount, validity, values, offsets } = batch;
  const needed: [bytes: ArrayLike<unknown> | undefined, elements: number][] = [];
  if (nullCount > 0 && type.typeId !== Type.Null) needed.push([validity, Math.ceil(length / 8)]);
  if (type.typeId === Type.Bool) needed.push([values, Math.ceil(length / 8)]);
  else if (TEXTS.includes(type.typeId) && length > 0) needed.push([offsets, length + 1]);
  else if (type.typeId === Type.Utf8View) needed.push([values, 16 * length]);
  else if (type.typeId !== Type.Null) needed.push([values, length]);
  for (const [buffer, elements] of needed) {
    if ((buffer?.length ?? 0) < elements) throw new Error(`a column of ${length} rows is too short`);
  }
}

function tooLarge(source: string, limitBytes: number): KindredError {
  return inputError(
    'TABLE_TOO_LARGE',
    `${source}: unpacks to more than the allowed ${gibibytes(limitBytes)}; raise --max-bytes`,
  );
}

function unsupported(source: string, what: string): KindredError {
  return inputError('ARROW_UNSUPPORTED', `${source}: expected plain Arrow IPC, got ${what}`);
}

function orCorrupt<T>(source: string, act: () => T): T {
  try {
    return act();
  } catch (cause) {
    if (cause instanceof KindredError) throw cause;
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw inputError(
      'ARROW_CORRUPT',
      `${source}: expected a complete Arrow file, could not read it (${reason})`,
    );
  }
}
