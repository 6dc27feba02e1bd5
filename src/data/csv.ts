/**
 * CSV: a participant column, a target column, features. Separator, decimal sign and header line are as text-format.ts says.
 * Numbers are read straight from the bytes; a field becomes a string only where it is an id, a target, text or not a plain number.
 * The file comes in pieces, so that memory holds its rows but not its text.
 */
import { inputError } from '../base/errors.ts';
import type { ByteSource } from './byte-source.ts';
import { type ColumnPlan, type ColumnRole, isNeeded, planColumns } from './columns.ts';
import { CsvCursor } from './csv-cursor.ts';
import { GrowingList } from './growing-list.ts';
import { HeldBytes } from './held-bytes.ts';
import { InternedTexts } from './interned-texts.ts';
import { allocateRows } from './memory.ts';
import {
  badFeature,
  DECIMAL_COMMA,
  DecimalScanner,
  isMissing,
  isText,
  LARGEST_FEATURE,
  parseDecimal,
  shown,
} from './number.ts';
import { ParticipantColumn } from './participants.ts';
import type { Table, TableColumns } from './table.ts';
import { checkNoZeros, emptyFile } from './text.ts';
import { TextColumns } from './text-columns.ts';
import { columnNumbers, separatorOf } from './text-format.ts';
import { weightFrom } from './weights.ts';

const KIND = 'CSV text';
/** Bytes of rows that are read at once: long enough that a row that is cut at the end, and read again, costs nothing. */
const WINDOW_BYTES = 1 << 20;

export function readCsv(bytes: Uint8Array, source: string, columns: TableColumns): Table {
  const reader = new CsvReader(source, columns, bytes.length);
  reader.push(bytes);
  return reader.finish();
}

export async function readCsvChunks(
  { chunks, size }: ByteSource,
  source: string,
  columns: TableColumns,
  windowBytes = WINDOW_BYTES,
): Promise<Table> {
  const reader = new CsvReader(source, columns, size, windowBytes);
  for await (const chunk of chunks) reader.push(chunk);
  return reader.finish();
}

/** Takes the file in pieces, which may be cut anywhere, and keeps nothing of it but the rows. */
class CsvReader {
  private readonly columns: TableColumns;
  /** Bytes of the file, as far as known. */
  private readonly size: number | undefined;
  private readonly cursor: CsvCursor;
  private readonly held = new HeldBytes();
  private readonly windowBytes: number;
  /** Bytes to wait for before going on. */
  private wanted: number;
  /** How the file begins. */
  private first: Uint8Array | undefined;
  private rows: CsvRows | undefined;

  constructor(source: string, columns: TableColumns, size: number | undefined, windowBytes = WINDOW_BYTES) {
    this.cursor = new CsvCursor(source);
    this.columns = columns;
    this.size = size;
    this.windowBytes = windowBytes;
    this.wanted = windowBytes;
  }

  push(chunk: Uint8Array): void {
    const { held } = this;
    if (held.length === 0 && chunk.length >= this.wanted) {
      const taken = this.take(chunk, 'more follows');
      held.add(chunk.subarray(taken));
    } else {
      held.add(chunk);
      if (held.length < this.wanted) return;
      held.drop(this.take(held.bytes, 'more follows'));
    }
    // A record that did not end here is read again from its beginning: not before there is twice as much.
    this.wanted = Math.max(this.windowBytes, 2 * held.length);
  }

  finish(): Table {
    const { cursor, columns } = this;
    this.take(this.held.bytes, 'end');
    if (this.first?.length === 0) throw emptyFile(cursor.source, KIND);
    if (this.rows) return this.rows.finish();
    const expected = (columns.header ?? true) ? 'a header line' : 'rows';
    throw inputError('EMPTY_FILE', `${cursor.source}: expected ${expected}, got only blank lines`);
  }

  /** Reads what is complete; gives the number of bytes that are done with. */
  private take(bytes: Uint8Array, rest: 'more follows' | 'end'): number {
    const { cursor } = this;
    cursor.show(bytes, rest);
    this.first ??= bytes.slice(0, 2);
    checkNoZeros(bytes, { source: cursor.source, kind: KIND, first: this.first, before: cursor.before });
    this.rows ??= this.open();
    this.rows?.take();
    return cursor.at;
  }

