/**
 * Compressions of Parquet pages. Snappy, the usual one, comes with hyparquet; the others (hyparquet-compressors) are loaded when a file
 * needs them. A page is unpacked into as many bytes as its header claims, which are bounded first: a few bytes of Zstandard or
 * Brotli can claim to be gigabytes.
 */
import { type CompressionCodec, type Compressors, snappyUncompress } from 'hyparquet';
import { unpackZstd } from './zstd.ts';

/** By codec: unpacks a page into so many bytes. */
export type Decompressors = Compressors;

export const KNOWN_CODECS = ['UNCOMPRESSED', 'SNAPPY', 'GZIP', 'ZSTD', 'LZ4', 'LZ4_RAW', 'BROTLI'] as const;
type KnownCodec = (typeof KNOWN_CODECS)[number];

const SNAPPY: Decompressors = { SNAPPY: (page, size) => filled(size, (out) => snappyUncompress(page, out)) };

export function isKnownCodec(codec: CompressionCodec | undefined): codec is KnownCodec {
  return KNOWN_CODECS.includes(codec as KnownCodec);
}

export async function decompressorsFor(codecs: ReadonlySet<CompressionCodec>): Promise<Decompressors> {
  if ([...codecs].every((codec) => codec === 'UNCOMPRESSED' || codec === 'SNAPPY')) return SNAPPY;
  const { compressors, decompressZstd } = await import('hyparquet-compressors');

  return { ...compressors, ...SNAPPY, ZSTD: (page, size) => unpackZstd(decompressZstd, page, size) };
}

/** How many bytes a page of so many packed ones may unpack to. */
export function largestPage(codec: CompressionCodec, packedBytes: number, limitBytes: number): number {
  // Snappy copies at most 64 bytes for 3, so nothing grows more than this.
  const most = codec === 'UNCOMPRESSED' || codec === 'SNAPPY' ? 32 * packedBytes + 64 : limitBytes;
  return Math.min(most, limitBytes);
}

function filled(size: number, fill: (out: Uint8Array) => void): Uint8Array {
  const out = new Uint8Array(size);
  fill(out);
  return out;
}
