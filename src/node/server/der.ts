/** DER (ITU-T X.690), as much of it as a certificate needs: values as tag, length and content, nested. */

const TAG = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  oid: 0x06,
  utf8: 0x0c,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  set: 0x31,
} as const;

/** Context-specific tags, whose meaning depends on where they are. */
const CONTEXT = 0x80;
const CONSTRUCTED = 0x20;

function value(tag: number, ...contents: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(contents);
  return Buffer.concat([Buffer.from([tag, ...lengthBytes(content.length)]), content]);
}

/** One byte up to 127; above that the number of bytes that follow, and the length in as few as hold it. */
function lengthBytes(length: number): number[] {
  if (length < 0x80) return [length];
  const bytes: number[] = [];
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256);
  return [0x80 + bytes.length, ...bytes];
}

export const sequence = (...items: readonly Uint8Array[]) => value(TAG.sequence, ...items);
export const set = (...items: readonly Uint8Array[]) => value(TAG.set, ...items);
export const octetString = (bytes: Uint8Array) => value(TAG.octetString, bytes);
export const utf8 = (text: string) => value(TAG.utf8, Buffer.from(text));
export const TRUE = value(TAG.boolean, Buffer.from([0xff]));

/** A number >= 0 as big-endian bytes, in as few as hold it and its sign. */
export function integer(bytes: Uint8Array): Buffer {
  const first = bytes.findIndex((byte) => byte !== 0);
  const least = first < 0 ? Buffer.from([0]) : bytes.subarray(first);
  return least[0] >= 0x80 ? value(TAG.integer, Buffer.from([0]), least) : value(TAG.integer, least);
}

/** `unused`: bits at the end of the last byte that do not count. */
export function bitString(bytes: Uint8Array, unused = 0): Buffer {
  return value(TAG.bitString, Buffer.from([unused]), bytes);
}

/** A list of named bits (`keyUsage`), the first one highest; zeros at the end are left out. */
export function namedBits(...numbers: readonly number[]): Buffer {
  const last = Math.max(...numbers);
  const bytes = new Uint8Array((last >> 3) + 1);
  for (const bit of numbers) bytes[bit >> 3] |= 0x80 >> (bit & 7);
  return bitString(bytes, 7 - (last & 7));
}

/** "1.2.840.10045": the first two numbers in one byte, the others in groups of 7 bits. */
export function oid(text: string): Buffer {
  const [first, second, ...rest] = text.split('.').map(Number);
  const bytes = rest.flatMap((number) => {
    const groups = [number % 128];
    for (let high = Math.floor(number / 128); high > 0; high = Math.floor(high / 128))
      groups.unshift(0x80 + (high % 128));
    return groups;
  });
  return value(TAG.oid, Buffer.from([first * 40 + second, ...bytes]));
}

/** In whole seconds of UTC; with two digits of the year before 2050, as RFC 5280 wants it. */
export function time(ms: number): Buffer {
  const digits = new Date(ms).toISOString().replace(/\D/g, '').slice(0, 14);
  return digits < '2050'
    ? value(TAG.utcTime, Buffer.from(`${digits.slice(2)}Z`))
    : value(TAG.generalizedTime, Buffer.from(`${digits}Z`));
}

/** What is inside keeps its own tag. */
export const explicit = (tag: number, ...items: readonly Uint8Array[]) =>
  value(CONTEXT + CONSTRUCTED + tag, ...items);

/** The tag takes the place of the one that the content would have. */
export const implicit = (tag: number, content: Uint8Array) => value(CONTEXT + tag, content);
