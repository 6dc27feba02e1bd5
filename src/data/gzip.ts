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
  const input = new PackedInput(source);
  const reader = input.stream.pipeThrough(new DecompressionStream('gzip')).getReader();
  let size = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read().catch((cause: unknown) => {
        if (cause instanceof KindredError) throw cause;
        throw inputError('GZIP_CORRUPT', `${name}: expected a complete gzip file, ${reason(cause)}`);
      });
      if (done) return;
      size += value.byteLength;
      const limit = limitBytes(Math.max(input.bytes, packed.size ?? 0));
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

/** What goes into the decompressor: pieces that are small enough to unpack at once. */
class PackedInput {
  readonly stream: ReadableStream<BufferSource>;
  /** Bytes handed on so far. */
  bytes = 0;
  private readonly chunks: AsyncIterator<Uint8Array>;
  private rest: Uint8Array = new Uint8Array(0);

  constructor({ chunks }: ByteSource) {
    this.chunks = chunks[Symbol.asyncIterator]();
    this.stream = new ReadableStream({
      pull: async (controller) => {
        const piece = await this.next();
        if (piece) controller.enqueue(piece);
        else controller.close();
      },
    });
  }

  private async next(): Promise<Uint8Array<ArrayBuffer> | undefined> {
    while (this.rest.length === 0) {
      const { done, value } = await this.chunks.next();
      if (done) return undefined;
      this.rest = value;
    }
    const piece = this.rest.slice(0, PIECE_BYTES);
    this.rest = this.rest.subarray(piece.length);
    this.bytes += piece.length;
    return piece;
  }
}

function reason(cause: unknown): string {
  const text = cause instanceof Error ? cause.message : String(cause);
  return /unexpected end|premature|ended without/i.test(text)
    ? 'got a truncated one'
    : `got one that cannot be decompressed (${text})`;
}
