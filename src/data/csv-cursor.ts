/**
 * A place in CSV bytes (RFC 4180): fields, quotes, line ends and line numbers. Line ends may be LF, CRLF or CR; lines
 * of white space only are skipped. The cursor does not know columns. The separator is one
 * ASCII character.
 *
 * The bytes may be a part of the file that ends anywhere (`isEnd` says whether it is the last one). A record may be cut there: whoever
 * reads it asks first whether it is whole (`holdsRecord`), and waits for more bytes where it is not.
 */
import { inputError, type KindredError } from '../base/errors.ts';
import { decodeText } from './text.ts';

const COMMA = ',';
const UNTERMINATED = 'CSV_UNTERMINATED_QUOTE';
const QUOTE = 0x22;
const LF = 0x0a;
const CR = 0x0d;
/** More of a line than this says nothing new about its separator. */
const LONGEST_PEEK = 1 << 20;

export class CsvCursor {
  readonly source: string;
  bytes: Uint8Array = new Uint8Array(0);
  /** Bytes of the file before `bytes`. */
  before = 0;
  /** Whether the file ends with `bytes`. */
  isEnd = false;
  /** Place of the next byte in `bytes`. */
  at = 0;
  /** Line of that byte, from 1. */
  line = 1;
  private separator = COMMA.charCodeAt(0);
  /** Places of the next LF and the next quote, where they are known. */
  private nextEnd = -1;
  private nextQuote = -1;

  constructor(source: string) {
    this.source = source;
  }

  /** Goes on in the part of the file that begins where the cursor is. */
  show(bytes: Uint8Array, rest: 'more follows' | 'end'): void {
    this.before += this.at;
    this.at = 0;
    this.bytes = bytes;
    this.isEnd = rest === 'end';
    this.nextEnd = this.nextQuote = -1;
  }

  /** One ASCII character (default: comma). */
  separateBy(separator: string): void {
    this.separator = separator.charCodeAt(0);
  }

  skipByteOrderMark(): void {
    const { bytes } = this;
    if (this.before + this.at === 0 && bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf)
      this.at = 3;
  }

  /** Moves to the next line that is not blank; false where there is none in these bytes. */
  nextRecord(): boolean {
    const { bytes } = this;
    let p = this.at;
    for (;;) {
      let c = bytes[p];
      while (c === 0x20 || c === 0x09) c = bytes[++p];
      if (p >= bytes.length) return false;
      if (c !== LF && c !== CR) return true;
      // The LF that belongs to this CR may be still to come.
      if (c === CR && p + 1 === bytes.length && !this.isEnd) return false;
      p = this.at = this.behindLineEnd(p);
    }
  }

  /**
   * The beginning of the line here as text; the cursor stays. Bytes that are no text are for the reader of fields to refuse. Undefined
   * where the line may be cut.
   */
  peekLine(): string | undefined {
    const most = Math.min(this.bytes.length, this.at + LONGEST_PEEK);
    let end = this.at;
    while (end < most && this.bytes[end] !== LF && this.bytes[end] !== CR) end++;
    if (end === this.bytes.length && !this.isEnd) return undefined;
    return new TextDecoder().decode(this.bytes.subarray(this.at, end));
  }

  /** Whether the record here ends in these bytes; the cursor stays. */
  holdsRecord(): boolean {
    if (this.isEnd) return true;
    // Without quotes a record is a line: most files need no second look.
    this.nextEnd = this.next(LF, this.nextEnd);
    this.nextQuote = this.next(QUOTE, this.nextQuote);
    return this.nextEnd < this.nextQuote || this.endsHere();
  }

  /** Place of the first such byte from here on, if it was `known` before; as good as infinite where there is none. */
  private next(byte: number, known: number): number {
    if (known >= this.at) return known;
    const found = this.bytes.indexOf(byte, this.at);
    return found < 0 ? Number.MAX_SAFE_INTEGER : found;
  }

  /** Looks for an LF outside quotes: from quote to quote, not byte by byte. */
  private endsHere(): boolean {
    const { bytes } = this;
    for (let p = this.at; ; ) {
      const end = bytes.indexOf(LF, p);
      if (end < 0) return this.endsWithCr();
      const quote = bytes.indexOf(QUOTE, p);
      if (quote < 0 || end < quote) return true;
      const opens = quote === this.at || this.endsField(quote - 1);
      p = (opens ? this.closingQuote(quote) : quote) + 1;
      if (p === 0) return false;
    }
  }

  /** Of the field in quotes that begins here; -1 where there is none. */
  private closingQuote(opening: number): number {
    const { bytes } = this;
    let p = bytes.indexOf(QUOTE, opening + 1);
    while (p >= 0 && bytes[p + 1] === QUOTE) p = bytes.indexOf(QUOTE, p + 2);
    return p;
  }

  /** Files without any LF are rare: field by field. */
  private endsWithCr(): boolean {
    const { at, line } = this;
    try {
      this.countFields();
      // A CR at the very end may be half a line end.
      return this.at + 1 < this.bytes.length;
    } catch (error) {
      // A quote that is open at the end may be closed later; anything else is wrong whatever follows.
      return (error as KindredError).code !== UNTERMINATED;
    } finally {
      this.at = at;
      this.line = line;
    }
  }

  /** Fields from here to the end of the record, where the cursor moves. */
  countFields(): number {
    let fields = 1;
    this.skipField();
    for (; this.atSeparator(); fields++) {
      this.at++;
      this.skipField();
    }
    return fields;
  }

  /** Texts of all fields of the record here, trimmed; moves to its line end. */
  fields(): string[] {
    const fields = [this.field().trim()];
    while (this.atSeparator()) {
      this.at++;
      fields.push(this.field().trim());
    }
    return fields;
  }

  /** The text of the field here, quotes removed; moves to the separator or line end behind it. */
  field(): string {
    if (this.bytes[this.at] === QUOTE) return this.quotedField();
    const start = this.at;
    this.at = this.endOfPlainField(start);
    return this.text(start, this.at);
  }

  skipField(): void {
    if (this.bytes[this.at] === QUOTE) this.skipQuoted();
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
    const start = this.at + 1;
    const { line } = this;
    const end = this.skipQuoted();
    return decodeText(this.bytes, start, end, () => `${this.source} line ${line}`).replaceAll('""', '"');
  }

  /** Moves behind a field in quotes; gives the place of the closing one. */
  private skipQuoted(): number {
    const { bytes, line } = this;
    for (let p = this.at + 1; p < bytes.length; p++) {
      const c = bytes[p];
      if (c === LF || (c === CR && bytes[p + 1] !== LF)) this.line++;
      if (c !== QUOTE) continue;
      if (bytes[p + 1] !== QUOTE) {
        this.at = p + 1;
        this.checkBehindQuote();
        return p;
      }
      p++;
    }
    throw this.fail(UNTERMINATED, 'expected a closing quote, got the end of the file', line);
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
