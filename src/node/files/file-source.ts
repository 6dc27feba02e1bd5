/** A file in pieces. */
import { type FileHandle, open } from 'node:fs/promises';
import type { ByteSource } from '../../data/byte-source.ts';
import { onFile } from './file-error.ts';

const PIECE_BYTES = 1 << 20;

/** Opens a file for as long as `read` takes. */
export async function withFile<T>(path: string, read: (source: ByteSource) => Promise<T>): Promise<T> {
  const file = await onFile(path, () => open(path, 'r'));
  try {
    return await read(await onFile(path, () => sourceOf(file, path)));
  } finally {
    await file.close();
  }
}

async function sourceOf(file: FileHandle, path: string): Promise<ByteSource> {
  const found = await file.stat();
  const chunks = pieces(file, path);
  // A pipe has no size, and its end cannot be read first.
  if (!found.isFile()) return { size: undefined, chunks };
  const last = new Uint8Array(4);
  const { bytesRead } = await file.read(last, 0, 4, Math.max(0, found.size - 4));
  return { size: found.size, lastFour: last.subarray(0, bytesRead), chunks };
}

async function* pieces(file: FileHandle, path: string): AsyncGenerator<Uint8Array, void, undefined> {
  // One for all: new ones would be garbage faster than it is collected.
  const piece = new Uint8Array(PIECE_BYTES);
  for (;;) {
    const { bytesRead } = await onFile(path, () => file.read(piece, 0, PIECE_BYTES));
    if (bytesRead === 0) return;
    yield piece.subarray(0, bytesRead);
  }
}
