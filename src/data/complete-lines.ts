/** For files that are still being written. */
import { detectFormat } from './data-format.ts';

const NEWLINE = 0x0a;

/** Text without a last line that has no end yet: it may be half of one, and half a number is a number. Other formats are whole or not readable. */
export function completeLines(bytes: Uint8Array, source: string): Uint8Array {
  const format = detectFormat(source, bytes);
  if (format !== 'csv' && format !== 'libsvm') return bytes;
  const end = bytes.lastIndexOf(NEWLINE) + 1;
  return end === 0 ? bytes : bytes.subarray(0, end);
}
