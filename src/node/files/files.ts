/** Files in and out, whole. Output appears complete under its name or not at all. */
import { randomUUID } from 'node:crypto';
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import { type FileHandle, open, readFile, realpath, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { inputError } from '../../base/errors.ts';
import { fileError, onFile, onFileSync } from './file-error.ts';

export type Chunks = Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>;

/** `readFile` refuses files from 2 GiB on. */
const READ_AT_ONCE = 1 << 30;

export function readBytes(path: string): Promise<Uint8Array> {
  return onFile(path, async () => {
    const { size } = await stat(path);
    return size <= READ_AT_ONCE ? plainBytes(await readFile(path)) : await readLarge(path, size);
  });
}

/** The same bytes without Node's `Buffer`, whose `slice` shares memory where that of a Uint8Array copies. */
export function plainBytes(buffer: Buffer): Uint8Array {
  return new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.byteLength);
}

/** Undefined where there is no such file. */
export function readIfThere(path: string): Uint8Array | undefined {
  try {
    return plainBytes(readFileSync(path));
  } catch (error) {
    if ((error as { code?: string }).code === 'ENOENT') return undefined;
    throw fileError(error, path);
  }
}

export async function readText(path: string): Promise<string> {
  return new TextDecoder().decode(await readBytes(path));
}

async function readLarge(path: string, size: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(size);
  const file = await open(path, 'r');
  try {
    for (let at = 0; at < size; ) {
      const { bytesRead } = await file.read(bytes, at, Math.min(READ_AT_ONCE, size - at), at);
      if (bytesRead === 0) return bytes.subarray(0, at);
      at += bytesRead;
    }
    return bytes;
  } finally {
    await file.close();
  }
}

/** Undefined where there is nothing of that name. */
export async function kindOf(path: string): Promise<'file' | 'folder' | 'special' | undefined> {
  try {
    const found = await stat(path);
    if (found.isDirectory()) return 'folder';
    return found.isFile() ? 'file' : 'special';
  } catch (error) {
    if ((error as { code?: string }).code === 'ENOENT') return undefined;
    throw fileError(error, path);
  }
}

/** Refuses a place where a file cannot be written; asked before long work, not after it. */
export async function checkWritable(path: string): Promise<void> {
  if ((await kindOf(path)) === 'folder') {
    throw inputError('IS_A_FOLDER', `${path}: expected a file to write, got a folder`);
  }
  const folder = dirname(path);
  if ((await kindOf(folder)) === 'folder') return;
  throw inputError('FOLDER_NOT_FOUND', `${path}: the folder ${folder} does not exist`);
}

export async function writeAtomically(path: string, chunks: Chunks): Promise<void> {
  await checkWritable(path);
  await onFile(path, async () => {
    // A device or a pipe is written to; a file in its place would be a surprise.
    if ((await kindOf(path)) === 'special') return writeAll(await open(path, 'w'), chunks);
    // A symbolic link stays one: what it leads to is replaced.
    const target = await realpath(path).catch(() => path);
    const folder = dirname(target);
    const temporary = join(folder, `.${basename(target).slice(0, 100)}.${randomUUID()}.tmp`);
    try {
      const file = await open(temporary, 'wx');
      await writeAll(file, chunks, () => file.sync());
      await rename(temporary, target);
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    }
    syncFolder(folder);
  });
}

async function writeAll(file: FileHandle, chunks: Chunks, atEnd = async () => {}): Promise<void> {
  try {
    // Not `write`: that one may write less than it was given.
    for await (const chunk of chunks) await file.writeFile(chunk);
    await atEnd();
  } finally {
    await file.close();
  }
}

/** Its owner's only: keys and duals are nobody else's business. */
const OWNER_ONLY = 0o600;

/**
 * Synchronous: whoever persists may not do anything else before it is done. The temporary file has one name, so that what a crash
 * has torn is overwritten the next time; there must be one writer only (see lock.ts).
 */
export function writeDurably(path: string, bytes: Uint8Array): void {
  const temporary = `${path}.tmp`;
  onFileSync(path, () => {
    const file = openSync(temporary, 'w', OWNER_ONLY);
    try {
      for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(temporary, path);
    syncFolder(dirname(path));
  });
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
