/** A table from the bytes of a file. The readers are loaded with the first one: a page that has no file loads none. */
import type { ByteSource } from './byte-source.ts';
import type { Table } from './table.ts';
import type { ParseOptions } from './table-bytes.ts';

export type { ParseOptions } from './table-bytes.ts';

/**
 * `name` is what errors call the data; its ending decides on the format where the bytes do not. CSV that comes in pieces is never in
 * memory as a whole; the other formats are.
 */
export async function parseTable(
  data: Uint8Array | ByteSource,
  name: string,
  options: ParseOptions = {},
): Promise<Table> {
  const { readTableBytes } = await import('./table-bytes.ts');
  return readTableBytes(data, name, options);
}
