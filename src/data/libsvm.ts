/**
 * LIBSVM text: "label index:value index:value ..." with ascending indices from 1, absent features being 0, `#` starting
 * a comment. The format knows no participants: a second file gives one id for each row, unless all are of one.
 */
import { inputError } from '../base/errors.ts';
import { GrowingList } from './growing-list.ts';
import { InternedTexts } from './interned-texts.ts';
import { allocateRows, checkDenseSize, count, DEFAULT_MEMORY_LIMIT_BYTES } from './memory.ts';
import { badFeature, DecimalScanner, isMissing, LARGEST_FEATURE, parseDecimal, shown } from './number.ts';
import { ParticipantColumn } from './participants.ts';
import type { Table } from './table.ts';
import { checkText, decodeText, textLines } from './text.ts';

const COLON = 0x3a;

export interface NamedBytes {
  readonly bytes: Uint8Array;
  readonly source: string;
}

export interface LibsvmOptions {
  /** The table is made dense; one that needs more than this is refused (default 2 GiB). */
  readonly memoryLimitBytes?: number | undefined;
  /** Number of features where it is known (from a model); otherwise the largest index of the file. */
  readonly features?: number | undefined;
}

export function readLibsvm(
  bytes: Uint8Array,
  source: string,
  tasks: NamedBytes | undefined,
  options: LibsvmOptions = {},
): Table {
  checkText(bytes, source, 'LIBSVM text');
  const { n, d, pairs } = denseShape(bytes, source, options);
  const limit = options.memoryLimitBytes ?? DEFAULT_MEMORY_LIMIT_BYTES;
  checkDenseSize(source, n, d, limit, sparseRemedy(n, d, pairs, limit));
  const rows = new LibsvmRows(bytes, source, allocateRows(source, n, d), d).read();
  const participants = new ParticipantColumn();
  for (const id of tasks ? readIds(tasks, source, n) : new Array<string>(n).fill('')) participants.push(id);
  if (d === 0) throw inputError('NO_FEATURES', `${source}: expected at least one feature, got labels only`);
  return {
    source,
    features: Array.from({ length: d }, (_, j) => `x${j + 1}`),
    n,
    x: rows.x,
    ...participants.finish(),
    targets: rows.labels.finish(),
    lines: rows.lines.finish(),
  };
}

/** What would fit, and how to allow more. */
function sparseRemedy(n: number, d: number, pairs: number, limitBytes: number): string {
  const share = ((100 * pairs) / (n * d)).toPrecision(2);
  const fit = count(Math.floor(limitBytes / (8 * d)));
  return (
    `: LIBSVM text is read into a dense table, and ${share}% of its values are given. ` +
    `${fit} rows with as many features would fit; use fewer rows or features, or raise --max-bytes`
  );
}

/**
 * The size of the table before any of it is made. Indices ascend, so the last one of each line is its largest; lines that are wrong are
 * for the reader to refuse.
 */
function denseShape(bytes: Uint8Array, source: string, { features }: LibsvmOptions) {
  let n = 0;
  let largest = 0;
  let pairs = 0;
  for (const [start, end] of linesOf(bytes)) {
    if (pastSpace(bytes, start, end) === end) continue;
    n++;
    largest = Math.max(largest, lastIndex(bytes, start, end));
  }
  for (const c of bytes) if (c === COLON) pairs++;
  if (n === 0) throw inputError('NO_ROWS', `${source}: expected at least one row, got none`);
  if (largest > (features ?? largest)) {
    throw inputError(
      'FEATURE_COUNT',
      `${source}: expected at most ${count(features!)} features, got index ${largest}`,
    );
  }
  return { n, d: features ?? largest, pairs };
}

/** Lines without their comments, and without their ends. */
function* linesOf(bytes: Uint8Array): Generator<readonly [start: number, end: number], void, undefined> {
  for (let at = 0; at < bytes.length; ) {
    const lf = bytes.indexOf(0x0a, at);
    const end = lf < 0 ? bytes.length : lf;
    // Searching the whole file for the next comment at every line would be quadratic: search the line.
    const hash = bytes.subarray(at, end).indexOf(0x23);
    yield [at, hash < 0 ? end : at + hash];
    at = end + 1;
  }
}

