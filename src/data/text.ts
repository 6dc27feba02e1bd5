/** Text from bytes, and the checks that bytes are text at all. */
import { inputError, type KindredError } from '../base/errors.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * UTF-8, refused where it is not: replacement characters could make one participant out of two.
 * `where` is called only for the error.
 */
export function decodeText(bytes: Uint8Array, start: number, end: number, where: () => string): string {
  // Ids and labels are short and nearly always ASCII; the decoder's cost for each call would dominate.
  if (end - start <= 24) {
    let text = '';
    let p = start;
    for (; p < end && bytes[p] < 0x80; p++) text += String.fromCharCode(bytes[p]);
    if (p === end) return text;
  }
  try {
    return utf8.decode(bytes.subarray(start, end));
  } catch {
    throw inputError('NOT_UTF8', `${where()}: expected UTF-8 text, got another encoding`);
  }
}

/** Refuses an empty file and a binary one. `kind` is what was expected: "CSV text". */
export function checkText(bytes: Uint8Array, source: string, kind: string): void {
  if (bytes.length === 0) throw emptyFile(source, kind);
  checkNoZeros(bytes, { source, kind, first: bytes, before: 0 });
}

export function emptyFile(source: string, kind: string): KindredError {
  return inputError('EMPTY_FILE', `${source}: expected ${kind}, got an empty file`);
}

/** Refuses a part of a file with a zero byte. `first`: how the file begins; `before`: bytes before this part. */
export function checkNoZeros(
  bytes: Uint8Array,
  { source, kind, first, before }: { source: string; kind: string; first: Uint8Array; before: number },
): void {
  const zero = bytes.indexOf(0);
  if (zero < 0) return;
  const utf16 = (first[0] === 0xff && first[1] === 0xfe) || (first[0] === 0xfe && first[1] === 0xff);
  throw inputError(
    'BINARY_FILE',
    utf16
      ? `${source}: expected ${kind} in UTF-8, got UTF-16`
      : `${source}: expected ${kind}, got binary data (a zero byte at offset ${before + zero})`,
  );
}

/** Lines of a small text file, trimmed; empty lines at the end left out. */
export function textLines(bytes: Uint8Array, source: string): string[] {
  const start = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
  const lines = decodeText(bytes, start, bytes.length, () => source).split(/\r\n|\n|\r/);
  while (lines.length > 0 && lines[lines.length - 1].trim() === '') lines.pop();
  return lines.map((line) => line.trim());
}
