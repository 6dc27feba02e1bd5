/**
 * LZ4 frames (https://github.com/lz4/lz4/blob/dev/doc/lz4_Frame_format.md): what Arrow compresses with. Blocks may refer to those before
 * them, so all are unpacked into one output of known size. Checksums are skipped.
 */

const MAGIC = 0x184d2204;
const STORED = 0x80000000;

/** Throws where the frame does not unpack to exactly `size` bytes. */
export function unpackLz4Frame(frame: Uint8Array, size: number): Uint8Array {
  const view = new DataView(frame.buffer, frame.byteOffset, frame.byteLength);
  if (view.getUint32(0, true) !== MAGIC) throw new Error('no LZ4 frame');
  const flags = view.getUint8(4);
  if (flags >> 6 !== 1) throw new Error('an LZ4 frame of another version');
  const [hasBlockChecksum, hasSize, hasDictionary] = [0x10, 0x08, 0x01].map((bit) => (flags & bit) !== 0);
  const out = new Uint8Array(size);
  let filled = 0;
  let at = 7 + (hasSize ? 8 : 0) + (hasDictionary ? 4 : 0);
  for (;;) {
    const head = view.getUint32(at, true);
    at += 4;
    if (head === 0) break;
    const length = head % STORED;
    if (length > frame.length - at) throw new Error('a truncated LZ4 frame');
    const block = frame.subarray(at, at + length);
    filled = head >= STORED ? store(block, out, filled) : unpackBlock(block, out, filled);
    at += length + (hasBlockChecksum ? 4 : 0);
  }
  if (filled !== size) throw new Error(`an LZ4 frame of ${filled} instead of ${size} bytes`);
  return out;
}

function store(bytes: Uint8Array, out: Uint8Array, at: number): number {
  if (bytes.length > out.length - at) throw new Error('an LZ4 frame that is too long');
  out.set(bytes, at);
  return at + bytes.length;
}

/** https://github.com/lz4/lz4/blob/dev/doc/lz4_Block_format.md. Gives the end of what it has written. */
function unpackBlock(block: Uint8Array, out: Uint8Array, start: number): number {
  let filled = start;
  let at = 0;
  const lengthFrom = (nibble: number): number => {
    let length = nibble;
    for (let more = nibble === 15 ? 255 : 0; more === 255; length += more) {
      if (at >= block.length) throw new Error('a truncated LZ4 block');
      more = block[at++];
    }
    return length;
  };
  while (at < block.length) {
    const token = block[at++];
    const literals = lengthFrom(token >> 4);
    if (literals > block.length - at) throw new Error('a truncated LZ4 block');
    filled = store(block.subarray(at, at + literals), out, filled);
    at += literals;
    if (at === block.length) break;
    const offset = block[at] + 256 * block[at + 1];
    at += 2;
    const end = filled + lengthFrom(token & 15) + 4;
    if (!(offset >= 1 && offset <= filled) || end > out.length) throw new Error('a damaged LZ4 block');
    // Byte by byte: the copy may overlap what it writes.
    for (; filled < end; filled++) out[filled] = out[filled - offset];
  }
  return filled;
}
