/** Bytes that come in pieces: from a file, a download or memory. No format needs more of its runtime than this. */

import { HeldBytes } from './held-bytes.ts';

export interface ByteSource {
  /** How many bytes there are, where that is known: room for rows is reserved by it, nothing relies on it. */
  readonly size: number | undefined;
  /** The last four bytes of a file that can be read at any place: gzip keeps the unpacked size there. */
  readonly lastFour?: Uint8Array | undefined;
  /** A chunk is valid until the next one is asked for. */
  readonly chunks: AsyncIterable<Uint8Array>;
}

/** Enough to tell the formats apart. */
const HEAD_BYTES = 4096;

export function inMemory(bytes: Uint8Array): ByteSource {
  async function* whole() {
    yield bytes;
  }
  return { size: bytes.length, lastFour: bytes.subarray(-4), chunks: whole() };
}

/** The beginning of a source, and the source with nothing taken from it. */
export async function peek(source: ByteSource): Promise<{ head: Uint8Array; source: ByteSource }> {
  const chunks = source.chunks[Symbol.asyncIterator]();
  const head = await beginning(chunks);
  async function* all() {
    yield head;
    for (let next = await chunks.next(); !next.done; next = await chunks.next()) yield next.value;
  }
  return { head, source: { ...source, chunks: all() } };
}

/** The first chunk, or as many as it takes. */
async function beginning(chunks: AsyncIterator<Uint8Array>): Promise<Uint8Array> {
  let next = await chunks.next();
  if (!next.done && next.value.length >= HEAD_BYTES) return next.value;
  const held = new HeldBytes();
  while (!next.done) {
    held.add(next.value);
    if (held.length >= HEAD_BYTES) break;
    next = await chunks.next();
  }
  return held.bytes;
}

/** All of it, for formats that are read by offsets. */
export async function collect({ chunks, size }: ByteSource): Promise<Uint8Array> {
  const held = new HeldBytes(size);
  for await (const chunk of chunks) {
    if (chunk.length === size) return chunk;
    held.add(chunk);
  }
  return held.bytes;
}