  /** The columns, from the first line that is not blank; undefined where it is not here yet. */
  private open(): CsvRows | undefined {
    const { cursor, columns } = this;
    const { task, label, drop, header = true, separator: given = 'auto' } = columns;
    cursor.skipByteOrderMark();
    if (!cursor.nextRecord()) return undefined;
    const line = cursor.peekLine();
    if (line === undefined) return undefined;
    cursor.separateBy(given === 'auto' ? separatorOf(line, [task, label, ...drop], header) : given);
    if (!cursor.holdsRecord()) return undefined;
    const plan = header ? readHeader(cursor, columns) : numberedColumns(cursor, columns);
    return new CsvRows(cursor, plan, columns, this.size);
  }
}

function readHeader(cursor: CsvCursor, columns: TableColumns): ColumnPlan {
  const { line } = cursor;
  const names = cursor.fields();
  cursor.endRecord();
  return planColumns(names, columns, `${cursor.source} line ${line}`);
}

/** The first line is a row: it says how many columns there are, and is read again as one. */
function numberedColumns(cursor: CsvCursor, columns: TableColumns): ColumnPlan {
  const { at, line } = cursor;
  const names = columnNumbers(cursor.fields().length);
  cursor.at = at;
  cursor.line = line;
  return planColumns(names, columns, cursor.source);
}

class CsvRows {
  private readonly cursor: CsvCursor;
  private readonly plan: ColumnPlan;
  private readonly format: TableColumns;
  /** Bytes of the file, as far as known. */
  private readonly size: number | undefined;
  /** Where the first row begins in the file. */
  private readonly start: number;
  private readonly numbers = new DecimalScanner();
  private readonly participants = new ParticipantColumn();
  private readonly texts: TextColumns;
  private readonly targets = new InternedTexts();
  private readonly lines = new GrowingList();
  private readonly weights: number[] = [];
  private x: Float64Array = new Float64Array(0);
  /** Numbers stored in x so far. */
  private filled = 0;

  constructor(cursor: CsvCursor, plan: ColumnPlan, format: TableColumns, size: number | undefined) {
    this.cursor = cursor;
    this.plan = plan;
    this.format = format;
    this.texts = new TextColumns(cursor.source, plan.features, format.categorical);
    this.size = size;
    this.start = cursor.before + cursor.at;
  }

  /** Reads all rows that are whole; the cursor stays before one that may be cut. */
  take(): void {
    const { cursor, plan } = this;
    const d = plan.features.length;
    while (cursor.nextRecord() && cursor.holdsRecord()) {
      if (this.filled + d > this.x.length) this.grow();
      this.lines.push(cursor.line);
      this.row();
      if (!plan.hasTask) this.participants.push('');
    }
  }

  finish(): Table {
    const { cursor, plan } = this;
    const n = this.lines.length;
    if (n === 0) {
      throw inputError('NO_ROWS', `${cursor.source}: expected rows below the header, got none`);
    }
    const levels = this.texts.finish(this.x, n);
    return {
      source: cursor.source,
      features: plan.features,
      n,
      // Not a copy: that would take the memory twice, and what was never written takes none.
      x: this.x.subarray(0, this.filled),
      ...(levels && { levels }),
      ...this.participants.finish(),
      targets: plan.hasLabel ? this.targets.finish() : undefined,
      ...(plan.hasWeight && { weights: Float64Array.from(this.weights) }),
      lines: this.lines.finish(),
    };
  }

  /** Reads one line. Features are the inner loop: everything else is a call away. */
  private row(): void {
    const { cursor, numbers, x } = this;
    const { roles } = this.plan;
    const { bytes, at: start, line } = cursor;
    const last = roles.length - 1;
    for (let c = 0; c <= last; c++) {
      if (roles[c] === 'feature') {
        const end = numbers.scan(bytes, cursor.at, bytes.length);
        if (end >= 0 && cursor.endsField(end)) {
          x[this.filled++] = numbers.value;
          cursor.at = end;
        } else {
          x[this.filled++] = this.slowFeature(c, start, line);
        }
      } else {
        this.other(roles[c], c, start, line);
      }
      if (c < last) {
        if (!cursor.atSeparator()) throw this.fieldCount(start, line);
        cursor.at++;
      }
    }
    if (cursor.atSeparator()) throw this.fieldCount(start, line);
    cursor.endRecord();
  }

