/**
 * Zstandard frames (RFC 8878) into output of known size. The decoder (hyparquet-compressors) neither bounds what it allocates itself nor
 * reports how much it has written into an output that it is given. So the size is compared with what the frame can hold: with the size
 * in its header, where there is one, and with the number of its blocks.
 */

const MAGIC = 0xfd2fb528;
const LARGEST_BLOCK = 128 * 1024;
const RUN = 1;
/** Bytes of the content size by the first two bits of the descriptor. */
const SIZE_BYTES = [0, 2, 4, 8];
const DICTIONARY_BYTES = [0, 1, 2, 4];

type Decoder = (frame: Uint8Array, out: Uint8Array) => Uint8Array;

/** Throws where a frame cannot hold so many bytes. */
export function unpackZstd(decode: Decoder, frame: Uint8Array, size: number): Uint8Array {
  const { content, blocksAt } = headerOf(frame);
  if (content !== undefined && content !== size)
    throw new Error(`a Zstandard frame of ${content} instead of ${size} bytes`);
  if (size > LARGEST_BLOCK * blocksFrom(frame, blocksAt))
    throw new Error(`a Zstandard frame of less than ${size} bytes`);
  return decode(frame, new Uint8Array(size));
}

/** RFC 8878, section 3.1.1.1. `content`: its unpacked size, where it says so. */
function headerOf(frame: Uint8Array): { content: number | undefined; blocksAt: number } {
  const view = new DataView(frame.buffer, frame.byteOffset, frame.byteLength);
  if (view.getUint32(0, true) !== MAGIC) throw new Error('no Zstandard frame');
  const descriptor = view.getUint8(4);
  const isSingle = (descriptor & 0x20) !== 0;
  const at = 5 + (isSingle ? 0 : 1) + DICTIONARY_BYTES[descriptor & 3];
  const bytes = SIZE_BYTES[descriptor >> 6] || (isSingle ? 1 : 0);
  return { content: bytes === 0 ? undefined : contentSize(view, at, bytes), blocksAt: at + bytes };
}

function contentSize(view: DataView, at: number, bytes: number): number {
  if (bytes === 1) return view.getUint8(at);
  // Two bytes are not used for less than 256.
  if (bytes === 2) return view.getUint16(at, true) + 256;
  return bytes === 4 ? view.getUint32(at, true) : Number(view.getBigUint64(at, true));
}

/** Blocks of the first frame (section 3.1.1.2); what stands behind it may be another frame. */
function blocksFrom(frame: Uint8Array, start: number): number {
  let blocks = 0;
  for (let at = start, isLast = false; !isLast && at + 3 <= frame.length; blocks++) {
    const header = frame[at] | (frame[at + 1] << 8) | (frame[at + 2] << 16);
    isLast = (header & 1) === 1;
    at += 3 + (((header >> 1) & 3) === RUN ? 1 : header >> 3);
  }
  return blocks;
}
