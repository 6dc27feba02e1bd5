/**
 * Walks the page headers of a Parquet column before it is decoded. hyparquet trusts them: with one wrong byte it can
 * loop for ever, and a loop cannot be caught as an error can.
 */
import type { ColumnMetaData, PageHeader } from 'hyparquet';
import { parquetHeader } from 'hyparquet/src/column.js';
import { checkRuns } from './parquet-runs.ts';

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