  /** Quoted, spaced, long, missing, text or wrong. */
  private slowFeature(c: number, rowStart: number, line: number): number {
    const text = this.cursor.field().trim();
    const value = parseDecimal(this.withPoint(text));
    if (Math.abs(value) <= LARGEST_FEATURE) return value;
    const { names } = this.plan;
    const refused = () => badFeature(this.where(c, line), text, names[c], ...this.textAfter(c));
    if (isMissing(text)) {
      if (this.format.missing !== 'refuse') return Number.NaN;
      // A line cut short ends in an empty field; that it is short says more than that a value is missing.
      throw text === '' && this.isShort(rowStart) ? this.fieldCount(rowStart, line) : refused();
    }
    // The place of this value is taken already.
    const j = (this.filled - 1) % this.plan.features.length;
    if (!isText(text) && !this.texts.isListed(j)) throw refused();
    return this.texts.take(j, text, refused);
  }

  /** Names of the columns behind one in this record that hold no number either: all can be dropped at once. */
  private textAfter(c: number): string[] {
    const { roles, names } = this.plan;
    const { at, line } = this.cursor;
    const found: string[] = [];
    for (let next = c + 1; next < roles.length && this.cursor.atSeparator(); next++) {
      this.cursor.at++;
      const text = this.cursor.field().trim();
      if (roles[next] === 'feature' && isText(this.withPoint(text))) found.push(names[next]);
    }
    this.cursor.at = at;
    this.cursor.line = line;
    return found;
  }

  /** 1,5 as 1.5 where commas stand before decimals; a target that is a number likewise. */
  private withPoint(text: string): string {
    return this.format.decimal === 'comma' && DECIMAL_COMMA.test(text) ? text.replace(',', '.') : text;
  }

  private other(role: ColumnRole, c: number, rowStart: number, line: number): void {
    if (role === 'dropped') {
      this.cursor.skipField();
      return;
    }
    const text = this.cursor.field().trim();
    if (role === 'weight') {
      this.weights.push(weightFrom(this.withPoint(text), () => this.where(c, line)));
      return;
    }
    if (isNeeded(role, this.format.need)) this.checkPresent(role, c, text, rowStart, line);
    if (role === 'task') this.participants.push(text);
    else this.targets.push(this.withPoint(text));
  }

  private checkPresent(role: ColumnRole, c: number, text: string, rowStart: number, line: number): void {
    const absent = role === 'task' ? text === '' : isMissing(text);
    if (!absent) return;
    if (text === '' && this.isShort(rowStart)) throw this.fieldCount(rowStart, line);
    const [code, what] =
      role === 'task' ? ['MISSING_PARTICIPANT', 'a participant id'] : ['MISSING_TARGET', 'a target'];
    throw inputError(code, `${this.where(c, line)}: expected ${what}, got ${shown(text)}`);
  }

  private where(c: number, line: number): string {
    return `${this.cursor.source} line ${line}, column ${shown(this.plan.names[c])}`;
  }

  private fieldCount(rowStart: number, line: number): Error {
    const got = this.countFields(rowStart);
    const fields = `${this.plan.roles.length} fields, got ${got}`;
    return this.cursor.fail('CSV_FIELD_COUNT', `expected ${fields}`, line);
  }

  private isShort(rowStart: number): boolean {
    return this.countFields(rowStart) !== this.plan.roles.length;
  }

  /** Of the record that begins there; the cursor stays. */
  private countFields(rowStart: number): number {
    const { cursor } = this;
    const { at, line } = cursor;
    cursor.at = rowStart;
    const fields = cursor.countFields();
    cursor.at = at;
    cursor.line = line;
    return fields;
  }

  /** Room for more rows: at first for those in memory, then for as many as the file holds if all are as long as those read so far. */
  private grow(): void {
    const { cursor } = this;
    const d = this.plan.features.length;
    const read = this.lines.length;
    const here = cursor.bytes.length - cursor.at;
    const position = cursor.before + cursor.at;
    const left = read === 0 ? here : Math.max(here, (this.size ?? 0) - position);
    const width = read === 0 ? this.lineWidth() : (position - this.start) / read;
    // At least twice as many, or a file whose lines get ever shorter would be copied over and over.
    const rows = Math.max(2 * read, read + Math.ceil((left / width) * 1.1) + 1);
    const larger = allocateRows(cursor.source, rows, d);
    larger.set(this.x.subarray(0, this.filled));
    this.x = larger;
  }

  /** Bytes of the line here, and never fewer than its columns need. */
  private lineWidth(): number {
    const { bytes, at } = this.cursor;
    const lf = bytes.indexOf(0x0a, at);
    return Math.max((lf < 0 ? bytes.length : lf + 1) - at, 2 * this.plan.roles.length);
  }
}
