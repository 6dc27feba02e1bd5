/** kindred data convert: a table of any format that can be read, as one CSV file. */
import type { Command } from 'commander';
import { checkWritable } from '../node/files/files.ts';
import {
  addColumnOptions,
  addDataOptions,
  columnsFrom,
  DATA_ARGUMENT,
  type DataFlags,
  readData,
} from './data-options.ts';
import { finish } from './flags.ts';
import type { Io } from './io.ts';
import { writeResult } from './layout.ts';
import { sizeOf, sizeText } from './number-text.ts';
import { writeTableFile } from './table-file.ts';

interface Flags extends DataFlags {
  readonly out: string;
  readonly json?: true;
}

export function addDataConvert(group: Command, io: Io): void {
  const command = group
    .command('convert')
    .description('Convert data of any format to one CSV file: participant, target, features.')
    .argument('<data>', DATA_ARGUMENT)
    .requiredOption('--out <file>', 'CSV file to write, compressed if it ends in .gz')
    .action((data: string, flags: Flags) => runConvert(io, data, flags));
  addColumnOptions(addDataOptions(command));
  finish(
    command,
    'kindred data convert uci-har --out uci-har.csv.gz',
    'kindred data convert wards.parquet --task ward --label score --out wards.csv',
  );
}

async function runConvert(io: Io, data: string, flags: Flags): Promise<void> {
  const { out } = flags;
  await checkWritable(out);
  const { task, label, weight } = columnsFrom(flags);
  const table = await readData(io, data, flags);
  await writeTableFile(io, out, table, { task, label, weight });
  const size = sizeOf(table);
  await writeResult(io, flags, { out, ...size }, () => [`Wrote ${out}: ${sizeText(size)}`]);
}
