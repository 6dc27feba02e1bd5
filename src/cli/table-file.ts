/** A table written as CSV, packed where the name of the file says so, and in place only once it is whole. */
import { Readable } from 'node:stream';
import { createGzip } from 'node:zlib';
import type { Table } from '../data/table.ts';
import { type CsvNames, writeCsv } from '../data/write-csv.ts';
import { writeAtomically } from '../node/files/files.ts';
import type { Io } from './io.ts';
import { megabytes } from './number-text.ts';
import { Progress } from './progress.ts';

export async function writeTableFile(
  io: Io,
  path: string,
  table: Table,
  names: CsvNames = {},
): Promise<void> {
  const progress = new Progress(io);
  const csv = showing(writeCsv(table, names), (bytes) =>
    progress.show(`${path}: ${megabytes(bytes)} written`),
  );
  const isPacked = /\.gz$/i.test(path);
  await progress.during(() => writeAtomically(path, isPacked ? Readable.from(csv).pipe(createGzip()) : csv));
}

function* showing(pieces: Iterable<string>, show: (bytes: number) => void): Generator<string> {
  let bytes = 0;
  for (const piece of pieces) {
    bytes += piece.length;
    show(bytes);
    yield piece;
  }
}
