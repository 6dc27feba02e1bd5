/** Bytes that come in pieces: from a file, a download or memory. No format needs more of its runtime than this. */

export interface ByteSource {
  /** How many bytes there are, where that is known: room for rows is reserved by it, nothing relies on it. */
  readonly size: number | undefined;
  /** The last four bytes of a file that can be read at any place: gzip keeps the unpacked size there. */
  readonly lastFour?: Uint8Array | undefined;
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
  const first: Uint8Array[] = [];
  for (let bytes = 0; bytes < HEAD_BYTES; ) {
    const { done, value } = await chunks.next();
    if (done) break;
    first.push(value);
    bytes += value.length;
  }
  async function* all() {
    yield* first.splice(0);
    for (let next = await chunks.next(); !next.done; next = await chunks.next()) yield next.value;
  }
  const head = first.length === 1 ? first[0] : joined(first);
  return { head, source: { ...source, chunks: all() } };
}

/** All of it, for formats that are read by offsets. */
export async function collect({ chunks }: ByteSource): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  for await (const chunk of chunks) pieces.push(chunk);
  return pieces.length === 1 ? pieces[0] : joined(pieces);
}

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}
