/** Room for n x d numbers, refused with a sentence rather than a crash where it is too much. */
import { inputError } from '../base/errors.ts';

/** A dense table larger than this is refused unless the caller allows more. */
export const DEFAULT_MEMORY_LIMIT_BYTES = 2 * 1024 ** 3;

/** What a packed file may unpack to: a small one could unpack to anything. CSV and Parquet of real rows stay far below a hundredfold. */
const LEAST_UNPACKED_BYTES = 256 * 1024 ** 2;
const MOST_UNPACKED_BYTES = 4 * 1024 ** 3;
const MOST_GROWTH = 100;

/** `given`: as the user allows it (--max-bytes). */
export function unpackedLimit(packedBytes: number, given?: number): number {
  if (given !== undefined) return given;
  return Math.min(MOST_UNPACKED_BYTES, Math.max(LEAST_UNPACKED_BYTES, MOST_GROWTH * packedBytes));
}

/** `remedy`: how to allow more, where there is a way. */
export function checkDenseSize(source: string, n: number, d: number, limitBytes: number, remedy = ''): void {
  const needed = n * d * 8;
  if (needed <= limitBytes) return;
  throw inputError(
    'TABLE_TOO_LARGE',
    `${source}: ${count(n)} rows with ${count(d)} features need ${gibibytes(needed)} of memory, ` +
      `but ${gibibytes(limitBytes)} are allowed${remedy}`,
  );
}

/** From so many values on threads may train: in shared memory they use the table as it is, and nobody copies it. */
const SHARED_FROM = 10e6;

export function allocateRows(source: string, n: number, d: number): Float64Array {
  const values = n * d;
  try {
    // Pages have it only where their server isolates them.
    return values >= SHARED_FROM && typeof SharedArrayBuffer === 'function'
      ? new Float64Array(new SharedArrayBuffer(8 * values))
      : new Float64Array(values);
  } catch {
    throw inputError(
      'TABLE_TOO_LARGE',
      `${source}: ${count(n)} rows with ${count(d)} features need ${gibibytes(n * d * 8)} of memory, ` +
        'more than is available',
    );
  }
}

export function gibibytes(bytes: number): string {
  if (bytes < 1024 ** 3 / 100) return `${count(bytes)} bytes`;
  return `${(bytes / 1024 ** 3).toFixed(2)} GiB`;
}

/** 1355191 as "1,355,191", the same on every machine. */
export function count(n: number): string {
  return String(n).replace(/\B(?=(\d{3})+$)/g, ',');
}
