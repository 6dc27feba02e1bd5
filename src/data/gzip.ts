/** Gzip by the platform's own DecompressionStream: the same in Node and in browsers. */
import { inputError } from '../base/errors.ts';
import { gibibytes, unpackedLimit } from './memory.ts';

export function isGzip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b;
}

export async function gunzip(
  bytes: Uint8Array,
  source: string,
  limitBytes = unpackedLimit(bytes.length),
): Promise<Uint8Array> {
  if (!isGzip(bytes)) {
    throw inputError('NOT_GZIP', `${source}: expected gzip data (1f 8b), got other bytes`);
  }
  const reader = packed(bytes).pipeThrough(new DecompressionStream('gzip')).getReader();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read().catch((cause: unknown) => {
      throw inputError('GZIP_CORRUPT', `${source}: expected a complete gzip file, ${reason(cause)}`);
    });
    if (done) return joined(chunks, size);
    size += value.byteLength;
    if (size > limitBytes) {
      // The file is refused, whether or not the stream can be cancelled.
      reader.cancel().catch(() => {});
      throw inputError(
        'GZIP_TOO_LARGE',
        `${source}: unpacks to more than the allowed ${gibibytes(limitBytes)}; raise --max-bytes`,
      );
    }
    chunks.push(value);
  }
}

function packed(bytes: Uint8Array): ReadableStream<BufferSource> {
  const step = 1 << 18;
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at >= bytes.length) return controller.close();
      controller.enqueue(bytes.slice(at, at + step));
      at += step;
    },
  });
}

function joined(chunks: readonly Uint8Array[], size: number): Uint8Array {
  const whole = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.byteLength;
  }
  return whole;
}

function reason(cause: unknown): string {
  const text = cause instanceof Error ? cause.message : String(cause);
  return /unexpected end|premature|ended without/i.test(text)
    ? 'got a truncated one'
    : `got one that cannot be decompressed (${text})`;
}
