/**
 * A place in CSV bytes (RFC 4180): fields, quotes, line ends and line numbers. Line ends may be LF, CRLF or CR; lines
 * of white space only are skipped. The cursor does not know columns. The separator is one
 * ASCII character.
 */
import { inputError, type KindredError } from '../base/errors.ts';
import { decodeText } from './text.ts';

const COMMA = ',';
const QUOTE = 0x22;
const LF = 0x0a;
const CR = 0x0d;
/** More of a line than this says nothing new about its separator. */
const LONGEST_PEEK = 1 << 20;

export class CsvCursor {
  readonly bytes: Uint8Array;
  readonly source: string;
  /** Position of the next byte. */
  at: number;
  /** Line of that byte, from 1. */
  line = 1;
  private readonly separator: number;

  /** `separator`: one ASCII character. */
  constructor(bytes: Uint8Array, source: string, separator = COMMA) {
    this.bytes = bytes;
    this.source = source;
    this.separator = separator.charCodeAt(0);
    this.at = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
  }

  /** Moves to the next line that is not blank; false at the end. */
  nextRecord(): boolean {
    const { bytes } = this;
    let p = this.at;
    for (;;) {
      let c = bytes[p];
      while (c === 0x20 || c === 0x09) c = bytes[++p];
      if (p >= bytes.length) return false;
      if (c !== LF && c !== CR) return true;
      p = this.at = this.behindLineEnd(p);
    }
  }

  /** The beginning of the line here as text; the cursor stays. Bytes that are no text are for the reader of fields to refuse. */
  peekLine(): string {
    const most = Math.min(this.bytes.length, this.at + LONGEST_PEEK);
    let end = this.at;
    while (end < most && this.bytes[end] !== LF && this.bytes[end] !== CR) end++;
    return new TextDecoder().decode(this.bytes.subarray(this.at, end));
  }

  /** The text of the field here, quotes removed; moves to the separator or line end behind it. */
  field(): string {
    if (this.bytes[this.at] === QUOTE) return this.quotedField();
    const start = this.at;
    this.at = this.endOfPlainField(start);
    return this.text(start, this.at);
  }

  skipField(): void {
    if (this.bytes[this.at] === QUOTE) this.quotedField();
    else this.at = this.endOfPlainField(this.at);
  }

  atSeparator(): boolean {
    return this.bytes[this.at] === this.separator;
  }

  /** Whether a field may end at `position`. */
  endsField(position: number): boolean {
    const c = this.bytes[position];
    return c === this.separator || c === LF || c === CR || position >= this.bytes.length;
  }

  endRecord(): void {
    if (this.at < this.bytes.length) this.at = this.behindLineEnd(this.at);
  }

  fail(code: string, sentence: string, line = this.line): KindredError {
    return inputError(code, `${this.source} line ${line}: ${sentence}`);
  }

  private behindLineEnd(p: number): number {
    this.line++;
    return this.bytes[p] === CR && this.bytes[p + 1] === LF ? p + 2 : p + 1;
  }

  private endOfPlainField(p: number): number {
    const { bytes, separator } = this;
    while (p < bytes.length) {
      const c = bytes[p];
      if (c === separator || c === LF || c === CR) break;
      p++;
    }
    return p;
  }

  private quotedField(): string {
    const { bytes } = this;
    const opened = this.line;
    let text = '';
    let start = this.at + 1;
    for (let p = start; p < bytes.length; p++) {
      const c = bytes[p];
      if (c === LF || (c === CR && bytes[p + 1] !== LF)) this.line++;
      if (c !== QUOTE) continue;
      text += this.text(start, p);
      if (bytes[p + 1] !== QUOTE) {
        this.at = p + 1;
        this.checkBehindQuote();
        return text;
      }
      text += '"';
      start = ++p + 1;
    }
    throw this.fail('CSV_UNTERMINATED_QUOTE', 'expected a closing quote, got the end of the file', opened);
  }

  private checkBehindQuote(): void {
    const { bytes } = this;
    while (!this.endsField(this.at) && (bytes[this.at] === 0x20 || bytes[this.at] === 0x09)) this.at++;
    if (this.endsField(this.at)) return;
    const got = String.fromCharCode(bytes[this.at]);
    throw this.fail(
      'CSV_TEXT_BEHIND_QUOTE',
      `expected a separator or the end of the line after a closing quote, got ${JSON.stringify(got)}`,
    );
  }

  private text(start: number, end: number): string {
    return decodeText(this.bytes, start, end, () => `${this.source} line ${this.line}`);
  }
}
