/** Gzip by the platform's own DecompressionStream: the same in Node and in browsers. */
import { inputError, KindredError } from '../base/errors.ts';
import { type ByteSource, peek } from './byte-source.ts';
import { gibibytes, unpackedLimit } from './memory.ts';

const PIECE_BYTES = 1 << 18;

export function isGzip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b;
}

/** The unpacked bytes. `givenLimit`: most of them, where the caller sets it. */
export function gunzipped(packed: ByteSource, name: string, givenLimit?: number): ByteSource {
  const limitBytes = (packedBytes: number) => unpackedLimit(packedBytes, givenLimit);
  return { size: claimedSize(packed, limitBytes), chunks: unpack(packed, name, limitBytes) };
}

/** RFC 1952: the last four bytes are the unpacked size of the last member, modulo 4 GiB. They may lie. */
function claimedSize({ size, lastFour }: ByteSource, limitBytes: (packed: number) => number) {
  if (size === undefined || lastFour?.length !== 4) return undefined;
  const claimed = new DataView(lastFour.buffer, lastFour.byteOffset, 4).getUint32(0, true);
  return claimed <= limitBytes(size) ? claimed : undefined;
}

async function* unpack(
  packed: ByteSource,
  name: string,
  limitBytes: (packed: number) => number,
): AsyncGenerator<Uint8Array, void, undefined> {
  const { head, source } = await peek(packed);
  if (!isGzip(head)) throw inputError('NOT_GZIP', `${name}: expected gzip data (1f 8b), got other bytes`);
  const stream = new DecompressionStream('gzip');
  const feed = new Feed(stream.writable, source);
  const reader = stream.readable.getReader();
  let size = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read().catch((cause: unknown) => {
        if (feed.failure) throw feed.failure;
        throw inputError('GZIP_CORRUPT', `${name}: expected a complete gzip file, ${reason(cause)}`);
      });
      if (done) return;
      size += value.byteLength;
      const limit = limitBytes(Math.max(feed.bytes, packed.size ?? 0));
      if (size > limit) {
        throw inputError(
          'GZIP_TOO_LARGE',
          `${name}: unpacks to more than the allowed ${gibibytes(limit)}; raise --max-bytes`,
        );
      }
      yield value;
    }
  } finally {
    // Nobody reads on, whether or not the stream can be cancelled.
    reader.cancel().catch(() => {});
  }
}

/**
 * Writes packed bytes into the decompressor, each piece once the last one is taken. `pipeThrough` does not wait in Node: it would hold
 * the whole packed file in memory.
 */
class Feed {
  /** Bytes handed on so far. */
  bytes = 0;
  /** Why there are no more, where that is not the decompressor's to say. */
  failure: KindredError | undefined;

  constructor(sink: WritableStream<BufferSource>, { chunks }: ByteSource) {
    const writer = sink.getWriter();
    this.write(writer, chunks).catch((error: unknown) => {
      if (error instanceof KindredError) this.failure = error;
      // The reader learns of it.
      return writer.abort(error).catch(() => {});
    });
  }

  private async write(
    writer: ReturnType<WritableStream<BufferSource>['getWriter']>,
    chunks: AsyncIterable<Uint8Array>,
  ): Promise<void> {
    for await (const chunk of chunks) {
      for (let at = 0; at < chunk.length; at += PIECE_BYTES) {
        const piece = chunk.slice(at, at + PIECE_BYTES);
        this.bytes += piece.length;
        await writer.write(piece as Uint8Array<ArrayBuffer>);
      }
    }
    await writer.close();
  }
}

function reason(cause: unknown): string {
  const text = cause instanceof Error ? cause.message : String(cause);
  return /unexpected end|premature|ended without/i.test(text)
    ? 'got a truncated one'
    : `got one that cannot be decompressed (${text})`;
}
