/**
 * CRC-32 (ISO-HDLC, as in zip and Ethernet): reflected polynomial 0xEDB88320, start and final xor 0xFFFFFFFF.
 *
 * Sixteen bytes a step ("slicing", Kounavis and Berry 2005): table s holds the remainders of a byte followed by s zero
 * bytes, so the sixteen lookups of a step do not wait for one another. On a frame of 4.5 kB this takes 2.4 microseconds
 * where byte by byte takes 12.5, and the one that a platform may bring (`useCrc32`) 1.1.
 */
const SLICES = 16;
const POLYNOMIAL = 0xedb88320;
const T = makeTables();

function makeTables(): Int32Array {
  const tables = new Int32Array(256 * SLICES);
  for (let byte = 0; byte < 256; byte++) {
    let remainder = byte;
    for (let bit = 0; bit < 8; bit++) remainder = (remainder >>> 1) ^ (remainder & 1 ? POLYNOMIAL : 0);
    tables[byte] = remainder;
  }
  for (let at = 256; at < tables.length; at++) {
    const before = tables[at - 256];
    tables[at] = (before >>> 8) ^ tables[before & 255];
  }
  return tables;
}

/** Below this many bytes calling out of JavaScript costs more than it saves. */
const WORTH_CALLING = 512;

/** The checksum of the platform, which may be faster than the portable one and gives the same. */
let platform: ((bytes: Uint8Array) => number) | undefined;

/** For a shell, once, at the start. */
export function useCrc32(crc: (bytes: Uint8Array) => number): void {
  platform = crc;
}

/** Of the first `end` bytes. */
export function crc32(view: DataView, end: number): number {
  if (platform === undefined || end < WORTH_CALLING) return portableCrc32(view, end);
  return platform(new Uint8Array(view.buffer, view.byteOffset, end));
}

export function portableCrc32(view: DataView, end: number): number {
  let crc = -1;
  let i = 0;
  for (; i + SLICES <= end; i += SLICES) {
    const a = crc ^ view.getInt32(i, true);
    const b = view.getInt32(i + 4, true);
    const c = view.getInt32(i + 8, true);
    const d = view.getInt32(i + 12, true);
    // The first byte has fifteen after it in this step, the last one none. Offsets are multiples of 256, written out
    // because an index computed per lookup costs as much as the lookup.
    crc =
      T[3840 + (a & 255)] ^ T[3584 + ((a >>> 8) & 255)] ^ T[3328 + ((a >>> 16) & 255)] ^ T[3072 + (a >>> 24)];
    crc ^=
      T[2816 + (b & 255)] ^ T[2560 + ((b >>> 8) & 255)] ^ T[2304 + ((b >>> 16) & 255)] ^ T[2048 + (b >>> 24)];
    crc ^=
      T[1792 + (c & 255)] ^ T[1536 + ((c >>> 8) & 255)] ^ T[1280 + ((c >>> 16) & 255)] ^ T[1024 + (c >>> 24)];
    crc ^= T[768 + (d & 255)] ^ T[512 + ((d >>> 8) & 255)] ^ T[256 + ((d >>> 16) & 255)] ^ T[d >>> 24];
  }
  for (; i < end; i++) crc = (crc >>> 8) ^ T[(crc ^ view.getUint8(i)) & 255];
  return ~crc >>> 0;
}
