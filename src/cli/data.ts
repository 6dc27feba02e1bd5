/** kindred data: make, describe, convert and fetch. */
import type { Command } from 'commander';
import { addDataConvert } from './data-convert.ts';
import { addDataDescribe } from './data-describe.ts';
import { addDataFetch } from './data-fetch.ts';
import { addDataMake } from './data-make.ts';
import { example } from './flags.ts';
import type { Io } from './io.ts';

export function addData(program: Command, io: Io): void {
  const group = program.command('data').description('Generate, describe, convert or download data.');
  example(group, 'kindred data make har --out har.csv', 'kindred data describe har.csv');
  addDataMake(group, io);
  addDataDescribe(group, io);
  addDataConvert(group, io);
  addDataFetch(group, io);
}
