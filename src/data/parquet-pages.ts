/**
 * Walks the page headers of a Parquet column before it is decoded. hyparquet trusts them: with one wrong byte it can
 * loop for ever, and a loop cannot be caught as an error can.
 */
import type { ColumnMetaData, PageHeader } from 'hyparquet';
import { parquetHeader } from 'hyparquet/src/column.js';
import { type Decompressors, largestPage } from './parquet-codecs.ts';

interface Expected {
  readonly rows: number;
  /** 1 for a column that may hold nulls. */
  readonly levels: 0 | 1;
  readonly unpack: Decompressors;
  /** What a page may unpack to. */
  readonly limitBytes: number;
}

interface Page {
  readonly bytes: Uint8Array;
  readonly header: PageHeader;
  readonly column: ColumnMetaData;
}

/** Throws, with the reason, where the pages of a column do not hold exactly as many values as there are rows within its bytes. */
export function checkPages(bytes: Uint8Array, column: ColumnMetaData, expected: Expected): void {
  const { rows } = expected;
  const start = Number(column.dictionary_page_offset || column.data_page_offset);
  const size = Number(column.total_compressed_size);
  if (start < 4 || size < 0 || start + size > bytes.length) throw new Error('a column lies outside the file');
  const view = new DataView(bytes.buffer, bytes.byteOffset + start, size);
  const reader = { view, offset: 0 };
  let values = 0;
  while (values < rows) {
    const header = parquetHeader(reader);
    within(header.compressed_page_size, 0, size - reader.offset, 'page size');
    const most = largestPage(column.codec, header.compressed_page_size, expected.limitBytes);
    within(header.uncompressed_page_size, 0, most, 'unpacked page size');
    values += valuesOf(header, rows - values);
    const page = start + reader.offset;
    reader.offset += header.compressed_page_size;
    checkRuns({ bytes: bytes.subarray(page, start + reader.offset), header, column }, expected);
  }
}

/** Values in a page; 0 for a dictionary. `left` is the number of rows that it may take at most. */
function valuesOf(header: PageHeader, left: number): number {
  if (header.type === 'DICTIONARY_PAGE') {
    // Even one bit for each value would need so many bytes.
    within(
      header.dictionary_page_header?.num_values,
      0,
      8 * header.uncompressed_page_size,
      'dictionary size',
    );
    return 0;
  }
  const page = header.type === 'DATA_PAGE' ? header.data_page_header : header.data_page_header_v2;
  if (!page?.encoding) throw new Error('a page header is incomplete');
  within(page.num_values, 1, left, 'number of values in a page');
  const v2 = header.data_page_header_v2;
  if (header.type === 'DATA_PAGE_V2' && v2) {
    within(v2.num_rows, page.num_values, page.num_values, 'number of rows in a page');
    within(v2.num_nulls, 0, page.num_values, 'number of nulls in a page');
    within(v2.repetition_levels_byte_length, 0, header.compressed_page_size, 'size of the levels');
    const levels = header.compressed_page_size - v2.repetition_levels_byte_length;
    within(v2.definition_levels_byte_length, 0, levels, 'size of the levels');
  }
  return page.num_values;
}

function within(value: number | undefined, low: number, high: number, what: string): void {
  if (Number.isInteger(value) && value! >= low && value! <= high) return;
  throw new Error(`${what}: expected from ${low} to ${high}, got ${value}`);
}

/**
 * Walks the runs of Parquet's "RLE / bit-packing hybrid" in a page without unpacking them. hyparquet writes as many
 * values as a run claims: one wrong byte can claim a thousand million, and end the process for want of memory.
 * Throws where a run of levels or of dictionary indices claims far more values than the page holds.
 */
function checkRuns(page: Page, expected: Expected): void {
  if (page.header.type === 'DATA_PAGE') checkFirstVersion(page, expected);
  else if (page.header.type === 'DATA_PAGE_V2') checkSecondVersion(page, expected);
}

function checkFirstVersion({ bytes, header, column }: Page, { levels, unpack }: Expected): void {
  const { num_values: values, encoding } = header.data_page_header!;
  const page = unpacked(bytes, header.uncompressed_page_size, column, unpack);
  let at = 0;
  if (levels === 1) {
    const size = new DataView(page.buffer, page.byteOffset, page.byteLength).getUint32(0, true);
    walk(page, 4, 4 + size, 1, values);
    at = 4 + size;
  }
  checkValues(page.subarray(at), encoding, column, values);
}

function checkSecondVersion({ bytes, header, column }: Page, { levels, unpack }: Expected): void {
  const v2 = header.data_page_header_v2!;
  const start = v2.repetition_levels_byte_length;
  const end = start + v2.definition_levels_byte_length;
  if (levels === 1) walk(bytes, start, end, 1, v2.num_values);
  const rest = bytes.subarray(end);
  const isPacked = v2.is_compressed !== false;
  const values = isPacked ? unpacked(rest, header.uncompressed_page_size - end, column, unpack) : rest;
  checkValues(values, v2.encoding, column, v2.num_values);
}

function checkValues(values: Uint8Array, encoding: string, column: ColumnMetaData, count: number): void {
  if (column.type === 'BOOLEAN' && encoding === 'RLE') walk(values, 4, values.length, 1, count);
  else if (encoding.endsWith('_DICTIONARY')) walk(values, 1, values.length, values[0] ?? 0, count);
}

function walk(bytes: Uint8Array, start: number, end: number, width: number, count: number): void {
  // Writers pad the last run; what must not pass is another order of magnitude.
  const most = 2 * count + 1024;
  const last = Math.min(end, bytes.length);
  for (let p = start, seen = 0; seen < count && p < last; ) {
    let head = 0;
    let shift = 0;
    let byte = 0;
    do {
      byte = bytes[p++];
      head += (byte & 0x7f) * 2 ** shift;
      shift += 7;
    } while (byte >= 0x80 && p < last);
    const packed = head % 2 === 1;
    const run = packed ? Math.floor(head / 2) * 8 : head / 2;
    if (run > most) throw new Error(`a run of ${Math.floor(run)} values in a page of ${count}`);
    p += packed ? (run / 8) * width : Math.ceil(width / 8);
    seen += run;
  }
}

function unpacked(
  page: Uint8Array,
  size: number,
  { codec }: ColumnMetaData,
  unpack: Decompressors,
): Uint8Array {
  return codec === 'UNCOMPRESSED' ? page : unpack[codec]!(page, size);
}
