/**
 * Walks the runs of Parquet's "RLE / bit-packing hybrid" in a page without unpacking them. hyparquet writes as many
 * values as a run claims: one wrong byte can claim a thousand million, and end the process for want of memory.
 */
import { type ColumnMetaData, type PageHeader, snappyUncompress } from 'hyparquet';

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
