/** Files that survive a crash at any moment: the old content or the new one, and the new one for good once this returns. */
import { closeSync, fsyncSync, openSync, renameSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileError } from './file-error.ts';

/** Its owner's only: keys and duals are nobody else's business. */
const OWNER_ONLY = 0o600;

/**
 * Synchronous: whoever persists may not do anything else before it is done. The temporary file has one name, so that what a crash
 * has torn is overwritten the next time; there must be one writer only (see lock.ts).
 */
export function writeDurably(path: string, bytes: Uint8Array): void {
  const temporary = `${path}.tmp`;
  try {
    const file = openSync(temporary, 'w', OWNER_ONLY);
    try {
      for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(temporary, path);
    syncFolder(dirname(path));
  } catch (error) {
    throw fileError(error, path);
  }
}

/** Makes the rename itself durable; not every system lets a folder be opened for that. */
function syncFolder(folder: string): void {
  let handle: number;
  try {
    handle = openSync(folder, 'r');
  } catch {
    return;
  }
  try {
    fsyncSync(handle);
  } catch {
    // The file is complete under its name either way.
  } finally {
    closeSync(handle);
  }
}
