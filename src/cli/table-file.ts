/** A table written as CSV, packed where the name of the file says so, and in place only once it is whole. */
import { Readable } from 'node:stream';
import { createGzip } from 'node:zlib';
import type { Table } from '../data/table.ts';
import { type CsvNames, writeCsv } from '../data/write-csv.ts';
import { writeAtomically } from '../node/files/files.ts';

export async function writeTableFile(path: string, table: Table, names: CsvNames = {}): Promise<void> {
  const csv = writeCsv(table, names);
  await writeAtomically(path, /\.gz$/i.test(path) ? Readable.from(csv).pipe(createGzip()) : csv);
}