/** The number before the last colon of a line; 0 where there is none. */
function lastIndex(bytes: Uint8Array, start: number, end: number): number {
  let p = end - 1;
  while (p > start && bytes[p] !== COLON) p--;
  let index = 0;
  let power = 1;
  for (p--; p > start && bytes[p] >= 0x30 && bytes[p] <= 0x39; p--, power *= 10)
    index += (bytes[p] - 0x30) * power;
  return p > start && isSpace(bytes[p]) ? index : 0;
}

function readIds(tasks: NamedBytes, source: string, n: number): string[] {
  checkText(tasks.bytes, tasks.source, 'one participant id on each line');
  const ids = textLines(tasks.bytes, tasks.source);
  if (ids.length !== n) {
    throw inputError(
      'TASK_COUNT',
      `${tasks.source}: expected ${count(n)} participant ids, one for each row of ${source}, ` +
        `got ${count(ids.length)}`,
    );
  }
  const empty = ids.indexOf('');
  if (empty >= 0) {
    const where = `${tasks.source} line ${empty + 1}`;
    throw inputError('MISSING_PARTICIPANT', `${where}: expected a participant id, got an empty line`);
  }
  return ids;
}

class LibsvmRows {
  readonly labels = new InternedTexts();
  readonly lines = new GrowingList();
  /** n x d, zeros at first. */
  readonly x: Float64Array;

  private readonly d: number;
  private readonly bytes: Uint8Array;
  private readonly source: string;
  private readonly numbers = new DecimalScanner();
  private line = 0;

  constructor(bytes: Uint8Array, source: string, x: Float64Array, d: number) {
    this.bytes = bytes;
    this.source = source;
    this.x = x;
    this.d = d;
  }

  read(): this {
    for (const [start, end] of linesOf(this.bytes)) {
      this.line++;
      this.row(start, end);
    }
    return this;
  }

  private row(at: number, end: number): void {
    const { bytes } = this;
    let p = pastSpace(bytes, at, end);
    if (p === end) return;
    let next = endOfToken(bytes, p, end);
    const row = this.lines.length * this.d;
    this.labels.push(this.label(p, next));
    this.lines.push(this.line);
    let previous = 0;
    while ((p = pastSpace(bytes, next, end)) < end) {
      next = endOfToken(bytes, p, end);
      previous = this.pair(p, next, previous, row);
    }
  }

  private label(start: number, end: number): string {
    const text = this.text(start, end);
    if (text.includes(':') || isMissing(text)) {
      throw inputError('MISSING_TARGET', `${this.where()}: expected a label first, got ${shown(text)}`);
    }
    return text;
  }

  /** Stores one index:value of the row that begins at a place in x, and gives the index. */
  private pair(start: number, end: number, previous: number, row: number): number {
    const { bytes, numbers } = this;
    const colon = numbers.scan(bytes, start, end);
    const index = numbers.value;
    if (colon < 0 || bytes[colon] !== COLON || !Number.isInteger(index) || index < 1) {
      const got = shown(this.text(start, end));
      throw inputError(
        'LIBSVM_PAIR',
        `${this.where()}: expected index:value with an integer index of at least 1, got ${got}`,
      );
    }
    if (index <= previous) {
      throw inputError(
        'LIBSVM_ORDER',
        `${this.where()}: expected ascending indices, got ${index} after ${previous}`,
      );
    }
    this.x[row + index - 1] = this.featureValue(colon + 1, end, index);
    return index;
  }

  private featureValue(start: number, end: number, index: number): number {
    if (this.numbers.scan(this.bytes, start, end) === end) return this.numbers.value;
    const text = this.text(start, end);
    const value = parseDecimal(text);
    if (Math.abs(value) <= LARGEST_FEATURE) return value;
    throw badFeature(`${this.where()}, index ${index}`, text);
  }

  private text(start: number, end: number): string {
    return decodeText(this.bytes, start, end, () => this.where());
  }

  private where(): string {
    return `${this.source} line ${this.line}`;
  }
}

function isSpace(c: number): boolean {
  return c === 0x20 || c === 0x09 || c === 0x0d;
}

function pastSpace(bytes: Uint8Array, p: number, end: number): number {
  while (p < end && isSpace(bytes[p])) p++;
  return p;
}

function endOfToken(bytes: Uint8Array, p: number, end: number): number {
  while (p < end && !isSpace(bytes[p])) p++;
  return p;
}
