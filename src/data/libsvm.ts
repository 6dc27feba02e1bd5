/**
 * LIBSVM text: "label index:value index:value ..." with ascending indices from 1, absent features being 0, `#` starting
 * a comment. The format knows no participants: a second file gives one id for each row, unless all are of one.
 */
import { inputError } from '../base/errors.ts';
import { allocateRows, checkDenseSize, count, DEFAULT_MEMORY_LIMIT_BYTES } from './memory.ts';
import { badFeature, DecimalScanner, isMissing, LARGEST_FEATURE, parseDecimal, shown } from './number.ts';
import { ParticipantColumn } from './participants.ts';
import type { Table } from './table.ts';
import { checkText, decodeText, textLines } from './text.ts';

export interface NamedBytes {
  readonly bytes: Uint8Array;
  readonly source: string;
}

export interface LibsvmOptions {
  /** The table is made dense; one that needs more than this is refused (default 2 GiB). */
  readonly memoryLimitBytes?: number;
  /** Number of features where it is known (from a model); otherwise the largest index of the file. */
  readonly features?: number;
}

export function readLibsvm(
  bytes: Uint8Array,
  source: string,
  tasks: NamedBytes | undefined,
  options: LibsvmOptions = {},
): Table {
  checkText(bytes, source, 'LIBSVM text');
  const rows = new LibsvmRows(bytes, source).read();
  const n = rows.labels.length;
  if (n === 0) throw inputError('NO_ROWS', `${source}: expected at least one row, got none`);
  const participants = new ParticipantColumn();
  for (const id of tasks ? readIds(tasks, source, n) : new Array<string>(n).fill('')) participants.push(id);
  const d = featureCount(rows, source, options);
  checkDenseSize(source, n, d, options.memoryLimitBytes ?? DEFAULT_MEMORY_LIMIT_BYTES);
  const x = allocateRows(source, n, d);
  for (let i = 0; i < n; i++) {
    for (let k = rows.starts[i]; k < rows.starts[i + 1]; k++) x[i * d + rows.indices[k] - 1] = rows.values[k];
  }
  return {
    source,
    features: Array.from({ length: d }, (_, j) => `x${j + 1}`),
    n,
    x,
    ...participants.finish(),
    targets: rows.labels,
    lines: Uint32Array.from(rows.lines),
  };
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

function featureCount(rows: LibsvmRows, source: string, options: LibsvmOptions): number {
  const d = options.features ?? rows.largestIndex;
  if (rows.largestIndex > d) {
    throw inputError(
      'FEATURE_COUNT',
      `${source}: expected at most ${count(d)} features, got index ${rows.largestIndex}`,
    );
  }
  if (d === 0) throw inputError('NO_FEATURES', `${source}: expected at least one feature, got labels only`);
  return d;
}

/** The file as it stands, sparse: row i holds the pairs from starts[i] up to starts[i + 1]. */
class LibsvmRows {
  readonly labels: string[] = [];
  readonly lines: number[] = [];
  readonly starts: number[] = [0];
  readonly indices: Float64Array;
  readonly values: Float64Array;
  largestIndex = 0;

  private readonly bytes: Uint8Array;
  private readonly source: string;
  private readonly numbers = new DecimalScanner();
  private pairs = 0;
  private line = 0;

  constructor(bytes: Uint8Array, source: string) {
    this.bytes = bytes;
    this.source = source;
    let colons = 0;
    for (const c of bytes) if (c === 0x3a) colons++;
    this.indices = new Float64Array(colons);
    this.values = new Float64Array(colons);
  }

  read(): this {
    const { bytes } = this;
    for (let at = 0; at < bytes.length; ) {
      this.line++;
      const lf = bytes.indexOf(0x0a, at);
      const end = lf < 0 ? bytes.length : lf;
      // Searching the whole file for the next comment at every line would be quadratic: search the line.
      const hash = bytes.subarray(at, end).indexOf(0x23);
      this.row(at, hash < 0 ? end : at + hash);
      at = end + 1;
    }
    return this;
  }

  private row(at: number, end: number): void {
    const { bytes } = this;
    let p = pastSpace(bytes, at, end);
    if (p === end) return;
    let next = endOfToken(bytes, p, end);
    this.labels.push(this.label(p, next));
    this.lines.push(this.line);
    let previous = 0;
    while ((p = pastSpace(bytes, next, end)) < end) {
      next = endOfToken(bytes, p, end);
      previous = this.pair(p, next, previous);
    }
    this.starts.push(this.pairs);
    if (previous > this.largestIndex) this.largestIndex = previous;
  }

  private label(start: number, end: number): string {
    const text = this.text(start, end);
    if (text.includes(':') || isMissing(text)) {
      throw inputError('MISSING_TARGET', `${this.where()}: expected a label first, got ${shown(text)}`);
    }
    return text;
  }

  /** Stores one index:value and gives the index. */
  private pair(start: number, end: number, previous: number): number {
    const { bytes, numbers } = this;
    const colon = numbers.scan(bytes, start, end);
    const index = numbers.value;
    if (colon < 0 || bytes[colon] !== 0x3a || !Number.isInteger(index) || index < 1) {
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
    this.indices[this.pairs] = index;
    this.values[this.pairs++] = this.featureValue(colon + 1, end, index);
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
