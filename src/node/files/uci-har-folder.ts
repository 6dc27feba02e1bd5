/** The UCI HAR folder on disk: itself, or the folder it was unpacked into. */
import { join } from 'node:path';
import { UCI_HAR_FILES, type UciHarFiles } from '../../data/uci-har.ts';
import { kindOf, readBytes } from './files.ts';

/** The folder inside the archive. */
const UCI_HAR_FOLDER = 'UCI HAR Dataset';

/** Bytes of the files that are there; the reader reports those that are missing. */
export async function readUciHarFolder(path: string): Promise<UciHarFiles> {
  const inner = join(path, UCI_HAR_FOLDER);
  const root = (await kindOf(join(path, 'features.txt'))) || !(await kindOf(inner)) ? path : inner;
  const files: Record<string, Uint8Array> = {};
  for (const file of UCI_HAR_FILES) {
    const name = join(root, file.path);
    if ((await kindOf(name)) === 'file') files[file.path] = await readBytes(name);
  }
  return files;
}
