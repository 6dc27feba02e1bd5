/** kindred data fetch: public data, downloaded, checked and put in place as a whole. */
import type { Command } from 'commander';
import { KindredError } from '../base/errors.ts';
import { verifyUciHar } from '../data/uci-har.ts';
import { download } from '../node/files/download.ts';
import { kindOf } from '../node/files/files.ts';
import { readUciHarFolder } from '../node/files/read-table.ts';
import {
  checkNewFolder,
  openUciHarArchive,
  UCI_HAR_URL,
  writeFolder,
} from '../node/files/uci-har-archive.ts';
import { commandLine } from './command-line.ts';
import { finish, oneOf, refuse } from './flags.ts';
import type { Io } from './io.ts';
import { writeResult } from './layout.ts';
import { count, megabytes } from './number-text.ts';
import { Progress } from './progress.ts';

interface Flags {
  readonly out: string;
  readonly url?: string;
  readonly json?: true;
}

export function addDataFetch(group: Command, io: Io): void {
  const command = group
    .command('fetch')
    .description('Download a public data set. uci-har: activity recognition, 30 people, 10,299 rows.')
    .argument('<name>', 'uci-har', oneOf('data fetch', ['uci-har']))
    .option('--out <folder>', 'folder to create', 'uci-har')
    .option('--url <address>', 'download from here (default: the UCI repository)')
    .action((name: string, flags: Flags) => runFetch(io, name, flags));
  finish(command, 'kindred data fetch uci-har --out uci-har && kindred train uci-har');
}

async function runFetch(io: Io, name: string, flags: Flags): Promise<void> {
  const { out } = flags;
  const url = addressOf(flags.url ?? UCI_HAR_URL);
  if (await isComplete(out)) return report(io, flags, { name, files: 0, bytes: 0 });
  await checkNewFolder(out);
  const progress = new Progress(io);
  const onProgress = (received: number, total?: number) => {
    const share = total === undefined ? '' : ` of ${megabytes(total)}`;
    progress.show(`${name}: ${megabytes(received)}${share}`);
  };
  const archive = await progress.during(() => download(url, { onProgress }));
  const entries = openUciHarArchive(archive, url.href);
  await writeFolder(out, entries);
  await report(io, flags, { name, files: entries.size, bytes: archive.length });
}

function addressOf(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && (url.protocol === 'https:' || url.protocol === 'http:')) return url;
  return refuse('--url', 'an http or https address', text);
}

/** A second run finds the work done. */
async function isComplete(folder: string): Promise<boolean> {
  if ((await kindOf(folder)) !== 'folder') return false;
  try {
    verifyUciHar(await readUciHarFolder(folder), folder);
    return true;
  } catch (error) {
    if (error instanceof KindredError) return false;
    throw error;
  }
}

async function report(io: Io, flags: Flags, got: { name: string; files: number; bytes: number }) {
  const { out } = flags;
  const downloaded = `${count(got.files)} files, ${megabytes(got.bytes)} downloaded`;
  await writeResult(io, flags, { ...got, out }, () => [
    `${out}: ${got.files === 0 ? 'already complete, nothing to download' : downloaded}`,
    `Next: ${commandLine(io.program, 'train', out)}`,
  ]);
}
