/**
 * The public UCI HAR archive: a ZIP that holds a ZIP that holds the folder. It is checked as a whole before any of it
 * is written, and moved into place by one rename: under the given name there is all of it or nothing.
 */
import { randomUUID } from 'node:crypto';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { inputError, KindredError } from '../../base/errors.ts';
import { UCI_HAR_FILES, type UciHarFiles, verifyUciHar } from '../../data/uci-har.ts';
import { onFile } from './file-error.ts';
import { kindOf } from './files.ts';
import { readZip, type ZipEntry } from './zip.ts';

export const UCI_HAR_URL =
  'https://archive.ics.uci.edu/static/public/240/human+activity+recognition+using+smartphones.zip';

/** A file that every copy of the folder has at its top, by which the top is found. */
const LANDMARK = 'features.txt';

/** Entries by their path below the folder, checked by structure. */
export function openUciHarArchive(archive: Uint8Array, source: string): Map<string, ZipEntry> {
  const entries = withLandmark(readZip(archive, source), source);
  const landmark = entries.find(({ name }) => basename(name) === LANDMARK)!;
  const top = landmark.name.slice(0, -LANDMARK.length);
  const inside = new Map(
    entries.filter(({ name }) => name.startsWith(top)).map((entry) => [entry.name.slice(top.length), entry]),
  );
  const files: Record<string, Uint8Array | undefined> = {};
  for (const { path } of UCI_HAR_FILES) files[path] = inside.get(path)?.read();
  verify(files, source);
  return inside;
}

/** The archive itself if it has the folder, or else the first archive inside that has it. */
function withLandmark(entries: readonly ZipEntry[], source: string): readonly ZipEntry[] {
  const has = (list: readonly ZipEntry[]) => list.some(({ name }) => basename(name) === LANDMARK);
  if (has(entries)) return entries;
  for (const entry of entries.filter(({ name }) => /\.zip$/i.test(name))) {
    const inner = readZip(entry.read(), `${source}, ${entry.name}`);
    if (has(inner)) return inner;
  }
  throw new KindredError(
    'WRONG_ARCHIVE',
    `${source}: expected the UCI HAR archive, got one without ${LANDMARK}`,
    'run',
  );
}

function verify(files: UciHarFiles, source: string): void {
  try {
    verifyUciHar(files, source);
  } catch (error) {
    // Nobody gave these files: that they are wrong fails the run.
    if (error instanceof KindredError) throw new KindredError(error.code, error.message, 'run');
    throw error;
  }
}

/** Refuses a name that is taken, and one in a folder that does not exist. */
export async function checkNewFolder(folder: string): Promise<void> {
  if (await kindOf(folder)) {
    throw inputError('OUT_EXISTS', `${folder}: already exists; remove it or give another --out`);
  }
  const parent = dirname(folder);
  if ((await kindOf(parent)) === 'folder') return;
  throw inputError('FOLDER_NOT_FOUND', `${folder}: the folder ${parent} does not exist`);
}

export async function writeFolder(folder: string, entries: ReadonlyMap<string, ZipEntry>): Promise<void> {
  await checkNewFolder(folder);
  const temporary = join(dirname(folder), `.${basename(folder)}.${randomUUID()}.tmp`);
  await onFile(folder, async () => {
    try {
      for (const [path, entry] of entries) {
        const target = join(temporary, path);
        await mkdir(dirname(target), { recursive: true });
        await writeFile(target, entry.read());
      }
      await rename(temporary, folder);
    } finally {
      await rm(temporary, { recursive: true, force: true });
    }
  });
}
