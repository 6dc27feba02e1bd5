/**
 * Walks the page headers of a Parquet column before it is decoded. hyparquet trusts them: with one wrong byte it can
 * loop for ever, and a loop cannot be caught as an error can.
 */
import { type ColumnMetaData, type PageHeader, snappyUncompress } from 'hyparquet';
import { parquetHeader } from 'hyparquet/src/column.js';

/**
 * Throws, with the reason, where the pages of a column do not hold exactly `rows` values within its bytes.
 * `levels` is 1 for a column that may hold nulls.
 */
export function checkPages(bytes: Uint8Array, column: ColumnMetaData, rows: number, levels: 0 | 1): void {
  const start = Number(column.dictionary_page_offset || column.data_page_offset);
  const size = Number(column.total_compressed_size);
  if (start < 4 || size < 0 || start + size > bytes.length) throw new Error('a column lies outside the file');
  const view = new DataView(bytes.buffer, bytes.byteOffset + start, size);
  const reader = { view, offset: 0 };
  let values = 0;
  while (values < rows) {
    const header = parquetHeader(reader);
    values += valuesOf(header, size - reader.offset, rows - values);
    const page = start + reader.offset;
    reader.offset += header.compressed_page_size;
    checkRuns(bytes.subarray(page, start + reader.offset), header, column, levels);
  }
}

/** Values in a page; 0 for a dictionary. `room` and `left` are the bytes and rows that it may take at most. */
function valuesOf(header: PageHeader, room: number, left: number): number {
  within(header.compressed_page_size, 0, room, 'page size');
  // Snappy copies at most 64 bytes for 3, so nothing grows more than this.
  within(header.uncompressed_page_size, 0, 32 * header.compressed_page_size + 64, 'unpacked page size');
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
 */
/** Throws where a run of levels or of dictionary indices claims far more values than the page holds. */
export function checkRuns(page: Uint8Array, header: PageHeader, column: ColumnMetaData, levels: 0 | 1): void {
  if (header.type === 'DATA_PAGE')
    checkFirstVersion(unpacked(page, header.uncompressed_page_size, column), header, column, levels);
  else if (header.type === 'DATA_PAGE_V2') checkSecondVersion(page, header, column, levels);
}

function checkFirstVersion(
  page: Uint8Array,
  header: PageHeader,
  column: ColumnMetaData,
  levels: 0 | 1,
): void {
  const { num_values: values, encoding } = header.data_page_header!;
  let at = 0;
  if (levels === 1) {
    const size = new DataView(page.buffer, page.byteOffset, page.byteLength).getUint32(0, true);
    walk(page, 4, 4 + size, 1, values);
    at = 4 + size;
  }
  checkValues(page.subarray(at), encoding, column, values);
}

function checkSecondVersion(
  page: Uint8Array,
  header: PageHeader,
  column: ColumnMetaData,
  levels: 0 | 1,
): void {
  const v2 = header.data_page_header_v2!;
  const start = v2.repetition_levels_byte_length;
  const end = start + v2.definition_levels_byte_length;
  if (levels === 1) walk(page, start, end, 1, v2.num_values);
  const rest = page.subarray(end);
  const packed = v2.is_compressed !== false;
  const values = packed ? unpacked(rest, header.uncompressed_page_size - end, column) : rest;
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

function unpacked(page: Uint8Array, size: number, column: ColumnMetaData): Uint8Array {
  if (column.codec === 'UNCOMPRESSED') return page;
  const out = new Uint8Array(size);
  snappyUncompress(page, out);
  return out;
}
