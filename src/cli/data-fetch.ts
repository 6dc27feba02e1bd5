/** kindred data fetch: public data, downloaded, checked and put in place as a whole. */
import type { Command } from 'commander';
import { inputError, KindredError } from '../base/errors.ts';
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
import { addJsonOption, example, oneOf } from './flags.ts';
import { type Io, writeJson, writeLines } from './io.ts';
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
    .option('--out <folder>', 'folder to make', 'uci-har')
    .option('--url <address>', 'download from here (default: the UCI repository)')
    .action((name: string, flags: Flags) => runFetch(io, name, flags));
  addJsonOption(command);
  example(command, 'kindred data fetch uci-har --out uci-har && kindred train uci-har');
}

async function runFetch(io: Io, name: string, flags: Flags): Promise<void> {
  const { out } = flags;
  const url = addressOf(flags.url ?? UCI_HAR_URL);
  if (await isComplete(out)) return tellDone(io, flags, { name, files: 0, bytes: 0 });
  await checkNewFolder(out);
  const progress = new Progress(io);
  const archive = await download(url, {
    onProgress: (received, total) => {
      const share = total === undefined ? '' : ` of ${megabytes(total)}`;
      progress.show(`${name}: ${megabytes(received)}${share}`);
    },
  }).finally(() => progress.clear());
  const entries = openUciHarArchive(archive, url.href);
  await writeFolder(out, entries);
  await tellDone(io, flags, { name, files: entries.size, bytes: archive.length });
}

function addressOf(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && (url.protocol === 'https:' || url.protocol === 'http:')) return url;
  throw inputError('BAD_OPTION', `option --url: expected an http or https address, got ${text || '""'}`);
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

async function tellDone(
  io: Io,
  { out, json }: Flags,
  got: { readonly name: string; readonly files: number; readonly bytes: number },
): Promise<void> {
  if (json) return writeJson(io, { ...got, out });
  const how =
    got.files === 0 ? 'is already there' : `${count(got.files)} files, ${megabytes(got.bytes)} downloaded`;
  await writeLines(io, [`${out}: ${how}`, `Next: ${io.program} train ${out}`]);
}
