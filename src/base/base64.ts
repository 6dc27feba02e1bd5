/** Bytes as text that fits into addresses and JSON (RFC 4648, section 5, without padding). */
const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** Letters that are none of the alphabet count as "A": whoever takes text from others checks it first. */
export function fromBase64Url(text: string): Uint8Array {
  const bytes = new Uint8Array(Math.floor((text.length * 3) / 4));
  for (let i = 0, bits = 0, held = 0, at = 0; i < text.length; i++) {
    held = (held << 6) | Math.max(0, LETTERS.indexOf(text[i]));
    bits += 6;
    if (bits >= 8) bytes[at++] = (held >> (bits -= 8)) & 255;
    held &= (1 << bits) - 1;
  }
  return bytes;
}

export function toBase64Url(bytes: Uint8Array): string {
  let text = '';
  for (let i = 0; i < bytes.length; i += 3) {
    const three = (bytes[i] << 16) | ((bytes[i + 1] ?? 0) << 8) | (bytes[i + 2] ?? 0);
    const letters = Math.min(4, Math.ceil(((bytes.length - i) * 4) / 3));
    for (let at = 0; at < letters; at++) text += LETTERS[(three >> (18 - 6 * at)) & 63];
  }
  return text;
}
